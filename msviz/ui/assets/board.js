// The board: points on the circle that can be dragged, added, removed and relabelled by pointer, touch and keyboard.
//
// What the pointer does is drawn at once from the pointer; everything computed (edges, forces, numbers) comes from
// Python's core a moment later. Nodes are kept and updated, never rebuilt: a rebuilt node would drop the drag.

const VIEW = 1.22;             // half the width that the board shows, in units of the circle's radius
const STEP = 1, LEAP = 10;     // degrees that an arrow key moves a point, alone and with Shift
const REACH = 16, TOUCH_REACH = 28;  // pixels around a point that still catch it
const CLICK = 4;               // pixels that a click may wander

function makeBoard(bench, parent) {
  const panel = node("section", { className: "panel board" }, parent);
  const head = node("header", {}, panel);
  const title = node("h2", {}, head);
  const tools = makeTools(bench, head);
  const svg = shape("svg", { viewBox: `${-VIEW} ${-VIEW} ${2 * VIEW} ${2 * VIEW}`, class: "plot", role: "group" }, panel);
  const layer = (name) => shape("g", { class: name }, svg);
  shape("circle", { r: 1, class: "circle" }, svg);
  const [ghosts, edges, forces, points] = ["ghosts", "edges", "forces", "points"].map(layer);
  const key = node("ul", { className: "key" }, panel);
  for (const name of ["pull", "push", "force", "ghost"]) { const item = node("li", { className: name }, key); node("i", {}, item); node("span", {}, item); }
  const hint = node("p", { className: "caption under" }, panel), edgeNote = node("p", { className: "caption under" }, panel);
  const board = { panel, drag: null, focus: null, local: new Map() };
  const flow = bench.flow;
  let rows = new Map();  // id -> index of the point
  const position = (at) => board.local.get(bench.head.ids[at]) ?? [bench.head.xy[2 * at], bench.head.xy[2 * at + 1]];
  const radius = () => (bench.head.ids.length > 80 ? 0.03 : bench.head.ids.length > 30 ? 0.038 : 0.05);

  // ---- drawing -------------------------------------------------------------------------------------------------
  board.draw = () => {
    const { ids, texts, show } = bench.head;
    write(title, bench.head.board.title);
    write(hint, bench.head.board.hint);
    for (const item of key.children) write(item.lastChild, texts[`js.key.${item.className}`]);
    put(svg, { tabindex: ids.length ? -1 : 0, "aria-label": fill(texts["js.board.label"], { count: ids.length }) });
    tools.draw();
    rows = new Map(ids.map((id, index) => [id, index]));
    keep(points, ids.length, makePoint);
    ids.forEach((_, index) => drawPoint(index));
    const { rows: pairs, note } = bench.head.edges;
    const lines = keep(edges, show.edges ? pairs.length : 0, (g) => shape("path", {}, g));
    for (let index = 0; index < lines.length; index++) drawEdge(lines[index], pairs[index]);
    drawForces(show.forces ? ids.length : 0);
    drawGhosts();
    write(edgeNote, show.edges ? note : "");
    board.light(bench.hovered);
  };

  // While a person drags: the point in hand and what hangs on it. All else waits for the core's numbers.
  board.drawHeld = () => {
    for (const id of board.local.keys()) {
      const index = rows.get(id);
      if (index === undefined) continue;
      drawPoint(index);
      bench.head.edges.rows.forEach((pair, at) => { if (edges.children[at] && (pair[0] === id || pair[1] === id)) drawEdge(edges.children[at], pair); });
      if (forces.children[index]) drawForce(forces.children[index], index);
    }
  };

  function drawPoint(index) {
    const { ids, labels, looks } = bench.head, id = ids[index], [x, y] = position(index), r = radius();
    const group = points.children[index], many = ids.length > 30, out = 1 + 1.75 * r + (many ? 0.038 : 0.05), [ring, mark, name] = group.children;
    const looked = [id, x, y, labels[index], looks[labels[index]].name, r, ringOf(id), board.focus, ids[0]].join();
    if (group.looked === looked) return;  // most points stand still
    group.looked = looked;
    put(group, {
      "data-id": id, tabindex: id === (rows.has(board.focus) ? board.focus : ids[0]) ? 0 : -1,
      "aria-label": pointWords(index), "aria-pressed": chosen(id),
    });
    put(ring, { cx: x, cy: -y, r: r * 1.75, class: `ring ${ringOf(id)}` });
    dress(mark, looks[labels[index]], x, -y, r);
    put(name, { x: x * out, y: -y * out, "font-size": many ? 0.052 : 0.068 });
    write(name, ids.length > 80 && !chosen(id) ? "" : String(id));
  }

  function drawEdge(line, [from, to, share, positive]) {
    const a = rows.get(from), b = rows.get(to);
    if (a === undefined || b === undefined) return;
    put(line, {
      d: chord(position(a), position(b), positive), class: positive ? "pull" : "push", "data-pair": `${from} ${to}`,
      "stroke-width": 0.004 + 0.03 * share, "stroke-opacity": 0.25 + 0.75 * Math.sqrt(share),
    });
  }

  function drawForces(count) {
    const arrows = keep(forces, count, (g) => shape("path", { class: "arrow" }, g));
    for (let index = 0; index < count; index++) drawForce(arrows[index], index);
  }

  function drawForce(arrow, index) {
    const force = [bench.head.forces[2 * index], bench.head.forces[2 * index + 1]];
    put(arrow, { d: arrowPath(position(index), force, radius() * 1.2) });
  }

  function drawGhosts() {
    const r = radius(), left = bench.head.ghosts;
    const nodes = keep(ghosts, left.length, (g) => shape("path", { class: "ghost" }, g));
    left.forEach(([x, y, label], index) => put(nodes[index], {
      d: outline(bench.head.looks[label].shape, x, -y, r), "stroke-width": 0.14 * r, "stroke-dasharray": `${0.3 * r} ${0.3 * r}`,
    }));
  }

  function makePoint(parent) {
    const group = shape("g", { class: "point", role: "button" }, parent);
    shape("circle", {}, group);
    shape("path", {}, group);
    shape("text", { class: "name" }, group);
  }

  // ---- what is lit, what is chosen -------------------------------------------------------------------------------
  const chosen = (id) => { const s = bench.head.selection; return s.anchor === id || s.other === id; };
  const ringOf = (id) => (bench.head.selection.anchor === id ? "anchor" : bench.head.selection.other === id ? "other" : "");
  const ends = (line) => line.dataset.pair.split(" ").map(Number);
  board.light = (pair) => {
    if (!pair && !board.lit) return;
    board.lit = Boolean(pair);
    for (const group of points.children) {
      const id = +group.dataset.id;
      group.classList.toggle("lit", Boolean(pair) && (pair.anchor === id || pair.other === id));
    }
    for (const line of edges.children) {
      const [from, to] = ends(line);
      const both = pair && pair.other !== null && [from, to].includes(pair.anchor) && [from, to].includes(pair.other);
      line.classList.toggle("lit", Boolean(both));
    }
  };
  function pointWords(index) {
    const { ids, labels, looks, texts } = bench.head, [x, y] = position(index);
    const angle = Math.round((Math.atan2(y, x) * 180) / Math.PI + 360) % 360;
    return fill(texts["js.board.point"], { id: ids[index], name: looks[labels[index]].name, angle });
  }
  const indexOf = (id) => bench.head.ids.indexOf(id);
  function select(id) {
    const { anchor, other } = bench.head.selection;
    if (anchor === null || other !== null) bench.select(id, null);
    else bench.select(anchor === id ? null : anchor, anchor === id ? null : id);
  }

  // ---- pointer and touch -----------------------------------------------------------------------------------------
  const place = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [at.x, -at.y];
  };
  const perPixel = () => (2 * VIEW) / svg.getBoundingClientRect().width;
  function nearest([x, y], reach) {
    let best = null, least = reach * perPixel();
    bench.head.ids.forEach((id, index) => {
      const [px, py] = position(index), far = Math.hypot(px - x, py - y);
      if (far < least) { least = far; best = id; }
    });
    return best;
  }
  const reachOf = (event) => (event.pointerType === "touch" ? TOUCH_REACH : REACH);

  // A finger that starts on a point drags it; one that starts elsewhere scrolls the page.
  svg.addEventListener("touchstart", (event) => {
    const touch = event.touches[0];
    if (nearest(place(touch), TOUCH_REACH) !== null && event.cancelable) event.preventDefault();
  }, { passive: false });
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const id = nearest(place(event), reachOf(event));
    const edge = id === null ? event.target.closest(".edges path") : null;
    board.drag = { id, edge, x: event.clientX, y: event.clientY, moved: false };
    if (id === null) return;
    svg.setPointerCapture(event.pointerId);
    board.focus = id;
    points.children[indexOf(id)].focus({ preventScroll: true });
    event.preventDefault();
  });
  svg.addEventListener("pointermove", (event) => {
    const drag = board.drag;
    if (!drag) return hover(event);
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < CLICK) return;
    if (drag.id === null || !bench.head.board.editable || indexOf(drag.id) < 0) return;
    if (!drag.moved) bench.hover(null);
    drag.moved = true;
    bench.root.classList.add("dragging");
    move(drag.id, place(event));
  });
  const release = (event) => {
    const drag = board.drag;
    board.drag = null;
    bench.root.classList.remove("dragging");
    if (!drag) return;
    if (drag.moved) { flow.held = null; return flow.end(); }
    if (event.type !== "pointerup" || Math.hypot(event.clientX - drag.x, event.clientY - drag.y) >= CLICK) return;
    if (drag.id !== null) select(drag.id);
    else if (drag.edge) bench.select(...ends(drag.edge));
    else add(place(event));
  };
  svg.addEventListener("pointerup", release);
  svg.addEventListener("pointercancel", release);
  svg.addEventListener("lostpointercapture", (event) => { if (board.drag?.moved) release(event); });
  svg.addEventListener("pointerleave", () => bench.hover(null));
  function hover(event) {
    const edge = event.target.closest?.(".edges path");
    const id = nearest(place(event), reachOf(event));
    if (id !== null) return bench.hover({ anchor: id, other: null }, event);
    if (!edge) return bench.hover(null);
    const [anchor, other] = ends(edge);
    bench.hover({ anchor, other }, event);
  }

  // ---- the events that Python hears --------------------------------------------------------------------------------
  function move(id, to) {
    const spot = onCircle(to, position(indexOf(id)));
    flow.begin();
    flow.held = id;
    board.local.set(id, spot);
    const seq = flow.move({ kind: "move", target: id, x: spot[0], y: spot[1] });
    bench.root.dispatchEvent(new CustomEvent("msviz:move", { bubbles: true, composed: true, detail: { seq } }));
    bench.repaint("held");
  }
  function add(to) {
    if (!bench.head.board.editable) return;
    const [x, y] = onCircle(to, [1, 0]);
    board.focus = bench.head.next_id;
    flow.push({ kind: "add", x, y, label: tools.active });
  }
  board.settle = () => {  // once Python has applied a move, its position is the one on the link's grid
    for (const id of board.local.keys()) if (!flow.busyWith("move", id)) board.local.delete(id);
  };

  // ---- keyboard ----------------------------------------------------------------------------------------------------
  svg.addEventListener("keydown", (event) => {
    const group = event.target.closest(".point");
    if (board.drag?.moved) {  // a point in hand: Escape puts it back, nothing else happens to it
      if (event.key === "Escape") board.cancel();
      event.preventDefault();
      return event.stopPropagation();
    }
    if (!group && !bench.head.ids.length && event.key.toLowerCase() === "a") {
      event.preventDefault();
      return add([0, 1]);
    }
    if (!group || event.ctrlKey || event.metaKey || event.altKey) return;
    const id = +group.dataset.id, index = indexOf(id), count = bench.head.ids.length;
    const go = (to) => {
      board.focus = bench.head.ids[(to + count) % count];
      board.draw();
      points.children[(to + count) % count].focus();
    };
    const turn = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (turn) { if (bench.head.board.editable) move(id, turned(position(index), turn, event.shiftKey ? LEAP : STEP)); }
    else if (event.key === "PageDown" || event.key === ".") go(index + 1);
    else if (event.key === "PageUp" || event.key === ",") go(index - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(count - 1);
    else if (event.key === "Enter" || event.key === " ") select(id);
    else if (event.key === "Escape") bench.select(null, null);
    else if (event.key === "Delete" || event.key === "Backspace") board.remove(id);
    else if (event.key === "a" || event.key === "A") add(turned(position(index), [-position(index)[1], position(index)[0]], LEAP));
    else if (/^[0-9]$/.test(event.key)) relabel(id, +event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  svg.addEventListener("keyup", (event) => { if (event.key.startsWith("Arrow")) { flow.held = null; flow.end(); } });
  svg.addEventListener("focusout", () => { if (!board.drag) { flow.held = null; flow.end(); } });
  svg.addEventListener("dblclick", (event) => event.preventDefault());

  board.cancel = () => {
    if (!board.drag?.moved) return false;
    flow.cancel();
    board.drag = null;
    board.local.clear();
    bench.root.classList.remove("dragging");
    flow.push({ kind: "show", ...bench.head.show });  // brings the picture of the state as it is
    return true;
  };
  board.remove = (id) => {
    const index = indexOf(id);
    board.focus = bench.head.ids[index + 1] ?? bench.head.ids[index - 1] ?? null;
    board.refocus = true;
    flow.push({ kind: "remove", target: id });
  };
  function relabel(id, nth) {  // key 1 is the first class of the chips, 0 the tenth
    const label = bench.head.palette[(nth + 9) % 10];
    if (label !== undefined) flow.push({ kind: "label", target: id, label });
  }
  board.afterUpdate = () => {
    if (!board.refocus || (board.focus !== null && indexOf(board.focus) < 0)) return;
    board.refocus = false;
    (points.children[indexOf(board.focus)] ?? svg).focus();
  };
  return board;
}

parts.panels.board = makeBoard;
