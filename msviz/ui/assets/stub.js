// All that a component carries itself. Streamlit sends a component's script with every update; ours is 50 kB, so it stands
// in an element of its own outside the fragments (code.js) and is sent once a page. NAME is filled by components.py.

const waiting = new Map();  // the root of each instance -> what it was given last

document.addEventListener("msviz:code", () => {
  for (const component of waiting.values()) window.msvizParts.NAME(component);
  waiting.clear();
});

export default function (component) {
  const mount = window.msvizParts?.NAME;
  if (mount) return void mount(component);
  waiting.set(component.parentElement, component);
}
