// web/base/data.ts
var ARRAYS = { float32: Float32Array, uint16: Uint16Array, uint8: Uint8Array };
var revived = /* @__PURE__ */ new WeakMap();
var numbersOf = (column, type) => {
  if (ArrayBuffer.isView(column)) return column;
  return column?.getChildAt?.(0)?.toArray() ?? new ARRAYS[type](0);
};
function revive(packed) {
  if (!revived.has(packed)) {
    const data = structuredClone(packed.fields);
    packed.arrays.forEach(([path, type], n) => {
      const owner = path.slice(0, -1).reduce((at, step) => at[step], data);
      Object.assign(owner, { [path[path.length - 1]]: numbersOf(packed[`column${n}`], type) });
    });
    revived.set(packed, data);
  }
  return revived.get(packed);
}

// web/base/events.ts
function bus() {
  const page = window;
  return page.atlasBus ??= Object.assign(new EventTarget(), { last: {} });
}
function announce(topic, words) {
  bus().last[topic] = words;
  bus().dispatchEvent(new CustomEvent(topic, { detail: words }));
}

// inside/inside_terms.ts
function view({ data }) {
  announce("inside-terms", revive(data).why);
}
export {
  view as default
};
