/* The panel of a lesson: it stays while the pages change beside it. Its words come from a teacher's file and reach the
   page as text nodes only; a link leads where Python has allowed it to. */

import type { Host } from '../web/base/view.ts';
import type {
  BlockData,
  LessonAnswers,
  LessonData,
  Pressed,
  QuestionData,
  Way,
} from '../web/generated/types.ts';
import { el } from '../web/base/dom.ts';
import { linked, pageKeys } from '../web/base/events.ts';
import { labelled } from '../web/base/language.ts';
import { setKind, viewOf } from '../web/base/view.ts';
import './lesson.css';

/** Kind, words, where a link leads or what a value is. */
type Span = LessonData['title'][number];

const LETTERS = 'ABCDE';
const INLINE = { strong: 'strong', em: 'em', code: 'code' } as const;

/**
 * One span as a node. A value is marked as one, so that a computed number is not taken for the author's.
 * @param computed the tooltip of a value
 */
function inline([kind, words, target]: Span, computed: string) {
  const look = { class: 'lesson-value', title: computed, dir: 'auto' };
  if (kind === 'value') return el('span', look, words.replace(/(?<=^<) | (?=%$)/g, '\u00a0'));
  if (kind === 'link') {
    const out = target.startsWith('https:') ? { target: '_blank', rel: 'noopener noreferrer' } : {};
    return el('a', { href: target, ...out }, words);
  }
  if (kind in INLINE) return el(INLINE[kind as keyof typeof INLINE], {}, words);
  return document.createTextNode(words);
}

/** Paragraphs, lists and code; items that follow one another make one list. */
export function flow(blocks: BlockData[], computed: string) {
  const nodes: HTMLElement[] = [];
  for (const { kind, spans } of blocks) {
    const inside = spans.map((span) => inline(span, computed));
    if (kind === 'code') {
      nodes.push(el('pre', { tabindex: 0 }, el('code', {}, spans.map(([, words]) => words).join(''))));
      continue;
    }
    const list = kind === 'item' ? 'UL' : kind === 'number' ? 'OL' : '';
    if (!list) {
      nodes.push(el('p', {}, ...inside));
      continue;
    }
    if (nodes.at(-1)?.tagName !== list) nodes.push(el(list === 'UL' ? 'ul' : 'ol'));
    nodes.at(-1)?.append(el('li', {}, ...inside));
  }
  return nodes;
}

/** How a choice looks: chosen, holding for the model, both or neither. */
export function choiceLook({ answer, holds }: Pick<QuestionData, 'answer' | 'holds'>, number: number) {
  if (answer === null) return '';
  return (
    [number === holds ? 'holds' : '', number === answer ? 'chosen' : ''].filter(Boolean).join(' ') || 'other'
  );
}

/** A choice as a button: its letter or mark, its words, and once answered its number and why it does not hold. */
function choiceButton(question: QuestionData, n: number, words: LessonData['words'], press: () => void) {
  const choice = question.choices[n];
  const spans = (listed: Span[]) => listed.map((span) => inline(span, words.computed));
  const looks = choiceLook(question, n);
  const wrong = looks === 'chosen' && question.holds !== null;
  const mark = looks.includes('holds') ? '✓' : wrong ? '✕' : LETTERS[n];
  const yours = n === question.answer ? el('small', {}, words.yours) : null;
  const why = choice.why.length ? el('span', { class: 'lesson-why' }, ...spans(choice.why)) : null;
  const number = choice.number ? el('span', { class: 'lesson-number' }, choice.number) : null;
  const own = { class: `lesson-choice ${looks}${wrong ? ' wrong' : ''}`, onclick: press };
  const body = el('span', {}, el('span', {}, ...spans(choice.words)), yours, why);
  const state = { disabled: question.answer !== null };
  return el('button', { ...state, ...own }, el('b', {}, mark), body, number);
}

/** Writes `shown` on a button, and what it does in words. */
function label(node: HTMLElement, words: string, shown: string = words) {
  node.textContent = shown;
  node.setAttribute('aria-label', words);
  node.title = words;
}

