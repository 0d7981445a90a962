/* The style sheets of the views, each made once for the page and shared by every view that needs it. */

const made = new Map<string, CSSStyleSheet>();

function sheetOf(file: string, text: string) {
  const known = made.get(file);
  if (known) return known;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  made.set(file, sheet);
  return sheet;
}

/** Gives the shadow root (or page) around `node` these style sheets, in their order: [file, text] each. */
export function wear(node: Node, sheets: [file: string, text: string][]) {
  const root = node.getRootNode() as Document | ShadowRoot;
  const missing = sheets
    .map(([file, text]) => sheetOf(file, text))
    .filter((sheet) => !root.adoptedStyleSheets.includes(sheet));
  if (missing.length) root.adoptedStyleSheets = [...root.adoptedStyleSheets, ...missing];
}
