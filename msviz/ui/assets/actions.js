// What just changed, and beside it the way back: undo, redo, and the link to this state.

const SLOW = 512;  // points, from which on a change takes seconds

function makeActions(bench, parent) {
  const row = node("div", { className: "actions" }, parent);
  const status = node("p", { className: "change", role: "status" }, row);
  const buttons = node("div", { className: "buttons" }, row);
  const steps = ["undo", "redo"].map((kind) => {
    const button = node("button", { type: "button", className: "button" }, buttons);
    button.addEventListener("click", () => { if (bench.head[`can_${kind}`]) bench.flow.push({ kind }); });
    return { kind, button };
  });
  const link = makeLink(bench, buttons);
  const about = node("p", { className: "about" }, parent);

  // Undo from anywhere on the page; inside a field the browser's own undo stays.
  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase(), typing = event.composedPath()[0]?.matches?.("input[type=number], input[type=text], textarea");
    if (!row.isConnected || typing || !(event.ctrlKey || event.metaKey) || event.altKey || !["z", "y"].includes(key)) return;
    if (document.querySelector('[role="dialog"]')) return;  // what lies behind a dialog stays as it is
    if (!bench.parts.board.cancel()) bench.flow.push({ kind: key === "y" || event.shiftKey ? "redo" : "undo" });
    event.preventDefault();
  });

  return {
    draw() {
      const { change, texts, ids, board: { about: purpose } } = bench.head;
      status.classList.toggle("error", change.error);
      write(status, change.text);
      write(about, [purpose, ids.length > SLOW ? texts["js.matrix.slow"] : ""].filter(Boolean).join(" "));
      for (const { kind, button } of steps) {
        write(button, texts[`js.${kind}`]);
        button.title = texts[`js.${kind}.help`];
        put(button, { "aria-disabled": !bench.head[`can_${kind}`] });  // and not disabled: that would drop the keyboard's focus
      }
      link.draw();
    },
  };
}
