// The bench: board, matrices, readouts and inspector in one component, so that hover and selection link without a round
// trip. Python sends `[u32 length][json][S f32][w f32][panel f32]...[decision u8]...[images u8]`: of S, w and the first
// decision all rows, or those of a large batch that somebody can ask for; of panels the part that is shown (axes.js);
// what a person does goes back through flow.js. Which parts and matrices stand on it, its page says (layouts.py).

const HELD_EVERY_MS = 33;
const benches = new WeakMap();

function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), size = view.getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  const axes = makeAxes(head), m = head.ids.length, body = bytes.slice(4 + size);  // a copy: typed arrays need their own alignment
  const rows = (head.known ?? head.ids).length * m, cells = axes.rows.count * axes.columns.count;
  let at = 0;
  const take = (type, count) => { const array = new type(body.buffer, at, count); at += array.byteLength; return array; };
  const S = take(Float32Array, rows), w = take(Float32Array, rows);
  for (const panel of head.panels) if (!panel.bytes) panel.values = take(Float32Array, cells);
  const code = take(Uint8Array, rows), shown = head.known ? take(Uint8Array, cells) : code;
  for (const panel of head.panels) panel.code = panel.own_decision ? take(Uint8Array, cells) : shown;
  for (const panel of head.panels) if (panel.bytes) panel.values = Float32Array.from(take(Uint8Array, cells), (level) => ((level - 127) / 127) * panel.high);
  return { head, axes, matrices: { S, w, code }, images: new Uint8Array(body.buffer, at) };
}

