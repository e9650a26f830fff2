// The selected pair on one line of S, in three lanes: itself (S), the other kind with the limit of mining (P), its own kind
// with everybody's share (N). The dashed line through all lanes is the pair. Numbers and words: views/pairline.py.
function makePairLine(bench, parent) {
  const panel = node("section", { className: "panel pairline" }, parent);
  const title = node("h2", {}, panel), hint = node("p", { className: "caption" }, panel);
  const svg = shape("svg", { role: "img" }, panel);
  const lines = node("ul", { className: "said" }, panel);
  const LANES = [["S", 34], ["P", 74], ["N", 82]], TOP = 8, GAP = 6, HEIGHT = TOP + 34 + 74 + 82 + 2 * GAP + 26;
  let width = 0;
  new ResizeObserver(([entry]) => { width = Math.floor(entry.contentRect.width); bench.repaint("pairline"); }).observe(panel);

  const ground = shape("g", { class: "lanes" }, svg), axis = shape("g", { class: "axis" }, svg), band = shape("rect", { class: "band" }, svg);
  const bars = shape("g", { class: "bars" }, svg), here = shape("path", { class: "here" }, svg), gap = shape("path", { class: "gap" }, svg);
  const limit = shape("path", { class: "limit" }, svg), marks = shape("g", {}, svg), words = shape("g", { class: "words" }, svg);

  return {
    panel,
    draw() {
      const { texts } = bench.head, { pairline: line } = bench.head.more, narrow = width < 560;
      panel.classList.toggle("empty", !line);
      write(title, line ? fill(texts["js.pairline.title"], line) : texts["js.pairline.choose"]);
      write(hint, !line ? texts["js.pairline.how"] : texts["js.pairline.hint"] + (line.hidden ? ` · ${fill(texts["js.pairline.hidden"], { count: line.hidden })}` : ""));
      const said = keep(lines, line ? 3 : 0, (list) => { const row = node("li", {}, list); node("b", {}, row); node("span", {}, row); });
      if (line) ["S", "P", "N"].forEach((role, at) => {
        said[at].className = `role-${role}`;
        write(said[at].firstChild, texts[`js.pairline.lane.${role}`]);
        write(said[at].lastChild, line.sentences.filter(([whose]) => whose === role).map(([, text]) => text).join(" "));
      });
      if (!line || !width) return;
      put(svg, { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT });
      svg.setAttribute("aria-label", `${title.textContent}. ${line.sentences.map(([, text]) => text).join(" ")}`);

      const left = narrow ? 14 : 150, reach = reachOf([...line.own, ...line.against].map((one) => one.s));
      const x = (s) => left + ((Math.max(-reach, Math.min(reach, s)) / reach + 1) / 2) * (width - left - 16);
      const from = {}; let at = TOP;
      const rects = keep(ground, 6, (g) => shape(g.childElementCount % 2 ? "text" : "rect", {}, g));
      LANES.forEach(([role, height], k) => {
        from[role] = [at, at + height];
        put(rects[2 * k], { x: 0, y: at, width, height, rx: 5 });
        put(rects[2 * k + 1], { x: 10, y: narrow ? at + 13 : at + height / 2 + 5, class: `role-${role}` });
        write(rects[2 * k + 1], texts[`js.pairline.lane.${role}`]);
        at += height + GAP;
      });
      const foot = at - GAP;
      const ticks = keep(axis, 10, (g) => shape(g.childElementCount % 2 ? "text" : "path", {}, g));
      [-1, -0.5, 0, 0.5, 1].map((part) => part * reach).forEach((tick, k) => {
        put(ticks[2 * k], { d: `M${x(tick)} ${TOP}V${foot + 4}` });
        put(ticks[2 * k + 1], { x: x(tick), y: foot + 18, "text-anchor": "middle" });
        write(ticks[2 * k + 1], `${k === 0 && !narrow ? "S = " : ""}${num(tick, tick * 10 === Math.round(tick * 10) ? 1 : 2)}`);
      });
      put(here, { d: `M${x(line.s)} ${TOP}V${foot}` });

      // Marks: the pair in every lane, the other kind in P, its own kind in N.
      const r = 7, middle = from.P[1] - 30, base = from.N[1] - 27;
      const [me, ...mine] = line.own, room = base - from.N[0] - 10;
      const all = [
        ...line.against.map((one) => [one.id, one.s, middle, r, one.kept, one.id === line.rival?.id]).reverse(),
        ...mine.map((one) => [one.id, one.s, base, r, one.kept, false]).reverse(),
        [line.other, line.s, (from.S[0] + from.S[1]) / 2, 9, true, true], [line.other, line.s, middle, 9, true, true], [line.other, line.s, base, 9, line.kept, true],
      ];
      const dots = keep(marks, all.length, (g) => shape("path", {}, g));
      all.forEach(([id, s, y, size, kept, chosen], k) => {
        dress(dots[k], bench.look(id), x(s), y, size);
        put(dots[k], { class: `mark ${kept ? "" : "dropped"} ${chosen ? "chosen" : ""}` });
      });
      const shares = keep(bars, line.own.length, (g) => shape("rect", {}, g));
      line.own.forEach((one, k) => {
        const height = Math.max(0, one.share * room);
        put(shares[k], { x: x(one.s) - 4, y: base - height, width: 8, height, class: one.kept ? "" : "dropped" });
      });

      // What mining compares: the band of epsilon, the limit, and the gap that P measures.
      const compared = line.rival !== null, limited = line.limit !== null;
      put(band, { x: limited ? Math.min(x(line.limit), x(line.rival.s)) : 0, y: from.P[0], width: limited ? Math.abs(x(line.limit) - x(line.rival.s)) : 0, height: 74 });
      put(limit, { d: limited ? `M${x(line.limit)} ${from.P[0]}v74` : "" });
      put(gap, { d: compared ? `M${x(line.s)} ${middle - 16}H${x(line.rival.s)}M${x(line.s)} ${middle - 20}v8M${x(line.rival.s)} ${middle - 20}v8` : "" });

      const side = (s, dx) => (x(s) > width * 0.6 ? { x: x(s) - dx, "text-anchor": "end" } : { x: x(s) + dx, "text-anchor": "start" });
      const texted = [
        [`S ${num(line.s, 3)}`, { ...side(line.s, 16), y: (from.S[0] + from.S[1]) / 2 + 5 }],
        [compared ? `P ${num(line.p, 3)}` : "", compared ? { x: (x(line.s) + x(line.rival.s)) / 2, "text-anchor": "middle", y: middle - 24 } : {}],
        [`N ${num(me.share, 3)}`, { ...side(line.s, 16), y: base - Math.max(8, Math.min(room - 4, me.share * room - 8)) }],
        [limited && !narrow ? fill(texts[`js.pairline.limit.${line.positive ? "positive" : "negative"}`], { limit: num(line.limit) }) : "",
          limited ? { x: line.positive ? x(line.limit) + 6 : x(line.limit) - 6, "text-anchor": line.positive && x(line.limit) < width * 0.75 ? "start" : "end", y: from.P[1] - 7 } : {}],
        [compared ? String(line.rival.id) : "", compared ? { x: x(line.rival.s), y: from.P[1] - 6, "text-anchor": "middle" } : {}],
        [mine.length ? String(mine[0].id) : "", mine.length ? { x: x(mine[0].s), y: from.N[1] - 4, "text-anchor": "middle" } : {}],
        [String(line.other), { x: x(line.s), y: from.N[1] - 4, "text-anchor": mine.length && Math.abs(x(mine[0].s) - x(line.s)) < 22 && mine[0].s < line.s ? "start" : "middle" }],
      ];
      const labels = keep(words, texted.length, (g) => shape("text", {}, g));
      texted.forEach(([text, place], k) => { put(labels[k], place); write(labels[k], text); });
    },
  };
}

parts.panels.pairline = makePairLine;
