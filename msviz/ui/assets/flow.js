// Sends what a visitor does to Python's session, at most two parcels at a time.
//
// Every event has a sequence number, and Python echoes the last one it applied, after its work is done. While two parcels
// are on their way nothing more is sent, so a slow server thins out a drag and never piles it up; two and not one, so
// that the server computes while the browser draws. Moves that have not left yet are replaced by newer ones of the same
// gesture; every other event is kept and arrives in order. A parcel holds everything not yet acknowledged, so none can
// be lost: Python ignores numbers that it has already applied.

const ON_THEIR_WAY = 2;
const RESEND_AFTER_MS = 4000;

function makeFlow(name, root) {
  const flow = { root, seq: 0, acked: 0, sent: [], queue: [], gesture: null, gestures: 0, held: null, last: null, set: null };
  parts.flows.push(flow);
  let timer = 0, tries = 0;

  const send = () => {
    flow.sent.push(flow.seq);
    flow.set({ events: flow.queue.map((event) => ({ ...event })), tries });
    clearTimeout(timer);
    timer = setTimeout(() => { tries += 1; send(); }, RESEND_AFTER_MS);
  };
  const pump = () => {
    const left = flow.queue.length && flow.queue.at(-1).seq > (flow.sent.at(-1) ?? 0);
    if (left && flow.sent.length < ON_THEIR_WAY) send();
  };

  // A gesture is a whole drag or slider movement: one step for undo. While it lasts its moves are previewed (preview.js);
  // its last move is sent at its end.
  flow.begin = () => { flow.gesture ??= `${name}${flow.seq + 1}.${++flow.gestures}`; };
  flow.move = (event) => {
    const move = { ...event, seq: flow.seq + 1, gesture: flow.gesture };
    Object.defineProperty(move, "flow", { value: flow });  // not part of what is sent
    parts.follow?.(event);
    const previewed = parts.preview?.(move);
    flow.last = previewed ? event : null;  // what is still to be sent at the end
    if (!previewed) return flow.push(event);
    flow.seq += 1;
    flow.count();
    return flow.seq;
  };
  flow.end = () => {
    if (flow.gesture === null) return;
    if (flow.last) flow.push(flow.last);
    flow.push({ kind: "drop" });
    flow.last = flow.gesture = null;
  };

  flow.cancel = () => { flow.last = flow.gesture = flow.held = null; };

  flow.push = (event) => {
    flow.seq += 1;
    const last = flow.queue.at(-1), waits = last && last.seq > (flow.sent.at(-1) ?? 0);
    const sameGesture = waits && flow.gesture !== null && last.gesture === flow.gesture;
    if (sameGesture && last.kind === event.kind && last.target === event.target) flow.queue.pop();
    flow.queue.push({ ...event, seq: flow.seq, gesture: flow.gesture, at: performance.now() });
    flow.count();
    pump();
    return flow.seq;
  };

  flow.acknowledge = (seq) => {
    flow.seq = Math.max(flow.seq, seq);  // a component mounted anew goes on where Python stands
    flow.acked = Math.max(flow.acked, seq);
    flow.queue = flow.queue.filter((event) => event.seq > flow.acked);
    flow.sent = flow.sent.filter((upTo) => upTo > flow.acked);
    if (!flow.queue.length) { clearTimeout(timer); tries = 0; }
    pump();
  };

  // How much is on its way stands on the root: 0 when the page shows all that was done (tests wait for it). What any part
  // of the page has on its way makes all of them busy: a slider of the strip changes the bench's pictures.
  flow.count = () => {
    root.dataset.waiting = flow.queue.length + (parts.preview?.busy() ? 1 : 0);
    const shown = parts.flows.filter((other) => other.root.isConnected), busy = shown.some((other) => other.queue.length);
    for (const other of shown) other.root.toggleAttribute("data-busy", busy);
  };

  flow.busyWith = (kind, target) =>
    flow.queue.some((event) => event.kind === kind && event.target === target) ||
    (flow.gesture !== null && flow.held === target);
  return flow;
}
