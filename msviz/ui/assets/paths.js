// Geometry of the board: places are [x, y] with y upward, paths are SVG's with y downward.

// Positives bend one way and negatives the other, so that both kinds stay apart where they cross.
function chord([ax, ay], [bx, by], positive) {
  const pull = positive ? 0.62 : 0.78;
  return `M${ax} ${-ay}Q${((ax + bx) / 2) * pull} ${-((ay + by) / 2) * pull} ${bx} ${-by}`;
}

// An arrow as one filled outline. Each has a node of its own: the browser paints again only where one has changed.
function arrowPath([x, y], [fx, fy], start) {
  const size = Math.hypot(fx, fy);
  if (size < 0.01) return "";
  const ux = fx / size, uy = -fy / size, end = start + 0.34 * size, w = 0.007, head = 0.024;
  const corners = [[start, -w], [end, -w], [end, -head], [end + 2 * head, 0], [end, head], [end, w], [start, w]];
  return `M${corners.map(([a, b]) => `${x + a * ux - b * uy} ${-y + a * uy + b * ux}`).join("L")}Z`;
}

// The nearest place on the circle; the centre has none, there a point stays where it was.
function onCircle([x, y], before) {
  const size = Math.hypot(x, y);
  return size < 1e-6 ? before : [x / size, y / size];
}

// An arrow key goes along the circle, the shorter way to where the arrow points, and no farther.
function turned([x, y], [ux, uy], degrees) {
  const now = Math.atan2(y, x), goal = Math.atan2(uy, ux), step = (degrees * Math.PI) / 180;
  const left = Math.atan2(Math.sin(goal - now), Math.cos(goal - now));
  const angle = Math.abs(left) <= step ? goal : now + Math.sign(left) * step;
  return [Math.cos(angle), Math.sin(angle)];
}
