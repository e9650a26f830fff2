// The two buttons that save a chart under the bench as a picture. The chart is Streamlit's and stands outside our element,
// in the container whose key is `data.of`; it is drawn by snapshot.js as every panel is.

const ARROW = "M8 2v8m-3.5 -3.5l3.5 3.5l3.5 -3.5M3 13.5h10";

function makePicture(shadow) {
  const root = dressed(shadow, "picture"), made = { data: null };
  // What snapshot.js wants to know of a bench.
  const host = { css: (name) => getComputedStyle(root).getPropertyValue(name).trim(), parts: { matrices: new Map() } };
  const drawn = () => panelPicture(host, document.querySelector(`.st-key-${made.data.of}`), { title: made.data.title, from: location.href });
  const acts = {
    async png(name) { download(name, await asPng(drawn()), "image/png"); },
    svg(name) { download(name, drawn().text, "image/svg+xml"); },
  };
  const buttons = Object.entries(acts).map(([kind, act]) => {
    const button = node("button", { type: "button" }, root), svg = shape("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, button);
    shape("path", { d: ARROW }, svg);
    node("span", {}, button).textContent = kind.toUpperCase();
    button.dataset.kind = kind;
    button.addEventListener("click", () => act(`${made.data.file}.${kind}`));
    return button;
  });
  const restyle = () => { root.dataset.scheme = scheme(root); };
  watchTheme(root, restyle);
  restyle();
  made.show = (data) => {
    made.data = data;
    for (const button of buttons) {
      const { kind } = button.dataset;
      button.title = data.texts[`js.save.${kind}`];
      button.setAttribute("aria-label", `${kind.toUpperCase()}: ${data.title}`);
    }
    root.dataset.ready = "1";
  };
  return made;
}

const savedPictures = new WeakMap();
parts.picture = ({ parentElement, data }) => {
  let made = savedPictures.get(parentElement);
  if (!made) savedPictures.set(parentElement, (made = makePicture(parentElement)));
  made.show(data);
};
