// The Train page: transport, the boards and matrices of a step, the curves and the scrubber under them.
//
// Pictures do not come through Streamlit: while a run plays, this asks the server for the newest step some ten times a
// second (msviz/run), one request at a time, and sends along what a person does. Paused it is silent.

const ASK_EVERY_MS = 80;  // between two requests: a dozen pictures a second
const ASK_SLOWLY_MS = 400, ASK_AGAIN_MS = 1500;
const trainings = new WeakMap();

// What a board and a heatmap of a run tell: what is selected or shown. It stays here and goes along with every request.
function makeRunFlow(told) {
  const flow = { seq: 0, queue: [], gesture: null, held: null, looks: new Map() };
  const nothing = () => {};
  return Object.assign(flow, {
    begin: nothing, end: nothing, cancel: nothing, move: nothing, acknowledge: nothing, count: nothing, busyWith: () => false,
    push(event) { flow.looks.set(event.kind, event); told(); return 0; },
  });
}

function makeTraining(shadow) {
  shadow.adoptedStyleSheets = ["bench", "train"].map((name) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(SHEETS[name]); return sheet; });
  const root = shadow.querySelector(".train"), server = new URL("msviz/run", document.baseURI);
  const training = { root, data: null, head: null, want: null, losses: [], texts: {}, points: "probe" };
  let dos = [], busy = false, timer = 0, have = "", news = false;

  training.do = (kind, what = {}) => { dos.push({ kind, ...what }); training.ask(); };
  training.seek = (step) => { training.want = step; training.curves.draw(); training.ask(); };
  training.ask = () => { news = true; clearTimeout(timer); if (!busy) ask(); };

  // ---- asking and answering -----------------------------------------------------------------------------------------------
  async function ask() {
    if (!root.isConnected || !training.data) return;
    const { run } = training.data, sent = dos, began = performance.now();
    const looks = { board: [...sides[0].board.flow.looks.values()], pairs: [...sides[0].pairs.flow.looks.values()] };
    const body = { run, do: sent, want: training.want, board: training.points, looks, era: training.head?.era ?? 0, curve: training.losses.length, have };
    dos = [];
    news = false;
    busy = true;
    root.dataset.waiting = "1";
    let later = ASK_AGAIN_MS;
    try {
      const reply = await fetch(server, { method: "POST", body: JSON.stringify(body) });
      if (!reply.ok) throw new Error(reply.statusText);
      const bytes = new Uint8Array(await reply.arrayBuffer());
      if (run === training.data.run) show(bytes);
      const { doing } = training.head ?? {};
      if (["paused", "stopped"].includes(doing)) fetchPictures().catch(() => {});
      later = doing === "playing" ? ASK_EVERY_MS : ["preparing", "waiting", "asleep"].includes(doing) ? ASK_SLOWLY_MS : null;
    } catch (error) {
      console.warn(error);
      dos = [...sent, ...dos];
      transport.lost();
    }
    busy = false;
    if (news) return ask();
    root.dataset.waiting = "0";
    if (later !== null) timer = setTimeout(ask, Math.max(0, later - (performance.now() - began)));
  }

  function show(bytes) {
    const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
    if (head.gone) {  // closed elsewhere, or another run takes its place in a moment
      const { run } = training.data;
      training.head = { doing: "gone" };
      setTimeout(() => { if (run === training.data.run) transport.gone(); }, 1500);
      return;
    }
    training.losses.length = Math.min(training.losses.length, head.begins);
    training.losses.push(...head.losses);
    if (head.era !== training.head?.era) training.want = null;
    training.head = { ...(head.shown === undefined ? { shown: training.head?.shown, figures: training.head?.figures } : {}), ...head };
    let at = 4 + size;
    head.sizes.forEach((length, k) => {
      const part = sides[k >> 1][k % 2 ? "pairs" : "board"];
      part.show(bytes.subarray(at, at + length), head.step);
      at += length;
    });
    if (head.have !== undefined) have = head.have;
    transport.draw();
    training.curves.draw();
    address();
    root.dataset.shown = head.shown ?? "";
    root.dataset.doing = head.doing;
    if (head.sizes.length) root.dataset.ready = "1";
  }

  // The link to this run: Python's, with the learning rate as it is now.
  function link() {
    const { query, rate, refused } = training.data.link, now = training.head?.rate ?? training.data.link.now;
    return { query: query === null ? null : `${query}${now === rate ? "" : `&rate=${now}`}`, refused };
  }
  // The address keeps up, so that reloading the page begins the same run (bench.js does the same).
  function address() {
    const { query } = link(), { first } = training.data.link;
    if (!root.isConnected || query === null || query === training.address) return;
    if (query !== first || location.search) history.replaceState(history.state, "", location.pathname + query);
    training.address = query;
  }

  // ---- parts ----------------------------------------------------------------------------------------------------------------
  const transport = makeTransport(training, root);
  // "save" on the curves and "Copy link" ask of a bench what it is about; here that is the run.
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const about = { shadow, root, css, parts: { matrices: new Map() }, get head() { return { page: "train", method: "run", link: link(), texts: training.texts }; } };
  const copied = makeLink(about, transport.below);
  training.curves = savable(about, makeCurves(training, root), "curves");
  root.append(transport.below);
  const stage = node("div", { className: "sides" }, root);
  let sides = [];
  training.select = (anchor, other) => {
    for (const side of sides) side.pairs.flow.looks.set("select", { kind: "select", anchor, other });
    training.ask();
  };

  // A bench that is filled from here, made when its first picture comes.
  function makePart(box, flow) {
    const holder = node("div", { className: "bench" }, box);
    const part = { flow, bench: null, holder };
    holder.dataset.waiting = "0";
    part.show = (bytes, seq) => {
      part.bench ??= makeBench(shadow, decode(bytes).head.parts, { root: holder, flow, texts: training.texts });
      for (const equation of holder.querySelectorAll(".equation")) equation.tabIndex = 0;  // narrow here: it scrolls, also by keys
      part.bench.imageOf = (id) => pictureOf(part.bench, id);
      part.bench.show(bytes, { seq });
      drawClasses(part);
    };
    return part;
  }

  // Pictures of items come when the run rests, those of all that is shown: of the whole data they would be megabytes.
  const known = new Map();  // row of the data -> its grey values; null while they are on their way, or where there are none
  const pictureOf = (bench, id) => known.get(bench.head.items[bench.head.ids.indexOf(id)]) ?? null;
  async function fetchPictures() {
    const benches = sides.flatMap(({ board, pairs }) => [board.bench, pairs.bench]).filter(Boolean), { run } = training.data;
    const rows = [...new Set(benches.flatMap(({ head }) => head.items))].filter((row) => !known.has(row));
    if (!rows.length) return;
    for (const row of rows) known.set(row, null);
    const reply = await fetch(server, { method: "POST", body: JSON.stringify({ run, pictures: rows }) });
    const pixels = new Uint8Array(await reply.arrayBuffer()), each = pixels.length / rows.length;
    if (!reply.ok || run !== training.data.run) return;
    if (each) rows.forEach((row, k) => known.set(row, pixels.subarray(k * each, (k + 1) * each)));
    for (const bench of benches) bench.repaint();
  }

  // What the classes on the board are called.
  function drawClasses({ bench, names }) {
    if (!names) return;
    if (!names.isConnected) bench.parts.board.panel.querySelector("header").append(names);
    const { labels, looks, texts } = bench.head, wanted = [...new Set(labels)].sort((a, b) => a - b);
    put(names, { "aria-label": texts["js.train.classes"] });
    const items = keep(names, wanted.length, (list) => { const item = node("li", {}, list); marker(item); node("span", {}, item); });
    wanted.forEach((label, k) => {
      dress(items[k].querySelector("path"), looks[label]);
      write(items[k].lastChild, looks[label].name);
    });
  }
  function makeSides(names) {
    stage.replaceChildren();
    stage.className = `sides ${names.length > 1 ? "duel" : "single"}`;
    const flows = { board: makeRunFlow(training.ask), pairs: makeRunFlow(training.ask) };  // both sides are looked at alike
    sides = names.map((name) => {
      const side = node("section", { className: "side" }, stage);
      if (names.length > 1) node("h2", { className: "sidename", textContent: name }, side);
      const parts = node("div", { className: "parts" }, side);
      const board = makePart(parts, flows.board), pairs = makePart(parts, flows.pairs);
      board.names = node("ul", { className: "names" });
      return { board, pairs };
    });
  }

  const restyle = () => {
    root.dataset.scheme = scheme(root);
    training.curves.draw();
  };
  training.mount = (data) => {
    const fresh = data.run !== training.data?.run;
    training.texts = { ...data.texts, ...Object.fromEntries(["circle", "flat", "sphere"].map((name) => [`js.board.label.${name}`, data.texts[`js.train.label.${name === "sphere" ? name : "circle"}`]])) };
    training.data = data;
    if (!root.dataset.scheme) restyle();
    if (fresh) {
      Object.assign(training, { head: null, want: null, losses: [] });
      have = "";
      transport.calm();
      known.clear();
      delete root.dataset.ready;
      makeSides(data.names);
    }
    data.names.forEach((name, k) => { const title = stage.children[k].querySelector(".sidename"); if (title) write(title, name); });
    copied.draw();
    transport.draw();
    address();
    // A slider of the strip moves the run while it is held; when it is let go the visitor's state hears of it.
    parts.preview = Object.assign((event) => {
      if (event.kind === "param" && root.isConnected) training.do("param", { target: event.target, value: event.value });
      return root.isConnected;
    }, { busy: () => false });
    training.ask();
  };
  watchTheme(root, restyle);
  window.addEventListener("pagehide", (event) => {
    const body = JSON.stringify({ run: training.data?.run, do: [{ kind: "close" }] });
    if (!event.persisted && training.data) navigator.sendBeacon(server, body);
  });
  return training;
}

parts.train = ({ parentElement, data, setStateValue }) => {
  let training = trainings.get(parentElement);
  if (!training) trainings.set(parentElement, (training = makeTraining(parentElement)));
  training.keep = (step) => setStateValue("kept", { step, board: training.points, at: Date.now() });
  training.mount(data);
};
