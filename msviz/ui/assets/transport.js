// Play, pause, one step, rewind; speed and learning rate; what the board shows; how far the run has come.

function makeTransport(training, parent) {
  const bar = node("div", { className: "transport", role: "group" }, parent), go = node("div", { className: "go" }, bar), more = node("div", { className: "more" }, bar);
  const error = node("p", { className: "failed", role: "alert", hidden: true }, parent);
  const button = (name, act) => {
    const made = node("button", { type: "button", className: `button ${name}` }, go);
    made.addEventListener("click", () => { if (made.getAttribute("aria-disabled") !== "true") act(); });
    return made;
  };
  const latest = () => { training.want = null; };
  const toggle = () => { latest(); training.do(playing() ? "pause" : "play"); };
  const playing = () => ["playing", "waiting", "asleep"].includes(training.head?.doing);
  const play = button("play", toggle);
  const step = button("step", () => { latest(); training.do("step"); });
  const rewind = button("rewind", () => { latest(); training.do("rewind"); });

  const speedBox = node("label", {}, more), speedWord = node("span", {}, speedBox), speed = node("select", {}, speedBox);
  for (const name of ["slow", "normal", "fast"]) node("option", { value: name }, speed);
  speed.addEventListener("change", () => training.do("speed", { to: speed.value }));
  const rateBox = node("label", {}, more), rateWord = node("span", {}, rateBox), rate = node("input", { type: "number", step: "any", min: 0, inputMode: "decimal" }, rateBox);
  rate.addEventListener("change", () => { if (Number.isFinite(rate.valueAsNumber)) training.do("rate", { to: rate.valueAsNumber }); });
  const words = node("p", { className: "words" }, go), doing = node("b", { role: "status" }, words), count = node("span", {}, words);

  // Under the curves: what the data are, what the board shows, and the way to the other pages.
  const below = node("div", { className: "below" }), about = node("p", { className: "caption" }, below);
  const board = node("select", {}, below), keepIt = node("button", { type: "button", className: "button keep" }, below);
  for (const name of ["probe", "batch", "tsne"]) node("option", { value: name }, board);
  board.addEventListener("change", () => { training.points = board.value; training.ask(); });
  keepIt.addEventListener("click", () => { if (keepIt.getAttribute("aria-disabled") !== "true") training.keep(training.head?.shown ?? 0); });

  // The space bar plays and pauses, wherever nothing else wants it.
  document.addEventListener("keydown", (event) => {
    const [at] = event.composedPath(), own = at === document.body || at.matches?.(".train *:not(:is(button, input, select, canvas, [tabindex]))");
    if (event.key !== " " || !own || !parent.isConnected || document.querySelector('[role="dialog"]')) return;
    event.preventDefault();
    toggle();
  });

  let until = 0;  // a refusal stays for a while: the next answer knows nothing of it
  const say = (text) => { error.hidden = !text; write(error, text); };
  return {
    below,
    calm: () => say(""),
    lost: () => say(training.texts["js.train.lost"]),
    gone: () => say(training.texts["js.train.gone"]),
    draw() {
      const { texts, head, points } = training, name = (key) => texts[`js.train.${key}`];
      const ended = ["stopped", "failed"].includes(head?.doing), off = !head || head.doing === "preparing";
      put(bar, { "aria-label": name("transport") });
      write(play, name(playing() ? "pause" : "play"));
      play.title = texts["js.train.play.help"];
      put(play, { "aria-disabled": off || ended });
      write(step, name("step"));
      step.title = texts["js.train.step.help"];
      put(step, { "aria-disabled": off || ended });
      write(rewind, name("rewind"));
      rewind.title = texts["js.train.rewind.help"];
      put(rewind, { "aria-disabled": off });
      write(speedWord, name("speed"));
      for (const option of speed.options) write(option, texts[`js.train.speed.${option.value}`]);
      write(rateWord, name("rate"));
      write(about, training.data.about);
      put(board, { "aria-label": name("board") });
      for (const option of board.options) write(option, texts[`js.train.board.${option.value}`]);
      board.value = points;
      write(keepIt, name("keep"));
      keepIt.title = texts["js.train.keep.help"];
      put(keepIt, { "aria-disabled": off });
      if (!head) return;
      if (parent.getRootNode().activeElement !== speed) speed.value = head.speed;
      if (parent.getRootNode().activeElement !== rate && head.rate !== null) rate.value = String(+head.rate.toPrecision(6));
      write(doing, head.words + (head.stop && head.doing === "stopped" ? ` ${head.stop}` : ""));
      write(count, [fill(name("count"), { step: head.step, total: head.total }), head.left].filter(Boolean).join(" · "));
      board.lastChild.hidden = board.lastChild.disabled = !head.many;
      if (head.refused) until = performance.now() + 6000;
      if (head.refused || head.error || performance.now() > until) say(head.refused || head.error);
    },
  };
}
