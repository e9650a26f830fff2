// One dot that can be dragged. As many parcels under way as the Playground has, and nothing drawn but the dot.

const known = new WeakMap();

function makePad(root) {
  const dot = root.querySelector("[data-drag]"), pad = { root, seq: 0, shown: 0, sent: null, held: false, set: null };
  pad.pump = () => {
    if (pad.sent !== null || pad.seq === pad.shown) return;
    pad.sent = pad.seq;
    pad.set("seq", pad.seq);
  };
  const tell = (name, seq) => root.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail: { seq } }));
  pad.tell = tell;
  dot.addEventListener("pointerdown", (event) => { pad.held = true; dot.setPointerCapture(event.pointerId); });
  dot.addEventListener("pointerup", () => { pad.held = false; });
  dot.addEventListener("pointermove", (event) => {
    if (!pad.held) return;
    const box = root.getBoundingClientRect();
    dot.style.transform = `translate(${event.clientX - box.left}px, ${event.clientY - box.top}px)`;
    pad.seq += 1;
    tell("msviz:move", pad.seq);
    pad.pump();
  });
  return pad;
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".pad");
  if (!known.has(root)) known.set(root, makePad(root));
  const pad = known.get(root), view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  pad.set = setStateValue;
  pad.shown = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + view.getUint32(0, true)))).seq;
  if (pad.sent !== null && pad.shown >= pad.sent) pad.sent = null;
  pad.pump();
  requestAnimationFrame(() => pad.tell("msviz:shown", pad.shown));
}
