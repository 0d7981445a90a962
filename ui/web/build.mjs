/* Bundles the views into dist/, which Python reads: a script and a style sheet each, as they are read, not minified.
   `node build.mjs` writes them; `node build.mjs --check` says what in dist/ is not what the sources give. */

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { build } from 'esbuild';

const HERE = import.meta.dirname;
const UI = join(HERE, '..');
const DIST = join(HERE, 'dist');
const TOKENIZERS = join(HERE, 'node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs');
const PAGES = ['notebook', 'live', 'site']; // stand inside a page, which calls them; Streamlit imports the others

/** A view is a module beside its page that ends with what Streamlit, or a page, calls. */
const views = readdirSync(UI, { recursive: true })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('web'))
  .filter((file) => /^export default /m.test(readFileSync(join(UI, file), 'utf8')))
  .sort();

/** The bundles of these views by the name of their file. */
async function bundled(files, format) {
  const { outputFiles } = await build({
    absWorkingDir: UI,
    entryPoints: files,
    outdir: DIST,
    entryNames: '[name]',
    bundle: true,
    write: false,
    format: format,
    ...(format === 'iife' ? { globalName: 'atlas' } : {}),
    target: 'es2022',
    charset: 'utf8',
    // The library's own build without comments: addresses in them look like requests to whoever searches a page.
    alias: { '@huggingface/tokenizers': TOKENIZERS },
    legalComments: 'none',
    logLevel: 'warning',
  });
  return outputFiles.map(({ path, text }) => [basename(path), text]);
}

const isPage = (file) => PAGES.includes(basename(file, '.ts'));
const made = new Map([
  ...(await bundled(
    views.filter((file) => !isPage(file)),
    'esm',
  )),
  ...(await bundled(views.filter(isPage), 'iife')),
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
