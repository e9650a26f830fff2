// A panel as an SVG: every line of text, every mark and every cell where it stands on the screen, with its computed
// style written in, so that the file looks the same without our style sheets. Text stays text, marks stay shapes.
//
// A matrix is drawn by its own code once more, on a recorder that understands what that code asks of a canvas.

const STYLES = {
  fill: "rgb(0, 0, 0)", "fill-opacity": "1", stroke: "none", "stroke-width": "1px", "stroke-opacity": "1", "stroke-dasharray": "none",
  "stroke-linecap": "butt", "stroke-linejoin": "miter", opacity: "1", "font-size": "", "font-family": "", "font-weight": "400",
  "font-style": "normal", "text-anchor": "start", "dominant-baseline": "auto", "image-rendering": "auto", "paint-order": "normal",
};
const NOT_PICTURED = "button:not(.chip), .chip.new, input, label:has(input), select, .save, .acts, .spoken, .tip, .under:not(.pictured), [hidden], [class*=st-key-msviz-tools], .modebar-container, .draglayer, .hoverlayer";

// A copy of an SVG element and all that it holds, its looks written into each piece.
function styledCopy(original) {
  const copy = original.cloneNode(false), looks = getComputedStyle(original);
  for (const name of ["class", "style", "tabindex", "role", "aria-label", "aria-pressed", "aria-hidden"]) copy.removeAttribute(name);
  for (const [name, usual] of Object.entries(STYLES)) {
    const value = looks.getPropertyValue(name);
    if (value && value !== usual) copy.setAttribute(name, value);
  }
  for (const child of original.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.cloneNode());
    else if (child.nodeType === Node.ELEMENT_NODE && getComputedStyle(child).display !== "none" && !child.matches(NOT_PICTURED)) copy.append(styledCopy(child));
  }
  if (original.tagName === "text" && original.textContent.trim()) put(copy, { textLength: original.getComputedTextLength(), lengthAdjust: "spacingAndGlyphs" });
  return copy;
}

// What a drawing asks of a canvas, as SVG: lines, boxes, arcs, marks and words.
function makeRecorder(parent) {
  let path = "";
  const paint = { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, font: "10px sans-serif", textAlign: "start", textBaseline: "alphabetic", globalAlpha: 1, dash: [] };
  const line = () => ({
    fill: "none", stroke: paint.strokeStyle, "stroke-width": paint.lineWidth, ...(paint.dash.length ? { "stroke-dasharray": paint.dash.join(" ") } : {}), ...alpha(),
  });
  const alpha = () => (paint.globalAlpha < 1 ? { opacity: paint.globalAlpha } : {});
  return Object.assign(paint, {
    beginPath() { path = ""; },
    moveTo(x, y) { path += `M${x} ${y}`; },
    lineTo(x, y) { path += `L${x} ${y}`; },
    closePath() { path += "Z"; },
    arc(x, y, r) { path += outline("circle", x, y, r); },  // whole circles are all that is drawn
    stroke(mark) { shape("path", { d: mark?.d ?? path, ...line() }, parent); },
    fill(mark) { shape("path", { d: mark?.d ?? path, fill: paint.fillStyle, ...alpha() }, parent); },
    strokeRect(x, y, width, height) { shape("rect", { x, y, width, height, ...line() }, parent); },
    fillRect(x, y, width, height) { shape("rect", { x, y, width, height, fill: paint.fillStyle, ...alpha() }, parent); },
    setLineDash(dash) { paint.dash = dash; },
    save() {}, restore() {}, setTransform() {}, clearRect() {},
    fillText(text, x, y) {
      const [, size, family] = paint.font.match(/([\d.]+)px (.*)/);
      const anchor = { center: "middle", end: "end", right: "end" }[paint.textAlign] ?? "start";
      const word = { x, y, fill: paint.fillStyle, "font-size": size, "font-family": family, "text-anchor": anchor };
      shape("text", { ...word, ...(paint.textBaseline === "middle" ? { "dominant-baseline": "central" } : {}) }, parent).textContent = text;
    },
  });
}

const opaque = (pixel) => `#${[0, 8, 16].map((shift) => ((pixel >>> shift) & 255).toString(16).padStart(2, "0")).join("")}`;

function matrixPicture(bench, matrix, x, y, parent) {
  const g = matrix.geometry, group = shape("g", { transform: `translate(${x} ${y})` }, parent), colors = bench.colors();
  const { kind, code } = bench.head.panels.find((panel) => panel.key === matrix.name), signed = kind === "w" || kind === "d";
  const hairline = g.size >= 8 ? 1 / g.ratio : 0, side = g.size - hairline;
  g.rows.starts.forEach((top, i) => g.columns.starts.forEach((left, j) => {
    const c = i * g.columns.count + j, dropped = signed && isDropped(code[c]), color = dropped ? colors.pale : matrix.cells[c];
    const box = { x: left, y: top, width: side, height: side };
    if (color !== colors.background) shape("rect", { ...box, fill: opaque(color) }, group);
    if (dropped) shape("rect", { ...box, fill: "url(#dropped)" }, group);
  }));
  matrix.record?.(makeRecorder(group));
}

