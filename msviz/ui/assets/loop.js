// The LoOp lab beside its board. The box: f = -p1.p2 over all places a on the one arc and b on the other, as bands of
// equal f with lines between them, the solution, and around it the nine regions where it can lie. The facts: how hard the
// closest points are, and what holds them back. What is said and where the solution lies comes from Python
// (views/loop_four.py); only the colours of the box are computed here, from the matrix that it sends.

const RIM_WIDE = 12, RIM_GAP = 3;  // pixels: how wide the frame of regions is, and how far from the box

function makeLoopBox(bench, parent) {
  const panel = node("section", { className: "panel loopbox" }, parent), head = node("header", {}, panel);
  const title = node("h2", {}, head), hint = node("p", { className: "caption" }, head), where = node("p", { className: "where" }, panel);
  const plot = node("div", { className: "boxplot" }, panel), canvas = node("canvas", { role: "img" }, plot);
  const svg = shape("svg", { "aria-hidden": "true" }, plot), legend = node("div", { className: "legend" }, panel), lines = node("div", { className: "lines" }, panel);
  const regions = shape("g", { class: "regions" }, svg), guides = shape("path", { class: "guides" }, svg);
  const [under, ridge] = ["ridge under", "ridge"].map((name) => shape("path", { class: name }, svg));
  const mark = shape("path", { class: "diamond" }, svg), words = shape("g", { class: "words" }, svg);
  const [far, bar, near, every] = ["span", "span", "span", "span"].map((tag) => node(tag, {}, legend));
  bar.className = "bar ramp-S";
  const paint = canvas.getContext("2d", { alpha: false });
  let width = 0, spoken = null;
  new ResizeObserver(([entry]) => { width = Math.floor(entry.contentRect.width); bench.repaint("loopbox"); }).observe(plot);

  function draw() {
    const { texts, more: { loop, why } } = bench.head;
    write(title, texts["js.loop.box"]);
    write(hint, loop ? loop.pairs : "");
    write(where, loop ? loop.title : why);
    plot.hidden = legend.hidden = lines.hidden = !loop;
    if (!loop) return;
    const said = keep(lines, loop.lines.length, (parent) => node("p", {}, parent));
    loop.lines.forEach((line, k) => write(said[k], line));
    put(canvas, { "aria-label": `${texts["js.loop.box"]}. ${loop.title}. ${loop.solution}` });
    if (!loop.moving && spoken !== loop.solution) {
      if (spoken !== null) bench.speak(`${loop.title}. ${loop.solution}`);
      spoken = loop.solution;
    }
    if (width) drawBox(loop, texts);
  }

  function drawBox(loop, texts) {
    const LEFT = 66, RIGHT = 4, TOP = 4, FOOT = 40, rim = RIM_WIDE + RIM_GAP, side = Math.max(80, width - LEFT - RIGHT - 2 * rim), ratio = window.devicePixelRatio || 1;
    const x0 = LEFT + rim, y0 = TOP + rim, height = y0 + side + rim + FOOT, pixels = Math.round(side * ratio);
    plot.style.height = `${height}px`;
    put(canvas, { style: `left:${x0}px;top:${y0}px;width:${side}px;height:${side}px` });
    if (canvas.width !== pixels) canvas.width = canvas.height = pixels;
    const span = paintBands(paint, pixels, loop, rgb(bench.root, "--ink"), bench.colors());
    canvas.msviz = span;  // what the bands reach, for tests
    put(svg, { viewBox: `0 0 ${width} ${height}`, width, height });

    // Which of the nine regions holds the solution: 0 = on the start, 1 = between, 2 = on the end, of either arc.
    const of = (arc) => (loop.case.includes(`${arc}1`) ? 0 : loop.case.includes(`${arc}2`) ? 2 : 1), here = 3 * of("y") + of("x");
    const from = [-rim, 0, side + RIM_GAP], size = [RIM_WIDE, side, RIM_WIDE];
    const cells = keep(regions, 9, (g) => shape("rect", {}, g));
    for (let k = 0; k < 9; k++) {
      const [i, j] = [k % 3, 2 - Math.floor(k / 3)];
      put(cells[k], { x: x0 + from[i], y: y0 + from[j], width: size[i], height: size[j], class: `${k === 4 ? "inside" : "bound"} ${k === here ? "here" : ""}` });
    }
    const share = (at, length) => (length > 0 ? at / length : 0.5), [a, b] = [share(loop.a, loop.lengths[0]), share(loop.b, loop.lengths[1])];
    const x = x0 + a * side, y = y0 + (1 - b) * side, base = y0 + side + rim;
    put(guides, { d: `M${x} ${y}V${base}M${x} ${y}H${x0 - rim}` });
    put(mark, { d: outline("diamond", x, y, 8) });
    const line = meetings(loop).map((run) => `M${run.map(([at, to]) => `${short(x0 + at * side)} ${short(y0 + (1 - to) * side)}`).join("L")}`).join("");
    for (const path of [under, ridge]) put(path, { d: line });
    const degrees = (radians) => `${num((radians * 180) / Math.PI, 1)}°`, ends = loop.lengths.map(degrees), between = (at) => at > 0.24 && at < 0.76;
    const texted = [
      ["x1", { x: x0, y: base + 16, "text-anchor": "start" }], ["a = 0", { x: x0, y: base + 32, "text-anchor": "start" }],
      ["x2", { x: x0 + side, y: base + 16, "text-anchor": "end" }], [`A = ${ends[0]}`, { x: x0 + side, y: base + 32, "text-anchor": "end" }],
      ["y1", { x: LEFT - 6, y: y0 + side - 12, "text-anchor": "end" }], ["b = 0", { x: LEFT - 6, y: y0 + side + 4, "text-anchor": "end" }],
      ["y2", { x: LEFT - 6, y: y0 + 10, "text-anchor": "end" }], [`B = ${ends[1]}`, { x: LEFT - 6, y: y0 + 26, "text-anchor": "end" }],
      [between(a) ? degrees(loop.a) : "", { x, y: base + 16, "text-anchor": "middle" }], [between(b) ? degrees(loop.b) : "", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }],
    ];
    const labels = keep(words, texted.length, (g) => shape("text", {}, g));
    texted.forEach(([text, place], k) => { put(labels[k], { ...place, class: k % 2 && k < 8 ? "value" : "" }); write(labels[k], text); });
    write(far, fill(texts["js.loop.far"], { f: num(span.high) }));
    write(near, fill(texts["js.loop.near"], { f: num(span.low) }));
    write(every, span.step ? fill(texts["js.loop.every"], { step: num(span.step, Math.max(1, Math.ceil(-Math.log10(span.step)))) }) : "");
  }

  function table() {
    const { loop } = bench.head.more, rows = [["a_degrees", "b_degrees", "f"]], N = 32, f = loop && boxValue(loop.box);
    for (let i = 0; loop && i <= N; i++) for (let j = 0; j <= N; j++) {
      const [a, b] = [(i * loop.lengths[0]) / N, (j * loop.lengths[1]) / N];
      if ((loop.antipodal[0] && i % N) || (loop.antipodal[1] && j % N)) continue;
      rows.push([...[a, b].map((angle) => digits32((angle * 180) / Math.PI)), digits32(f(a, b))]);
    }
    return rows;
  }
  return { panel, draw, table };
}

