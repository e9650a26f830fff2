// The strip over the bench: loss, presets, parameters, mining.

const strips = new WeakMap();

function makeStrip(shadow) {
  const root = dressed(shadow, "strip"), strip = { flow: makeFlow("c", root), data: null }, { flow } = strip;
  const loss = node("select", {}, root);
  const presets = node("div", { className: "presets", role: "group" }, root);
  const sliders = makeSliders(strip, root);
  const mineBox = node("label", { className: "mine" }, root), mine = node("input", { type: "checkbox" }, mineBox), mineWord = node("span", {}, mineBox);
  loss.addEventListener("change", () => flow.push({ kind: "loss", name: loss.value }));
  mine.addEventListener("change", () => flow.push({ kind: "mine", on: mine.checked }));

  function draw() {
    const { losses, method, texts } = strip.data;
    put(loss, { "aria-label": texts["js.strip.loss"] });
    const options = keep(loss, losses.length, (select) => node("option", {}, select));
    losses.forEach(({ name, title }, at) => { options[at].value = name; write(options[at], title); });
    if (loss.value !== method.loss) loss.value = method.loss;
    presets.setAttribute("aria-label", texts["js.strip.presets"]);
    const chips = keep(presets, strip.data.presets.length, (row) => {
      const chip = node("button", { type: "button", className: "chip" }, row);
      chip.addEventListener("click", () => flow.push({ kind: "preset", slug: chip.dataset.slug }));
    });
    strip.data.presets.forEach(({ slug, title, help, active }, at) => {
      chips[at].dataset.slug = slug;
      chips[at].title = help;
      chips[at].setAttribute("aria-pressed", active);
      write(chips[at], title);
    });
    sliders.draw();
    mine.checked = method.mined;
    write(mineWord, texts["js.strip.mine"]);
  }
  const restyle = () => { root.dataset.scheme = scheme(root); };
  watchTheme(root, restyle);
  strip.show = (data) => {
    strip.data = data;
    flow.acknowledge(data.seq);
    if (!root.dataset.scheme) restyle();
    draw();
    flow.count();
  };
  return strip;
}

parts.strip = ({ parentElement, data, setStateValue }) => {
  let strip = strips.get(parentElement);
  if (!strip) strips.set(parentElement, (strip = makeStrip(parentElement)));
  strip.flow.set = (parcel) => setStateValue("parcel", parcel);
  strip.show(data);
};
