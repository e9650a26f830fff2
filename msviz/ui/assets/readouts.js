// The four or five numbers that matter, and why all weights are zero or nothing moves, with one click to the opposite.
function makeReadouts(bench, parent) {
  const panel = node("section", { className: "panel readouts" }, parent);
  const list = node("dl", {}, panel), why = node("div", { className: "why" }, panel);
  const sentence = node("p", {}, why), remedies = node("div", { className: "remedies", role: "group" }, why), lead = node("span", {}, remedies);
  const buttons = node("span", {}, remedies);
  const makeButton = (parent) => {
    const button = node("button", { type: "button", className: "button" }, parent);
    button.addEventListener("click", () => bench.flow.push({ kind: "remedy", target: [...buttons.children].indexOf(button) }));
  };
  return {
    panel,
    draw() {
      const { readouts, why_zero, remedies: offered, texts } = bench.head;
      const boxes = keep(list, readouts.length, (dl) => { const box = node("div", {}, dl); node("dt", {}, box); node("dd", {}, box); });
      readouts.forEach(([value, caption], at) => { write(boxes[at].lastChild, value); write(boxes[at].firstChild, caption); });
      why.hidden = !why_zero;
      write(sentence, why_zero ?? "");
      if (offered === null) return;  // while something moves the buttons stay as they are
      write(lead, texts["js.remedy"]);
      remedies.setAttribute("aria-label", texts["js.remedy"]);
      remedies.hidden = !offered.length;
      [...keep(buttons, offered.length, makeButton)].forEach((button, at) => write(button, offered[at]));
    },
  };
}

parts.panels.readouts = makeReadouts;