/** What the pressed line of code computed. */
function lineResult({ says, shape, row, numbers }: NonNullable<NonNullable<LessonData['code']>['pressed']>) {
  const values = el('span', { class: 'lesson-result-numbers' }, [row, numbers].filter(Boolean).join(': '));
  return el(
    'div',
    { class: 'lesson-result', 'aria-live': 'polite' },
    el('span', {}, says),
    el('span', { class: 'lesson-shape' }, shape),
    values,
  );
}

/** Where the answers and what follows from them lack room, the other wrong answers make it (lesson.css). */
function crowd(lesson: HTMLElement, words: HTMLElement) {
  lesson.classList.remove('crowded');
  lesson.classList.toggle('crowded', words.scrollHeight > words.clientHeight + 1);
}

export class Lesson {
  data!: LessonData;
  shown = '';
  /** The step that was asked for last: a second press may come before the first is answered, or drawn. */
  to = 0;
  pressed: ReturnType<typeof linked<Pressed>>;
  name = el('span', { class: 'lesson-name', dir: 'auto' });
  fold = this.button('lesson-fold', () => this.folded(!this.node.hasAttribute('data-folded')));
  close = this.button('lesson-close', () => this.move('close'), '×');
  dots = el('ol', { class: 'lesson-dots' });
  counted = el('span', { class: 'lesson-counted' });
  title = el('h2', { class: 'lesson-title', dir: 'auto' });
  text = el('div', { class: 'lesson-text', dir: 'auto' });
  question = el('div', { class: 'lesson-question', dir: 'auto' });
  code = el('div', { class: 'lesson-code', hidden: true });
  words = el(
    'div',
    { class: 'lesson-words', tabindex: -1, 'aria-live': 'polite' },
    ...[this.title, this.text, this.question],
  );
  back = this.button('button', () => this.go(-1));
  next = this.button('button primary', () => this.go(1));
  again = this.button('quiet', () => this.move('step', this.data.step));
  lines = this.button('quiet lesson-lines', () => this.showCode(this.code.hidden));
  node: HTMLElement;
  relayout = () => crowd(this.node, this.words);

  constructor(
    root: HTMLElement,
    readonly host: Host,
  ) {
    this.pressed = linked<LessonAnswers['moved']>(host, 'moved');
    const foot = el('footer', { class: 'lesson-foot' }, this.back, this.lines, this.again, this.next);
    const head = el('header', { class: 'lesson-head' }, this.name, this.counted, this.fold, this.close);
    this.node = el('section', { class: 'lesson' }, head, this.dots, this.words, this.code, foot);
    root.append(this.node);
    this.listen();
  }

  button(look: string, press: () => void, words = '') {
    return el('button', { class: look, onclick: press }, words);
  }

  listen() {
    const on = () => this.go(1);
    const back = () => this.go(-1);
    /** A teacher's remote control sends these two; outside of a hall they scroll, as always. */
    const inHall = (action: () => unknown) => () => (this.host.scale > 1 ? action() : false);
    const keys: Record<string, () => unknown> = {
      n: on,
      N: on,
      p: back,
      P: back,
      PageDown: inHall(on),
      PageUp: inHall(back),
    };
    for (let n = 0; n < LETTERS.length; n += 1) keys[String(n + 1)] = () => this.answer(n);
    pageKeys(this.host, keys);
  }

  move(way: Way, number = 0) {
    this.host.trigger('moved', { way, number } satisfies LessonAnswers['moved']);
  }

  go(by: number) {
    const to = this.to + by;
    if (to < 0) return false;
    if (to >= this.data.titles.length) this.move('home');
    else this.pressed.report({ way: 'step', number: (this.to = to) });
    return true;
  }

  answer(number: number) {
    const { question } = this.data;
    if (!question || question.answer !== null || number >= question.choices.length) return false;
    this.move('answer', number);
    return true;
  }

  folded(on: boolean) {
    this.node.toggleAttribute('data-folded', on);
    label(this.fold, on ? this.data.words.unfold : this.data.words.fold, on ? '▴' : '▾');
    this.fold.setAttribute('aria-expanded', String(!on));
  }

