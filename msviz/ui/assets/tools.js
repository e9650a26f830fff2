// The board's tools: which class a click adds, a new class, what is drawn. Kept apart from the board's own gestures.

function makeTools(bench, parent) {
  const row = node("div", { className: "tools" }, parent);
  const classes = node("div", { className: "classes", role: "radiogroup" }, row);
  const fresh = node("button", { type: "button", className: "chip new" }, row);
  const toggles = node("div", { className: "toggles" }, row);
  const tools = { active: null };

  const choose = (label) => { tools.active = label; tools.draw(); };
  const makeChip = (parent) => {
    const chip = node("button", { type: "button", className: "chip", role: "radio" }, parent);
    marker(chip);
    node("span", {}, chip);
    chip.addEventListener("click", () => choose(+chip.dataset.label));
    chip.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      const list = bench.head.palette, next = (list.indexOf(tools.active) + by + list.length) % list.length;
      choose(list[next]);
      classes.children[next].focus();
      event.preventDefault();
    });
  };
  const boxes = ["edges", "forces"].map((name) => {
    const label = node("label", {}, toggles), box = node("input", { type: "checkbox" }, label), word = node("span", {}, label);
    box.addEventListener("change", () => {
      bench.head.show[name] = box.checked;  // shown at once
      bench.flow.push({ kind: "show", ...bench.head.show });
      bench.repaint("board");
    });
    return { name, box, word };
  });
  const norms = node("label", {}, toggles), flat = node("input", { type: "checkbox" }, norms), flatWord = node("span", {}, norms);
  flat.addEventListener("change", () => bench.flow.push({ kind: "flat", on: flat.checked }));
  fresh.addEventListener("click", () => {
    const { palette, looks, next_class, next_look } = bench.head;
    if (next_class === null) return;
    tools.opened = { label: next_class, look: next_look };
    palette.push(next_class);
    looks[next_class] = next_look;
    bench.head.next_class = null;  // one empty class at a time
    choose(next_class);
    classes.lastChild.focus();
  });

  tools.draw = () => {
    const { texts, looks, palette, show } = bench.head;
    if (tools.opened && !palette.includes(tools.opened.label) && tools.active === tools.opened.label) {
      palette.push(tools.opened.label);  // a class that was opened stays until it has its first point or is left
      looks[tools.opened.label] = tools.opened.look;
      bench.head.next_class = null;
    }
    if (!palette.includes(tools.active)) tools.active = palette[0];
    classes.setAttribute("aria-label", texts["js.board.active"]);
    const chips = keep(classes, palette.length, makeChip);
    palette.forEach((label, index) => {
      chips[index].dataset.label = label;
      dress(chips[index].querySelector("path"), looks[label]);
      write(chips[index].querySelector("span"), looks[label].name);
      put(chips[index], { "aria-checked": label === tools.active, tabindex: label === tools.active ? 0 : -1 });
    });
    write(fresh, texts["js.board.new_class"]);
    fresh.hidden = bench.head.next_class === null || !bench.head.board.editable;
    for (const { name, box, word } of boxes) {
      box.checked = show[name];
      write(word, texts[`js.board.${name}`]);
    }
    norms.hidden = !bench.head.board.planar;
    norms.title = texts["js.board.flat.help"];
    flat.checked = bench.head.board.flat;
    write(flatWord, texts["js.board.flat"]);
  };
  return tools;
}
