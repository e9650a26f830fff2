// The answer to "why does this pair weigh that much?": words, the equation with its numbers, the anchor's number line.

function makeInspector(bench, parent) {
  const panel = node("section", { className: "panel inspector" }, parent);
  const title = node("h2", {}, panel);
  const pictures = node("div", { className: "pictures" }, panel);
  const lines = node("div", { className: "lines" }, panel);
  const equation = node("div", { className: "equation" }, panel);
  const terms = node("ul", { className: "terms" }, panel);
  const acts = node("div", { className: "acts", role: "group" }, panel), whose = node("span", {}, acts);
  const classes = node("span", { className: "classes" }, acts), remove = node("button", { type: "button", className: "chip" }, acts);
  remove.addEventListener("click", () => bench.parts.board.remove(bench.head.selection.anchor));
  let shown = "";

  function drawPictures() {
    const wanted = [bench.head.selection.anchor, bench.head.selection.other].filter((id) => bench.imageOf(id));
    const figures = keep(pictures, wanted.length, (box) => {
      const figure = node("figure", {}, box);
      node("canvas", { width: 8, height: 8, role: "img" }, figure);
      node("figcaption", {}, figure);
    });
    wanted.forEach((id, at) => {
      const words = fill(bench.head.texts["js.digit"], { id, name: bench.look(id).name });
      paintDigit(figures[at].firstChild, bench.imageOf(id));
      figures[at].firstChild.setAttribute("aria-label", words);
      write(figures[at].lastChild, words);
    });
  }

  // What keys do on the board, for fingers: another class for the selected anchor, or away with it.
  function drawActs() {
    const { selection, labels, ids, looks, palette, texts } = bench.head, id = selection.anchor;
    acts.hidden = id === null;
    if (id === null) return;
    write(whose, fill(texts["js.act.point"], { id }));
    acts.setAttribute("aria-label", whose.textContent);
    const others = palette.filter((label) => label !== labels[ids.indexOf(id)]);
    const chips = keep(classes, others.length, (row) => {
      const chip = node("button", { type: "button", className: "chip" }, row);
      marker(chip);
      node("span", {}, chip);
      chip.addEventListener("click", () => bench.flow.push({ kind: "label", target: bench.head.selection.anchor, label: +chip.dataset.label }));
    });
    others.forEach((label, at) => {
      chips[at].dataset.label = label;
      dress(chips[at].querySelector("path"), looks[label]);
      write(chips[at].lastChild, fill(texts["js.act.class"], { name: looks[label].name }));
    });
    write(remove, texts["js.act.remove"]);
  }

  return {
    panel,
    draw() {
      const { inspector } = bench.head;
      write(title, inspector.title);
      [...keep(lines, inspector.lines.length, (box) => node("p", {}, box))].forEach((p, at) => write(p, inspector.lines[at]));
      const key = JSON.stringify(inspector.equation);
      drawPictures();
      drawActs();
      if (key === shown) return;  // the same equation stays as it is
      shown = key;
      equation.replaceChildren(...(inspector.equation ? equationNodes(inspector.equation) : []));
      const rows = inspector.equation?.legend ?? [];
      [...keep(terms, rows.length, (list) => { const item = node("li", {}, list); node("b", {}, item); node("span", {}, item); })]
        .forEach((item, at) => {
          item.firstChild.className = `role-${rows[at].role}`;
          write(item.firstChild, rows[at].name);
          write(item.lastChild, rows[at].text);
        });
    },
  };
}

function paintDigit(canvas, bytes) {
  const side = Math.sqrt(bytes.length);
  if (canvas.width !== side) canvas.width = canvas.height = side;
  const paint = canvas.getContext("2d"), picture = paint.createImageData(side, side);
  bytes.forEach((value, at) => picture.data.set([value, value, value, 255], 4 * at));
  paint.putImageData(picture, 0, 0);
}

parts.panels.inspector = makeInspector;