// f at angles a and b.
const boxValue = ([[m11, m12], [m21, m22]]) => (a, b) => {
  const [u, v] = [m11 * Math.cos(b) + m12 * Math.sin(b), m21 * Math.cos(b) + m22 * Math.sin(b)];
  return -(u * Math.cos(a) + v * Math.sin(a));
};

// Where arcs of one circle lie on each other: all places of the box at which f = -1, as lines, each way 0..1. With M a turn,
// or one with a mirror, f = -cos(a -+ b - phi).
function meetings({ touching, box: [[m11, m12], [m21, m22]], lengths: [A, B] }) {
  const way = Math.sign(m11 * m22 - m12 * m21), phi = Math.atan2(m21, m11), runs = [], N = 400;
  if (!touching || Math.abs(m11 * m22 - m12 * m21) < 1 - 1e-6) return runs;
  for (let k = 0, last = null; k <= N; k++) {
    const b = (k * B) / N, a = (((phi + way * b) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
    if (a > A) { last = null; continue; }
    if (last === null || Math.abs(a - last) > 1) runs.push([]);
    runs.at(-1).push([a / A, k / N]);
    last = a;
  }
  return runs.filter((run) => run.length > 1);
}

// Bands of equal f, dark where the points are close, a line between two of them. Of opposite ends only the rims count: what
// lies between them is dotted. Returns the values at the ends of the colours and the step between lines.
function paintBands(paint, pixels, { box, lengths, antipodal }, ink, { S: ramp, background, dots }) {
  const RIM = 0.07, f = boxValue(box), N = 40, unpack = (pixel) => [0, 8, 16].map((shift) => (pixel >>> shift) & 255);
  const places = lengths.map((length, k) => (at) => (antipodal[k] ? (at < RIM ? 0 : at > 1 - RIM ? length : NaN) : at * length));
  let low = Infinity, high = -Infinity;
  for (let i = 0; i <= N; i++) for (let j = 0; j <= N; j++) {
    const value = f(places[0](i / N), places[1](j / N));
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const step = niceStep((high - low) / 11), first = step ? Math.floor(low / step) : 0, count = step ? Math.max(1, Math.ceil(high / step) - first) : 1;
  const colors = Uint32Array.from({ length: count }, (_, k) => ramp[Math.round((1 - (k + 0.5) / count) * (ramp.length - 1))]);
  const lines = Uint32Array.from(colors, (color) => {  // between the band's colour and what is farther from it, ink or paper
    const own = unpack(color), apart = (end) => end.reduce((sum, v, k) => sum + Math.abs(v - own[k]), 0), paper = unpack(background), to = apart(ink) > apart(paper) ? ink : paper;
    return own.reduce((out, v, k) => out | (Math.round(0.5 * v + 0.5 * to[k]) << (8 * k)), 255 << 24) >>> 0;
  });
  const picture = paint.createImageData(pixels, pixels), out = new Uint32Array(picture.data.buffer), bands = new Int16Array(pixels * pixels);
  const across = Array.from({ length: pixels }, (_, x) => places[0]((x + 0.5) / pixels)), cos = across.map(Math.cos), sin = across.map(Math.sin);
  const [[m11, m12], [m21, m22]] = box;
  for (let y = 0; y < pixels; y++) {
    const b = places[1](1 - (y + 0.5) / pixels), u = m11 * Math.cos(b) + m12 * Math.sin(b), v = m21 * Math.cos(b) + m22 * Math.sin(b);
    for (let x = 0; x < pixels; x++) {
      const value = -(u * cos[x] + v * sin[x]);
      bands[y * pixels + x] = Number.isNaN(value) ? -1 : step ? Math.max(0, Math.min(count - 1, Math.floor(value / step) - first)) : 0;
    }
  }
  for (let y = 0, at = 0; y < pixels; y++) for (let x = 0; x < pixels; x++, at++) {
    const band = bands[at], right = x + 1 < pixels ? bands[at + 1] : band, below = y + 1 < pixels ? bands[at + pixels] : band;
    if (band < 0) out[at] = x % 6 === 0 && y % 6 === 0 ? dots : background;
    else out[at] = (right !== band && right >= 0) || (below !== band && below >= 0) ? lines[band] : colors[band];
  }
  paint.putImageData(picture, 0, 0);
  return { low, high, step };
}

// 1, 2 or 5 times a power of ten, not below what is asked; 0 where there is nothing to divide.
function niceStep(least) {
  if (!(least > 1e-7)) return 0;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((digit) => digit * power >= least * 0.999) * power;
}

function makeLoopFacts(bench, parent) {
  const panel = node("section", { className: "panel loopfacts" }, parent);
  const title = node("h2", {}, panel), distances = makeBars(panel), gains = node("div", { className: "gains" }, panel);
  const [one, two] = [node("p", {}, gains), node("p", {}, gains)];
  const held = node("h3", {}, panel), multipliers = makeBars(panel), sentence = node("p", { className: "held" }, panel);

  function draw() {
    const { texts, more: { loop } } = bench.head;
    panel.hidden = !loop;
    if (!loop) return;
    write(title, texts["js.loop.facts"]);
    const nearest = Math.min(...loop.distances.slice(1).map((row) => row.distance));
    let marked = false;
    distances(["pair", "", "distance", "similarity"].map((name) => (name ? texts[`js.loop.column.${name}`] : "")), loop.distances.map((row, k) => {
      const least = k > 0 && row.distance === nearest && !marked;
      marked ||= least;
      return { kind: k ? (least ? "least" : "plain") : "loop", name: row.name, tag: k ? (least ? texts["js.loop.least"] : "") : texts["js.loop.optimal"], share: row.distance / 2, cells: [num(row.distance, 3), num(row.similarity, 3)] };
    }));
    write(one, loop.gains[0]);
    write(two, loop.gains[1]);
    write(held, texts["js.loop.multipliers"]);
    const most = Math.max(1, ...loop.multipliers.map(([, value]) => value));
    multipliers(["bound", "", "multiplier"].map((name) => (name ? texts[`js.loop.column.${name}`] : "")), loop.multipliers.map(([name, value]) => ({ kind: value < 5e-4 ? "free" : "holds", name, tag: "", share: value / most, cells: [num(value < 5e-4 ? 0 : value, 3)] })));
    write(sentence, loop.held);
  }
  const table = ({ head: { more: { loop } } }) => [
    ["what", "distance", "similarity", "multiplier"],
    ...(loop ? [...loop.distances.map((row) => [row.name, digits32(row.distance), digits32(row.similarity), ""]), ...loop.multipliers.map(([name, value]) => [name, "", "", digits32(value)])] : []),
  ];
  return { panel, draw, table };
}

// A small table in which a bar stands beside each name.
function makeBars(parent) {
  const table = node("table", { className: "barred" }, parent), head = node("tr", {}, node("thead", {}, table)), body = node("tbody", {}, table);
  return (columns, rows) => {
    const heads = keep(head, columns.length, (row) => node("th", { scope: "col" }, row));
    columns.forEach((name, k) => write(heads[k], name));
    const lines = keep(body, rows.length, (parent) => {
      const row = node("tr", {}, parent), name = node("th", { scope: "row" }, row);
      node("span", {}, name);
      node("small", {}, name);
      node("i", {}, node("td", { className: "bar-cell" }, row));
      for (const _ of rows[0].cells) node("td", {}, row);
    });
    rows.forEach(({ kind, name, tag, share, cells }, k) => {
      const [called, bar, ...numbers] = lines[k].children;
      lines[k].className = kind;
      write(called.firstChild, name);
      write(called.lastChild, tag);
      bar.firstChild.style.width = `${short(100 * Math.min(1, share))}%`;
      numbers.forEach((cell, at) => write(cell, cells[at]));
    });
  };
}

parts.panels.loopbox = makeLoopBox;
parts.panels.loopfacts = makeLoopFacts;
