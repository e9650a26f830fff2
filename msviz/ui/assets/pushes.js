// An arrow for each pair of the selected point, and their sum: who pushes it, and which way (views/pushes.py). On the
// circle all of them lie along one line, so each stands in a lane of its own, one below the other towards the centre.
// Pairs of one class are filled, others hollow; each says whose it is.

function makePushes(bench, board, svg) {
  const layer = shape("g", { class: "pushes" }, svg), label = node("label", {}, board.panel.querySelector(".toggles"));
  const box = node("input", { type: "checkbox" }, label), word = node("span", {}, label), note = node("p", { className: "caption under pictured" }, board.panel);
  const LANE = 0.085, REACH = 0.55;
  box.addEventListener("change", () => {
    bench.head.show.per_pair = box.checked;  // shown at once
    bench.flow.push({ kind: "show", ...bench.head.show });
    bench.repaint("board");
  });

  function draw(views, forces) {
    const { more, show, texts, ids } = bench.head, offered = "pushes" in more, shown = (offered && show.per_pair && more.pushes) || null;
    label.hidden = !offered;
    note.hidden = !offered || !show.per_pair;
    board.panel.classList.toggle("pushing", Boolean(shown));
    put(forces, { visibility: shown ? "hidden" : "visible" });  // those of all points would not be told from these
    box.checked = show.per_pair;
    write(word, texts["js.pushes.switch"]);
    write(note, texts[shown ? "js.pushes.note" : "js.pushes.choose"]);
    const rows = shown ? [{ name: texts["js.pushes.sum"], step: shown.total, sum: true }, ...shown.rows] : [];
    const arrows = keep(layer, rows.length, (g) => { const item = shape("g", {}, g); shape("path", {}, item); shape("text", { class: "name" }, item); });
    if (!shown) return;
    const surface = board.surface(), at = views[ids.indexOf(shown.anchor)], lanes = surface.name === "circle" && ids.length;
    rows.forEach(({ name, step, positive, sum }, k) => {
      const inward = lanes ? 1 - LANE * (k + 1) : 1, [x, y] = [at[0] * inward, at[1] * inward], [fx, fy] = surface.along(step);
      const size = Math.hypot(fx, fy), ux = size ? fx / size : 0, uy = size ? fy / size : 0, start = lanes ? 0 : 0.07, end = start + REACH * size + 0.07;
      put(arrows[k], { class: sum ? "sum" : positive === false ? "hollow" : "filled" });
      put(arrows[k].firstChild, { d: arrowPath([x, y], [fx * (REACH / 0.34), fy * (REACH / 0.34)], start) });
      put(arrows[k].lastChild, { x: short(x + ux * (end + 0.05)), y: short(-(y + uy * (end + 0.05))), "font-size": 0.062 });
      write(arrows[k].lastChild, size < 0.01 ? "" : name);
    });
  }
  return { draw };
}
