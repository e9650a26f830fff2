// A similarity or weight matrix on a canvas: one tab stop, arrow keys move the cell, every pixel from one loop. What it
// shows is a panel of the message (views/panels.py): its kind (S, P, N or weights w), numbers, colours' ends, words.
//
// Kept pairs are filled, dropped pairs dotted, the diagonal is blank with a slash, and a kept pair whose weight is zero
// shows a small ring: four things that must never look alike.

const SELF = 0, POSITIVE_KEPT = 1, POSITIVE_DROPPED = 2, NEGATIVE_KEPT = 3, NEGATIVE_DROPPED = 4;
const STRIP = 20;        // pixels for the class markers along the top and the left
const TEXT_FROM = 24;    // a cell this wide shows its number
const isDropped = (code) => code === POSITIVE_DROPPED || code === NEGATIVE_DROPPED;
const isPositive = (code) => code === POSITIVE_KEPT || code === POSITIVE_DROPPED;

function makeMatrix(bench, parent, name) {
  const spec = () => bench.head.panels.find((panel) => panel.key === name), { kind } = spec();
  const panel = node("section", { className: `panel matrix ${name}` }, parent);
  const head = node("header", {}, panel);
  const title = node("h2", {}, head), hint = node("p", { className: "caption" }, head);
  const canvas = node("canvas", { tabIndex: 0, role: "application" }, panel);
  const legend = node("div", { className: "legend" }, panel);
  const foot = node("p", { className: "caption foot" }, panel);
  const matrix = { panel, cell: [0, 0], lit: null, geometry: null, width: 0, least: 0, most: 0 };
  new ResizeObserver(([entry]) => {  // never asked for while drawing: that would lay out the whole page again
    matrix.width = Math.floor(entry.contentRect.width);
    bench.repaint(name);
  }).observe(canvas);
  const paint = canvas.getContext("2d");

  // ---- where each row and column lies ------------------------------------------------------------------------------
  function layout() {
    const { order, labels } = bench.head, m = order.length;
    const css = Math.max(120, matrix.width), ratio = window.devicePixelRatio || 1;
    const breaks = order.map((at, k) => (k > 0 && labels[at] !== labels[order[k - 1]] ? 1 : 0));
    const gap = m > 64 ? 2 : 4, gaps = breaks.reduce((a, b) => a + b, 0);
    const size = m ? (css - STRIP - gaps * gap) / m : 0;
    const starts = [];
    let at = STRIP;
    for (let k = 0; k < m; k++) { at += breaks[k] * gap; starts.push(at); at += size; }
    const pixels = Math.round(css * ratio);
    if (canvas.width !== pixels) { canvas.width = pixels; canvas.height = pixels; }
    const index = new Int16Array(pixels).fill(-1), edge = new Uint8Array(pixels), spans = [];
    for (let k = 0; k < m; k++) {
      const from = Math.round(starts[k] * ratio), to = Math.round((starts[k] + size) * ratio);
      for (let p = from; p < to; p++) index[p] = k;
      if (size >= 8) edge[Math.max(from, to - 1)] = 1;  // a hairline between cells that are large enough
      spans.push([from, size >= 8 ? to - 1 : to]);
    }
    return { m, css, ratio, size, starts, pixels, index, edge, spans };
  }

  // ---- pixels -------------------------------------------------------------------------------------------------------
  matrix.draw = () => {
    const { texts } = bench.head, shown = spec(), g = (matrix.geometry = layout());
    write(title, shown.title);
    write(hint, shown.hint);
    canvas.setAttribute("aria-label", fill(texts["js.matrix.label"], { title: shown.title, m: g.m }));
    if (g.m) paint.putImageData(image(g), 0, 0);
    else paint.clearRect(0, 0, canvas.width, canvas.height);
    paint.setTransform(g.ratio, 0, 0, g.ratio, 0, 0);
    drawStrips(g);
    if (g.size >= 7) drawGlyphs(g);
    drawFrames(g);
    drawLegend();
    canvas.msviz = { starts: g.starts, size: g.size };  // where the cells lie, for tests and for exports
  };

  function image(g) {
    const { m, pixels, index, edge, spans } = g, shown = spec(), { values, code: codes } = shown;
    const colors = bench.colors(), ramp = colors[kind], back = colors.background, hatch = colors.dots, pale = colors.pale;
    const steps = ramp.length - 1, { low, high } = shown, toUnit = shown.curve === "log" ? logUnit(high) : (value) => (value - low) / (high - low);
    const cells = new Uint32Array(m * m);
    matrix.least = Infinity;
    matrix.most = -Infinity;
    for (let c = 0; c < m * m; c++) {
      const blank = codes[c] === SELF || Number.isNaN(values[c]);
      if (!blank && values[c] < matrix.least) matrix.least = values[c];
      if (!blank && values[c] > matrix.most) matrix.most = values[c];
      cells[c] = blank ? back : ramp[Math.round(Math.min(1, Math.max(0, toUnit(values[c]))) * steps)];
    }
    matrix.cells = cells;
    // One pixel row for each row of cells, and one with the dots of dropped pairs; every screen row copies one of them.
    const picture = paint.createImageData(pixels, pixels), out = new Uint32Array(picture.data.buffer);
    const step = Math.round(4 * g.ratio), plain = new Uint32Array(pixels), dotted = new Uint32Array(pixels);
    for (let y = 0, row = -1; y < pixels; y++) {
      if (index[y] < 0 || edge[y]) continue;
      if (index[y] !== row) {
        row = index[y];
        for (let k = 0; k < m; k++) plain.fill(kind === "w" && isDropped(codes[row * m + k]) ? pale : cells[row * m + k], spans[k][0], spans[k][1]);
        dotted.set(plain);
        for (let k = 0; kind === "w" && k < m; k++) {
          if (!isDropped(codes[row * m + k])) continue;
          for (let x = Math.ceil(spans[k][0] / step) * step; x < spans[k][1]; x += step) dotted[x] = hatch;
        }
      }
      out.set(y % step === 0 ? dotted : plain, y * pixels);
    }
    return picture;
  }

  // Signed, with four powers of ten on each side of zero.
  const logUnit = (high) => (value) => 0.5 + Math.sign(value) * Math.max(0, 4 + Math.log10(Math.abs(value) / high || 1e-9)) / 8;

  function drawStrips(g) {
    const { order, labels, looks } = bench.head, each = g.size >= 9;
    for (let k = 0; k < g.m;) {
      let until = k + 1;
      while (!each && until < g.m && labels[order[until]] === labels[order[k]]) until++;
      const look = looks[labels[order[k]]], from = g.starts[k], to = g.starts[until - 1] + g.size;
      if (!each) {
        paint.fillStyle = bench.css(`--class-${look.color}`);
        paint.fillRect(from, STRIP - 4, to - from, 2.5);
        paint.fillRect(STRIP - 4, from, 2.5, to - from);
      }
      const radius = each ? Math.min(5, g.size * 0.36) : 5;
      stamp(look, (from + to) / 2, STRIP / 2 - (each ? 0 : 3), radius);
      stamp(look, STRIP / 2 - (each ? 0 : 3), (from + to) / 2, radius);
      k = until;
    }
  }
  function stamp(look, x, y, radius) {
    const path = new Path2D(outline(look.shape, x, y, radius));
    paint.fillStyle = bench.css(`--class-${look.color}`);
    paint.fill(path);
    paint.strokeStyle = bench.css("--ink");
    paint.lineWidth = 0.8;
    paint.stroke(path);
  }

  function drawGlyphs(g) {
    const { values, code: codes, times } = spec(), numbers = g.size >= TEXT_FROM;
    const soft = bench.css("--soft");
    paint.font = `${Math.min(13, g.size * 0.4)}px ${bench.css("--st-font") || "sans-serif"}`;
    paint.textAlign = "center";
    paint.textBaseline = "middle";
    for (let i = 0; i < g.m; i++) for (let j = 0; j < g.m; j++) {
      const c = i * g.m + j, x = g.starts[j] + g.size / 2, y = g.starts[i] + g.size / 2, code = codes[c];
      if (code === SELF) line(x - g.size * 0.22, y + g.size * 0.22, x + g.size * 0.22, y - g.size * 0.22, soft);
      else if (kind === "w" && isDropped(code)) continue;
      else if (kind === "w" && values[c] === 0) {
        paint.strokeStyle = soft;
        paint.lineWidth = 1;
        paint.beginPath();
        paint.arc(x, y, Math.min(3, g.size * 0.16), 0, 7);
        paint.stroke();
      } else if (numbers && !Number.isNaN(values[c])) {
        paint.fillStyle = brightness(matrix.cells[c]) > 0.18 ? "#000" : "#fff";
        paint.fillText(cellText(times * values[c]), x, y + 0.5);
      }
    }
  }
  // Relative luminance of a packed pixel, 0..1: black text from .18 on, white below: always 4.5:1 and more.
  function brightness(pixel) {
    const linear = [0, 8, 16].map((shift) => (((pixel >>> shift) & 255) / 255) ** 2.2);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  }
  function cellText(value) {
    const size = Math.abs(value), text = size >= 10 ? size.toFixed(0) : size >= 0.995 ? size.toFixed(1) : size < 0.005 ? "0" : size.toFixed(2).slice(1);
    if (kind !== "w" && text === "0") return text;
    return (value < 0 ? "−" : kind === "w" ? "+" : "") + text;
  }
  function line(ax, ay, bx, by, color) {
    paint.strokeStyle = color;
    paint.lineWidth = 1;
    paint.beginPath();
    paint.moveTo(ax, ay);
    paint.lineTo(bx, by);
    paint.stroke();
  }

  // ---- frames: what changed, what is lit, what is chosen, where the keyboard stands -----------------------------------
  const rowOf = (id) => (id === null ? -1 : bench.rank.get(id) ?? -1);
  function frame(g, i, j, color, width, grow = 0) {
    paint.strokeStyle = color;
    paint.lineWidth = width;
    paint.strokeRect(g.starts[j] - grow, g.starts[i] - grow, g.size + 2 * grow, g.size + 2 * grow);
  }
  function drawFrames(g) {
    if (!g.m) return;
    const ink = bench.css("--ink"), end = g.starts[g.m - 1] + g.size, { anchor, other } = bench.head.selection;
    if (name === "w" && g.size >= 4) for (const c of bench.head.changed) frame(g, Math.floor(c / g.m), c % g.m, bench.css("--changed"), 1.5, -0.5);
    const band = (k, across) => {
      paint.strokeStyle = bench.css("--ink");
      paint.lineWidth = 1;
      if (across) paint.strokeRect(STRIP - 1, g.starts[k] - 1, end - STRIP + 2, g.size + 2);
      else paint.strokeRect(g.starts[k] - 1, STRIP - 1, g.size + 2, end - STRIP + 2);
    };
    for (const pair of [matrix.lit, { anchor, other }]) {
      if (!pair) continue;
      const i = rowOf(pair.anchor), j = rowOf(pair.other);
      if (i >= 0 && j < 0) { band(i, true); if (pair === matrix.lit) band(i, false); }
      if (i >= 0 && j >= 0) frame(g, i, j, ink, pair === matrix.lit ? 1.5 : 3, 1);
    }
    if (bench.shadow.activeElement === canvas) {
      frame(g, ...matrix.cell, bench.css("--paper"), 4, 2);
      frame(g, ...matrix.cell, bench.css("--focus"), 2.5, 2);
    }
  }

  function drawLegend() {
    const { texts } = bench.head, { low, high, times } = spec(), scale = num(times * high);
    const { least, most } = matrix, end = (value, beyond, sign) => (beyond ? `${sign} ` : "") + num(value, 0);
    const items = kind !== "w"
      ? [[end(low, least < low - 1e-6, "≤"), `bar ramp-${kind}`, end(high, most > high + 1e-6, "≥")]]
      : [[fill(texts["js.w.pull"], { scale }), "bar ramp-w", fill(texts["js.w.push"], { scale })],
        ["", "swatch dropped", texts["js.w.dropped"]], ["", "swatch zero", texts["js.w.zero"]]];
    const nodes = keep(legend, items.length, (row) => { const item = node("span", {}, row); for (let k = 0; k < 3; k++) node("span", {}, item); });
    items.forEach(([left, swatch, right], index) => {
      const [before, sample, after] = nodes[index].children;
      write(before, left);
      sample.className = swatch;
      write(after, right);
    });
    foot.classList.toggle("words", Boolean(spec().note));
    write(foot, spec().note ?? (name === "w" ? bench.head.proof : ""));
  }

  // ---- pointer and keyboard ---------------------------------------------------------------------------------------------
  function cellAt(event) {
    const box = canvas.getBoundingClientRect(), g = matrix.geometry;
    const find = (at) => g.index[Math.floor(Math.max(0, at) * g.ratio)] ?? -1;
    const i = find(event.clientY - box.top), j = find(event.clientX - box.left);
    return i < 0 || j < 0 ? null : [i, j];
  }
  const pairAt = ([i, j]) => ({ anchor: bench.idAt(i), other: i === j ? null : bench.idAt(j) });
  canvas.addEventListener("pointermove", (event) => {
    const cell = cellAt(event);
    bench.hover(cell && pairAt(cell), event);
  });
  canvas.addEventListener("pointerleave", () => bench.hover(null));
  canvas.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (!cell) return;
    matrix.cell = cell;
    const pair = pairAt(cell);
    bench.select(pair.anchor, pair.other);
  });
  const speak = () => bench.speak(bench.pairWords(pairAt(matrix.cell)));
  canvas.addEventListener("focus", () => { clamp(); bench.repaint(name); if (bench.head.ids.length) speak(); });
  canvas.addEventListener("blur", () => { bench.hover(null); bench.repaint(name); });
  const clamp = () => { const last = Math.max(0, bench.head.ids.length - 1); matrix.cell = matrix.cell.map((k) => Math.max(0, Math.min(k, last))); };
  canvas.addEventListener("keydown", (event) => {
    const m = matrix.geometry.m, by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!m || event.ctrlKey || event.metaKey || event.altKey) return;
    const pair = pairAt(matrix.cell);
    if (by) matrix.cell = matrix.cell.map((k, axis) => Math.max(0, Math.min(m - 1, k + by[axis] * (event.shiftKey ? 5 : 1))));
    else if (event.key === "Home") matrix.cell = [matrix.cell[0], 0];
    else if (event.key === "End") matrix.cell = [matrix.cell[0], m - 1];
    else if (event.key === "Enter" || event.key === " ") bench.select(pair.anchor, pair.other);
    else if (event.key === "Escape") bench.select(null, null);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (by || event.key === "Home" || event.key === "End") { bench.hover(pairAt(matrix.cell)); bench.repaint(name); speak(); }
  });
  matrix.light = (pair) => { matrix.lit = pair; bench.repaint(name); };
  matrix.clamp = clamp;
  return matrix;
}
