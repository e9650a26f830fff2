// The answer to "why does this pair weigh that much?": words, the equation with its numbers, the anchor's number line.

function makeInspector(bench, parent) {
  const panel = node("section", { className: "panel inspector" }, parent);
  const title = node("h2", {}, panel);
  const pictures = node("div", { className: "pictures" }, panel);
  const lines = node("div", { className: "lines" }, panel);
  const equation = node("div", { className: "equation" }, panel);
  const terms = node("ul", { className: "terms" }, panel);
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

  return {
    panel,
    draw() {
      const { inspector } = bench.head;
      write(title, inspector.title);
      [...keep(lines, inspector.lines.length, (box) => node("p", {}, box))].forEach((p, at) => write(p, inspector.lines[at]));
      const key = JSON.stringify(inspector.equation);
      drawPictures();
      if (key === shown) return;  // the same equation stays as it is
      shown = key;
      equation.replaceChildren(...(inspector.equation ? [equationNode(inspector.equation)] : []));
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
  const paint = canvas.getContext("2d"), picture = paint.createImageData(8, 8);
  bytes.forEach((value, at) => picture.data.set([value, value, value, 255], 4 * at));
  paint.putImageData(picture, 0, 0);
}
