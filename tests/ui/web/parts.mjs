/** A sentence of `say` parts as plain words. */
export const wordsOfParts = (parts) =>
  parts.map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('');
