// Where points live. A surface turns places into pictures and gestures into places; the board knows no other geometry.
//
//   name                        of its words: circle, flat or sphere
//   end                         half the width of the square that it is kept in, if it is
//   project(place)              where it is seen: [x, y, depth], y upward; depth below 0 is the far side
//   along(force)                a direction as it is seen
//   drag([x, y], place, from)   where a point comes to lie under the pointer; `from`: where it lay when it was taken
//   spot([x, y])                where a click adds a point; null = nowhere
//   step(place, way, degrees)   moved by an arrow key that points that way
//   beside(place)               where a new point next to it lies
//   aside([x, y])               on which side of a mark its name stands
//   words(place)                the numbers that say where it is

const inDegrees = (radians) => Math.round((radians * 180) / Math.PI);

function makeCircle() {
  // The centre has no direction, there a point stays where it was.
  const drag = ([x, y], before) => {
    const size = Math.hypot(x, y);
    return size < 1e-6 ? before : [x / size, y / size];
  };
  return {
    name: "circle",
    project: ([x, y]) => [x, y, 0],
    along: (force) => force,
    drag,
    spot: (at) => drag(at, [1, 0]),
    step: turned,
    beside: ([x, y]) => turned([x, y], [-y, x], 10),
    aside: outward,
    words: ([x, y]) => ({ angle: (inDegrees(Math.atan2(y, x)) + 360) % 360 }),
  };
}

// The plane of points whose norms count: smaller, so that there is room around the circle.
function makePlane() {
  const ZOOM = 0.6, END = 2 - 2 ** -14;  // the ends of the link's grid lie just inside of what is seen
  const inside = (place) => place.map((v) => Math.max(-END, Math.min(END, v)));
  const there = ([x, y]) => inside([x / ZOOM, y / ZOOM]);
  return {
    name: "flat",
    end: ZOOM * END,
    project: ([x, y]) => [ZOOM * x, ZOOM * y, 0],
    along: (force) => force,
    drag: there,
    spot: there,
    step: ([x, y], [ux, uy], degrees) => inside([x + 0.02 * degrees * ux, y + 0.02 * degrees * uy]),
    beside: ([x, y]) => inside([x + 0.2, y]),
    aside: outward,
    words: ([x, y]) => ({ x: num(x), y: num(y), length: num(Math.hypot(x, y)) }),
  };
}

// An arrow key goes along the circle, the shorter way to where the arrow points, and no farther.
function turned([x, y], [ux, uy], degrees) {
  const now = Math.atan2(y, x), goal = Math.atan2(uy, ux), step = (degrees * Math.PI) / 180;
  const left = Math.atan2(Math.sin(goal - now), Math.cos(goal - now));
  const angle = Math.abs(left) <= step ? goal : now + Math.sign(left) * step;
  return [Math.cos(angle), Math.sin(angle)];
}

function outward([x, y]) {
  const size = Math.hypot(x, y);
  return size < 0.05 ? [0, 1] : [x / size, y / size];
}
