// One anchor as a number line of S: positives above the axis, negatives below. Filled = kept, hollow and dotted = dropped.
//
// A triangle on the axis points at the hardest pair of each kind; from it the band of epsilon reaches to the gate of the
// other kind: the gate of the positives is solid and above, that of the negatives dashed and below, as are their edges on
// the board, and its flag points to the side that is kept. A gate can be dragged: that moves epsilon.

const PAD = 14, NEAR = 9, GRAB = 4, MANY = 30;  // pixels; from so many marks on a dotted outline costs more than it shows

// What is known of one anchor's pairs: S and decisions, in class order; null when they were not sent (a large batch).
function rowValues(bench, row) {
  const { known, order, more } = bench.head, m = order.length, own = more.lines?.sent?.[row];
  if (own) return own;
  const at = known ? known.indexOf(row) : row, part = (values) => values.subarray(at * m, (at + 1) * m);
  return at < 0 || bench.matrices.S.length < (at + 1) * m ? null : { S: part(bench.matrices.S), code: part(bench.matrices.code) };
}

// Where an axis of S ends: at 1, or farther out where points are not normalised.
function reachOf(...rows) {
  let most = 1;
  for (const values of rows) for (const s of values) if (s > most || -s > most) most = Math.abs(s);
  return most < 1.001 ? 1 : Math.ceil(most * 2) / 2;
}

// The same for the lines of all anchors, found once a message.
const reaches = new WeakMap();
function reachOfAll(bench) {
  const { S } = bench.matrices, sent = Object.values(bench.head.more.lines?.sent ?? {});
  if (!reaches.has(S)) reaches.set(S, reachOf(S, ...sent.map((row) => row.S)));
  return reaches.get(S);
}

