// The N-pair lab: what is built of the batch and what weighs it, and the tuplets as tables: one row an anchor, one column a
// class, in each cell the pair that they are. Numbers and words: views/npair_tables.py, views/npair_words.py.

function makeNpair(bench, parent) {
  const panel = node("section", { className: "panel npair-build" }, parent);
  const { flow } = bench, lab = () => bench.head.more;
  const send = (target, value) => flow.push({ kind: "npair", target, value });
  // What is chosen is shown at once; the tables come from Python.
  function choose(target, value) {
    for (const option of lab().choices[target]) option.chosen = option.value === value;
    send(target, value);
    bench.repaint("npair");
  }
  // Radio buttons: one tab stop, arrows choose. `face` fills a button.
  function makeRadios(target, face) {
    const row = node("div", { className: `field ${target}` }, panel), word = node("b", { id: `npair-${target}` }, row);
    const group = node("div", { className: "choices", role: "radiogroup" }, row);
    group.setAttribute("aria-labelledby", word.id);
    const makeButton = (parent) => {
      const button = node("button", { type: "button", role: "radio" }, parent);
      face.make(button);
      button.addEventListener("click", () => choose(target, button.value_));
      button.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key], options = lab().choices[target];
        if (!by) return;
        event.preventDefault();
        const next = (options.findIndex((option) => option.chosen) + by + options.length) % options.length;
        choose(target, options[next].value);
        group.children[next].focus();
      });
    };
    return () => {
      const options = lab().choices[target], buttons = keep(group, options.length, makeButton);
      write(word, bench.head.texts[`js.npair.${target}`]);
      options.forEach((option, k) => {
        buttons[k].value_ = option.value;
        put(buttons[k], { "aria-checked": option.chosen, tabindex: option.chosen ? 0 : -1 });
        face.draw(buttons[k], option);
      });
    };
  }
  const card = {
    make(button) {
      button.className = "card";
      for (const name of ["name", "count", "amount", "who"]) node("span", { className: name }, button);
      node("i", {}, button.children[2]);
    },
    draw(button, option) {
      for (const name of ["name", "count", "who"]) write(button.querySelector(`.${name}`), option[name]);
      button.querySelector("i").style.width = `${100 * option.share}%`;
    },
  };
  const chip = { make: (button) => { button.className = "chip"; }, draw: (button, option) => write(button, option.name) };
  const draws = [makeRadios("tuplets", card), makeRadios("n", chip), makeRadios("weigh", chip)];

  const fresh = node("div", { className: "field fresh" }, panel), freshWord = node("b", { id: "npair-fresh" }, fresh);
  const points = node("div", { className: "choices", role: "group" }, fresh);
  points.setAttribute("aria-labelledby", freshWord.id);
  const makePoints = (parent) => {
    const button = node("button", { type: "button", className: "button" }, parent);
    button.addEventListener("click", () => flow.push({ kind: "tuplet_points", classes: button.classes }));
  };
  const numbers = node("div", { className: "field numbers" }, panel);
  const strip = { flow, data: null }, sliders = makeSliders(strip, numbers, "npair");
  const norms = node("label", { className: "norms-count" }, numbers), flat = node("input", { type: "checkbox" }, norms), flatWord = node("span", {}, norms);
  const why = node("span", { className: "caption" }, numbers);
  flat.addEventListener("change", () => flow.push({ kind: "flat", on: flat.checked }));

  const part = node("p", { className: "part-words" });
  panel.firstChild.firstChild.after(part);

  return {
    draw() {
      const { texts } = bench.head, { params, flat: counts, planar, why_normal, offered } = lab();
      for (const draw of draws) draw();
      strip.data = { params, texts };
      sliders.draw();
      norms.hidden = !planar;
      flat.checked = counts;
      write(flatWord, texts["js.npair.flat"]);
      write(why, why_normal);
      write(freshWord, texts["js.npair.fresh"]);
      [...keep(points, offered.length, makePoints)].forEach((button, k) => {
        button.classes = offered[k];
        write(button, String(offered[k]));
        const help = fill(texts["js.npair.fresh.help"], { classes: offered[k], points: offered[k] + 1 });
        put(button, { "aria-label": help, title: help });
      });
      write(part, lab().part);
    },
  };
}

