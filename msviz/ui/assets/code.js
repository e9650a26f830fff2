// The last part of the code: whoever waits for it (stub.js) can be mounted now.

export default function () {
  document.dispatchEvent(new CustomEvent("msviz:code"));
}
