// Parameters: for each one a slider that reports while it moves, and a number field. Built from the loss's own list.
//
// A parameter that two losses share keeps its nodes, and while a person moves a slider nothing that Python answers is
// written into it. `kind`: of the events that it sends.

function makeSliders(strip, parent, kind = "param") {
  const box = node("div", { className: "sliders" }, parent), rows = new Map(), flow = strip.flow;

  // A slider runs over 0..1000; a parameter over its range, evenly or by its logarithm.
  const toSlider = ({ low, high, scale }, value) =>
    1000 * (scale === "log" ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low));
  const grain = ({ scale, step, whole }, value) => (whole ? 1 : scale === "log" ? 10 ** (Math.floor(Math.log10(value)) - 1) : step);
  const within = ({ low, high }, value) => Math.min(high, Math.max(low, +value.toPrecision(12)));
  const fromSlider = (spec, at) => {
    const raw = spec.scale === "log" ? spec.low * (spec.high / spec.low) ** (at / 1000) : spec.low + (at / 1000) * (spec.high - spec.low);
    const step = grain(spec, raw);
    return within(spec, Math.round(raw / step) * step);
  };

  function makeRow(name) {
    const holder = node("div", { className: "row" }, box), id = `slider-${name}`;
    const label = node("label", { htmlFor: id }, holder), letter = node("i", {}, label);
    const range = node("input", { type: "range", id, min: 0, max: 1000, step: 1 }, holder);
    const field = node("input", { type: "number", step: "any", inputMode: "decimal" }, holder);
    const row = { holder, letter, range, field, spec: null, held: false, typing: false };
    const change = (value) => flow.push({ kind, target: name, value });
    const slide = (value) => {
      row.held = true;
      flow.begin();
      field.value = value;
      range.setAttribute("aria-valuetext", num(value));
      flow.move({ kind, target: name, value });
    };
    const release = () => { if (row.held) { row.held = false; flow.end(); } };
    range.addEventListener("input", () => slide(fromSlider(row.spec, +range.value)));
    for (const kind of ["change", "pointerup", "keyup", "blur"]) range.addEventListener(kind, release);
    range.addEventListener("keydown", (event) => {  // an arrow is one step of the parameter, not of the slider
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const now = +field.value, value = within(row.spec, now + by * grain(row.spec, now) * (event.shiftKey ? 10 : 1));
      range.value = toSlider(row.spec, value);
      slide(value);
    });
    field.addEventListener("input", () => { row.typing = true; });
    field.addEventListener("change", () => {
      row.typing = false;
      change(field.value.trim() === "" ? null : +field.value);
    });
    field.addEventListener("keydown", (event) => { if (event.key === "Escape") { row.typing = false; draw(); } });
    return row;
  }

  function draw() {
    const { params, texts } = strip.data;
    for (const [name, row] of rows) if (!params.some((spec) => spec.name === name)) { row.holder.remove(); rows.delete(name); }
    params.forEach((spec, at) => {
      if (!rows.has(spec.name)) rows.set(spec.name, makeRow(spec.name));
      const row = rows.get(spec.name), off = spec.value === null;
      row.spec = spec;
      write(row.letter, spec.letter);
      row.holder.title = spec.help;
      row.range.setAttribute("aria-label", fill(texts["js.strip.slider"], { letter: spec.letter, help: spec.help }));
      row.field.setAttribute("aria-label", fill(texts["js.strip.field"], { letter: spec.letter, bounds: spec.bounds }));
      row.field.step = spec.scale === "log" ? "any" : spec.step;
      row.range.disabled = row.field.disabled = off;
      if (box.children[at] !== row.holder) box.insertBefore(row.holder, box.children[at] ?? null);
      if (row.held || flow.queue.some((event) => event.target === spec.name)) return;
      const value = off ? spec.rest : spec.value;
      row.range.value = toSlider(spec, value);
      row.range.setAttribute("aria-valuetext", num(value));
      if (!row.typing) row.field.value = off ? "" : value;
    });
  }
  // A parameter that is dragged elsewhere, such as a gate of epsilon, moves here too.
  if (kind === "param") parts.follow = ({ kind: moved, target, value }) => {
    const row = moved === kind ? rows.get(target) : null;
    if (!row || row.held || row.typing) return;
    row.range.value = toSlider(row.spec, value);
    row.field.value = value;
  };
  return { draw };
}
