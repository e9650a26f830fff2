// Compare: how weights are drawn, the menu of methods, and under every heatmap its figures and what can be done with it.

function makeCompare(bench, parent) {
  const panel = node("section", { className: "panel compare-tools" }, parent);
  const draws = node("div", { className: "choices", role: "radiogroup" }, panel);
  const drawWord = node("span", { className: "word", id: "compare-draw" }, draws);
  draws.setAttribute("aria-labelledby", "compare-draw");
  const adder = node("div", { className: "adder" }, panel);
  const count = node("b", {}, adder), menu = node("select", {}, adder);
  const add = node("button", { type: "button", className: "button" }, adder);
  let known = null;

  add.addEventListener("click", () => {
    if (add.getAttribute("aria-disabled") !== "true") bench.flow.push({ kind: "compare", slug: menu.value || null });
  });
  const show = (how) => {
    bench.head.more.how = how;  // shown at once; the pictures come from Python
    bench.flow.push({ kind: "shares", how });
    bench.repaint("compare");
  };
  function makeChoice(row) {
    const chip = node("button", { type: "button", className: "chip", role: "radio" }, row);
    chip.addEventListener("click", () => show(chip.dataset.how));
    chip.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key], { hows, how } = bench.head.more;
      if (!by) return;
      const next = (hows.indexOf(how) + by + hows.length) % hows.length;
      show(hows[next]);
      chips.children[next].focus();
      event.preventDefault();
    });
  }
  const chips = node("div", { className: "chips" }, draws);

  function drawMenu(groups) {
    const text = JSON.stringify(groups);
    if (known === text) return;
    known = text;
    const chosen = menu.value;
    menu.replaceChildren();
    for (const { title, options } of groups) {
      const group = node("optgroup", { label: title }, menu);
      for (const { slug, title: name } of options) node("option", { value: slug ?? "", textContent: name }, group);
    }
    menu.value = chosen;
    if (menu.selectedIndex < 0) menu.selectedIndex = 0;
  }

  // ---- under each heatmap ---------------------------------------------------------------------------------------------
  function makeCard(extra) {
    const figures = node("div", { className: "figures" }, extra), acts = node("div", { className: "acts" }, extra);
    const state = node("span", { className: "state" }, acts), edit = node("button", { type: "button", className: "button" }, acts);
    const remove = node("button", { type: "button", className: "button" }, acts);
    const at = () => extra.card.number - 2;
    edit.addEventListener("click", () => bench.flow.push({ kind: "activate", target: at() }));
    remove.addEventListener("click", () => { bench.flow.push({ kind: "uncompare", target: at() }); add.focus(); });
    extra.nodes = { figures, state, edit, remove };
  }
  function drawCard(extra, card) {
    const { texts } = bench.head;
    extra.card = card;
    if (!extra.nodes) makeCard(extra);
    const { figures, state, edit, remove } = extra.nodes, active = card.number === 1;
    if (card.figures) {  // while something moves they wait
      const lines = keep(figures, card.figures.length, (box) => node("p", {}, box));
      card.figures.forEach((line, k) => write(lines[k], line));
    }
    state.hidden = !active;
    write(state, texts["js.compare.active"]);
    for (const [button, name] of [[edit, "edit"], [remove, "remove"]]) {
      button.hidden = active;
      write(button, texts[`js.compare.${name}`]);
      put(button, { title: fill(texts[`js.compare.${name}.help`], card), "aria-label": fill(texts[`js.compare.${name}.help`], card) });
    }
  }

  function makeDifference(extra) {
    const row = node("div", { className: "versus" }, extra);
    const one = node("select", {}, row), minus = node("span", {}, row), two = node("select", {}, row);
    const words = node("p", { className: "apart" }, extra), pick = node("button", { type: "button", className: "button" }, extra);
    const change = (moved, rest) => {
      const [before, after] = bench.head.more.versus, chosen = [+one.value, +two.value];
      if (chosen[0] === chosen[1]) chosen[rest] = moved === 0 ? before : after;  // the two change places
      bench.flow.push({ kind: "versus", one: chosen[0], two: chosen[1] });
    };
    one.addEventListener("change", () => change(0, 1));
    two.addEventListener("change", () => change(1, 0));
    pick.addEventListener("click", () => bench.select(...pick.pair));
    extra.nodes = { one, two, minus, words, pick };
  }
  function drawDifference(extra) {
    const { texts, more: { cards, versus, apart } } = bench.head;
    if (!extra.nodes) makeDifference(extra);
    const { one, two, minus, words, pick } = extra.nodes;
    write(minus, texts["js.compare.minus"]);
    for (const [select, at, name] of [[one, 0, "first"], [two, 1, "second"]]) {
      select.setAttribute("aria-label", texts[`js.compare.${name}`]);
      const options = keep(select, cards.length, (box) => node("option", {}, box));
      cards.forEach(({ number, name: own }, k) => { options[k].value = number; write(options[k], `${number} · ${own}`); });
      if (select.value !== String(versus[at])) select.value = versus[at];
    }
    if (!apart) return;
    write(words, apart.words);
    pick.hidden = !apart.pair;
    pick.pair = apart.pair;
    if (apart.pair) write(pick, fill(texts["js.compare.select"], { anchor: apart.pair[0], other: apart.pair[1] }));
  }

  return {
    draw() {
      const { texts, more } = bench.head, { how, hows, cards, full } = more;
      write(drawWord, texts["js.compare.draw"]);
      const nodes = keep(chips, hows.length, makeChoice);
      hows.forEach((name, k) => {
        nodes[k].dataset.how = name;
        write(nodes[k], texts[`js.compare.${name}`]);
        put(nodes[k], { title: texts[`js.compare.${name}.help`], "aria-checked": name === how, tabindex: name === how ? 0 : -1 });
      });
      if (more.menu) drawMenu(more.menu);
      put(menu, { "aria-label": texts["js.compare.menu"] });
      write(count, fill(texts["js.compare.count"], { count: cards.length }));
      write(add, texts["js.compare.add"]);
      put(add, { "aria-disabled": full, title: full ? texts["js.compare.full"] : "" });
      for (const card of cards) drawCard(bench.parts.matrices.get(card.key).extra, card);
      const difference = bench.parts.matrices.get("d");
      if (difference) drawDifference(difference.extra);
    },
  };
}

parts.panels.compare = makeCompare;
