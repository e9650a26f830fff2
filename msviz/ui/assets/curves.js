// Loss, Recall@1 and mined share, one band a quantity, all over the same steps; under them the scrubber, and the marks:
// what was changed on the way, and where the two methods of a duel part. Of a duel both curves stand in each band, and the
// ground between them is their difference.

const BANDS = ["loss", "recall", "mined"];
const BAND = 60, LEFT = 42, RIGHT = 6;  // a band's height, and its margins: numbers stand on the left

function makeCurves(training, parent) {
  const panel = node("section", { className: "panel curves" }, parent);
  const bands = node("div", { className: "bands" }, panel);
  const rows = BANDS.map((name) => {
    const row = node("div", { className: `band ${name}` }, bands), label = node("p", { className: "label" }, row);
    const title = node("span", {}, label), value = node("b", {}, label), between = node("span", { className: "between" }, label);
    const svg = shape("svg", { role: "img", height: BAND }, row), ground = shape("g", { class: "ground" }, svg);
    const texts = [0, 1].map(() => shape("text", {}, ground));
    const marks = shape("g", { class: "marks" }, svg), area = shape("path", { class: "area" }, svg);
    const lines = [0, 1].map((k) => [shape("path", { class: `raw side${k}` }, svg), shape("path", { class: `line side${k}` }, svg)]);
    const dots = [0, 1].map((k) => shape("path", { class: `dots side${k}` }, svg)), cursor = shape("path", { class: "cursor" }, svg);
    svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); scrub(svg, event); });
    svg.addEventListener("pointermove", (event) => { if (svg.hasPointerCapture(event.pointerId)) scrub(svg, event); });
    return { name, title, value, between, svg, texts, marks, area, lines, dots, cursor };
  });
  const bottom = node("div", { className: "scrub" }, panel), label = node("label", { className: "label", htmlFor: "train-step" }, bottom);
  const slider = node("input", { type: "range", id: "train-step", min: 0, step: 1 }, bottom);
  const notes = node("div", { className: "notes" }, panel);
  slider.addEventListener("input", () => seek(+slider.value));
  slider.addEventListener("keydown", (event) => {
    const by = { PageUp: 1, PageDown: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    seek(shownStep() + by * Math.max(1, Math.round(training.head.total / 20)));
  });

  let width = 0;
  new ResizeObserver(([entry]) => { width = Math.floor(entry.contentRect.width); draw(); }).observe(rows[0].svg);
  const newest = () => training.head?.step ?? 0, total = () => Math.max(1, training.head?.total ?? 1);
  const shownStep = () => training.want ?? training.head?.shown ?? 0;
  const seek = (step) => {
    const to = Math.max(0, Math.min(newest(), step));
    training.seek(to >= newest() ? null : to);
  };
  function scrub(svg, event) {
    const box = svg.getBoundingClientRect(), along = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT - RIGHT);
    if (training.head) seek(Math.round(along * total()));
  }
  const x = (step) => LEFT + (step / total()) * (width - LEFT - RIGHT);

  // Points [step, values] of a band.
  const points = {
    loss: () => training.losses.map((values, step) => [step, values]),
    recall: () => training.head.recalls,
    mined: () => training.head.mined.map((values, k) => [k * training.head.grid, values]),
  };
  const path = (list, y) => list.map(([step, value], k) => `${k ? "L" : "M"}${short(x(step))} ${short(y(value))}`).join("");

  // Where there are more steps than pixels: the least and the largest of each pixel.
  function thinned(list) {
    const per = Math.ceil(list.length / Math.max(50, width));
    if (per < 2) return list;
    const out = [];
    for (let at = 0; at < list.length; at += per) {
      const part = list.slice(at, at + per), by = (better) => part.reduce((best, one) => (better(one[1], best[1]) ? one : best));
      out.push(...[by((a, b) => a < b), by((a, b) => a > b)].sort((a, b) => a[0] - b[0]));
    }
    return out;
  }
  // The loss from its least to its largest: few losses come near 0, and a small fall is one.
  function span(values) {
    const [low, top] = values.length ? [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))] : [0, 1];
    return [low, top > low ? top : low + Math.max(1e-6, Math.abs(low))];
  }
  const smooth = (list) => { let mean = null; return list.map(([step, value]) => [step, (mean = mean === null ? value : mean + 0.08 * (value - mean))]); };
  const percent = (value) => `${num(100 * value, 0)}%`;
  const written = (name, value) => (value === null || value === undefined ? "–" : name === "loss" ? num(value, 3) : percent(value));

  function drawBand(row, sides) {
    const { texts, head } = training, { name } = row, all = points[name]();
    const series = sides.map((_, k) => all.filter(([, values]) => values[k] !== null).map(([step, values]) => [step, values[k]]));
    const values = series.flat().map(([, value]) => value), [low, top] = name === "loss" ? span(values) : [0, 1];
    const y = (value) => 6 + (1 - (value - low) / (top - low)) * (BAND - 12);
    const now = head.figures?.[name] ?? [];
    write(row.title, texts[`js.train.curve.${name}`]);
    write(row.value, sides.length > 1 ? sides.map((letter, k) => `${letter} ${written(name, now[k])}`).join("  ") : written(name, now[0]));
    const gap = sides.length > 1 && now[0] != null && now[1] != null ? now[0] - now[1] : null;
    write(row.between, gap === null ? "" : fill(texts["js.train.curve.gap"], { gap: name === "loss" ? num(gap, 3) : percent(gap) }));
    put(row.svg, { viewBox: `0 0 ${width} ${BAND}`, "aria-label": fill(texts["js.train.curve.label"], { name: texts[`js.train.curve.${name}`], value: row.value.textContent, step: shownStep() }) });
    row.texts.forEach((text, k) => { put(text, { x: LEFT - 5, y: k ? BAND - 4 : 14 }); write(text, name === "loss" ? num(k ? low : top) : k ? "0" : "100%"); });
    row.lines.forEach(([raw, line], k) => {
      const list = series[k] ?? [], noisy = name === "loss";
      put(raw, { d: noisy ? path(thinned(list), y) : "" });
      put(line, { d: path(noisy ? thinned(smooth(list)) : list, y) });
    });
    row.dots.forEach((dots, k) => put(dots, { d: name === "recall" ? (series[k] ?? []).map(([step, value]) => outline(k ? "square" : "circle", x(step), y(value), 2.6)).join("") : "" }));
    const [one, two] = sides.length > 1 ? series.map((list) => (name === "loss" ? thinned(smooth(list)) : list)) : [];
    put(row.area, { d: one?.length && two?.length ? `${path(one, y)}L${path([...two].reverse(), y).slice(1)}Z` : "" });
    put(row.cursor, { d: `M${short(x(shownStep()))} 0V${BAND}` });
    const marks = keep(row.marks, head.changes.length + (head.divergence ? 1 : 0), (g) => shape("path", {}, g));
    head.changes.forEach(([step], k) => put(marks[k], { d: `M${short(x(step))} 0V${BAND}`, class: "change" }));
    if (head.divergence) put(marks[head.changes.length], { d: `M${short(x(head.divergence.step))} 0V${BAND}`, class: "parting" });
  }

  function drawNotes() {
    const { head, texts } = training, { divergence } = head;
    const wanted = [...(divergence ? [{ step: divergence.step, words: divergence.words, pair: divergence.pair }] : []), ...head.changes.map(([step, words]) => ({ step, words: fill(texts["js.train.change"], { step, change: words }) }))];
    const nodes = keep(notes, wanted.length, (box) => {
      const made = node("button", { type: "button", className: "chip" }, box);
      made.addEventListener("click", () => { if (made.note.pair) training.select(...made.note.pair); seek(made.note.step); });
    });
    wanted.forEach((note, k) => { nodes[k].note = note; write(nodes[k], note.words); });
  }

  function draw() {
    if (!training.head?.figures || !width) return;  // nothing to be seen yet
    const { texts, data } = training, sides = data.names.length > 1 ? ["A", "B"] : [""];
    put(panel, { "aria-label": texts["js.train.curves"] });
    panel.classList.toggle("duel", sides.length > 1);
    for (const row of rows) drawBand(row, sides);
    put(slider, { max: total(), "aria-valuetext": fill(texts["js.train.at"], { step: shownStep() }) });
    slider.style.setProperty("--done", `${(100 * newest()) / total()}%`);
    slider.value = shownStep();
    write(label, fill(texts["js.train.at"], { step: shownStep() }));
    drawNotes();
  }

  // A row a step: what was measured at it, of both methods in a duel.
  function table() {
    const { data: { names }, head } = training, sides = names.length > 1 ? ["_a", "_b"] : [""];
    const at = (list) => new Map(list), recalls = at(head.recalls), mined = at(points.mined());
    const columns = ["loss", "recall_at_1", "mined_share"].flatMap((name) => sides.map((side) => name + side));
    const cells = (values) => sides.map((_, k) => values?.[k] ?? "");
    return [["step", ...columns], ...training.losses.map((losses, step) => [step, ...cells(losses), ...cells(recalls.get(step)), ...cells(mined.get(step))])];
  }
  return { panel, draw, table };
}
