/* The most likely next words as bars; a click on one forces it. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { Kind, StepData } from '../web/generated/types.ts';
import { el } from '../web/base/dom.ts';
import { grouped, plural, tr } from '../web/base/language.ts';
import { shorten } from '../web/base/paint.ts';
import { percent, visible } from '../web/base/words.ts';
import './next_word.css';

const SHORT = 11; // letters of a word that there is room for at full size

export interface Candidate {
  id: number;
  label: string;
}

type Listed = Candidate & {
  probability: number;
  rank: number;
  listed: boolean;
  barred: boolean;
  cut: boolean;
};

/**
 * The candidates drawn: the most probable, and the one written where it is not among them; the last one that the limit
 * keeps has `cut`.
 */
export function candidates({ ids, labels, probabilities, chosen, extra, barred, cut }: StepData): Listed[] {
  let kept = 0;
  const listed = ids.map((id, n) => {
    const bars = barred.includes(id);
    if (!bars) kept += 1; // what is passed over is not counted
    const last = cut !== null && !bars && kept === cut.count;
    return {
      id,
      label: labels[n],
      probability: probabilities[n],
      rank: n + 1,
      listed: true,
      barred: bars,
      cut: last,
    };
  });
  if (!extra || chosen === null) return listed;
  return [...listed, { ...extra, id: chosen, listed: false, barred: false, cut: false }];
}

/** The number of the step whose written token had the smallest probability. */
export function leastCertain(steps: StepData[]) {
  const of = ({ ids, probabilities, chosen, extra }: StepData) =>
    extra?.probability ?? probabilities[ids.indexOf(chosen ?? -1)] ?? 1;
  return steps.reduce((least, step, n) => (of(step) < of(steps[least]) ? n : least), 0);
}

/** The words below the bars. */
export function restWords({ rest: [count, mass], cut, ids }: StepData) {
  if (!count) return '';
  const others = plural('{count} other: {share}', '{count} others: {share}', count, {
    share: percent(mass, 1),
  });
  if (!cut || cut.count <= ids.length) return others;
  const limit = { limit: cut.label };
  return `${others} · ${plural('{limit} keeps {count} word', '{limit} keeps {count} words', cut.count, limit)}`;
}

const FULL = 62; // percent of the track that a probability of 1 takes in a picture; the number stands right of its bar
const NUMBER = 4.6; // letters' widths that the number beside the bar takes

function makeBar(force: (candidate: Candidate) => void) {
  const word = el('bdi', { class: 'bar-word', dir: 'auto' });
  const fill = el('span', { class: 'bar-fill' });
  const number = el('span', { class: 'bar-number' });
  const tag = el('span', { class: 'bar-tag' });
  const track = el('span', { class: 'bar-track' }, fill, el('span', {}, number, ' ', tag));
  const bar = { candidate: null as Candidate | null, idle: false };
  const press = () => !bar.idle && bar.candidate && force(bar.candidate);
  const button = el('button', { class: 'bar', onclick: press }, word, ' ', track);
  return Object.assign(bar, {
    word,
    fill,
    number,
    tag,
    button,
    item: el('li', { class: 'bar-row' }, button),
  });
}

export class NextWord {
  list = el('ul', { class: 'bars' });
  rest = el('p', { class: 'rest' });
  bars: ReturnType<typeof makeBar>[] = [];
  step!: StepData;
  kind: Kind = 'cross';
  forcible = true;

  /** `force` is called for a candidate that is clicked. */
  constructor(
    parent: HTMLElement,
    readonly host: Host,
    readonly force: (candidate: Candidate) => void,
  ) {
    parent.append(el('div', { class: 'bars-place' }, this.list, this.rest));
  }

  /** `forcible`: whether another word may be forced. */
  update(step: StepData, kind: Kind, forcible: boolean) {
    [this.step, this.kind, this.forcible] = [step, kind, forcible];
    this.list.style.setProperty('--kind', this.host.colours[kind]);
    const shown: Element[] = [];
    candidates(step).forEach((candidate, n) => {
      shown.push(this.fillBar(n, candidate));
      if (candidate.cut) shown.push(el('li', { class: 'cut' }, el('span', {}, step.cut?.label)));
    });
    const { children } = this.list;
    const same = shown.length === children.length && shown.every((node, n) => node === children[n]);
    if (!same) this.list.replaceChildren(...shown);
    this.rest.textContent = restWords(step);
  }

