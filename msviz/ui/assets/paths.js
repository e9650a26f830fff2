// Paths on the board: from places on the screen, [x, y] with y upward, to SVG's, with y downward.

// Positives bend one way and negatives the other, so that both kinds stay apart where they cross. A pair that moves
// against its kind (a positive that is pushed) carries a cross in its middle: colour alone would not say it.
function chord([ax, ay], [bx, by], positive, crossed = false) {
  const bend = positive ? 0.62 : 0.78, cx = ((ax + bx) / 2) * bend, cy = -((ay + by) / 2) * bend;
  const x = (ax + 2 * cx + bx) / 4, y = (2 * cy - ay - by) / 4, r = 0.03;
  const cross = crossed ? `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}` : "";
  return `M${short(ax)} ${short(-ay)}Q${short(cx)} ${short(cy)} ${short(bx)} ${short(-by)}${cross}`;
}

// An arrow as one filled outline. Each has a node of its own: the browser paints again only where one has changed.
function arrowPath([x, y], [fx, fy], start) {
  const size = Math.hypot(fx, fy);
  if (size < 0.01) return "";
  const ux = fx / size, uy = -fy / size, end = start + 0.34 * size, w = 0.007, head = 0.024;
  const corners = [[start, -w], [end, -w], [end, -head], [end + 2 * head, 0], [end, head], [end, w], [start, w]];
  return `M${corners.map(([a, b]) => `${short(x + a * ux - b * uy)} ${short(-y + a * uy + b * ux)}`).join("L")}Z`;
}
