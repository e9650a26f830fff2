// The board: points on a circle, in a plane or on a sphere. Here it is drawn; hand.js takes what a person does with it,
// circle.js and sphere.js know where points can be.
//
// What the pointer does is drawn at once from the pointer; everything computed (edges, forces, numbers) comes from
// Python's core a moment later. Nodes are kept and updated, never rebuilt: a rebuilt node would drop the drag.

const VIEW = 1.22;  // half the width that the board shows, in units of the circle's radius
const KEYS = ["pull", "push", "pushed", "pulled", "force", "ghost", "far", "tuplet", "partner", "idle"];

function makeBoard(bench, parent) {
  const panel = node("section", { className: "panel board" }, parent);
  const head = node("header", {}, panel);
  const title = node("h2", {}, head);
  const tools = makeTools(bench, head);
  const svg = shape("svg", { viewBox: `${-VIEW} ${-VIEW} ${2 * VIEW} ${2 * VIEW}`, class: "plot", role: "group" }, panel);
  const layer = (name) => shape("g", { class: name }, svg);
  const frame = shape("rect", { class: "frame" }, svg), outlined = shape("circle", { class: "circle" }, svg);
  const farWire = shape("path", { class: "wire far" }, svg);
  const [farMarks, ghosts, edges] = ["backs", "ghosts", "edges"].map(layer);
  const nearWire = shape("path", { class: "wire" }, svg);
  const [forces, points] = ["forces", "points"].map(layer);
  const norms = node("p", { className: "norms" }, panel);
  const key = node("ul", { className: "key" }, panel);
  for (const name of KEYS) { const item = node("li", { className: name }, key); node("i", {}, item); node("span", {}, item); }
  const hint = node("p", { className: "caption under" }, panel), edgeNote = node("p", { className: "caption under" }, panel);

  const surfaces = { circle: makeCircle(), flat: makePlane(), sphere: makeSphere() };
  const board = { panel, svg, points, tools, drag: null, focus: null, local: new Map(), camera: null };
  let rows = new Map();  // id -> index of the point
  board.surface = () => surfaces[bench.head.dim === 3 ? "sphere" : bench.head.board.flat ? "flat" : "circle"];
  board.indexOf = (id) => bench.head.ids.indexOf(id);
  board.placeOf = (at) => board.local.get(bench.head.ids[at]) ?? bench.head.places.slice(bench.head.dim * at, bench.head.dim * (at + 1));
  board.seen = (at) => board.surface().project(board.placeOf(at));
  const pushes = makePushes(bench, board, svg), arcs = makeArcs(bench, board, svg);
  let views = [];  // where each point was seen when it was drawn last
  const radius = () => ([[300, 0.02], [80, 0.03], [30, 0.038]].find(([many]) => bench.head.ids.length > many)?.[1] ?? 0.05);
  const isFar = (depth) => depth < -1e-6;

  // ---- drawing -------------------------------------------------------------------------------------------------
  board.draw = () => {
    const { ids, texts, board: shown } = bench.head, { name } = board.surface();
    write(title, shown.title);
    write(hint, shown.hint);
    write(norms, shown.norms);
    for (const item of key.children) write(item.lastChild, texts[`js.key.${item.className}`]);
    put(svg, { tabindex: ids.length && name !== "sphere" ? -1 : 0, "aria-label": fill(texts[`js.board.label.${name}`], { count: ids.length }) });
    tools.draw();
    rows = new Map(ids.map((id, index) => [id, index]));
    board.drawPicture();
    write(edgeNote, bench.head.show.edges ? bench.head.edges.note : "");
    board.light(bench.hovered);
  };

  // All that depends on from where it is seen.
  board.drawPicture = () => {
    const { ids, show, edges: { rows: pairs } } = bench.head, surface = board.surface(), sphere = surface.name === "sphere";
    if (sphere) surface.look(board.camera ?? bench.head.board.camera);
    panel.classList.toggle("sphere", sphere);
    const [unit] = surface.name === "flat" ? surface.project([1, 0]) : [1], end = surface.end ?? 0;
    put(outlined, { r: unit });
    put(frame, { x: -end, y: -end, width: 2 * end, height: 2 * end });
    const wire = sphere ? surface.wire() : { near: "", far: "" };
    put(nearWire, { d: wire.near });
    put(farWire, { d: wire.far });
    keep(points, ids.length, makePoint);
    keep(farMarks, ids.length, (g) => shape("path", {}, g));
    views = ids.map((_, index) => board.seen(index));
    ids.forEach((_, index) => drawPoint(index));
    const lines = keep(edges, show.edges ? pairs.length : 0, (g) => shape("path", {}, g));
    for (let index = 0; index < lines.length; index++) drawEdge(lines[index], pairs[index]);
    const arrows = keep(forces, show.forces ? ids.length : 0, (g) => shape("path", {}, g));
    for (let index = 0; index < arrows.length; index++) drawForce(arrows[index], index);
    drawGhosts();
    pushes.draw(views, forces);
    arcs.draw();
    const against = (positive) => show.edges && pairs.some(([, , , kind, net]) => kind === positive && net === (positive ? 1 : -1));
    const tuplets = Boolean(bench.head.tuplets), roles = ["tuplet", "partner", "idle"].map((role) => [role, tuplets]);
    for (const [item, needed] of [["pushed", against(1)], ["pulled", against(0)], ["far", sphere], ...roles]) key.children[KEYS.indexOf(item)].hidden = !needed;
  };

  // While a person drags: the point in hand and what hangs on it. All else waits for the core's numbers.
  board.drawHeld = () => {
    if (board.camera) return board.drawPicture();
    for (const id of board.local.keys()) {
      const index = rows.get(id);
      if (index === undefined) continue;
      views[index] = board.seen(index);
      drawPoint(index);
      bench.head.edges.rows.forEach((pair, at) => { if (edges.children[at] && (pair[0] === id || pair[1] === id)) drawEdge(edges.children[at], pair); });
      if (forces.children[index]) drawForce(forces.children[index], index);
    }
    pushes.draw(views, forces);
    arcs.draw();
  };

  function drawPoint(index) {
    const { ids, labels, looks } = bench.head, id = ids[index], [x, y, depth] = views[index].map(short), far = isFar(depth);
    const r = radius(), many = ids.length > 30, out = 1.75 * r + (many ? 0.038 : 0.05), look = looks[labels[index]];
    const group = points.children[index], [ring, mark, name, halo] = group.children, back = farMarks.children[index];
    const role = roleOf(id), size = role === "idle" ? 0.55 * r : r;
    const looked = [id, board.surface().name, x, y, far, labels[index], look.name, r, role, ringOf(id), board.focus, ids[0], board.turning].join();
    if (group.looked === looked) return;  // most points stand still
    group.looked = looked;
    const [dx, dy] = board.surface().aside([x, y]), ringed = ringOf(id);
    if (!board.turning) put(group, {  // none of it changes while the sphere turns
      "data-id": id, tabindex: id === (rows.has(board.focus) ? board.focus : ids[0]) ? 0 : -1,
      "aria-label": board.words(index), "aria-pressed": chosen(id),
    });
    put(group, { class: `point${far ? " far" : ""} ${role}`.trim() });
    if (!board.turning || ringed) put(ring, { cx: x, cy: -y, r: r * 1.75, class: `ring ${ringed}` });
    dress(far ? back : mark, look, x, -y, far ? 0.7 * size : size);  // a far point lies behind the edges, small and pale
    put(far ? mark : back, { d: "" });
    put(name, { x: x + dx * out, y: -y - dy * out, "font-size": (many ? 0.052 : 0.068) * (far ? 0.8 : 1) });
    write(name, (ids.length > 80 || (far && many)) && !chosen(id) ? "" : id + (role === "partner" ? "⁺" : ""));
    put(halo, { cx: x, cy: -y, r: role === "tuplet" ? 1.42 * r : 0, class: "halo" });  // around an anchor of tuplets
  }

  // Colour: what the pair does, pulled together or pushed apart. Dash: its kind. A pair against its kind is crossed.
  function drawEdge(line, [from, to, share, positive, net]) {
    const a = rows.get(from), b = rows.get(to);
    if (a === undefined || b === undefined) return;
    const one = views[a], two = views[b], depth = (one[2] + two[2]) / 2, near = 1 + 0.55 * Math.min(0, depth);
    const way = net < 0 ? "pull" : net > 0 ? "push" : "still";
    put(line, {
      d: chord(one, two, positive, way === (positive ? "push" : "pull")), class: `${way} ${positive ? "positive" : "negative"}`, "data-pair": `${from} ${to}`,
      "stroke-width": short((0.004 + 0.03 * share) * near), "stroke-opacity": short((0.25 + 0.75 * Math.sqrt(share)) * near),
    });
  }

  function drawForce(arrow, index) {
    const { dim, forces: steps } = bench.head, at = views[index];
    const along = board.surface().along(steps.slice(dim * index, dim * (index + 1)));
    put(arrow, { d: arrowPath(at, along, radius() * 1.2), class: isFar(at[2]) ? "arrow far" : "arrow" });
  }

  function drawGhosts() {
    const r = radius(), left = bench.head.ghosts;
    const nodes = keep(ghosts, left.length, (g) => shape("path", {}, g));
    left.forEach((ghost, index) => {
      const [x, y, depth] = board.surface().project(ghost.slice(0, -1)), far = isFar(depth), size = far ? 0.7 * r : r;
      put(nodes[index], {
        d: outline(bench.head.looks[ghost.at(-1)].shape, x, -y, size), "stroke-width": 0.14 * size,
        "stroke-dasharray": `${0.3 * size} ${0.3 * size}`, class: far ? "ghost far" : "ghost",
      });
    });
  }

  function makePoint(parent) {
    const group = shape("g", { role: "button" }, parent);
    shape("circle", {}, group);
    shape("path", {}, group);
    shape("text", { class: "name" }, group);
    shape("circle", {}, group);
  }

  // ---- what is lit, what is chosen -------------------------------------------------------------------------------
  const chosen = (id) => { const s = bench.head.selection; return s.anchor === id || s.other === id; };
  const apart = ({ anchor, other }) => other !== null && [anchor, other].some((id) => roleOf(id) === "idle");  // no pair of tuplets
  const ringOf = (id) => (apart(bench.head.selection) ? "" : bench.head.selection.anchor === id ? "anchor" : bench.head.selection.other === id ? "other" : "");
  // In tuplets: "tuplet" an anchor, "partner" a positive, "" a negative of others, "idle" takes no part.
  const roleOf = (id) => {
    const { tuplets } = bench.head;
    return !tuplets ? "" : tuplets.anchors.includes(id) ? "tuplet" : tuplets.positives.includes(id) ? "partner" : tuplets.used.includes(id) ? "" : "idle";
  };
  board.ends = (line) => line.dataset.pair.split(" ").map(Number);
  board.light = (pair) => {
    if (!pair && !board.lit) return;
    board.lit = Boolean(pair);
    for (const group of points.children) {
      const id = +group.dataset.id;
      group.classList.toggle("lit", Boolean(pair) && (pair.anchor === id || pair.other === id));
    }
    for (const line of edges.children) {
      const [from, to] = board.ends(line);
      const both = pair && pair.other !== null && [from, to].includes(pair.anchor) && [from, to].includes(pair.other);
      line.classList.toggle("lit", Boolean(both));
    }
  };
  board.words = (index) => {
    const { ids, labels, looks, texts } = bench.head, surface = board.surface();
    const words = fill(texts[`js.board.point.${surface.name}`], { id: ids[index], name: looks[labels[index]].name, ...surface.words(board.placeOf(index)) });
    return bench.head.tuplets ? `${words}. ${texts[`js.key.${roleOf(ids[index]) || "negative"}`]}` : words;
  };

  makeHand(bench, board);
  return board;
}

parts.panels.board = makeBoard;