function makeNpairTables(bench, parent) {
  const panel = node("section", { className: "panel npair-tables" }, parent);
  const head = node("header", {}, panel), title = node("h2", {}, head), hint = node("p", { className: "caption" }, head);
  const words = node("div", { className: "told" }, panel), enough = node("button", { type: "button", className: "button" }, panel);
  enough.addEventListener("click", () => bench.flow.push({ kind: "tuplet_points", classes: bench.head.more.enough }));
  const row = node("div", { className: "tables" }, panel), legend = node("div", { className: "legend" }, panel);
  const NUMBERS_UP_TO = 8, cellTo = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const grids = ["S", "npair", "npair_ovo", "triplet"].map(makeGrid);
  const tables = () => bench.head.more.tables;
  const pairOf = (i, j) => ({ anchor: tables().anchors[i], other: tables().meets[i * tables().anchors.length + j] });

  function makeGrid(name) {
    const box = node("figure", { className: `grid-of of-${name}` }, row), caption = node("figcaption", {}, box);
    const own = node("h3", { id: `npair-table-${name}` }, caption), value = node("strong", {}, caption), share = node("span", { className: "amount" }, caption);
    const formula = node("span", { className: "caption" }, caption), bar = node("i", {}, share);
    const table = node("table", { role: "grid" }, box), top = node("tr", {}, node("thead", {}, table)), body = node("tbody", {}, table);
    table.setAttribute("aria-labelledby", own.id);
    node("td", {}, top);
    const grid = { name, box, own, value, share, formula, bar, top, body, cell: [0, 0] };
    const at = (event) => event.target.closest("tbody td")?.place ?? null;
    body.addEventListener("pointermove", (event) => { const place = at(event); if (place) bench.hover(...told(grid, place, event)); });
    body.addEventListener("pointerleave", () => bench.hover(null));
    body.addEventListener("click", (event) => { const place = at(event); if (place) { stand(grid, place); pick(place); } });
    body.addEventListener("focusin", (event) => {
      const place = at(event);
      if (!place) return;
      grid.cell = place;
      bench.hover(told(grid, place)[0]);
      bench.speak(wordsOf(grid, place));
    });
    body.addEventListener("focusout", () => bench.hover(null));
    body.addEventListener("keydown", (event) => {
      const by = cellTo[event.key], n = tables().anchors.length, within = (k) => Math.max(0, Math.min(n - 1, k));
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (by) stand(grid, grid.cell.map((k, axis) => within(k + by[axis] * (event.shiftKey ? 5 : 1))));
      else if (event.key === "Home") stand(grid, [grid.cell[0], 0]);
      else if (event.key === "End") stand(grid, [grid.cell[0], n - 1]);
      else if (event.key === "Enter" || event.key === " ") pick(grid.cell);
      else if (event.key === "Escape") bench.select(null, null);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return grid;
  }
  const tdOf = (grid, [i, j]) => grid.body.children[i]?.children[j + 1];
  function stand(grid, place) {
    put(tdOf(grid, grid.cell) ?? grid.body, { tabindex: -1 });
    put(tdOf(grid, place), { tabindex: 0 });
    tdOf(grid, place).focus();
  }
  function pick([i, j]) {
    const { anchor, other } = pairOf(i, j);
    bench.select(anchor, other);
  }
  function told(grid, place, event) {
    const { anchor, other } = pairOf(...place);
    return [{ anchor, other }, event, wordsOf(grid, place)];
  }
  const valueOf = ({ name }, [i, j]) => {
    const { anchors, sim, losses } = tables(), values = name === "S" ? sim : losses.find((loss) => loss.name === name).gradient;
    return values[i * anchors.length + j];
  };
  function wordsOf(grid, [i, j]) {
    const { texts } = bench.head, { labels, losses } = tables(), { anchor, other } = pairOf(i, j), value = valueOf(grid, [i, j]);
    if (other === null) return fill(texts["js.npair.nobody"], { anchor, name: bench.className(labels[j]) });
    const pair = bench.pairName({ anchor, other });
    if (grid.name === "S") return fill(texts["js.npair.sim"], { pair, value: num(value, 3) });
    const own = losses.find((loss) => loss.name === grid.name).title, does = value < 0 ? "pull" : value > 0 ? "push" : "zero";
    return fill(texts[`js.hover.method.${does}`], { pair, title: own, value: num(Math.abs(value), 3) });
  }

  // ---- drawing -------------------------------------------------------------------------------------------------------
  const hex = (pixel) => `#${[0, 8, 16].map((shift) => ((pixel >>> shift) & 255).toString(16).padStart(2, "0")).join("")}`;
  const lightOf = (pixel) => [0.2126, 0.7152, 0.0722].reduce((sum, share, k) => sum + share * (((pixel >>> (8 * k)) & 255) / 255) ** 2.2, 0);
  function colorOf(grid, value) {
    const ramp = bench.colors()[grid.name === "S" ? "S" : "w"], high = grid.name === "S" ? bench.head.limit : 1;
    return ramp[Math.round(Math.min(1, Math.max(0, (value / high + 1) / 2)) * (ramp.length - 1))];
  }
  function textOf(grid, value) {
    const size = Math.abs(value), text = size >= 0.995 ? size.toFixed(size >= 9.95 ? 0 : 1) : size < 0.005 ? "0" : size.toFixed(2).slice(1);
    return (value < 0 ? "−" : grid.name === "S" ? "" : "+") + text;
  }
  const makeRow = (body) => { const tr = node("tr", {}, body), th = node("th", { scope: "row" }, tr); marker(th); node("span", {}, th); };
  const makeHead = (tr) => { const th = node("th", { scope: "col" }, tr); marker(th); node("span", {}, th); };
  const makeCell = (tr) => node("td", { role: "gridcell" }, tr);

  function drawGrid(grid) {
    const { texts, selection } = bench.head, { anchors, labels, losses, meets } = tables(), n = anchors.length, loss = losses.find((it) => it.name === grid.name);
    write(grid.own, loss ? loss.title : texts["js.npair.S"]);
    write(grid.value, loss ? loss.value : "");
    write(grid.formula, loss ? loss.formula : texts["js.npair.S.hint"]);
    grid.share.classList.toggle("none", !loss);
    if (loss) grid.bar.style.width = `${100 * loss.share}%`;
    grid.box.classList.toggle("moves", grid.name === bench.head.method);
    grid.box.classList.toggle("many", n > NUMBERS_UP_TO);
    [...keep(grid.top, n + 1, makeHead)].slice(1).forEach((th, j) => {
      dress(th.querySelector("path"), bench.head.looks[labels[j]]);
      write(th.lastChild, n > 24 ? "" : bench.className(labels[j]));
    });
    const rows = keep(grid.body, n, makeRow), moved = grid.name === bench.head.method ? new Set(bench.head.changed) : null;
    grid.cell = grid.cell.map((k) => Math.min(k, n - 1));
    for (let i = 0; i < n; i++) {
      const [th] = rows[i].children, cells = keep(rows[i], n + 1, makeCell);
      dress(th.querySelector("path"), bench.look(anchors[i]));
      write(th.lastChild, String(anchors[i]));
      for (let j = 0; j < n; j++) {
        const td = cells[j + 1], value = valueOf(grid, [i, j]), other = meets[i * n + j], zero = grid.name !== "S" && value === 0;
        td.place = [i, j];
        const empty = other === null, pixel = empty ? 0 : colorOf(grid, value);
        const changed = !empty && moved?.has(bench.rank.get(anchors[i]) * bench.head.ids.length + bench.rank.get(other));
        const chosen = !empty && selection.anchor === anchors[i] && selection.other === other;
        put(td, {
          tabindex: i === grid.cell[0] && j === grid.cell[1] ? 0 : -1, class: [empty ? "empty" : zero ? "zero" : "", i === j ? "own" : "", chosen ? "chosen" : "", changed ? "changed" : ""].filter(Boolean).join(" "),
          style: empty || zero ? "" : `background:${hex(pixel)};color:${lightOf(pixel) > 0.18 ? "#000" : "#fff"}`, "aria-label": wordsOf(grid, [i, j]),
        });
        write(td, zero && n <= 24 ? "○" : empty || n > NUMBERS_UP_TO ? "" : textOf(grid, value));
      }
    }
  }
  function drawLegend() {
    const { texts, limit } = bench.head, S = num(limit, Number.isInteger(limit) ? 0 : 2);
    const items = [
      [`−${S}`, "bar ramp-S", `${S} S`], [fill(texts["js.w.pull"], { scale: "1" }), "bar ramp-w", fill(texts["js.w.push"], { scale: "1" })],
      ["", "swatch zero", texts["js.npair.zero"]], ["", "swatch blank", texts["js.npair.empty"]], ["", "swatch own", texts["js.npair.own"]],
      ...(bench.head.changed.length ? [["", "swatch corner", texts["js.npair.changed"]]] : []),
    ];
    const nodes = keep(legend, items.length, (parent) => { const item = node("span", {}, parent); for (let k = 0; k < 3; k++) node("span", {}, item); });
    items.forEach(([before, swatch, after], k) => {
      const [left, sample, right] = nodes[k].children;
      write(left, before);
      sample.className = swatch;
      write(right, after);
    });
  }

  const part = {
    panel,
    table() {  // what "save" writes
      const { anchors, labels, meets, sim, losses } = tables() ?? { anchors: [], losses: [] }, n = anchors.length;
      const rows = [["anchor", "anchor_class", "other", "other_class", "kind", "S", ...losses.map(({ name }) => `${name}_gradient`)]];
      for (let c = 0; c < n * n; c++) {
        const [i, j] = [Math.floor(c / n), c % n];
        if (meets[c] === null) continue;
        rows.push([anchors[i], bench.className(labels[i]), meets[c], bench.className(labels[j]), i === j ? "positive" : "negative", sim[c], ...losses.map((loss) => loss.gradient[c])]);
      }
      return rows;
    },
    light(pair) {
      if (!tables()) return;
      const { anchors, meets } = tables(), n = anchors.length;
      for (const grid of grids) for (const tr of grid.body.children) for (const td of tr.querySelectorAll("td")) {
        const [i, j] = td.place, other = meets[i * n + j];
        const lit = pair && (pair.other === null ? pair.anchor === anchors[i] || pair.anchor === other : pair.anchor === anchors[i] && pair.other === other);
        td.classList.toggle("lit", Boolean(lit) && other !== null);
      }
    },
    draw() {
      const { texts, more } = bench.head;
      write(title, texts["js.npair.tables"]);
      write(hint, more.tables ? texts["js.npair.tables.hint"] : "");
      const lines = keep(words, more.words.length, (box) => node("p", {}, box));
      more.words.forEach((line, k) => write(lines[k], line));
      words.classList.toggle("refused", more.refused);
      enough.hidden = !more.refused;
      write(enough, fill(texts["js.npair.enough"], { classes: more.enough, points: more.enough + 1 }));
      row.hidden = legend.hidden = !more.tables;
      if (!more.tables) return;
      for (const grid of grids) drawGrid(grid);
      drawLegend();
      part.light(bench.hovered);
    },
  };
  return part;
}

parts.panels.npair = makeNpair;
parts.panels.npair_tables = makeNpairTables;
