/* The words of a view in the reader's language: English stands in the code, Python sends the translations. */

/** Translations by their English; empty in English. `counts` holds the forms for one and for many. */
export interface Spoken {
  code?: string;
  words?: Record<string, string>;
  counts?: Record<string, string[]>;
}

let spoken: Spoken = {};

/** Takes words of the reader's language, beside those it was given before in the same language. */
export const speak = (language: Spoken | undefined) => {
  const same = language?.code === spoken.code;
  spoken = {
    code: language?.code,
    words: same ? { ...spoken.words, ...language?.words } : language?.words,
    counts: same ? { ...spoken.counts, ...language?.counts } : language?.counts,
  };
};

/** The code of the reader's language, "en" or "fr". */
const languageCode = () => spoken.code ?? 'en';

const fill = (text: string, values: Record<string, string | number>) =>
  text.replace(/\{(\w+)\}/g, (field, name: string) => {
    const value = values[name] ?? field;
    return typeof value === 'number' ? localised(String(value)) : value;
  });

/** `text` in the reader's language, with `values` put into its {fields}. Give it a literal: it is looked up by it. */
export const tr = (text: string, values: Record<string, string | number> = {}) =>
  fill(spoken.words?.[text] ?? text, values);

/** A name and what it says, "Score: 0.5"; French puts a space before the colon. */
export const labelled = (name: string, text: string) => tr('{name}: {words}', { name, words: text });

/** The marks that the reader's language puts for the comma and the point of a number written in English. */
function marks(): Record<string, string> {
  const parts = new Intl.NumberFormat(languageCode()).formatToParts(12345.6);
  const mark = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return { ',': mark('group'), '.': mark('decimal') };
}

/**
 * A written number, or a formula of numbers, with the marks of the reader's language: "1,326.5" → "1\u202f326,5". No names
 * of heads ("1.2"), versions or code: those are no numbers. Python's is in core/language.py.
 */
export function localised(written: string) {
  if (!spoken.code) return written;
  const own = marks();
  return written.replace(/(?<=\d)[.,](?=\d)/g, (mark) => own[mark]);
}

/** A number for readers with so many decimals. */
export const fixed = (value: number, digits: number) => localised(value.toFixed(digits));

/** A whole number for readers, its thousands apart. */
export const grouped = (value: number) => localised(value.toLocaleString('en-US'));

/** `one` or `many` by the language's plural rule, with {count} and `values` put in. */
export function plural(
  one: string,
  many: string,
  count: number,
  values: Record<string, string | number> = {},
) {
  const rule = new Intl.PluralRules(languageCode()).select(count);
  const forms = spoken.counts?.[one] ?? [one, many];
  return fill(forms[rule === 'one' ? 0 : 1], { count: grouped(count), ...values });
}
