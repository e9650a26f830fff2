// Figure 2, one case: a slider runs over all positions, which Python has sent at once (views/figure2.py), so nothing is asked
// of the server while it moves. Left the anchor's row as a number line, right the weight of the pair against the position.

const DASH = { solid: "", dash: "9 5", dot: "2 4", dashdot: "9 4 2 4", longdash: "15 5", longdashdot: "15 4 2 4" };
const SYMBOL = { circle: "circle", square: "square", diamond: "diamond", "triangle-up": "triangle", cross: "plus", star: "star" };
const symbolOf = ({ symbol, color }) => [SYMBOL[symbol.replace("-open", "")] ?? "circle", symbol.endsWith("-open") ? "var(--paper)" : color];
const EVERY_MS = 90;  // one position of a played case
const REST_MS = 400;  // a slider that rests so long is told to Python, for the link

function makeFigure2(shadow) {
  const root = dressed(shadow, "figure2");
  const fig = { data: null, at: 0, timer: 0, late: 0 };
  const steer = node("div", { className: "steer" }, root);
  const play = node("button", { type: "button", className: "button play" }, steer);
  const label = node("label", {}, steer), labelText = node("span", {}, label);
  const slider = node("input", { type: "range", min: 0, step: 1, value: 0 }, label);
  const shown = node("output", {}, steer);
  const frame = node("div", { className: "frame" }, root), title = node("h2", { hidden: true }, frame);
  const boxes = node("dl", { className: "three" }, frame);
  const pictures = node("div", { className: "pictures" }, frame);
  const line = picture("line"), chart = picture("chart");
  const wrap = node("div", { className: "wrap", tabIndex: 0, role: "region" }, frame), table = node("table", {}, wrap);
  const thead = node("tr", {}, node("thead", {}, table)), tbody = node("tbody", {}, table);

  function picture(name) {
    const box = node("figure", { className: name }, pictures), title = node("figcaption", {}, box), hint = node("p", { className: "caption" }, box);
    const made = { svg: shape("svg", { role: "img" }, box), title, hint, width: 0 };
    new ResizeObserver(([entry]) => { made.width = Math.floor(entry.contentRect.width); draw(); }).observe(box);
    return made;
  }
  // What export.js wants to know of a bench.
  const host = { shadow, root, css: (name) => getComputedStyle(root).getPropertyValue(name).trim(), parts: { matrices: new Map() }, head: null };
  const labelSave = makeSave(host, { panel: frame, table: numbers }, "figure2");

  function numbers() {
    const { shift, similarities, methods } = fig.data, names = methods.flatMap(({ name }) => [`weight: ${name}`, `kept: ${name}`]);
    const row = (_, at) => [at, shift[at], ...similarities.map(({ values }) => values[at] ?? ""), ...methods.flatMap((one) => [one.weights[at], one.kept[at] ? 1 : 0])];
    return [["position", "t", "S", "P", "N", ...names], ...shift.map(row)];
  }
  const layers = (svg, ...names) => Object.fromEntries(names.map((name) => [name, shape("g", { class: name }, svg)]));
  const L = layers(line.svg, "axis", "bands", "here", "arrows", "marks", "words"), C = layers(chart.svg, "axis", "curves", "broken", "now", "dots");

  // ---- moving -------------------------------------------------------------------------------------------------------
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  function stop() { clearInterval(fig.timer); fig.timer = 0; words(); }
  function go(at) { fig.at = at; slider.value = at; draw(); }
  function move(at) {
    go(at);
    clearTimeout(fig.late);
    fig.late = setTimeout(() => { fig.set(fig.at); }, REST_MS);
  }
  slider.addEventListener("input", () => { if (fig.timer) stop(); move(+slider.value); });
  play.addEventListener("click", () => {
    if (fig.timer) return stop();
    const last = fig.data.shift.length - 1;
    if (fig.at === last) move(0);
    fig.timer = setInterval(() => { if (fig.at < last) move(fig.at + 1); if (fig.at >= last) stop(); }, EVERY_MS);
    words();
  });
  calm.addEventListener("change", () => { stop(); });

  function words() {
    if (!fig.data) return;
    const { texts } = fig.data;
    play.hidden = calm.matches;  // who asks for less motion has the slider
    write(play, texts[fig.timer ? "js.figure2.pause" : "js.figure2.play"]);
    write(labelText, texts["js.figure2.slider"]);
  }

  // ---- drawing ------------------------------------------------------------------------------------------------------
  function draw() {
    const { data, at } = fig;
    if (!data) return;
    const { texts } = data, t = num(data.shift[at], 3);
    write(shown, fill(texts["js.figure2.position"], { shift: t }));
    const boxed = keep(boxes, 3, (dl) => {
      const box = node("div", {}, dl), dt = node("dt", {}, box), dd = node("dd", {}, box);
      node("b", {}, dt);
      node("span", {}, dt);
      node("strong", {}, dd);
      node("span", {}, dd);
    });
    data.similarities.forEach((claim, k) => {
      const [dt, dd] = boxed[k].children;
      dt.firstChild.className = `role-${claim.role}`;
      write(dt.firstChild, claim.role);
      write(dt.lastChild, texts[`js.figure2.${claim.must}`] + (claim.role === "N" ? `, ${fill(texts["js.figure2.sharp"], { sharp: num(data.sharp, 0) })}` : ""));
      write(dd.firstChild, claim.values[at] === null ? "–" : num(claim.values[at], 3));
      write(dd.lastChild, claim.verdict);
      boxed[k].classList.toggle("broken", claim.broken.length > 0);
    });
    drawLine();
    drawChart();
    drawTable();
    const heard = [`t ${t}`, ...data.similarities.map((claim) => `${claim.role} ${claim.values[at] === null ? "–" : num(claim.values[at], 2)}`), `${data.methods[0].name} ${num(data.methods[0].weights[at], 3)}`];
    slider.setAttribute("aria-valuetext", heard.join(", "));
  }

  function drawLine() {
    const { data, at } = fig, { texts } = data, W = line.width, H = 224, middle = 108;
    if (!W) return;
    const x = (s) => 16 + ((Math.max(-1, Math.min(1, s)) + 1) / 2) * (W - 32);
    write(line.title, texts["js.figure2.line"]);
    const some = data.names.length < data.total ? ` · ${fill(texts["js.figure2.line.drawn"], { drawn: data.names.length, total: data.total })}` : "";
    write(line.hint, texts["js.figure2.line.hint"] + some);
    put(line.svg, { viewBox: `0 0 ${W} ${H}`, width: W, height: H });
    line.svg.setAttribute("aria-label", `${line.title.textContent}. ${slider.getAttribute("aria-valuetext") ?? ""}`);
    const ticks = keep(L.axis, 11, (g) => shape(g.childElementCount % 2 ? "text" : "path", {}, g));
    put(ticks[10], { d: `M${x(-1)} ${middle}H${x(1)}` });
    [-1, -0.5, 0, 0.5, 1].forEach((tick, k) => {
      put(ticks[2 * k], { d: `M${x(tick)} ${middle - 4}v8` });
      put(ticks[2 * k + 1], { x: x(tick), y: H - 4, "text-anchor": "middle" });
      write(ticks[2 * k + 1], num(tick, 1));
    });
    const band = keep(L.bands, data.limit ? 1 : 0, (g) => shape("rect", {}, g));
    if (data.limit) put(band[0], { x: x(data.limit[at]), y: middle, width: Math.max(1, x(data.least[at]) - x(data.limit[at])), height: 84 });
    const sims = data.sims[at], r = data.names.length > 30 ? 5 : 8, levels = stack(sims.map(x), 2.5 * r);
    put(keep(L.here, 1, (g) => shape("path", {}, g))[0], { d: `M${x(sims[data.column])} 14V${H - 20}` });
    const arrows = keep(L.arrows, data.names.length, (g) => shape("path", {}, g)), dots = keep(L.marks, data.names.length, (g) => shape("path", {}, g));
    const names = keep(L.words, data.names.length, (g) => shape("text", {}, g));
    data.names.forEach((name, k) => {
      const up = data.positives[k] ? -1 : 1, y = middle + up * (18 + levels[k] * 2.3 * r), chosen = k === data.column, px = x(sims[k]);
      dress(dots[k], data.looks[data.labels[k]], px, y, chosen ? 1.25 * r : r);
      put(dots[k], { class: `mark ${data.kept[at][k] ? "" : "dropped"} ${chosen ? "chosen" : ""}` });
      put(arrows[k], { d: data.moving[k] && at < data.shift.length - 1 ? `M${px + r + 3} ${y}h12m-5 -4l5 4l-5 4` : "" });
      put(names[k], { x: px - r - 5, y: y + 5, "text-anchor": "end", class: chosen ? "chosen" : "" });
      write(names[k], data.names.length > 20 && !chosen ? "" : name);
    });
  }

  // How high each mark lies above or below the axis, so that no two of a side cover each other; at most four high.
  function stack(places, apart) {
    const { data } = fig, levels = new Array(places.length).fill(0);
    const order = [...places.keys()].sort((a, b) => (b === data.column) - (a === data.column) || places[a] - places[b]);
    order.forEach((k, done) => {
      const near = order.slice(0, done).filter((other) => data.positives[other] === data.positives[k] && Math.abs(places[other] - places[k]) < apart);
      while (levels[k] < 3 && near.some((other) => levels[other] === levels[k])) levels[k] += 1;
    });
    return levels;
  }

  function drawChart() {
    const { data, at } = fig, { texts } = data, W = chart.width, H = 260, top = 12, base = H - 32, left = 34, last = data.shift.length - 1;
    if (!W) return;
    const x = (k) => left + (k / last) * (W - left - 16), y = (w) => base - w * (base - top);
    write(chart.title, texts["js.figure2.chart"]);
    write(chart.hint, texts["js.figure2.chart.hint"]);
    put(chart.svg, { viewBox: `0 0 ${W} ${H}`, width: W, height: H });
    chart.svg.setAttribute("aria-label", `${chart.title.textContent}. ${data.methods.map((one) => `${one.name}: ${num(one.weights[0], 3)} → ${num(one.weights[last], 3)}, ${one.verdict}`).join(". ")}`);
    const axis = keep(C.axis, 16, (g) => shape(g.childElementCount % 2 ? "text" : "path", {}, g));
    [0, 0.5, 1].forEach((tick, k) => {
      put(axis[2 * k], { d: `M${left} ${y(tick)}H${W - 16}` });
      put(axis[2 * k + 1], { x: left - 6, y: y(tick) + 4, "text-anchor": "end" });
      write(axis[2 * k + 1], num(tick, tick === 0.5 ? 1 : 0));
    });
    [0, 0.25, 0.5, 0.75, 1].forEach((part, k) => {
      put(axis[6 + 2 * k], { d: `M${x(part * last)} ${base}v4` });
      put(axis[7 + 2 * k], { x: x(part * last), y: base + 19, "text-anchor": part === 1 ? "end" : "middle" });
      write(axis[7 + 2 * k], (part === 0 ? "t = " : "") + num(part * data.shift[last], data.shift[last] < 0.2 ? 3 : 2));
    });
    put(keep(C.now, 1, (g) => shape("path", {}, g))[0], { d: `M${x(at)} ${top}V${base}` });
    const curves = keep(C.curves, data.methods.length, (g) => shape("path", { fill: "none" }, g));
    const dots = keep(C.dots, data.methods.length, (g) => shape("path", {}, g));
    const failed = [];
    data.methods.forEach((one, k) => {
      const most = Math.max(...one.weights), part = (w) => (most > 0 ? w / most : 0);
      put(curves[k], { d: `M${one.weights.map((w, step) => `${x(step)} ${y(part(w))}`).join("L")}`, stroke: one.color, "stroke-width": k ? 2 : 3.5, "stroke-dasharray": DASH[one.dash] });
      const [symbol, fill] = symbolOf(one);
      put(dots[k], { d: outline(symbol, x(at), y(part(one.weights[at])), 6.5), style: `fill:${fill};stroke:${k ? one.color : "var(--ink)"}`, class: "mark" });
      if (one.worst !== null) failed.push([x(one.worst), y(part(one.weights[one.worst]))]);
    });
    const rings = keep(C.broken, failed.length, (g) => { const ring = shape("g", {}, g); shape("circle", { r: 10 }, ring); write(shape("text", { "text-anchor": "middle" }, ring), "!"); });
    failed.forEach(([cx, cy], k) => { put(rings[k].firstChild, { cx, cy }); put(rings[k].lastChild, { x: cx, y: cy + (cy < 40 ? 27 : -14) }); });
  }

  function drawTable() {
    const { data, at } = fig, { texts } = data, heads = ["method", "weight", "mined", "verdict"].map((key) => texts[`js.figure2.${key}`]);
    [...keep(thead, 4, (row) => node("th", { scope: "col" }, row))].forEach((th, k) => write(th, heads[k]));
    wrap.setAttribute("aria-label", texts["js.figure2.chart"]);
    const rows = keep(tbody, data.methods.length, (body) => {
      const row = node("tr", {}, body), name = node("th", { scope: "row" }, row), svg = shape("svg", { viewBox: "0 0 44 16", width: 44, height: 16, "aria-hidden": "true" }, name);
      shape("path", { d: "M2 8H42", fill: "none" }, svg);
      shape("path", { class: "mark" }, svg);
      node("span", {}, name);
      for (let k = 0; k < 3; k++) node("td", {}, row);
    });
    data.methods.forEach((one, k) => {
      const [name, weight, mined, verdict] = rows[k].children, [stroke, dot] = name.firstChild.children;
      put(stroke, { stroke: one.color, "stroke-width": k ? 2 : 3.5, "stroke-dasharray": DASH[one.dash] });
      const [symbol, fill] = symbolOf(one);
      put(dot, { d: outline(symbol, 22, 8, 5.5), style: `fill:${fill};stroke:${k ? one.color : "var(--ink)"}` });
      write(name.lastChild, one.name);
      write(weight, num(one.weights[at], 3));
      write(mined, texts[`js.figure2.${!one.mines ? "off" : one.kept[at] ? "kept" : "dropped"}`]);
      write(verdict, `${one.worst === null ? "✓" : "⚠"} ${one.verdict}`);
      verdict.className = one.worst === null ? "holds" : "broken";
    });
  }

  const restyle = () => { root.dataset.scheme = scheme(root); };
  watchTheme(root, restyle);
  restyle();
  fig.show = (data) => {
    const fresh = fig.data?.name !== data.name;
    fig.data = data;
    host.head = { page: "similarities", method: data.slug, link: { query: location.search }, texts: data.texts };
    write(title, data.title);
    labelSave();
    slider.max = data.shift.length - 1;
    if (fresh) { clearInterval(fig.timer); fig.timer = 0; go(data.step); }
    words();
    draw();
    root.dataset.step = data.step;  // what Python knows, and so the link
    root.dataset.ready = "1";
  };
  return fig;
}

const figures2 = new WeakMap();
parts.figure2 = ({ parentElement, data, setStateValue }) => {
  let fig = figures2.get(parentElement);
  if (!fig) figures2.set(parentElement, (fig = makeFigure2(parentElement)));
  fig.set = (step) => setStateValue("step", step);
  fig.show(data);
};