  fillBar(n: number, candidate: Listed) {
    const bar = (this.bars[n] ??= makeBar(this.force));
    const { label, probability } = candidate;
    bar.candidate = { id: candidate.id, label };
    const chosen = candidate.id === this.step.chosen;
    bar.idle = chosen || candidate.barred || !this.forcible;
    bar.word.textContent = visible(label);
    bar.word.classList.toggle('long', visible(label).length > SHORT);
    const tag = this.tagOf(candidate);
    bar.number.textContent = percent(probability, 1);
    bar.tag.textContent = tag;
    // The longest bar and its words fill the card.
    const beside = NUMBER + 0.55 * tag.length;
    bar.fill.style.width = `calc(${probability.toFixed(5)} * (100% - ${beside.toFixed(1)}em))`;
    bar.button.classList.toggle('chosen', chosen);
    bar.button.classList.toggle('barred', candidate.barred);
    bar.button.setAttribute('aria-disabled', String(candidate.barred || !this.forcible));
    bar.button.title = label;
    const forced = this.forcible ? tr('force this word') : '';
    const then = chosen ? tr('written') : candidate.barred ? tr('never written') : forced;
    bar.button.setAttribute(
      'aria-label',
      [[visible(label), percent(probability, 1), tag].filter(Boolean).join(' '), then]
        .filter(Boolean)
        .join(', '),
    );
    return bar.item;
  }

  tagOf({ id, listed, rank, barred }: Listed) {
    if (id === this.step.chosen && this.step.forced) return tr('forced');
    if (barred) return tr('never written');
    if (id === this.step.fixed) return tr('always first');
    return listed ? '' : tr('rank {rank}', { rank: grouped(rank) });
  }

  /* ---------- leaving the page ---------- */

  get leaving(): Pick<Leaving, 'size' | 'draw' | 'rows'> {
    const u = () => this.host.scale;
    return {
      size: () => [420 * u(), (candidates(this.step).length + 1) * 24 * u()],
      draw: (p) => this.draw(p, u()),
      rows: () => [
        ['rank', 'token', 'id', 'probability', 'written'],
        ...candidates(this.step).map(({ rank, label, id, probability }) => [
          ...[rank, label, id, probability],
          id === this.step.chosen ? 'yes' : '',
        ]),
      ],
    };
  }

  draw(p: Painter, u: number) {
    const c = this.host.colours;
    const { cut, chosen } = this.step;
    const words = cut?.label ?? '';
    const track = 120 * u;
    candidates(this.step).forEach((candidate, n) => {
      const { label, probability, id } = candidate;
      const y = n * 24 * u;
      const on = id === chosen;
      const width = Math.max(2, ((probability * FULL) / 100) * 300 * u);
      const word = shorten(visible(label), track - 10 * u, 15 * u);
      const weight = on ? 650 : 400;
      p.text(track - 10 * u, y + 17 * u, word, {
        size: 15 * u,
        mono: true,
        align: 'right',
        weight,
        fill: c.ink,
      });
      p.rect(track, y + 5 * u, width, 15 * u, { fill: on ? c[this.kind] : c.bar, radius: 4 * u });
      const number = [percent(probability, 1), this.tagOf(candidate)].filter(Boolean).join('  ');
      p.text(track + width + 8 * u, y + 17 * u, number, { size: 13 * u, fill: on ? c.ink : c.muted });
      if (!candidate.cut) return;
      p.rect(0, y + 24 * u, 420 * u, 1.5, { fill: c.causal });
      p.text(420 * u, y + 21 * u, words, { size: 12 * u, align: 'right', fill: c.causal_text });
    });
    const bottom = (candidates(this.step).length + 0.8) * 24 * u;
    p.text(track, bottom, restWords(this.step), { size: 13 * u, fill: c.muted });
  }
}
