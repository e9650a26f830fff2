"""The floor under every latency: a Streamlit page whose one component sends a number while a dot is dragged and gets as
many bytes back as the Playground sends for 64 points. Nothing is computed, nothing but the dot is drawn.
"""

import json
import struct

import streamlit as st

BYTES = 48_000

JS = """
const known = new WeakMap();
export default function ({ parentElement, data, setStateValue }) {
  let pad = known.get(parentElement);
  if (!pad) {
    const root = parentElement.querySelector('.pad'), dot = root.querySelector('[data-drag]');
    known.set(parentElement, (pad = { seq: 0, shown: 0, sent: [], held: false }));
    const pump = () => { if (pad.seq > (pad.sent.at(-1) ?? pad.shown) && pad.sent.length < 2) { pad.sent.push(pad.seq); pad.set('seq', pad.seq); } };
    pad.pump = pump;
    dot.addEventListener('pointerdown', e => { pad.held = true; dot.setPointerCapture(e.pointerId); });
    dot.addEventListener('pointerup', () => { pad.held = false; });
    dot.addEventListener('pointermove', e => { if (!pad.held) return; const box = root.getBoundingClientRect();
      dot.style.transform = `translate(${e.clientX - box.left}px, ${e.clientY - box.top}px)`; pad.seq += 1;
      root.dispatchEvent(new CustomEvent('msviz:move', { bubbles: true, composed: true, detail: { seq: pad.seq } })); pump(); });
  }
  pad.set = setStateValue;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength), size = view.getUint32(0, true);
  pad.shown = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + size))).seq;
  pad.sent = pad.sent.filter(seq => seq > pad.shown);
  pad.pump();
  requestAnimationFrame(() => parentElement.querySelector('.pad').dispatchEvent(
    new CustomEvent('msviz:shown', { bubbles: true, composed: true, detail: { seq: pad.shown } })));
}
"""
HTML = """<div class="pad" style="height:500px">
<div data-drag style="width:20px;height:20px;background:teal;position:absolute;transform:translate(500px,200px)"></div></div>"""


def page() -> None:
    """The script that Streamlit runs."""
    st.set_page_config(layout="wide")
    pad = st.components.v2.component("floor", html=HTML, js=JS)

    @st.fragment
    def floor() -> None:
        seq = (st.session_state.get("pad") or {}).get("seq") or 0
        head = json.dumps({"seq": seq}).encode()
        pad(key="pad", data=struct.pack("<I", len(head)) + head + bytes(BYTES), on_seq_change=lambda: None)

    floor()


if st.runtime.exists():
    page()
