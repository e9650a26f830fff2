// What a person does with the board: pointer, touch and keyboard, and the events that Python hears of it. Points are
// dragged, added, removed, relabelled and selected; a sphere is turned, which Python hears when it is done.

const STEP = 1, LEAP = 10;     // degrees that an arrow key moves a point, alone and with Shift
const TURN = 5, SPIN = 30;     // degrees that an arrow key turns the sphere, alone and with Shift
const REACH = 16, TOUCH_REACH = 28;  // pixels around a point that still catch it
const CLICK = 4;               // pixels that a click may wander
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function makeHand(bench, board) {
  const { svg, points, tools, indexOf } = board, { flow } = bench;
  const isSphere = () => board.surface().name === "sphere";
  const onBall = (at) => isSphere() && Math.hypot(...at) < 1;

  // ---- where the pointer is ----------------------------------------------------------------------------------------
  const place = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [at.x, -at.y];
  };
  const perPixel = () => (2 * VIEW) / svg.getBoundingClientRect().width;
  const reachOf = (event) => (event.pointerType === "touch" ? TOUCH_REACH : REACH);
  function nearest([x, y], reach) {
    const limit = reach * perPixel();
    let best = null, least = Infinity;
    bench.head.ids.forEach((id, index) => {
      const [px, py, depth] = board.seen(index), far = Math.hypot(px - x, py - y);
      const rank = far + (depth < 0 ? limit / 2 : 0);  // the near side comes first
      if (far < limit && rank < least) { least = rank; best = id; }
    });
    return best;
  }

  // ---- pointer and touch -----------------------------------------------------------------------------------------
  // A finger that starts on a point drags it, on the ball it turns the ball; one that starts elsewhere scrolls the page.
  svg.addEventListener("touchstart", (event) => {
    const at = place(event.touches[0]);
    if ((nearest(at, TOUCH_REACH) !== null || onBall(at)) && event.cancelable) event.preventDefault();
  }, { passive: false });
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const at = place(event), id = nearest(at, reachOf(event)), turns = id === null && isSphere() && (event.pointerType !== "touch" || onBall(at));
    const edge = id === null ? event.target.closest(".edges path") : null;
    board.drag = { id, edge, turns, x: event.clientX, y: event.clientY, moved: false, from: id === null ? null : board.placeOf(indexOf(id)) };
    if (id !== null || turns) svg.setPointerCapture(event.pointerId);
    if (id === null) return;
    board.focus = id;
    points.children[indexOf(id)].focus({ preventScroll: true });
    event.preventDefault();
  });
  svg.addEventListener("pointermove", (event) => {
    const drag = board.drag;
    if (!drag) return hover(event);
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < CLICK) return;
    if (!drag.turns && (drag.id === null || !bench.head.board.editable || indexOf(drag.id) < 0)) return;
    if (!drag.moved) {
      bench.hover(null);
      if (drag.turns) drag.camera = board.camera ?? bench.head.board.camera;
    }
    drag.moved = true;
    bench.root.classList.add("dragging");
    if (!drag.turns) return move(drag.id, board.surface().drag(place(event), board.placeOf(indexOf(drag.id)), drag.from));
    const by = (perPixel() * 180) / Math.PI;  // what is under the pointer in the middle of the ball stays under it
    turn(drag.camera[0] - (event.clientX - drag.x) * by, drag.camera[1] + (event.clientY - drag.y) * by);
  });
  const release = (event) => {
    const drag = board.drag;
    board.drag = null;
    bench.root.classList.remove("dragging");
    if (!drag) return;
    if (drag.moved && drag.camera) return endTurn();
    if (drag.moved) { flow.held = null; return flow.end(); }
    if (event.type !== "pointerup" || Math.hypot(event.clientX - drag.x, event.clientY - drag.y) >= CLICK) return;
    if (drag.id !== null) select(drag.id);
    else if (drag.edge) bench.select(...board.ends(drag.edge));
    else add(board.surface().spot(place(event)));
  };
  svg.addEventListener("pointerup", release);
  svg.addEventListener("pointercancel", release);
  svg.addEventListener("lostpointercapture", (event) => { if (board.drag?.moved) release(event); });
  svg.addEventListener("pointerleave", () => bench.hover(null));
  function hover(event) {
    const edge = event.target.closest?.(".edges path");
    const id = nearest(place(event), reachOf(event));
    if (id !== null) return bench.hover({ anchor: id, other: null }, event);
    if (!edge) return bench.hover(null);
    const [anchor, other] = board.ends(edge);
    bench.hover({ anchor, other }, event);
  }

  // ---- the events that Python hears --------------------------------------------------------------------------------
  const coordinates = ([x, y, z]) => (z === undefined ? { x, y } : { x, y, z });
  function move(id, spot) {
    flow.begin();
    flow.held = id;
    board.local.set(id, spot);
    const seq = flow.move({ kind: "move", target: id, ...coordinates(spot) });
    bench.root.dispatchEvent(new CustomEvent("msviz:move", { bubbles: true, composed: true, detail: { seq } }));
    bench.repaint("held");
  }
  function add(spot) {
    if (!bench.head.board.editable || !spot) return;
    board.focus = bench.head.next_id;
    flow.push({ kind: "add", ...coordinates(spot), label: tools.active });
  }
  function select(id) {
    const { anchor, other } = bench.head.selection;
    if (anchor === null || other !== null) bench.select(id, null);
    else bench.select(anchor === id ? null : anchor, anchor === id ? null : id);
  }
  function turn(yaw, pitch) {
    board.camera = [yaw, Math.max(-90, Math.min(90, pitch))];
    board.turning = true;
    bench.repaint("held");
  }
  function endTurn() {  // on whole degrees, as the link has them
    if (!board.turning) return;
    const [yaw, pitch] = board.camera.map(Math.round);
    board.turning = false;
    board.camera = [((yaw % 360) + 540) % 360 - 180, pitch];
    flow.push({ kind: "camera", yaw: board.camera[0], pitch });
    bench.repaint("held");
  }
  board.settle = () => {  // once Python has applied a move, its position is the one on the link's grid
    for (const id of board.local.keys()) if (!flow.busyWith("move", id)) board.local.delete(id);
    if (!board.turning && !flow.busyWith("camera")) board.camera = null;
  };

  // ---- keyboard ----------------------------------------------------------------------------------------------------
  svg.addEventListener("keydown", (event) => {
    const group = event.target.closest(".point"), key = event.key.toLowerCase();
    if (board.drag?.moved) {  // a point in hand: Escape puts it back, nothing else happens to it
      if (event.key === "Escape") board.cancel();
      event.preventDefault();
      return event.stopPropagation();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(group ? onPoint(event, +group.dataset.id) : onBackground(key, event))) return;
    event.preventDefault();
    event.stopPropagation();
  });
  function onBackground(key, event) {
    const way = WAYS[event.key];
    if (way && isSphere()) {
      const [yaw, pitch] = board.camera ?? bench.head.board.camera, by = event.shiftKey ? SPIN : TURN;
      turn(yaw - way[0] * by, pitch - way[1] * by);
    } else if (key === "a" && (isSphere() || !bench.head.ids.length)) add(board.surface().spot(isSphere() ? [0, 0] : [0, 1]));
    else return false;
    return true;
  }
  function onPoint(event, id) {
    const index = indexOf(id), count = bench.head.ids.length, way = WAYS[event.key], surface = board.surface();
    const go = (to) => {
      board.focus = bench.head.ids[(to + count) % count];
      board.draw();
      points.children[(to + count) % count].focus();
    };
    if (way) { if (bench.head.board.editable) move(id, surface.step(board.placeOf(index), way, event.shiftKey ? LEAP : STEP)); }
    else if (event.key === "PageDown" || event.key === ".") go(index + 1);
    else if (event.key === "PageUp" || event.key === ",") go(index - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(count - 1);
    else if (event.key === "Enter" || event.key === " ") select(id);
    else if (event.key === "Escape") bench.select(null, null);
    else if (event.key === "Delete" || event.key === "Backspace") board.remove(id);
    else if (event.key === "a" || event.key === "A") add(surface.beside(board.placeOf(index)));
    else if (/^[0-9]$/.test(event.key)) relabel(id, +event.key);
    else return false;
    return true;
  }
  svg.addEventListener("keyup", (event) => { if (event.key.startsWith("Arrow")) letGo(); });
  svg.addEventListener("focusout", () => { if (!board.drag) letGo(); });
  svg.addEventListener("dblclick", (event) => event.preventDefault());
  function letGo() {
    flow.held = null;
    flow.end();
    endTurn();
  }

  board.cancel = () => {
    if (!board.drag?.moved) return false;
    const { camera } = board.drag;
    board.drag = null;
    bench.root.classList.remove("dragging");
    if (camera) {
      board.turning = false;
      board.camera = null;
      bench.repaint("board");
      return true;
    }
    flow.cancel();
    board.local.clear();
    flow.push({ kind: "show", ...bench.head.show });  // brings the picture of the state as it is
    return true;
  };
  board.remove = (id) => {
    const index = indexOf(id);
    board.focus = bench.head.ids[index + 1] ?? bench.head.ids[index - 1] ?? null;
    board.refocus = true;
    flow.push({ kind: "remove", target: id });
  };
  function relabel(id, nth) {  // key 1 is the first class of the chips, 0 the tenth
    const label = bench.head.palette[(nth + 9) % 10];
    if (label !== undefined) flow.push({ kind: "label", target: id, label });
  }
  board.afterUpdate = () => {
    if (!board.refocus || (board.focus !== null && indexOf(board.focus) < 0)) return;
    board.refocus = false;
    (points.children[indexOf(board.focus)] ?? svg).focus();
  };
}