// size: height, r (of a mark), away (of the first mark from the axis), step (of the next), head and foot (room for words).
function makeAnchorLine(bench, svg, { height, r, away, step, head = 0, foot = 0 }) {
  const layer = (name) => shape("g", { class: name }, svg);
  const [axis, bands, hard, dropped, kept, rings, gates, words] = ["axis", "bands", "hard", "marks", "marks", "rings", "gates", "words"].map(layer);
  const bottom = height - foot, middle = (head + bottom) / 2;
  const line = { anchor: null, spots: [], gates: [], x: null, lit: null, cursor: null };

  line.draw = (row, width) => {
    const { order, ids, labels, looks, bounds, epsilon, texts } = bench.head, at = order[row], values = rowValues(bench, row);
    line.anchor = ids[at];
    put(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    if (!values) return;
    const { S, code } = values, reach = reachOfAll(bench), span = width - 2 * PAD;
    const x = (line.x = (s) => PAD + ((Math.max(-reach, Math.min(reach, s)) + reach) / (2 * reach)) * span);
    line.back = (px) => ((px - PAD) / span) * 2 * reach - reach;
    const [least, leastAt, most, mostAt] = bounds[at];
    drawAxis(reach, x);

    // Marks that are near each other stand one behind the other; the hardest ones stand first.
    const taken = new Map(), first = [leastAt, mostAt].filter((id) => id >= 0).map((id) => bench.rank.get(id));
    const others = [...first, ...order.keys()].filter((k, n) => k !== row && (n < first.length || !first.includes(k)));
    svg.classList.toggle("many", others.length > MANY);
    line.spots = others.map((k) => {
      const positive = isPositive(code[k]), slot = Math.round(x(S[k]) / (1.5 * r)) + (positive ? 1e6 : 0), level = taken.get(slot) ?? 0;
      taken.set(slot, level + 1);
      const up = away + Math.min(level, 2) * step;
      return { id: ids[order[k]], label: labels[order[k]], s: S[k], x: x(S[k]), y: middle + (positive ? -up : up), positive, dropped: isDropped(code[k]) };
    });
    for (const [group, which] of [[dropped, true], [kept, false]]) {  // a path a class: hundreds of nodes would be slow
      const found = new Map();
      for (const spot of line.spots) if (spot.dropped === which) found.set(spot.label, `${found.get(spot.label) ?? ""}${outline(looks[spot.label].shape, spot.x, spot.y, which ? 0.85 * r : r)}`);
      const paths = keep(group, found.size, (g) => shape("path", {}, g));
      [...found].forEach(([label, d], n) => put(paths[n], { d, class: which ? "mark dropped" : "mark", style: `fill:var(--class-${looks[label].color})` }));
    }

    // Bands, gates and what they start from: [from, its kind's side, limit].
    const both = least !== null && most !== null && epsilon !== null;
    line.gates = both ? [
      { kind: "positive", from: most, limit: most + epsilon, side: -1, end: head, toward: -1 },
      { kind: "negative", from: least, limit: least - epsilon, side: 1, end: bottom, toward: 1 },
    ] : [];
    const rects = keep(bands, line.gates.length, (g) => shape("rect", {}, g));
    const poles = keep(gates, 2 * line.gates.length, (g) => shape("path", {}, g));
    line.gates.forEach((gate, n) => {
      const [a, b] = [x(gate.from), x(gate.limit)].sort((one, two) => one - two);
      gate.x = x(gate.limit);
      put(rects[n], { class: gate.kind, x: a, width: Math.max(0.5, b - a), y: Math.min(middle, gate.end), height: Math.abs(gate.end - middle) });
      put(poles[2 * n], { class: `pole ${gate.kind}`, d: `M${gate.x} ${middle}V${gate.end}` });
      put(poles[2 * n + 1], { class: `flag ${gate.kind}`, d: `M${gate.x} ${gate.end}v${-8 * gate.side}l${7 * gate.toward} ${4 * gate.side}z` });
    });
    // The hardest of each kind: a triangle on the axis that points at it, and a stem to where its band begins.
    const hints = [[least, -1], [most, 1]].filter(([s]) => s !== null);
    const pins = keep(hard, hints.length, (g) => shape("path", {}, g));
    hints.forEach(([s, side], n) => put(pins[n], {
      d: `M${x(s) - 5} ${middle}h10l-5 ${side * Math.min(7, away - 1)}z` + (both ? `M${x(s)} ${middle}V${side < 0 ? bottom : head}` : ""),
    }));
    drawWords(both, texts);
    line.drawRings();
  };

  function drawAxis(reach, x) {
    const ticks = [-reach, -reach / 2, 0, reach / 2, reach], nodes = keep(axis, 1 + ticks.length * (foot ? 2 : 1), (g) => shape(g.childElementCount > ticks.length ? "text" : "path", {}, g));
    put(nodes[0], { d: `M${x(-reach)} ${middle}H${x(reach)}` });
    ticks.forEach((tick, n) => {
      put(nodes[1 + n], { d: foot ? `M${x(tick)} ${middle - 4}v8` : `M${x(tick)} 0V${height}`, class: foot ? "" : "rule" });
      if (!foot) return;
      put(nodes[1 + ticks.length + n], { x: x(tick), y: height - 4, "text-anchor": "middle" });
      write(nodes[1 + ticks.length + n], num(tick, 1));
    });
  }

  // At the gates of a large line: what they let pass. In a row: why it has none.
  function drawWords(both, texts) {
    const { epsilon } = bench.head, middleOf = line.x(0), said = [];
    if (head && both) for (const { kind, limit, x: at, end } of line.gates) {
      said.push([fill(texts[`js.line.gate.${kind}`], { limit: num(limit) }), at, kind === "positive" ? end - 5 : end + 14, at > middleOf ? "end" : "start"]);
    }
    if (!both && epsilon !== null && line.spots.length) {
      const missing = line.spots.some((spot) => spot.positive) ? "negative" : "positive";
      said.push([texts[`js.line.no_${missing}`], PAD + 2, missing === "positive" ? middle - 6 : bottom - 5, "start"]);
    }
    const nodes = keep(words, said.length, (g) => shape("text", {}, g));
    said.forEach(([text, left, y, anchor], n) => { put(nodes[n], { x: left, y, "text-anchor": anchor }); write(nodes[n], text); });
  }

  // Rings: the selected pair, the one under the pointer, the one where the keyboard stands.
  line.drawRings = () => {
    const { selection } = bench.head, wanted = [];
    const of = (id, name) => { const spot = id !== null && line.spots.find((spot) => spot.id === id); if (spot) wanted.push([spot, name]); };
    if (selection.anchor === line.anchor) of(selection.other, "chosen");
    of(line.lit, "lit");
    of(line.cursor, "cursor");
    const nodes = keep(rings, wanted.length, (g) => shape("circle", {}, g));
    wanted.forEach(([spot, name], n) => put(nodes[n], { cx: spot.x, cy: spot.y, r: r + (name === "cursor" ? 5 : 3), class: name }));
  };
  line.light = (pair) => {
    const lit = pair && pair.anchor === line.anchor ? pair.other : null;
    if (lit === line.lit) return;
    line.lit = lit;
    line.drawRings();
  };

  // ---- pointer -----------------------------------------------------------------------------------------------------
  const place = (event) => {
    const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width || 1;
    return [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
  };
  const nearest = ([px, py], reach = NEAR) => {
    let best = null, far = reach;
    for (const spot of line.spots) { const d = Math.hypot(spot.x - px, spot.y - py); if (d < far) { far = d; best = spot; } }
    return best;
  };
  const gateAt = ([px, py]) => (nearest([px, py], r) ? null : line.gates.find((gate) => Math.abs(gate.x - px) <= GRAB + 2 && (py - middle) * gate.side > 0) ?? null);
  let held = null, dragged = false;
  svg.addEventListener("pointerdown", (event) => {
    dragged = false;
    held = event.button === 0 ? gateAt(place(event)) : null;
    if (held) { svg.setPointerCapture(event.pointerId); event.preventDefault(); }
  });
  svg.addEventListener("pointermove", (event) => {
    const at = place(event);
    svg.classList.toggle("grab", Boolean(held ?? gateAt(at)));
    if (!held) { const spot = nearest(at); return bench.hover({ anchor: line.anchor, other: spot?.id ?? null }, spot && event); }
    const s = line.back(at[0]), epsilon = held.kind === "positive" ? s - held.from : held.from - s;
    if (!dragged) bench.hover(null);
    dragged = true;
    bench.root.classList.add("dragging");
    bench.flow.begin();
    bench.flow.move({ kind: "param", target: "epsilon", value: Math.round(Math.min(1, Math.max(0, epsilon)) * 100) / 100 });
  });
  const release = () => { if (held && dragged) { bench.root.classList.remove("dragging"); bench.flow.end(); } held = null; };
  for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) svg.addEventListener(kind, release);
  svg.addEventListener("pointerleave", () => bench.hover(null));
  svg.addEventListener("click", (event) => { if (!dragged && line.anchor !== null) bench.select(line.anchor, nearest(place(event))?.id ?? null); });
  return line;
}

// The line of the selected anchor.
function makeLine(bench, parent) {
  const panel = node("section", { className: "panel line" }, parent);
  const title = node("h2", {}, panel), hint = node("p", { className: "caption" }, panel);
  const svg = shape("svg", { role: "img" }, panel), note = node("p", { className: "caption" }, panel);
  const line = makeAnchorLine(bench, svg, { height: 166, r: 7, away: 15, step: 8, head: 22, foot: 38 });
  let width = 0;
  new ResizeObserver(([entry]) => { width = Math.floor(Math.min(entry.contentRect.width, 720)); bench.repaint("line"); }).observe(panel);

  return {
    panel,
    light: line.light,
    draw() {
      const { selection, texts, order, ids, bounds, epsilon } = bench.head;
      const row = selection.anchor === null ? undefined : bench.rank.get(selection.anchor);
      panel.classList.toggle("empty", row === undefined);
      write(title, row === undefined ? "" : fill(texts["js.line.title"], { id: selection.anchor }));
      write(hint, row === undefined ? "" : texts[epsilon === null ? "js.line.hint_off" : "js.line.hint"]);
      if (row === undefined || !width) return write(note, "");
      line.draw(row, width);
      const [least, , most] = bounds[order[row]], two = least !== null && most !== null && epsilon !== null;
      const words = two ? fill(texts["js.line.note"], {
        least: num(least), most: num(most), epsilon: num(epsilon), low: num(least - epsilon), high: num(most + epsilon),
      }) : "";
      write(note, words);
      svg.setAttribute("aria-label", `${fill(texts["js.line.title"], { id: ids[order[row]] })}. ${words}`);
    },
  };
}

parts.panels.line = makeLine;
