// What all parts draw with: nodes, class markers, words, numbers.

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

// One outline for each marker, in units of its radius.
const OUTLINES = {
  circle: "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z",
  triangle: "M0-1.2L1.12.78H-1.12Z",
  square: "M-.9-.9H.9V.9H-.9Z",
  diamond: "M0-1.3L1.12 0L0 1.3L-1.12 0Z",
  plus: "M-.42-1.15H.42V-.42H1.15V.42H.42V1.15H-.42V.42H-1.15V-.42H-.42Z",
  wedge: "M0 1.2L1.12-.78H-1.12Z",
  hexagon: "M1.1 0L.55.95H-.55L-1.1 0L-.55-.95H.55Z",
  star: "M0-1.3L.36-.42L1.25-.4L.55.15L.8 1.05L0 .5L-.8 1.05L-.55.15L-1.25-.4L-.36-.42Z",
};

function marker(parent, look) {
  const svg = shape("svg", { viewBox: "-1.6 -1.6 3.2 3.2", class: "marker", "aria-hidden": "true" }, parent);
  const path = shape("path", {}, svg);
  if (look) dress(path, look);
  return svg;
}

function dress(path, look) {
  put(path, { d: OUTLINES[look.shape], class: "mark", style: `fill:var(--class-${look.color})` });
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

function watchTheme(restyle) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTimeout(restyle, 60));
  new MutationObserver(() => setTimeout(restyle, 60)).observe(document.documentElement, { attributes: true });
  new MutationObserver(() => setTimeout(restyle, 60)).observe(document.body, { attributes: true });
}
