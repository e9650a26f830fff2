// The selected anchor's pairs as a table, the most similar first: S, weight, and what mining compared.

function makeReasons(bench, parent) {
  const panel = node("section", { className: "panel reasons" }, parent), title = node("h2", { id: "reasons-title" }, panel), hint = node("p", { className: "caption" }, panel);
  const scroller = node("div", { className: "scroller", tabIndex: 0, role: "region" }, panel), table = node("table", {}, scroller);
  scroller.setAttribute("aria-labelledby", "reasons-title");
  const heads = node("tr", {}, node("thead", {}, table)), body = node("tbody", {}, table);
  for (const name of ["pair", "s", "w", "because"]) node("th", { scope: "col", className: name }, heads);

  function makeRow(parent) {
    const row = node("tr", {}, parent), pair = node("th", { scope: "row", className: "pair" }, row);
    marker(pair);
    node("span", {}, pair);
    for (const name of ["s", "w", "because"]) node("td", { className: name }, row);
    row.addEventListener("click", () => bench.select(bench.head.more.reasons.anchor, row.other));
    row.addEventListener("pointermove", (event) => bench.hover({ anchor: bench.head.more.reasons.anchor, other: row.other }));
    row.addEventListener("pointerleave", () => bench.hover(null));
  }
  return {
    panel,
    light(pair) {
      const { reasons } = bench.head.more;
      for (const row of body.children) row.classList.toggle("lit", Boolean(pair) && pair.anchor === reasons.anchor && pair.other === row.other);
    },
    draw() {
      const { texts, selection, more: { reasons } } = bench.head;
      write(title, reasons.title);
      write(hint, reasons.hint);
      scroller.hidden = !reasons.rows.length;
      ["pair", "s", "w", "because"].forEach((name, k) => write(heads.children[k], texts[`js.reasons.${name}`]));
      const rows = keep(body, reasons.rows.length, makeRow);
      reasons.rows.forEach(([other, positive, kept, s, w, why], n) => {
        const row = rows[n], chosen = selection.anchor === reasons.anchor && selection.other === other, [pair, sim, weight, reason] = row.children;
        row.other = other;
        row.className = kept ? "" : "dropped";
        put(row, { "aria-current": chosen });
        dress(pair.querySelector("path"), bench.look(other));
        write(pair.lastChild, fill(texts[positive ? "js.reasons.positive" : "js.reasons.negative"], { anchor: reasons.anchor, other }));
        write(sim, s);
        write(weight, w);
        write(reason, why);
      });
    },
  };
}

parts.panels.reasons = makeReasons;
