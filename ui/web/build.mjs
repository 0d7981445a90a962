/* Bundles the browser code into dist/, which Python reads, as it is read and not minified:
   - views.js: every view that Streamlit mounts, with their style sheets;
   - live.js and notebook.js with their sheets: pages that stand by themselves;
   - messages.json: what each of these says to a reader.
   `node build.mjs` writes them; `node build.mjs --check` says which are not what the sources give. */

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { build } from 'esbuild';
import ts from 'typescript';

const HERE = import.meta.dirname;
const UI = join(HERE, '..');
const DIST = join(HERE, 'dist');
const TOKENIZERS = join(HERE, 'node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs');
const PAGES = ['notebook', 'live']; // stand inside a page, which calls them; Streamlit imports the others

const nameOf = (file) => basename(file, '.ts');
const isPage = (file) => PAGES.includes(nameOf(file));

/** A view is a module beside its page that ends with what Streamlit, or a page, calls. */
const entries = readdirSync(UI, { recursive: true })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('web'))
  .filter((file) => /^export default /m.test(readFileSync(join(UI, file), 'utf8')))
  .sort();
const views = entries.filter((file) => !isPage(file));

/** The files that esbuild makes with these options. */
const bundle = (options) =>
  build({
    absWorkingDir: UI,
    outdir: DIST,
    bundle: true,
    write: false,
    target: 'es2022',
    charset: 'utf8',
    // The library's own build without comments: addresses in them look like requests to whoever searches a page.
    alias: { '@huggingface/tokenizers': TOKENIZERS },
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  });

/** Each entry as a script and a sheet of its own. */
const apart = await bundle({ entryPoints: entries, format: 'iife', globalName: 'atlas' });

/** The style sheets that a view needs, in their order: [file, text] each, as esbuild names them above each text. */
function sheetsOf(name) {
  const file = apart.outputFiles.find(({ path }) => path.endsWith(`/${name}.css`));
  const parts = file ? file.text.split(/^\/\* (.+\.css) \*\/$/m).slice(1) : [];
  return parts.flatMap((part, n) => (n % 2 ? [] : [[part, parts[n + 1].trim()]]));
}

const sheets = Object.fromEntries(views.flatMap((file) => sheetsOf(nameOf(file))));
const worn = Object.fromEntries(
  views.map((file) => [nameOf(file), sheetsOf(nameOf(file)).map(([sheet]) => sheet)]),
);
const quoted = (text) => '`' + text.replace(/[\\`]|\$\{/g, '\\$&') + '`';

const ENTRY = `
import { wear } from './web/base/wear.ts';
${views.map((file) => `import ${nameOf(file)} from './${file}';`).join('\n')}

const views = { ${views.map(nameOf).join(', ')} };
const sheets = {
${Object.entries(sheets)
  .map(([file, text]) => `  '${file}': ${quoted(text)},`)
  .join('\n')}
};
const worn = ${JSON.stringify(worn, null, 2)};

/** Shows the view of this name in what Streamlit calls a component with. */
export function show(name, mounting) {
  wear(mounting.parentElement, worn[name].map((file) => [file, sheets[file]]));
  return views[name](mounting);
}
`;
const together = await bundle({
  stdin: { contents: ENTRY, resolveDir: UI, sourcefile: 'views.ts', loader: 'ts' },
  format: 'esm',
  loader: { '.css': 'empty' },
});

/** What a script gives `tr` and `plural` as literals, each once: a text, or [one, many]. */
function messagesOf(script) {
  const found = new Map();
  const visit = (node) => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const [one, many] = node.arguments.map((each) => (ts.isStringLiteralLike(each) ? each.text : null));
      if (node.expression.text === 'tr' && one) found.set(one, one);
      if (node.expression.text === 'plural' && one && many) found.set(`${one}/${many}`, [one, many]);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('view.js', script, ts.ScriptTarget.Latest));
  return [...found.keys()].sort().map((key) => found.get(key));
}

const scripts = apart.outputFiles.filter(({ path }) => path.endsWith('.js'));
const messages = Object.fromEntries(
  scripts.map(({ path, text }) => [basename(path, '.js'), messagesOf(text)]),
);

const made = new Map([
  ['views.js', together.outputFiles[0].text],
  ...apart.outputFiles
    .filter(({ path }) => PAGES.some((name) => basename(path).startsWith(`${name}.`)))
    .map(({ path, text }) => [basename(path), text]),
  ['messages.json', JSON.stringify(messages, null, 1) + '\n'],
]);

const there = (file) => {
  try {
    return readFileSync(join(DIST, file), 'utf8');
  } catch {
    return null;
  }
};
mkdirSync(DIST, { recursive: true });
const gone = readdirSync(DIST).filter((file) => !made.has(file));
const changed = [...made.keys()].filter((file) => made.get(file) !== there(file));
if (process.argv.includes('--check')) {
  if (gone.length || changed.length) {
    console.error(
      `dist/ is not what the sources give; run npm run build: ${[...changed, ...gone].join(', ')}`,
    );
    process.exit(1);
  }
} else {
  for (const file of gone) rmSync(join(DIST, file));
  for (const file of changed) writeFileSync(join(DIST, file), made.get(file));
}
