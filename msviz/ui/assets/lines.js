// All anchors as number lines, one below the other in class order, in a panel that scrolls. Only rows that can be seen are
// drawn. One tab stop: up and down choose the anchor, left and right the pair, Enter selects it.

const ROW = 42;

function makeLines(bench, parent) {
  const panel = node("section", { className: "panel lines" }, parent);
  const head = node("header", {}, panel), title = node("h2", {}, head), hint = node("p", { className: "caption" }, head);
  const key = node("ul", { className: "linekey" }, panel);
  for (const name of ["kept", "dropped", "hardest", "positive", "negative"]) {
    const item = node("li", {}, key), svg = shape("svg", { viewBox: "0 0 26 16", "aria-hidden": "true" }, item);
    drawSample(svg, name);
    node("span", {}, item);
    item.name = `js.lines.key.${name}`;
  }
  const columns = node("div", { className: "columns", "aria-hidden": "true" }, panel);
  for (let k = 0; k < 3; k++) node("span", {}, columns);
  const scroller = node("div", { className: "scroller", tabIndex: 0, role: "application" }, panel), list = node("div", { className: "rows" }, scroller);
  const note = node("p", { className: "caption" }, panel);
  const cursor = { row: 0, other: null };  // a rank, and the id of the pair's other point
  let width = 0, shown = "";

  new ResizeObserver(() => {
    width = Math.floor(list.firstElementChild?.children[1].clientWidth ?? 0);
    bench.repaint("lines");
  }).observe(scroller);
  scroller.addEventListener("scroll", () => bench.repaint("lines"));

  function makeRow(parent) {
    const row = node("div", { className: "row" }, parent), name = node("span", { className: "name" }, row);
    const box = node("span", { className: "axisbox" }, row), svg = shape("svg", { "aria-hidden": "true" }, box);
    marker(name);
    node("b", {}, name);
    node("span", { className: "count" }, row);
    row.line = makeAnchorLine(bench, svg, { height: ROW - 2, r: 4.5, away: 8.5, step: 3.5 });
    name.addEventListener("click", () => bench.select(row.line.anchor, null));
  }
  const first = () => bench.head.more.lines.first;
  const rowAt = (rank) => list.children[rank - first()];

  function drawRow(row, rank) {
    const { order, ids, labels, looks, selection } = bench.head, at = order[rank], [name, , count] = row.children;
    row.classList.toggle("chosen", selection.anchor === ids[at]);
    row.classList.toggle("cursor", focused() && rank === cursor.row);
    row.classList.toggle("border", rank > first() && labels[at] !== labels[order[rank - 1]]);
    dress(name.querySelector("path"), looks[labels[at]]);
    write(name.lastChild, String(ids[at]));
    row.line.cursor = focused() && rank === cursor.row ? cursor.other : null;
    row.line.draw(rank, width);
    const kept = row.line.spots.filter((spot) => !spot.dropped), positives = kept.filter((spot) => spot.positive).length;
    write(count, `${positives} + ${kept.length - positives}`);
  }

  const focused = () => bench.shadow.activeElement === scroller;
  const lines = {
    panel,
    draw() {
      const { texts, more, selection, epsilon } = bench.head, { count, note: words } = more.lines;
      write(title, texts["js.lines.title"]);
      write(hint, texts[epsilon === null ? "js.lines.hint_off" : "js.lines.hint"]);
      write(note, words);
      for (const item of key.children) write(item.lastChild, texts[item.name]);
      const reach = reachOfAll(bench), digits = reach % 1 ? 1 : 0, ends = { low: num(-reach, digits), high: num(reach, digits) };
      ["anchor", "axis", "kept"].forEach((name, k) => write(columns.children[k], fill(texts[`js.lines.column.${name}`], ends)));
      scroller.setAttribute("aria-label", fill(texts["js.lines.label"], { count }));
      keep(list, count, makeRow);
      cursor.row = Math.max(first(), Math.min(cursor.row, first() + count - 1));
      const rank = selection.anchor === null ? undefined : bench.rank.get(selection.anchor);
      const chosen = `${selection.anchor} ${first()} ${count}`;
      if (chosen !== shown && rank !== undefined && rowAt(rank)) { cursor.row = rank; cursor.other = selection.other; reveal(rank); }
      shown = chosen;
      if (count && !width) width = Math.floor(list.firstElementChild.children[1].clientWidth);
      if (!width) return;
      const top = Math.floor(scroller.scrollTop / ROW) - 1, last = Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW) + 1;
      for (let n = Math.max(0, top); n < Math.min(count, last); n++) drawRow(list.children[n], first() + n);
      lines.light(bench.hovered);
    },
    light(pair) {
      for (const row of list.children) {
        row.line.light(pair);
        row.classList.toggle("lit", Boolean(pair) && row.line.anchor === pair.anchor);
      }
    },
  };
  function reveal(rank) {
    const top = (rank - first()) * ROW, room = scroller.clientHeight;
    if (top < scroller.scrollTop || top + ROW > scroller.scrollTop + room) scroller.scrollTop = top - (room - ROW) / 2;
  }

  // ---- keyboard ------------------------------------------------------------------------------------------------------
  const pair = () => ({ anchor: bench.idAt(cursor.row), other: cursor.other });
  function speak() {
    const row = rowAt(cursor.row), { texts } = bench.head;
    if (cursor.other !== null) return bench.speak(bench.pairWords(pair()));
    const counted = row.children[2].textContent.split(" + ");
    bench.speak(fill(texts["js.lines.spoken"], { id: bench.idAt(cursor.row), name: bench.look(bench.idAt(cursor.row)).name, positives: counted[0], negatives: counted[1] }));
  }
  function go(by, across) {
    const { count } = bench.head.more.lines;
    if (across) {
      const spots = [...rowAt(cursor.row).line.spots].sort((a, b) => a.s - b.s), now = spots.findIndex((spot) => spot.id === cursor.other);
      cursor.other = spots[now < 0 ? (by > 0 ? 0 : spots.length - 1) : Math.max(0, Math.min(spots.length - 1, now + by))]?.id ?? null;
    } else {
      cursor.row = Math.max(first(), Math.min(first() + count - 1, cursor.row + by));
      cursor.other = null;
      reveal(cursor.row);
    }
    lines.draw();
    bench.hover(pair());
    speak();
  }
  scroller.addEventListener("keydown", (event) => {
    const { count } = bench.head.more.lines, many = event.shiftKey ? 5 : 1;
    if (!count || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowDown") go(many, false);
    else if (event.key === "ArrowUp") go(-many, false);
    else if (event.key === "ArrowRight") go(many, true);
    else if (event.key === "ArrowLeft") go(-many, true);
    else if (event.key === "Home") go(-count, false);
    else if (event.key === "End") go(count, false);
    else if (event.key === "Enter" || event.key === " ") bench.select(pair().anchor, pair().other);
    else if (event.key === "Escape") bench.select(null, null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  scroller.addEventListener("focus", () => { bench.repaint("lines"); if (bench.head.more.lines.count && scroller.matches(":focus-visible")) speak(); });
  scroller.addEventListener("blur", () => { bench.hover(null); bench.repaint("lines"); });
  return lines;
}

// What each mark of a line means, drawn as it is drawn there.
function drawSample(svg, name) {
  if (name === "kept" || name === "dropped") shape("path", { class: `mark ${name}`, d: outline("circle", 13, 8, name === "kept" ? 5.5 : 4.7), style: "fill:var(--class-0)" }, svg);
  else if (name === "hardest") {
    shape("path", { class: "stem", d: "M2 13H24" }, svg);
    shape("path", { class: "pin", d: "M8 13h10l-5-8z" }, svg);
  } else {
    const kind = name, side = kind === "positive" ? -1 : 1;
    shape("rect", { class: kind, x: kind === "positive" ? 2 : 15, y: 1, width: 9, height: 14 }, shape("g", { class: "bands" }, svg));
    const gates = shape("g", { class: "gates" }, svg), at = kind === "positive" ? 11 : 15;
    shape("path", { class: `pole ${kind}`, d: `M${at} 1v14` }, gates);
    shape("path", { class: `flag ${kind}`, d: `M${at} ${side < 0 ? 1 : 15}v${-8 * side}l${7 * side} ${4 * side}z` }, gates);
  }
}

parts.panels.lines = makeLines;
