/* For `node --import`: lets a test import the TypeScript of this folder, a module at a time; a style sheet is empty. */

import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

import { transform } from 'esbuild';

if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  if (url.endsWith('.css')) return { format: 'module', source: '', shortCircuit: true };
  if (!url.endsWith('.ts')) return next(url, context);
  const tsconfigRaw = { compilerOptions: { useDefineForClassFields: false, verbatimModuleSyntax: true } };
  const text = await readFile(new URL(url), 'utf8');
  const { code } = await transform(text, { loader: 'ts', sourcefile: url, sourcemap: 'inline', tsconfigRaw });
  return { format: 'module', source: code, shortCircuit: true };
}