function panelPicture(bench, panel, about) {
  const box = panel.getBoundingClientRect(), pad = 12, width = Math.ceil(box.width + 2 * pad), height = Math.ceil(box.height + 2 * pad);
  const svg = shape("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
  shape("title", {}, svg).textContent = about.title;
  shape("desc", {}, svg).textContent = about.from;
  const defs = shape("defs", {}, svg), dots = shape("pattern", { id: "dropped", width: 4, height: 4, patternUnits: "userSpaceOnUse" }, defs);
  shape("rect", { width: 1, height: 1, fill: bench.css("--hatch") }, dots);
  shape("rect", { width, height, fill: bench.css("--paper") }, svg);
  const place = (rect) => ({ x: rect.left - box.left + pad, y: rect.top - box.top + pad, width: rect.width, height: rect.height });
  let gradients = 0;

  function ground(element, looks) {
    const at = place(element.getBoundingClientRect()), colors = looks.backgroundImage.match(/rgba?\([^)]*\)/g) ?? [];
    const edges = ["Top", "Right", "Bottom", "Left"].map((side) => (looks[`border${side}Style`] === "none" ? 0 : parseFloat(looks[`border${side}Width`])));
    const round = { rx: Math.min(parseFloat(looks.borderTopLeftRadius) || 0, at.height / 2) };
    if (looks.backgroundImage.startsWith("linear")) {
      const gradient = shape("linearGradient", { id: `ramp${++gradients}` }, defs);
      colors.forEach((color, k) => shape("stop", { offset: k / (colors.length - 1), "stop-color": color }, gradient));
      shape("rect", { ...at, fill: `url(#ramp${gradients})` }, svg);
    } else if (looks.backgroundImage.startsWith("radial")) {
      shape("rect", { ...at, fill: bench.css("--pale") }, svg);
      shape("rect", { ...at, fill: "url(#dropped)" }, svg);
    } else if (!/, 0\)$|transparent/.test(looks.backgroundColor)) shape("rect", { ...at, ...round, fill: looks.backgroundColor }, svg);
    if (edges.every((edge) => edge > 0)) {
      const dash = looks.borderTopStyle === "dashed" ? { "stroke-dasharray": "3 2" } : {};
      shape("rect", { ...at, ...round, fill: "none", stroke: looks.borderTopColor, "stroke-width": edges[0], ...dash }, svg);
    } else if (edges[0]) {
      const dash = looks.borderTopStyle === "dashed" ? { "stroke-dasharray": "6 4" } : {};
      shape("path", { d: `M${at.x} ${at.y + edges[0] / 2}h${at.width}`, fill: "none", stroke: looks.borderTopColor, "stroke-width": edges[0], ...dash }, svg);
    }
    if (element.matches(".swatch.zero")) shape("circle", { cx: at.x + at.width / 2, cy: at.y + at.height / 2, r: at.width / 4, fill: "none", stroke: looks.color }, svg);
    if (element.matches(".force i")) shape("path", { d: `M${at.x + at.width + 3} ${at.y + 1}l-8 -5v10z`, fill: looks.color }, svg);
  }

  // The words of a text node, a <text> for each line that the browser broke it into, as wide as it is there.
  function words(text, looks) {
    const range = document.createRange(), lines = [];
    for (const { index, 0: word } of text.data.matchAll(/\S+/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const rect = range.getBoundingClientRect(), last = lines.at(-1);
      if (!rect.width) continue;
      if (last && Math.abs(last.rect.top - rect.top) < 2) { last.words.push(word); last.right = rect.right; }
      else lines.push({ words: [word], rect, right: rect.right });
    }
    const size = parseFloat(looks.fontSize), style = { "font-family": looks.fontFamily, "font-size": size, "font-weight": looks.fontWeight, "font-style": looks.fontStyle };
    for (const { words, rect, right } of lines) {
      const at = place(rect);
      const put = { x: at.x, y: at.y + at.height / 2, "dominant-baseline": "central", textLength: right - rect.left, lengthAdjust: "spacingAndGlyphs" };
      shape("text", { ...put, ...style, fill: looks.color }, svg).textContent = words.join(" ");
    }
  }

  (function walk(element, frame) {
    const looks = getComputedStyle(element), rect = element.getBoundingClientRect();
    if (element.matches(NOT_PICTURED) || looks.display === "none" || looks.visibility === "hidden") return;
    if (frame && (rect.bottom < frame.top + 1 || rect.top > frame.bottom - 1)) return;  // scrolled out of sight
    const tag = element.tagName.toLowerCase();
    if (tag === "svg") {
      const copy = styledCopy(element);
      copy.setAttribute("overflow", "visible");
      for (const [name, value] of Object.entries(place(rect))) copy.setAttribute(name, value);
      return void svg.append(copy);
    }
    if (tag === "canvas") {
      const matrix = [...bench.parts.matrices.values()].find((it) => it.panel.contains(element)), at = place(rect);
      if (matrix) matrixPicture(bench, matrix, at.x, at.y, svg);
      else if (element.width) shape("image", { ...at, href: element.toDataURL(), style: "image-rendering:pixelated" }, svg);
      return;
    }
    ground(element, looks);
    if (tag === "mfrac") {  // its bar is no border
      const [above, below] = [...element.children].map((part) => place(part.getBoundingClientRect())), at = place(rect);
      shape("path", { d: `M${at.x} ${(above.y + above.height + below.y) / 2}h${at.width}`, stroke: looks.color, "stroke-width": 1.2 }, svg);
    }
    const inner = looks.overflowY === "auto" || looks.overflowY === "scroll" ? rect : frame;
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) words(child, looks);
      else if (child.nodeType === Node.ELEMENT_NODE) walk(child, inner);
    }
  })(panel, null);
  return { text: new XMLSerializer().serializeToString(svg), width, height };
}
