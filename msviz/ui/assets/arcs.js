// Two arcs on the board, each from a point to its partner, and their closest points p1 and p2 (views/loop_four.py): the
// first a wide band, the second a narrow dashed one over it, so that both are seen where they overlap. How far along an
// arc a point stands comes from Python, where the arc lies from the points themselves: so it goes along with a drag.

function makeArcs(bench, board, svg) {
  const under = shape("g", { class: "arcs" }), over = shape("g", { class: "closest" }, svg), STEPS = 48;
  svg.insertBefore(under, board.points);
  const bands = ["x", "y"].map((name) => Object.fromEntries(["far", "edge", "band"].map((part) => [part, shape("path", { class: `${name} ${part}` }, under)])));
  const gap = shape("path", { class: "gap" }, over), diamonds = ["p1", "p2"].map((name) => shape("path", { class: `diamond ${name}` }, over));
  const names = shape("g", { class: "names" }, over), note = node("p", { className: "caption under pictured" }, board.panel);

  function draw() {
    const { loop } = bench.head.more, { texts, ids, labels, looks } = bench.head;
    under.style.display = over.style.display = loop ? "" : "none";
    note.hidden = !loop;
    board.panel.classList.toggle("arced", Boolean(loop));
    if (!loop) return;
    const surface = board.surface(), ends = loop.ids.map((id) => ids.indexOf(id)), places = ends.map((at) => board.placeOf(at));
    const arcs = [arcBetween(places[0], places[1]), arcBetween(places[2], places[3])], seen = (place) => surface.project(place);
    bands.forEach((band, k) => {
      const look = looks[labels[ends[2 * k]]], corners = loop.antipodal[k] ? [] : Array.from({ length: STEPS + 1 }, (_, step) => seen(arcs[k](step / STEPS)));
      const path = (far) => corners.map(([x, y, depth], at) => {
        if (isFarSide(depth) !== far) return "";
        const goesOn = at && isFarSide(corners[at - 1][2]) === far;
        return `${goesOn ? "L" : "M"}${short(x)} ${short(-y)}`;
      }).join("");
      const near = path(false);
      put(band.far, { d: path(true) });
      put(band.edge, { d: near });
      put(band.band, { d: near, style: `stroke:var(--class-${look.color})` });
    });
    const [p1, p2] = loop.parts.map((part, k) => seen(loop.antipodal[k] ? places[2 * k + Math.round(part)] : arcs[k](part)));
    put(gap, { d: loop.touching ? "" : `M${short(p1[0])} ${short(-p1[1])}L${short(p2[0])} ${short(-p2[1])}` });
    [p1, p2].forEach(([x, y, depth], k) => put(diamonds[k], { d: outline("diamond", x, -y, 0.033), class: `diamond p${k + 1} ${isFarSide(depth) ? "far" : ""}` }));
    const texted = keep(names, loop.marks.length, (g) => shape("text", {}, g)), taken = [];
    loop.marks.forEach(({ name, end, arc, part }, k) => {
      const [x, y] = seen(end === null ? arcs[arc](part) : places[end]);
      put(texted[k], { ...freeSpot(spotsBeside(surface.name, x, y, end === null), name, taken), "font-size": 0.075 });
      write(texted[k], name);
    });
    write(note, fill(texts[surface.name === "sphere" ? "js.arcs.note.sphere" : "js.arcs.note"], loop.names));
  }
  return { draw };
}

const isFarSide = (depth) => depth < -1e-6;

// The great-circle arc between two places: how far along it, 0..1, to a place. Opposite places have none: then the start.
function arcBetween(from, to) {
  const [r, s] = [Math.hypot(...from), Math.hypot(...to)], dot = from.reduce((sum, value, k) => sum + value * to[k], 0) / (r * s || 1);
  const angle = Math.acos(Math.max(-1, Math.min(1, dot))), sin = Math.sin(angle);
  if (sin < 1e-6) return () => from;
  return (t) => {
    const [u, v] = [Math.sin((1 - t) * angle) / sin / r, Math.sin(t * angle) / sin / s], length = r + t * (s - r);
    return from.map((value, k) => length * (u * value + v * to[k]));
  };
}

// Where a name can stand beside its mark: on the side where the point's own number does not, on the circle towards the
// centre, and farther away.
function spotsBeside(surface, x, y, alone) {
  const away = [0, 1, 2, 3];
  if (surface === "sphere") return away.map((k) => (alone ? { x: x + 0.08, y: -y + 0.09 * k, "text-anchor": "start" } : { x, y: -y + 0.15 + 0.09 * k, "text-anchor": "middle" }));
  const anchor = Math.abs(x) < 0.4 * Math.hypot(x, y) ? "middle" : x > 0 ? "end" : "start";
  return away.map((k) => ({ x: x * (0.85 - 0.1 * k), y: -y * (0.85 - 0.1 * k), "text-anchor": anchor }));
}

// The first of some spots at which a name covers none that is there; it joins them.
function freeSpot(spots, name, taken) {
  const width = 0.042 * name.length, boxOf = ({ x, y, "text-anchor": anchor }) => [x - { start: 0, middle: width / 2, end: width }[anchor], y - 0.04, width, 0.08];
  const meet = ([x, y, w, h], [u, v, o, p]) => x < u + o && u < x + w && y < v + p && v < y + h;
  const spot = spots.find((one) => !taken.some((other) => meet(boxOf(one), other))) ?? spots.at(-1);
  taken.push(boxOf(spot));
  return spot;
}