// `run`: a bench that a run fills (train.js): { root, flow, texts }. It has no way back, no link and no gestures.
function makeBench(shadow, names, run = null) {
  const root = run ? run.root : dressed(shadow, "bench");
  const bench = { shadow, root, head: null, matrices: null, images: null, rank: new Map(), hovered: null, restQuery: null, flow: run ? run.flow : makeFlow("b", root) };
  const actions = run ? null : makeActions(bench, root);
  const grid = node("div", { className: "grid" }, root);
  const spoken = node("p", { className: "spoken", role: "log" }, root);
  spoken.setAttribute("aria-live", "polite");
  const tip = node("div", { className: "tip", role: "tooltip", hidden: true }, root);
  const tipPicture = node("canvas", { width: 8, height: 8 }, tip), tipText = node("span", {}, tip);

  // ---- what the parts ask ----------------------------------------------------------------------------------------
  let styles = null, ramps = null;
  bench.css = (name) => (styles ??= new Map()).get(name) ?? styles.set(name, getComputedStyle(root).getPropertyValue(name).trim()).get(name);
  bench.colors = () => (ramps ??= makeRamps(root));
  bench.idAt = (row) => bench.head.ids[bench.head.order[row]];
  bench.look = (id) => bench.head.looks[bench.head.labels[bench.head.ids.indexOf(id)]];
  bench.className = (label) => bench.head.looks[label].name;
  // Where a point's row of S, w and decisions begins, and where a pair stands in them; -1 where they were not sent.
  bench.rowAt = (id) => {
    const rank = bench.rank.get(id), { known, ids } = bench.head, row = known ? known.indexOf(rank) : rank;
    return row < 0 || row === undefined ? -1 : row * ids.length;
  };
  bench.pairAt = (anchor, other) => { const row = bench.rowAt(anchor); return row < 0 ? -1 : row + bench.rank.get(other); };
  bench.imageOf = (id) => {
    const at = bench.head.pictures?.[bench.head.ids.indexOf(id)] ?? -1;
    return at < 0 ? null : bench.images.subarray(64 * at, 64 * at + 64);
  };
  bench.speak = (text) => write(spoken, text);
  bench.select = (anchor, other) => {
    bench.head.selection = { anchor, other };  // shown at once; Python answers with the words
    bench.flow.push({ kind: "select", anchor, other });
    bench.repaint();
  };

  // The block of a large batch that holds a pair, cell by cell; null: all blocks.
  bench.zoom = (anchor, other) => bench.flow.push({ kind: "zoom", anchor, other });

  bench.pairName = ({ anchor, other }) => {
    const { texts } = bench.head, [one, two] = [bench.look(anchor).name, bench.look(other).name];
    return fill(texts["js.hover.pair.name"], { anchor, other, a: one, b: two, kind: texts[one === two ? "js.positive" : "js.negative"] });
  };
  bench.pairWords = (pair) => {
    const { anchor, other } = pair, { texts, ids, bounds, epsilon } = bench.head;
    const at = ids.indexOf(anchor), name = bench.look(anchor).name;
    if (other === null) return fill(texts["js.hover.point"], { id: anchor, name });
    const cell = bench.pairAt(anchor, other), code = bench.matrices.code[cell];
    if (cell < 0) return bench.pairName(pair);
    const positive = isPositive(code), [least, leastAt, most, mostAt] = bounds[at];
    const rival = positive ? most : least;
    const why = epsilon === null ? texts["js.why.off"] : rival === null ? texts[positive ? "js.why.no_negative" : "js.why.no_positive"]
      : fill(texts[`js.why.${positive ? "positive" : "negative"}.${isDropped(code) ? "dropped" : "kept"}`], {
        s: num(bench.matrices.S[cell]), rival: num(rival), epsilon: num(epsilon), anchor, at: positive ? mostAt : leastAt,
      });
    return fill(texts["js.hover.pair"], {
      anchor, other, a: name, b: bench.look(other).name, kind: texts[positive ? "js.positive" : "js.negative"],
      s: num(bench.matrices.S[cell], 3), w: num(Math.abs(bench.matrices.w[cell]), 3), why,
    });
  };

  bench.hover = (pair, event, words = null) => {
    if (root.classList.contains("dragging")) pair = null;
    const same = JSON.stringify(pair) === JSON.stringify(bench.hovered);
    bench.hovered = pair;
    if (!same) {
      for (const part of Object.values(made)) part.light?.(pair);
      for (const matrix of matrices.values()) matrix.light(pair);
    }
    tip.hidden = !pair || !event;
    if (tip.hidden) return;
    if (!same || words !== null) write(tipText, words ?? bench.pairWords(pair));
    const picture = bench.imageOf(pair.other ?? pair.anchor);
    tipPicture.hidden = !picture;
    if (picture) paintDigit(tipPicture, picture);
    const box = root.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    tip.style.left = `${Math.max(0, Math.min(x + 14, box.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y + 18 + tip.offsetHeight > box.height ? y - tip.offsetHeight - 10 : y + 18}px`;
  };

  // ---- parts ----------------------------------------------------------------------------------------------------------
  const made = Object.fromEntries(names.map((name) => [name, savable(bench, parts.panels[name](bench, grid), name)]));
  const { board } = made, matrices = new Map();  // key -> matrix; they come and go with the panels that Python sends
  bench.parts = { board, matrices };
  if (!run) parts.preview = makePreview(bench);

  function fitMatrices() {
    const wanted = new Set(bench.head.panels.map((panel) => panel.key));
    for (const [key, matrix] of matrices) if (!wanted.has(key)) { matrix.panel.remove(); matrices.delete(key); delete draws[key]; }
    let last = board?.panel;  // behind the board in the order of tabs, too
    for (const key of wanted) {
      if (!matrices.has(key)) matrices.set(key, (draws[key] = savable(bench, makeMatrix(bench, grid, key), key)));
      const { panel } = matrices.get(key), there = last ? last.nextElementSibling : grid.firstElementChild;
      if (there !== panel) grid.insertBefore(panel, there);
      last = panel;
    }
  }

  // Whatever asks for drawing, each part is drawn once a frame.
  const draws = { ...(actions ? { actions } : {}), ...made, held: { draw: () => board.drawHeld() } }, dirty = new Set();
  // A point in hand waits for the pictures where there are many: each frame of it costs as much as half of theirs.
  let frame = 0, news = null, painted = 0, waiting = 0;
  bench.repaint = (...names) => {
    const soon = HELD_EVERY_MS - (performance.now() - painted);
    if (names.length === 1 && names[0] === "held" && matrices.size > 3 && soon > 0) {
      waiting ||= setTimeout(() => { waiting = 0; bench.repaint("held"); }, soon);
      return;
    }
    for (const name of names.length ? names : Object.keys(draws)) if (name !== "held" || names.length) dirty.add(name);
    frame ||= requestAnimationFrame(paint);
  };
  function paint() {
    frame = 0;
    painted = performance.now();
    if (!bench.head) return;
    for (const part of dirty) draws[part]?.draw();
    dirty.clear();
    if (news === null) return;
    board?.afterUpdate();
    root.dataset.seq = news;
    root.dataset.ready = "1";
    for (const flow of parts.flows) flow.count();
    root.dispatchEvent(new CustomEvent("msviz:shown", { bubbles: true, composed: true, detail: { seq: news } }));
    news = null;
  }
  const restyle = () => {
    styles = ramps = null;
    root.dataset.scheme = scheme(root);
    bench.repaint();
  };

  // The address keeps up with what is done, without entries in the history: reloading the page brings the state back.
  // What a first visitor sees needs no query; after a change of the page the address has lost it.
  let opened = null;
  function address() {
    opened ??= location.search ? bench.restQuery : bench.head.link.first;
    if (bench.restQuery !== null && bench.restQuery !== opened) history.replaceState(history.state, "", location.pathname + bench.restQuery);
    if (bench.restQuery !== opened) opened = "";
  }

  // A picture of the session's state, or of a gesture under way (`move`: the event that it answers).
  bench.show = (bytes, move = null) => {
    if (!bench.head) restyle();
    const texts = bench.head?.texts;
    Object.assign(bench, decode(bytes));
    bench.head.texts ??= texts ?? run.texts;
    grid.className = `grid ${bench.head.page}`;
    root.classList.toggle("large", Boolean(bench.head.window.starts));  // its pictures take a while: bench.css says so
    fitMatrices();
    bench.rank = new Map(bench.head.order.map((at, row) => [bench.head.ids[at], row]));
    if (move) news = move.seq;
    else {
      bench.restQuery = bench.head.link.query;
      address();
      bench.flow.acknowledge((news = bench.head.seq));
      board.settle();
    }
    for (const matrix of matrices.values()) matrix.clamp();
    bench.repaint();
  };
  watchTheme(root, restyle);
  // The page around us has nothing to do with a moving pointer, but its framework would look at each move.
  root.addEventListener("pointermove", (event) => event.stopPropagation());
  return bench;
}

function makeRamps(host) {
  const pack = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  const between = (stops, steps) => Uint32Array.from({ length: steps }, (_, k) => {
    const at = (k / (steps - 1)) * (stops.length - 1), from = Math.min(stops.length - 2, Math.floor(at)), t = at - from;
    return pack(stops[from].map((channel, c) => Math.round(channel + t * (stops[from + 1][c] - channel))));
  });
  const color = (name) => rgb(host, name);
  return {
    S: between([color("--s-low"), color("--s-mid"), color("--s-high")], 256),
    P: between([color("--p-low"), color("--paper"), color("--p-high")], 513),
    N: between([color("--paper"), color("--n-high")], 256),
    w: between([color("--pull"), color("--paper"), color("--push")], 513),
    d: between([color("--d-low"), color("--paper"), color("--d-high")], 513),
    background: pack(color("--paper")), pale: pack(color("--pale")), dots: pack(color("--hatch")),
  };
}

parts.bench = ({ parentElement, data, setStateValue }) => {
  let bench = benches.get(parentElement);
  if (!bench) benches.set(parentElement, (bench = makeBench(parentElement, decode(data).head.parts)));
  bench.flow.set = (parcel) => setStateValue("parcel", parcel);
  bench.show(data);
};
