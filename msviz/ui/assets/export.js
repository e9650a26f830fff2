// "Save" on every panel: the picture as PNG or SVG, its numbers as CSV. A part may bring its own table: `part.table()`
// returns rows, the first of them names.

// A float32 with all its digits and no more.
function digits32(value) {
  if (Number.isNaN(value)) return "";
  for (let digits = 6; digits < 9; digits++) if (Math.fround(+value.toPrecision(digits)) === Math.fround(value)) return String(+value.toPrecision(digits));
  return String(+value.toPrecision(9));
}

const DECISIONS = { [SELF]: "self", [POSITIVE_KEPT]: "kept", [POSITIVE_DROPPED]: "dropped", [NEGATIVE_KEPT]: "kept", [NEGATIVE_DROPPED]: "dropped" };

// Every cell of a matrix as a row; a cell of a large batch is a block of points, and its number a mean.
function matrixTable(bench, name) {
  const { axes, head } = bench, { values, code, key } = head.panels.find((panel) => panel.key === name);
  const called = (axis, k) => {
    const ids = head.order.slice(axis.from[k], axis.until[k]).map((at) => head.ids[at]);
    return [ids.join(" "), bench.className(axis.label[k])];
  };
  const rows = [["anchor", "anchor_class", "other", "other_class", axes.means ? `mean_${key}` : key, "kind", "mining"]];
  for (let i = 0; i < axes.rows.count; i++) for (let j = 0; j < axes.columns.count; j++) {
    const c = i * axes.columns.count + j;
    if (code[c] === SELF && !axes.means) continue;
    const positive = axes.rows.label[i] === axes.columns.label[j];
    rows.push([...called(axes.rows, i), ...called(axes.columns, j), digits32(values[c]), positive ? "positive" : "negative", DECISIONS[code[c]]]);
  }
  return rows;
}

// S, signed weight and decision of all pairs of some anchors.
function anchorTable(bench, anchors) {
  const { ids, labels } = bench.head, { S, w, code } = bench.matrices, rows = [["anchor", "other", "other_class", "S", "signed_weight", "kind", "mining"]];
  for (const anchor of anchors) for (const [at, other] of ids.entries()) {
    const cell = bench.pairAt(anchor, other);
    if (other === anchor || cell < 0) continue;
    const kind = isPositive(code[cell]) ? "positive" : "negative";
    rows.push([anchor, other, bench.className(labels[at]), digits32(S[cell]), digits32(w[cell]), kind, DECISIONS[code[cell]]]);
  }
  return rows;
}

const TABLES = {
  board({ head: { ids, labels, dim, places, forces }, className }) {
    const row = (list, at) => Array.from({ length: dim }, (_, k) => list[dim * at + k] ?? ""), axes = [..."xyz"].slice(0, dim);
    return [["id", "class", ...axes, ...axes.map((axis) => `arrow_${axis}`)], ...ids.map((id, at) => [id, className(labels[at]), ...row(places, at), ...row(forces, at)])];
  },
  line: (bench) => anchorTable(bench, bench.head.selection.anchor === null ? [] : [bench.head.selection.anchor]),
  pairline: (bench) => TABLES.line(bench),
  reasons: (bench) => TABLES.line(bench),
  lines: (bench) => anchorTable(bench, bench.head.ids),
  readouts: ({ head }) => [["what", "shown"], ...head.readouts.map(([value, caption]) => [caption, value])],
  inspector({ head: { inspector } }) {
    const { equation } = inspector, place = (name) => (equation?.[name] ?? []).map(({ symbol, value, role }) => [name, symbol, value, role]);
    const result = equation ? [["result", equation.name, equation.result, ""]] : [];
    return [["part", "symbol", "value", "similarity"], ...place("factor"), ...place("numerator"), ...place("denominator"), ...result];
  },
};

const csv = (rows) => `\ufeff${rows.map((row) => row.map((cell) => (/[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(",")).join("\n")}\n`;

function download(name, content, type) {
  const link = node("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function asPng({ text, width, height }) {
  const image = new Image(), canvas = node("canvas", { width: 2 * width, height: 2 * height });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}

// The menu of a panel: a button that shows three. `name` is the part's or the matrix's.
function makeSave(bench, part, name) {
  const { panel } = part, isMatrix = () => bench.parts.matrices.get(name) === part;
  const root = node("div", { className: "save" }, panel), opener = node("button", { type: "button", className: "chip opener" }, root);
  const menu = node("div", { className: "menu", role: "group", hidden: true }, root);
  const table = () => (isMatrix() ? matrixTable(bench, name) : (part.table ?? TABLES[name])?.(bench));
  const called = (ending) => `msviz-${bench.head.page}-${name}-${bench.head.method}.${ending}`;
  const about = () => ({
    title: panel.querySelector("h2")?.textContent || name,
    from: `${location.origin}${location.pathname}${bench.head.link.query ?? ""}`,
  });
  const acts = {
    async png() { download(called("png"), await asPng(panelPicture(bench, panel, about())), "image/png"); },
    svg() { download(called("svg"), panelPicture(bench, panel, about()).text, "image/svg+xml"); },
    csv() { download(called("csv"), csv(table()), "text/csv;charset=utf-8"); },
  };
  const show = (open) => {
    menu.hidden = !open;
    opener.setAttribute("aria-expanded", open);
  };
  for (const kind of Object.keys(acts)) {
    const button = node("button", { type: "button", className: "chip" }, menu);
    button.dataset.kind = kind;
    write(button, kind.toUpperCase());
    button.addEventListener("click", () => { show(false); opener.focus(); acts[kind](); });
  }
  opener.addEventListener("click", () => {
    const { texts } = bench.head;
    for (const button of menu.children) button.title = texts[`js.save.${button.dataset.kind}`];
    menu.lastChild.hidden = !isMatrix() && !(part.table ?? TABLES[name]);
    show(menu.hidden);
    if (!menu.hidden) menu.firstChild.focus();
  });
  root.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key], list = [...menu.children].filter((button) => !button.hidden);
    event.stopPropagation();  // the panel's own keys mean something else
    if (event.key === "Escape" && !menu.hidden) { show(false); opener.focus(); }
    else if (by && !menu.hidden) list[(list.indexOf(bench.shadow.activeElement) + by + list.length) % list.length].focus();
    else return;
    event.preventDefault();
  });
  root.addEventListener("focusout", (event) => { if (!root.contains(event.relatedTarget)) show(false); });
  show(false);
  return () => {
    const help = fill(bench.head.texts["js.save.help"], { title: about().title });
    write(opener, bench.head.texts["js.save.button"]);
    put(opener, { "aria-label": help, title: help });
  };
}

// A part with that menu on its panel.
function savable(bench, part, name) {
  if (!part.panel) return part;
  const { draw } = part, label = makeSave(bench, part, name);
  part.draw = () => { draw(); label(); };
  return part;
}
