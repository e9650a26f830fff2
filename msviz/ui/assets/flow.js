// Sends what a visitor does to Python, one parcel at a time.
//
// Every event has a sequence number. A parcel goes out when the one before it has been acknowledged (Python echoes the
// last number it applied, after its work is done), so a slow server thins out a drag and never piles it up. Moves that
// have not left yet are replaced by newer ones of the same gesture; every other event is kept and arrives in order.
// A parcel that is not acknowledged goes again: Python ignores numbers that it has already applied.

const RESEND_AFTER_MS = 4000;

function makeFlow(name, root) {
  const flow = { seq: 0, acked: 0, sentUpTo: 0, queue: [], gesture: null, gestures: 0, set: null, timer: 0, tries: 0 };

  const send = () => {
    flow.sentUpTo = flow.seq;
    flow.set({ events: flow.queue.map((event) => ({ ...event })), tries: flow.tries });
    clearTimeout(flow.timer);
    flow.timer = setTimeout(() => { flow.tries += 1; send(); }, RESEND_AFTER_MS);
  };
  const pump = () => { if (flow.queue.length && flow.sentUpTo <= flow.acked) send(); };

  // A gesture is a whole drag or slider movement: one step for undo.
  flow.begin = () => { flow.gesture ??= `${name}${flow.seq + 1}.${++flow.gestures}`; };
  flow.end = () => { if (flow.gesture !== null) { flow.push({ kind: "drop" }); flow.gesture = null; } };

  flow.push = (event) => {
    flow.seq += 1;
    const last = flow.queue.at(-1);
    const sameGesture = last && flow.gesture !== null && last.gesture === flow.gesture;
    if (sameGesture && last.seq > flow.sentUpTo && last.kind === event.kind && last.target === event.target) flow.queue.pop();
    flow.queue.push({ ...event, seq: flow.seq, gesture: flow.gesture });
    flow.count();
    pump();
    return flow.seq;
  };

  flow.acknowledge = (seq) => {
    flow.seq = Math.max(flow.seq, seq);  // a component mounted anew goes on where Python stands
    flow.acked = Math.max(flow.acked, seq);
    flow.queue = flow.queue.filter((event) => event.seq > flow.acked);
    if (!flow.queue.length) { clearTimeout(flow.timer); flow.tries = 0; }
    flow.sentUpTo = Math.max(flow.sentUpTo, flow.acked);
    pump();
  };

  // How much is on its way stands on the root: 0 when the page shows all that was done (tests wait for it).
  flow.count = () => { root.dataset.waiting = flow.queue.length; };

  flow.busyWith = (kind, target) =>
    flow.queue.some((event) => event.kind === kind && event.target === target) ||
    (flow.gesture !== null && flow.held === target);
  return flow;
}
