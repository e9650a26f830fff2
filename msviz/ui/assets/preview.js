// Frames of a gesture that is still under way: asked of the server directly, without a run of the page's script.
//
// A request holds the link of the state at rest, what was done since and has not been answered yet, and the move itself;
// the answer is a picture like any other. The server keeps nothing of it: the gesture becomes the visitor's state when it
// ends, through flow.js. One request is under way at a time, and only the newest move waits: measured, two at a time make
// every move wait longer where browser and server share the cores.

function makePreview(bench) {
  const address = new URL("msviz/frame", document.baseURI);
  let wanted = null, underWay = false, broken = false;
  const goesOn = (event) => event.flow.gesture === event.gesture;

  async function pump() {
    if (underWay || !wanted) return;
    const event = wanted, since = parts.flows.flatMap((flow) => flow.queue).sort((a, b) => a.at - b.at);
    wanted = null;
    if (!goesOn(event)) return;
    underWay = true;
    try {
      const reply = await fetch(address, { method: "POST", body: JSON.stringify({ page: bench.head.page, query: bench.restQuery, events: [...since, event] }) });
      if (!reply.ok) throw new Error(reply.statusText);
      const bytes = new Uint8Array(await reply.arrayBuffer());
      if (goesOn(event)) bench.show(bytes, event);
    } catch {
      broken = true;  // a server started without our route, or an hour without network: flow.js sends every move then
      if (goesOn(event)) event.flow.push(event);
    }
    underWay = false;
    pump();
    for (const flow of parts.flows) flow.count();
  }
  const preview = (event) => {
    if (broken || bench.restQuery === null) return false;
    wanted = event;
    pump();
    return true;
  };
  preview.busy = () => Boolean(wanted || underWay);
  return preview;
}
