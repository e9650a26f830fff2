// A similarity or weight matrix on a canvas: one tab stop, arrow keys move the cell, every pixel from one loop. What it
// shows is a panel of the message (views/panels.py): its kind (S, P, N, weights w, a difference d), numbers, colours' ends,
// words. Its cells are those of bench.axes: pairs, or blocks of a large batch, into which a click looks.
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
  const part = node("p", { className: "caption part", hidden: true }, head), partWords = node("span", {}, part);
  const back = node("button", { type: "button", className: "button" }, part);
  const canvas = node("canvas", { tabIndex: 0, role: "application" }, panel);
  const legend = node("div", { className: "legend" }, panel);
  const foot = node("p", { className: "caption foot" }, panel);
  const matrix = { panel, name, extra: node("div", { className: "extra" }, panel), cell: [0, 0], lit: null, geometry: null, width: 0, least: 0, most: 0 };
  new ResizeObserver(([entry]) => {  // never asked for while drawing: that would lay out the whole page again
    matrix.width = Math.floor(entry.contentRect.width);
    bench.repaint(name);
  }).observe(canvas);
  const signed = kind === "w" || kind === "d";
  let paint = canvas.getContext("2d", { alpha: false });  // opaque: less for the browser to blend
  back.addEventListener("click", () => { bench.zoom(null, null); canvas.focus(); });

  // ---- where each row and column lies: laid out anew when the cells or the size have changed ------------------------
  function layout() {
    const css = Math.max(120, matrix.width), ratio = window.devicePixelRatio || 1, key = `${css} ${ratio} ${bench.axes.key}`;
    if (matrix.geometry?.key === key) return matrix.geometry;
    const g = { key, ...layCells(bench.axes, css, ratio, STRIP) };
    if (canvas.width !== g.pixels) { canvas.width = g.pixels; canvas.height = g.pixels; }
    return g;
  }

  // ---- pixels -------------------------------------------------------------------------------------------------------
  matrix.draw = () => {
    const { texts } = bench.head, shown = spec(), g = (matrix.geometry = layout());
    write(title, shown.title);
    write(hint, shown.hint);
    const counts = { title: shown.title, rows: g.rows.count, columns: g.columns.count };
    put(canvas, { "aria-label": fill(texts[`js.matrix.label.${bench.axes.means ? "means" : bench.axes.zoomed ? "zoom" : "all"}`], counts) });
    drawPart();
    paint.putImageData(image(g), 0, 0);
    paint.setTransform(g.ratio, 0, 0, g.ratio, 0, 0);
    drawStrips(paint, bench, g, STRIP);
    if (g.size >= 7) drawGlyphs(g);
    drawFrames(g);
    drawLegend();
    canvas.msviz = { starts: g.columns.starts, rowStarts: g.rows.starts, size: g.size };  // where the cells lie, for tests and for exports
  };

  matrix.record = (recorder) => {  // the same marks once more, for a picture of shapes (snapshot.js)
    const own = paint, g = matrix.geometry;
    paint = recorder;
    drawStrips(paint, bench, g, STRIP);
    if (g.size >= 7) drawGlyphs(g);
    drawFrames(g);
    paint = own;
  };

  function image(g) {
    const { pixels, rows: { index, edge }, columns: { index: across, edge: edges, count: m } } = g, shown = spec(), { values, code: codes } = shown;
    const colors = bench.colors(), ramp = colors[kind], back = colors.background, hatch = colors.dots, pale = colors.pale;
    const steps = ramp.length - 1, { low, high } = shown, toUnit = shown.curve === "log" ? logUnit(high) : (value) => (value - low) / (high - low);
    const cells = matrix.cells?.length === values.length ? matrix.cells : (matrix.cells = new Uint32Array(values.length));
    matrix.least = Infinity;
    matrix.most = -Infinity;
    for (let c = 0; c < values.length; c++) {
      const value = values[c], blank = codes[c] === SELF || Number.isNaN(value);
      if (!blank && value < matrix.least) matrix.least = value;
      if (!blank && value > matrix.most) matrix.most = value;
      cells[c] = blank ? back : signed && isDropped(codes[c]) ? pale : ramp[Math.round(Math.min(1, Math.max(0, toUnit(value))) * steps)];
    }
    // One pixel row for each row of cells, and one with the dots of dropped pairs; every screen row copies one of them.
    // The picture stays from frame to frame: a drag would leave megabytes a second to be collected.
    if (matrix.picture?.width !== pixels || matrix.picture.of !== g) Object.assign((matrix.picture = paint.createImageData(pixels, pixels)), { of: g });
    const picture = matrix.picture, out = new Uint32Array(picture.data.buffer);
    const step = Math.round(4 * g.ratio), plain = new Uint32Array(pixels).fill(back), dotted = new Uint32Array(pixels).fill(back);
    out.fill(back);
    for (let y = 0, row = -1; y < pixels; y++) {
      if (index[y] < 0 || edge[y]) continue;
      if (index[y] !== row) {
        row = index[y];
        for (let x = 0; x < pixels; x++) {
          const k = across[x], c = row * m + k;
          if (k < 0 || edges[x]) continue;
          plain[x] = cells[c];
          dotted[x] = signed && x % step === 0 && isDropped(codes[c]) ? hatch : cells[c];
        }
      }
      out.set(y % step === 0 ? dotted : plain, y * pixels);
    }
    return picture;
  }

  // Two digits that say something, however small: shares of a large batch are.
  const short = (value) => (Math.abs(value) >= 0.1 || Math.abs(value) < 1e-4 ? num(value, 2) : num(value, Math.ceil(-Math.log10(Math.abs(value))) + 1));

  // Signed, with four powers of ten on each side of zero.
  const logUnit = (high) => (value) => 0.5 + Math.sign(value) * Math.max(0, 4 + Math.log10(Math.abs(value) / high || 1e-9)) / 8;

  function drawGlyphs(g) {
    const { values, code: codes, times, high } = spec(), numbers = g.size >= TEXT_FROM && times * high >= 0.1;  // +0 says nothing
    const soft = bench.css("--soft");
    paint.font = `${Math.min(13, g.size * 0.4)}px ${bench.css("--st-font") || "sans-serif"}`;
    paint.textAlign = "center";
    paint.textBaseline = "middle";
    const { rows, columns } = g;
    for (let i = 0; i < rows.count; i++) for (let j = 0; j < columns.count; j++) {
      const c = i * columns.count + j, x = columns.starts[j] + g.size / 2, y = rows.starts[i] + g.size / 2, code = codes[c];
      if (code === SELF) line(x - g.size * 0.22, y + g.size * 0.22, x + g.size * 0.22, y - g.size * 0.22, soft);
      else if (signed && isDropped(code)) continue;
      else if (signed && values[c] === 0) {
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
    if (!signed && text === "0") return text;
    return (value < 0 ? "−" : signed ? "+" : "") + text;
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
  const cellOf = (axis, id) => (id === null ? -1 : axis.cellOf(bench.rank.get(id)));
  function frame(g, i, j, color, width, grow = 0) {
    paint.strokeStyle = color;
    paint.lineWidth = width;
    paint.strokeRect(g.columns.starts[j] - grow, g.rows.starts[i] - grow, g.size + 2 * grow, g.size + 2 * grow);
  }
  function drawFrames(g) {
    const { rows, columns } = g, { axes } = bench, { anchor, other } = bench.head.selection, ink = bench.css("--ink");
    if (!rows.count) return;
    if (name === "w" && g.size >= 4) for (const c of bench.head.changed) frame(g, Math.floor(c / columns.count), c % columns.count, bench.css("--changed"), 1.5, -0.5);
    const band = (k, across) => {
      if (k < 0) return;
      paint.strokeStyle = ink;
      paint.lineWidth = 1;
      if (across) paint.strokeRect(STRIP - 1, rows.starts[k] - 1, columns.end - STRIP + 2, g.size + 2);
      else paint.strokeRect(columns.starts[k] - 1, STRIP - 1, g.size + 2, rows.end - STRIP + 2);
    };
    for (const pair of [matrix.lit, { anchor, other }]) {
      if (!pair) continue;
      const [i, j] = pair.block ?? [cellOf(axes.rows, pair.anchor), cellOf(axes.columns, pair.other)];
      if (pair.other === null) { band(i, true); if (pair === matrix.lit) band(cellOf(axes.columns, pair.anchor), false); }
      if (i >= 0 && j >= 0) frame(g, i, j, ink, pair === matrix.lit ? 1.5 : 3, 1);
    }
    if (bench.shadow.activeElement === canvas) {
      frame(g, ...matrix.cell, bench.css("--paper"), 4, 2);
      frame(g, ...matrix.cell, bench.css("--focus"), 2.5, 2);
    }
  }

  // Of a large batch: that these are means, or which block this is, and the way back.
  function drawPart() {
    const { texts } = bench.head, { means, zoomed, rows, columns } = bench.axes, until = rows.until.at(-1) ?? 0;
    part.hidden = !means && !zoomed;
    if (part.hidden) return;
    const points = Math.round(until / Math.max(1, rows.count));
    write(partWords, means ? fill(texts["js.matrix.means"], { points })
      : fill(texts["js.matrix.zoom"], { rows: rows.count, columns: columns.count, a: bench.className(rows.label[0]), b: bench.className(columns.label[0]) }));
    back.hidden = means;
    write(back, texts["js.matrix.back"]);
  }

  function drawLegend() {
    const { texts } = bench.head, { low, high, times, ends } = spec(), amount = short(times * high);
    const { least, most } = matrix, end = (value, beyond, sign) => (beyond ? `${sign} ` : "") + (Number.isInteger(value) ? num(value, 0) : short(value));
    const scale = fill(texts[`js.scale.${times === 100 ? "percent" : "plain"}`], { amount });
    const items = !signed
      ? [[end(low, least < low - 1e-6, "≤"), `bar ramp-${kind}`, end(high, most > high + 1e-6, "≥")]]
      : [[fill(ends ? ends[0] : texts["js.w.pull"], { scale }), `bar ramp-${kind}`, fill(ends ? ends[1] : texts["js.w.push"], { scale })],
        ["", "swatch dropped", texts["js.w.dropped"]], ["", "swatch zero", texts["js.w.zero"]]];
    const nodes = keep(legend, items.length, (row) => { const item = node("span", {}, row); for (let k = 0; k < 3; k++) node("span", {}, item); });
    items.forEach(([left, swatch, right], index) => {
      const [before, sample, after] = nodes[index].children;
      write(before, left);
      sample.className = swatch;
      write(after, right);
    });
    foot.classList.toggle("words", Boolean(spec().note));
    write(foot, [spec().note, name === "w" ? bench.head.proof : ""].filter(Boolean).join(" · "));
  }

  // ---- pointer and keyboard ---------------------------------------------------------------------------------------------
  function cellAt(event) {
    const box = canvas.getBoundingClientRect(), g = matrix.geometry;
    const find = (axis, at) => axis.index[Math.floor(Math.max(0, at) * g.ratio)] ?? -1;
    const i = find(g.rows, event.clientY - box.top), j = find(g.columns, event.clientX - box.left);
    return i < 0 || j < 0 ? null : [i, j];
  }
  function pairAt([i, j]) {
    const { rows, columns, means } = bench.axes, anchor = bench.idAt(rows.from[i]), other = bench.idAt(columns.from[j]);
    return means ? { anchor: null, other: null, block: [i, j] } : { anchor, other: anchor === other ? null : other };
  }
  // What stands in a cell, in words: of blocks and of compared methods the number that this panel shows.
  function words(cell) {
    const { texts } = bench.head, { title: own, values, code, own_decision, times, named } = spec(), { rows, columns, means } = bench.axes;
    const c = cell[0] * columns.count + cell[1], pair = pairAt(cell);
    const value = fill(texts[`js.scale.${times === 100 ? "percent" : "plain"}`], { amount: short(times * values[c]) });
    if (means) {
      const span = (axis, k) => fill(texts["js.matrix.span"], { name: bench.className(axis.label[k]), from: bench.idAt(axis.from[k]), to: bench.idAt(axis.until[k] - 1), count: axis.until[k] - axis.from[k] });
      return fill(texts[Number.isNaN(values[c]) ? "js.matrix.block.none" : "js.matrix.block"], { title: own, value, rows: span(rows, cell[0]), columns: span(columns, cell[1]) });
    }
    if (!named || pair.other === null) return bench.pairWords(pair);
    const does = isDropped(code[c]) ? "dropped" : values[c] < 0 ? "pull" : values[c] > 0 ? "push" : "zero";
    const verdict = texts[kind === "d" ? "js.hover.difference" : signed ? `js.hover.method.${does}` : "js.hover.similarity"];
    return fill(verdict, { pair: bench.pairName(pair), title: own, value: kind === "w" ? value.replace("−", "") : value });
  }
  function choose(cell) {
    const pair = pairAt(cell), { rows, columns, means } = bench.axes;
    if (means) bench.zoom(bench.idAt(rows.from[cell[0]]), bench.idAt(columns.from[cell[1]]));
    else bench.select(pair.anchor, pair.other);
  }
  canvas.addEventListener("pointermove", (event) => {
    const cell = cellAt(event);
    bench.hover(cell && pairAt(cell), event, cell && words(cell));
  });
  canvas.addEventListener("pointerleave", () => bench.hover(null));
  canvas.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (!cell) return;
    matrix.cell = cell;
    choose(cell);
  });
  const speak = () => bench.speak(words(matrix.cell));
  canvas.addEventListener("focus", () => { clamp(); bench.repaint(name); if (bench.head.ids.length) speak(); });
  canvas.addEventListener("blur", () => { bench.hover(null); bench.repaint(name); });
  const clamp = () => {
    const counts = [bench.axes.rows.count, bench.axes.columns.count];
    matrix.cell = matrix.cell.map((k, axis) => Math.max(0, Math.min(k, counts[axis] - 1)));
  };
  canvas.addEventListener("keydown", (event) => {
    const counts = [bench.axes.rows.count, bench.axes.columns.count];
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!counts[0] || event.ctrlKey || event.metaKey || event.altKey) return;
    if (by) matrix.cell = matrix.cell.map((k, axis) => Math.max(0, Math.min(counts[axis] - 1, k + by[axis] * (event.shiftKey ? 5 : 1))));
    else if (event.key === "Home") matrix.cell = [matrix.cell[0], 0];
    else if (event.key === "End") matrix.cell = [matrix.cell[0], counts[1] - 1];
    else if (event.key === "Enter" || event.key === " ") choose(matrix.cell);
    else if (event.key === "Escape") { if (bench.axes.zoomed) bench.zoom(null, null); else bench.select(null, null); }
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (by || event.key === "Home" || event.key === "End") { bench.hover(pairAt(matrix.cell)); bench.repaint(name); speak(); }
  });
  matrix.light = (pair) => { matrix.lit = pair; bench.repaint(name); };
  matrix.clamp = clamp;
  return matrix;
}