  update(next: LessonData) {
    const other = next.lesson !== this.data?.lesson;
    if (this.pressed.isNews({ way: 'step', number: next.step }) || other) this.to = next.step;
    this.data = next;
    const { words, step, titles } = next;
    setKind(this.host, next.kind);
    this.node.lang = next.language;
    this.node.setAttribute('aria-label', labelled(words.lesson, next.lesson));
    this.node.title = '';
    this.name.textContent = next.lesson;
    label(this.close, words.close, '×');
    this.folded(this.node.hasAttribute('data-folded'));
    this.drawDots();
    this.counted.textContent = next.counted;
    this.title.replaceChildren(...next.title.map((span) => inline(span, words.computed)));
    this.text.replaceChildren(...flow(next.blocks, words.computed));
    this.drawQuestion();
    this.drawCode();
    label(this.back, `${words.back} (P)`, `← ${words.back}`);
    this.back.disabled = step === 0;
    const last = step === titles.length - 1;
    this.next.classList.toggle('primary', !next.question || next.question.answer !== null);
    label(this.next, `${last ? words.done : words.next} (N)`, `${last ? words.done : words.next} →`);
    label(this.again, words.again, '↺');
    const shown = `${next.lesson} ${step}`;
    if (shown !== this.shown) this.words.scrollTop = this.code.scrollTop = 0;
    this.showCode(!this.code.hidden && next.code !== null);
    this.shown = shown;
    this.relayout();
  }

  drawDots() {
    const { titles, step, asks, answered, words } = this.data;
    const looks = (n: number) =>
      [
        n < step ? 'past' : n === step ? 'now' : '',
        asks[n] ? 'asks' : '',
        answered[n] ? 'answered' : '',
      ].join(' ');
    this.dots.replaceChildren(
      ...titles.map((title, n) => {
        const dot = this.button(`lesson-dot ${looks(n)}`, () => this.move('step', n));
        label(dot, `${n + 1}. ${title}`, '');
        if (n === step) dot.setAttribute('aria-current', 'step');
        return el('li', {}, dot);
      }),
    );
    this.dots.setAttribute('aria-label', words.keys);
  }

  /** The code in place of the text, or the text again. */
  showCode(on: boolean) {
    this.code.hidden = !on;
    this.words.hidden = on;
    this.lines.hidden = this.data.code === null;
    this.lines.setAttribute('aria-expanded', String(on));
    const { words } = this.data;
    label(this.lines, on ? words.hide_code : words.show_code, words.code);
    this.lines.setAttribute('aria-pressed', String(on));
  }

  drawCode() {
    const { code, question, words } = this.data;
    if (code === null) {
      this.code.replaceChildren();
      return;
    }
    const pressed = code.pressed;
    const covered = question !== null && question.answer === null;
    const given = code.given.map(([kind, text]) => (kind === 'code' ? el('code', {}, text) : text));
    const lines = code.lines.map((line, n) => {
      const on = pressed?.number === n;
      const press = () => this.move('line', n);
      const button = el(
        'button',
        { class: 'lesson-line', disabled: covered, 'aria-pressed': String(on), onclick: press },
        el('b', { 'aria-hidden': 'true' }, String(n + 1)),
        el('code', {}, line),
      );
      return el('li', {}, button, on ? lineResult(pressed) : null);
    });
    this.code.replaceChildren(
      el('p', { class: 'lesson-given' }, ...given),
      el('ol', {}, ...lines),
      el('p', { class: 'lesson-before' }, covered ? words.covered : words.press),
    );
  }

  drawQuestion() {
    const { question, words } = this.data;
    this.question.hidden = question === null;
    if (question === null) {
      this.question.replaceChildren(); // the choices of the step before would hide this step's text (lesson.css)
      return;
    }
    const done = question.answer !== null;
    const spans = (listed: Span[]) => listed.map((span) => inline(span, words.computed));
    const choices = question.choices.map((_, n) =>
      el(
        'li',
        {},
        choiceButton(question, n, words, () => this.answer(n)),
      ),
    );
    const parts = [
      el('p', { class: 'lesson-ask' }, ...spans(question.ask)),
      el('ol', { class: 'lesson-choices' }, ...choices),
      done ? el('p', { class: 'lesson-verdict' }, ...spans(question.verdict)) : null,
      done ? null : el('p', { class: 'lesson-before' }, words.predict),
      ...(done ? flow(question.then, words.computed) : []),
    ];
    this.question.replaceChildren(...parts.filter((part) => part !== null));
  }
}

export default viewOf(Lesson);
