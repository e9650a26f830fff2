// The sphere: a surface as circle.js describes it, seen from far away. `camera` is the longitude and latitude that face
// the visitor, in degrees; z is up.

const cosine = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const mixed = (a, u, b, v) => [a * u[0] + b * v[0], a * u[1] + b * v[1], a * u[2] + b * v[2]];

function makeSphere() {
  let right, up, front;
  const sphere = { name: "sphere", camera: null };
  const seen = (v) => [cosine(v, right), cosine(v, up), cosine(v, front)];
  const place = (x, y, depth) => [0, 1, 2].map((k) => x * right[k] + y * up[k] + depth * front[k]);

  sphere.look = ([yaw, pitch]) => {
    const [a, b] = [yaw, pitch].map((degrees) => (degrees * Math.PI) / 180);
    sphere.camera = [yaw, pitch];
    right = [-Math.sin(a), Math.cos(a), 0];
    up = [-Math.sin(b) * Math.cos(a), -Math.sin(b) * Math.sin(a), Math.cos(b)];
    front = [Math.cos(b) * Math.cos(a), Math.cos(b) * Math.sin(a), Math.sin(b)];
  };
  sphere.look([0, 0]);

  sphere.project = seen;
  sphere.along = (force) => seen(force).slice(0, 2);

  // Under the pointer, on the side where the point was taken. Beyond the rim it goes round to the other side, as far
  // inside as the pointer is outside.
  sphere.drag = ([x, y], before, from) => {
    const size = Math.hypot(x, y), side = cosine(from, front) < 0 ? -1 : 1;
    if (size <= 1) return place(x, y, side * Math.sqrt(1 - size * size));
    const inside = Math.max(0.5, 2 - size), k = inside / size;
    return place(k * x, k * y, -side * Math.sqrt(1 - inside * inside));
  };
  sphere.spot = ([x, y]) => {
    const size = Math.hypot(x, y);
    if (size > 1.08) return null;
    return size < 1 ? place(x, y, Math.sqrt(1 - size * size)) : place(x / size, y / size, 0);
  };

  // As seen: a step to the right keeps the height, up to the rim and no farther. In the plane of that step the sphere is a
  // circle, smaller near the top, where the same step is a larger angle.
  sphere.step = (v, [ux, uy], degrees) => {
    const goal = mixed(ux, right, uy, up), ahead = cosine(v, goal), depth = cosine(v, front), size = Math.hypot(ahead, depth);
    if (size < 0.02) { const by = (degrees * Math.PI) / 180; return mixed(Math.cos(by), v, Math.sin(by), goal); }
    const [a, d] = turned([ahead / size, depth / size], [1, 0], degrees / Math.max(0.25, size));
    const rest = [0, 1, 2].map((k) => v[k] - ahead * goal[k] - depth * front[k]);
    return mixed(1, rest, 1, mixed(size * a, goal, size * d, front));
  };
  sphere.beside = (v) => {
    const there = sphere.step(v, [1, 0], 10);
    return cosine(there, v) < 0.999 ? there : sphere.step(v, [-1, 0], 10);  // at the rim: back
  };
  sphere.aside = () => [0, 1];
  sphere.words = ([x, y, z]) => ({ longitude: num(inDegrees(Math.atan2(y, x)), 0), latitude: num(inDegrees(Math.atan2(z, Math.hypot(x, y))), 0) });

  // The equator and three meridians, the near and the far half of each as one path a side.
  sphere.wire = () => {
    const circles = [[[1, 0, 0], [0, 1, 0]], ...[0, 60, 120].map((degrees) => {
      const a = (degrees * Math.PI) / 180;
      return [[Math.cos(a), Math.sin(a), 0], [0, 0, 1]];
    })];
    const half = (side) => circles.map(([u, v]) => {
      const middle = Math.atan2(cosine(v, front), cosine(u, front)) + (side < 0 ? Math.PI : 0), corners = [];
      for (let k = -12; k <= 12; k++) {
        const t = middle + (k * Math.PI) / 24, [x, y] = seen(mixed(Math.cos(t), u, Math.sin(t), v));
        corners.push(`${x.toFixed(4)} ${(-y).toFixed(4)}`);
      }
      return `M${corners.join("L")}`;
    }).join("");
    return { near: half(1), far: half(-1) };
  };
  return sphere;
}
