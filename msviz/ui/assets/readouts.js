// The four or five numbers that matter, and why all weights are zero when they are.
function makeReadouts(bench, parent) {
  const panel = node("section", { className: "panel readouts" }, parent);
  const list = node("dl", {}, panel), zero = node("p", { className: "why" }, panel);
  return {
    draw() {
      const { readouts, why_zero } = bench.head;
      const boxes = keep(list, readouts.length, (dl) => { const box = node("div", {}, dl); node("dt", {}, box); node("dd", {}, box); });
      readouts.forEach(([value, caption], at) => { write(boxes[at].lastChild, value); write(boxes[at].firstChild, caption); });
      zero.hidden = !why_zero;
      write(zero, why_zero ?? "");
    },
  };
}

parts.panels.readouts = makeReadouts;
