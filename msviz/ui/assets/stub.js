// All that a component carries itself. Streamlit sends a component's script with every update; ours is 50 kB, so it stands
// in an element of its own outside the fragments (code.js) and is sent once a page. NAME is filled by components.py.

let latest = null;

export default function (component) {
  latest = component;
  const mount = window.msvizParts?.NAME;
  if (mount) return void mount(component);
  document.addEventListener("msviz:code", () => window.msvizParts.NAME(latest), { once: true });
}
