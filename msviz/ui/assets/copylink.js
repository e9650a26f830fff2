// "Copy link". The clipboard API exists on https and localhost only; on a plain-http address of the lecture hall's network
// the link appears in a field, selected, and the old copy command is tried.

function makeLink(bench, parent) {
  const root = node("div", { className: "copylink" }, parent);
  const button = node("button", { type: "button", className: "button" }, root);
  const box = node("div", { className: "shown", hidden: true }, root);
  const field = node("input", { type: "text", readOnly: true }, box);
  const said = node("p", { role: "status" }, box);
  let timer = 0;

  const show = (text, withField) => {
    box.hidden = false;
    field.hidden = !withField;
    write(said, text);
    clearTimeout(timer);
    if (withField) { field.focus(); field.select(); }
    else timer = setTimeout(() => { box.hidden = true; }, 4000);
  };
  button.addEventListener("click", async () => {
    const { texts, link } = bench.head;
    if (link.refused) return show(link.refused, false);
    field.value = `${location.origin}${location.pathname}${link.query}`;
    try {
      await navigator.clipboard.writeText(field.value);
      show(texts["js.link.copied"], false);
    } catch {  // no clipboard API here, or the browser refuses it
      show(texts["js.link.select"], true);
      if (document.execCommand("copy")) write(said, texts["js.link.copied_field"]);
    }
  });
  box.addEventListener("keydown", (event) => { if (event.key === "Escape") { box.hidden = true; button.focus(); } });
  box.addEventListener("focusout", (event) => { if (!box.contains(event.relatedTarget)) box.hidden = true; });
  return {
    draw() {
      const { texts } = bench.head;
      write(button, texts["js.link.button"]);
      button.title = texts["js.link.help"];
      field.setAttribute("aria-label", texts["js.link.field"]);
    },
  };
}
