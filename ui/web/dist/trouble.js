// web/base/events.ts
function bus() {
  const page = window;
  return page.atlasBus ??= Object.assign(new EventTarget(), { last: {} });
}
function announce(topic, words) {
  bus().last[topic] = words;
  bus().dispatchEvent(new CustomEvent(topic, { detail: words }));
}

// translate/trouble.ts
function view({ data }) {
  announce("trouble", data);
}
export {
  view as default
};
