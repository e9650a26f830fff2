// What all parts draw with: nodes, class markers, words, numbers. `SHEETS` (name -> css) is put before it by components.py.

const parts = (window.msvizParts = { flows: [], panels: {} });  // name -> what mounts that component (see stub.js), and what they share

// The root of a component with its style sheet.
function dressed(shadow, name) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(SHEETS[name]);
  shadow.adoptedStyleSheets = [sheet];
  return shadow.querySelector(`.${name}`);
}

const SVG = "http://www.w3.org/2000/svg";

function node(tag, properties = {}, parent = null) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made && name !== "role") made[name] = value;
    else made.setAttribute(name, value);
  }
  parent?.append(made);
  return made;
}

function shape(tag, attributes = {}, parent = null) {
  const made = document.createElementNS(SVG, tag);
  put(made, attributes);
  parent?.append(made);
  return made;
}

// Writes only the attributes that differ from what was put last: the browser paints what changed and no more.
const written = new WeakMap();
function put(target, attributes) {
  let before = written.get(target);
  if (!before) written.set(target, (before = {}));
  for (const [name, value] of Object.entries(attributes)) {
    if (before[name] !== value) target.setAttribute(name, (before[name] = value));
  }
}

// Writes only what differs: unchanged text keeps its selection and is not spoken again.
function write(target, text) {
  if (target.__text !== text) target.textContent = target.__text = text;
}

// Makes `parent` hold exactly `count` children: existing ones stay, so that nothing under the pointer is rebuilt.
function keep(parent, count, create) {
  while (parent.childElementCount > count) parent.lastElementChild.remove();
  while (parent.childElementCount < count) create(parent);
  return parent.children;
}

// The corners of each marker, in units of its radius, y downward; the circle has none.
const CORNERS = {
  circle: [],
  triangle: [[0, -1.2], [1.12, 0.78], [-1.12, 0.78]],
  square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
  diamond: [[0, -1.3], [1.12, 0], [0, 1.3], [-1.12, 0]],
  plus: [[-0.42, -1.15], [0.42, -1.15], [0.42, -0.42], [1.15, -0.42], [1.15, 0.42], [0.42, 0.42], [0.42, 1.15], [-0.42, 1.15],
    [-0.42, 0.42], [-1.15, 0.42], [-1.15, -0.42], [-0.42, -0.42]],
  wedge: [[0, 1.2], [1.12, -0.78], [-1.12, -0.78]],
  hexagon: [[1.1, 0], [0.55, 0.95], [-0.55, 0.95], [-1.1, 0], [-0.55, -0.95], [0.55, -0.95]],
  star: [[0, -1.3], [0.36, -0.42], [1.25, -0.4], [0.55, 0.15], [0.8, 1.05], [0, 0.5], [-0.8, 1.05], [-0.55, 0.15], [-1.25, -0.4],
    [-0.36, -0.42]],
};

// Four decimals: a hundredth of a pixel on the board. Shorter texts are written and read faster.
const short = (value) => Math.round(value * 1e4) / 1e4;

// A marker's path around (x, y). Coordinates and no transforms: every transform in an SVG is a layer to the browser, and a
// board has hundreds of marks.
function outline(name, x, y, r) {
  const corners = CORNERS[name];
  const [left, right, at] = [x - r, x + r, y].map(short);
  if (!corners.length) return `M${right} ${at}A${r} ${r} 0 1 1 ${left} ${at}A${r} ${r} 0 1 1 ${right} ${at}Z`;
  return `M${corners.map(([dx, dy]) => `${short(x + r * dx)} ${short(y + r * dy)}`).join("L")}Z`;
}

function marker(parent) {
  const svg = shape("svg", { viewBox: "-1.6 -1.6 3.2 3.2", class: "marker", "aria-hidden": "true" }, parent);
  shape("path", {}, svg);
  return svg;
}

function dress(path, look, x = 0, y = 0, r = 1) {
  put(path, { d: outline(look.shape, x, y, r), class: "mark", style: `fill:var(--class-${look.color})`, "stroke-width": 0.17 * r });
}

function fill(template, values = {}) {
  return template.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
}

// Numbers as people write them: a true minus, three digits that matter, powers of ten when tiny.
function num(value, digits = 2) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 10 ** -(digits + 1) || size >= 1e6) ? value.toExponential(1) : value.toFixed(digits);
  return text.replaceAll("-", "−").replace("e+", "e");
}

// Light or dark is read from the page itself, so that both ways of choosing it (system, menu) are followed.
function scheme(host) {
  const probe = getComputedStyle(host).getPropertyValue("--st-background-color").trim() || "#ffffff";
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.fillStyle = probe;
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(canvas.fillStyle.slice(at, at + 2), 16));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 128 ? "dark" : "light";
}

function rgb(host, variable) {
  const text = getComputedStyle(host).getPropertyValue(variable).trim();
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

// Tells when the theme has changed, however it was chosen: a hidden element takes the page's colour, and a transition of
// it (a millisecond long) is an event.
function watchTheme(root, restyle) {
  const probe = node("span", { hidden: true, "aria-hidden": "true" }, root);
  probe.style.cssText = "display:block!important;position:absolute;width:0;height:0;background:var(--st-background-color);transition:background-color 1ms";
  probe.addEventListener("transitionend", restyle);
}
