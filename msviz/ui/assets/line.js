// One anchor as a number line: positives above, negatives below, pale when dropped, the band of epsilon grey.
function makeLine(bench, parent) {
  const panel = node("section", { className: "panel line" }, parent);
  const title = node("h2", {}, panel), hint = node("p", { className: "caption" }, panel);
  const W = 640, H = 132, MIDDLE = 66, svg = shape("svg", { viewBox: `0 0 ${W} ${H}`, role: "img" }, panel);
  const x = (s) => 24 + ((s + 1) / 2) * (W - 48);
  const bands = shape("g", { class: "bands" }, svg), axis = shape("g", { class: "axis" }, svg), marks = shape("g", {}, svg);
  shape("path", { d: `M${x(-1)} ${MIDDLE}H${x(1)}` }, axis);
  for (const tick of [-1, -0.5, 0, 0.5, 1]) {
    shape("path", { d: `M${x(tick)} ${MIDDLE - 4}v8` }, axis);
    write(shape("text", { x: x(tick), y: H - 4, "text-anchor": "middle" }, axis), num(tick, 1));
  }
  const note = node("p", { className: "caption" }, panel);

  return {
    panel,
    draw() {
      const { selection, texts, order, ids, labels, looks, bounds, epsilon } = bench.head;
      const row = selection.anchor === null ? undefined : bench.rank.get(selection.anchor);
      panel.classList.toggle("empty", row === undefined);
      write(title, row === undefined ? "" : fill(texts["js.line.title"], { id: selection.anchor }));
      write(hint, row === undefined ? "" : texts[epsilon === null ? "js.line.hint_off" : "js.line.hint"]);
      if (row === undefined) return write(note, "");
      const m = order.length, at = order[row], others = order.map((_, k) => k).filter((k) => k !== row);
      const dots = keep(marks, others.length, (g) => shape("path", {}, g));
      const r = m > 40 ? 5 : 7, stacked = new Map();
      others.forEach((k, index) => {
        const code = bench.matrices.code[row * m + k], s = bench.matrices.S[row * m + k];
        const slot = `${isPositive(code)}${Math.round(x(s) / (1.4 * r))}`, height = stacked.get(slot) ?? 0;
        stacked.set(slot, height + 1);
        const away = (18 + Math.min(height, 2) * 1.1 * r) * (isPositive(code) ? -1 : 1);
        const chosen = ids[order[k]] === selection.other;
        dress(dots[index], looks[labels[order[k]]], x(s), MIDDLE + away, chosen ? 1.3 * r : r);
        put(dots[index], { class: `mark ${isDropped(code) ? "dropped" : ""} ${chosen ? "chosen" : ""}` });
      });
      const [least, , most] = bounds[at], two = least !== null && most !== null && epsilon !== null;
      const spans = two ? [[least - epsilon, least], [most, most + epsilon]] : [];
      const rects = keep(bands, spans.length, (g) => shape("rect", {}, g));
      spans.forEach(([from, to], index) => put(rects[index], {
        x: x(Math.max(-1.03, from)), width: Math.max(1, x(Math.min(1.03, to)) - x(Math.max(-1.03, from))),
        y: index ? MIDDLE - 46 : MIDDLE, height: 46,
      }));
      const words = two ? fill(texts["js.line.note"], {
        least: num(least), most: num(most), epsilon: num(epsilon), low: num(least - epsilon), high: num(most + epsilon),
      }) : "";
      write(note, words);
      svg.setAttribute("aria-label", `${fill(texts["js.line.title"], { id: selection.anchor })}. ${words}`);
    },
  };
}

parts.panels.line = makeLine;
