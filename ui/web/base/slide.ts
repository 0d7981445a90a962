/* One card alone, as a slide. F toggles it for the card under the pointer, and a link names one (`full=CARD`): the card
   fills the window beside an open lesson, everything else is invisible, and its contents grow as far as all of it stays
   in sight. Views are separate modules, so the state exists once per page. */

const [LEAST, MOST] = [1.4, 3]; // sizes of the contents, 1 as on the page; type of 13 pixels is 18 at the smallest
const NARROW = 590; // CSS pixels of a phone, whose type is that of the page
const ROUNDS = 6; // halvings between the two
const SMALLEST = 60; // pixels of the design below which no picture is made
const CHART = 250; // pixels of a phone below which no chart is made: there the card scrolls beside a lesson
const EVERY = 300; // milliseconds between two looks at whether the card is there, and still fits
const PATIENCE = 12; // looks at a page at rest without the card, until it counts as missing
const SETTLES = 1500; // milliseconds at rest until a page that was a slide is taken for whole again
const AT_MOST = 10_000; // and until it is left as it is
const REMOUNT = 1000; // milliseconds in which the keeper of a page that is drawn again has its successor
const TYPING =
  'input, textarea, select, [contenteditable], [role="combobox"], [role="listbox"], [role="slider"]';
/** A card of the page or of a view. */
export const CARD = '.card, [class*="st-key-card_"]';
const CONTAINER = '[data-testid="stElementContainer"]';
const MARK = 'data-slide-card';

/** Whether a course page shows this card in a frame (`embed=1`): then nothing leads away from the card. */
export const EMBEDDED = new URLSearchParams(globalThis.location?.search ?? '').get('embed') === '1';

/** The address of the whole page for one of an embedded card. */
export function pageAddress(embedded: string) {
  const address = new URL(embedded);
  for (const name of ['embed', 'full']) address.searchParams.delete(name);
  return address.href;
}

/** Who keeps the slide in the link, and the card that it has. */
interface Keeper {
  card: string;
  tell(name: string, missing?: boolean): void;
}

interface Slide {
  keepers: Keeper[];
  pointed: Element | null;
  card: HTMLElement | null;
  /** The card that is wanted, which may not be there yet; empty: none. */
  name: string;
  signature: string;
  idle: number;
  timer: number;
  undo(): void;
  /** Scrolls the page to where it was before the slide. */
  scrollBack(): void;
  /** Says which card is shown, where there is somebody to keep it in the link; `missing`: it is not on this page. */
  tell: Keeper['tell'];
}

const page = globalThis as unknown as { atlasSlide?: Slide };

/** The card around an element, through the views' shadow roots. */
function cardAround(element: Element | null | undefined) {
  for (let node = element ?? null; node;) {
    const card = node.closest(CARD);
    if (card) return card.closest('[data-testid="stSidebar"]') ? null : (card as HTMLElement);
    const root = node.getRootNode();
    node = root instanceof ShadowRoot ? root.host : null;
  }
  return null;
}

/** Every card of the page. */
function cardsIn(root: Document | ShadowRoot | HTMLElement): HTMLElement[] {
  const own = ([...root.querySelectorAll(CARD)] as HTMLElement[]).filter(cardAround);
  const inside = [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
    shadowRoot ? cardsIn(shadowRoot) : [],
  );
  return [...own, ...inside];
}

/**
 * The name of a card in links: its key on the page, or its view's key without the attention kind, with a number from the
 * second card of a view on.
 */
function cardName(card: HTMLElement): string {
  const own = /st-key-card_([\w-]+)/.exec(card.className);
  if (own) return own[1];
  const root = card.getRootNode() as Document | ShadowRoot;
  const host = root instanceof ShadowRoot ? root.host : card;
  const key = /st-key-([\w-]+)/.exec(host.closest('[class*="st-key-"]')?.className ?? '');
  const nth = [...root.querySelectorAll('.card')].indexOf(card);
  const name = (key?.[1] ?? 'card').replace(/[_-](encoder|causal|cross|view)$/, '');
  return `${name}${nth > 0 ? `-${nth + 1}` : ''}`;
}

/** The card of a view within this card of the page, which frames it with controls; the card itself where it frames none. */
function framed(card: HTMLElement): HTMLElement {
  if (!card.matches('[class*="st-key-card_"]')) return card;
  const views = cardsIn(card).filter(({ offsetHeight }) => offsetHeight);
  return views.length === 1 && 2 * seenHeight(views[0]) > seenHeight(card) ? views[0] : card;
}

const seenHeight = (card: HTMLElement) => card.getBoundingClientRect().height;

/** How much of a card is in sight, in square pixels. */
function seenOf(card: HTMLElement) {
  const { left, right, top, bottom } = card.getBoundingClientRect();
  const wide = Math.min(right, window.innerWidth) - Math.max(left, 0);
  return wide * Math.max(0, Math.min(bottom, window.innerHeight) - Math.max(top, 0));
}

/** The card with the keyboard or the pointer in it, else the one that takes most of the screen. */
function chosen({ pointed }: Slide) {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  const near = cardAround(active) ?? cardAround(pointed?.isConnected ? pointed : null);
  if (near) return near;
  return cardsIn(document).reduce(
    (a, b) => (a && seenOf(a) >= seenOf(b) ? a : b),
    null as HTMLElement | null,
  );
}

/** Overrides style properties; returns a function that removes the overrides. */
function dress(node: HTMLElement, wanted: Record<string, string>) {
  for (const [name, value] of Object.entries(wanted)) node.style.setProperty(name, value, 'important');
  return () => Object.keys(wanted).forEach((name) => node.style.removeProperty(name));
}

const onPhone = () => window.innerWidth < NARROW;

/** The pixels by which a card's contents are larger than the card; not above 0: all of it is in sight. */
const excess = (card: HTMLElement) =>
  Math.max(card.scrollHeight - card.clientHeight, card.scrollWidth - card.clientWidth) - 1;

/** The largest size between two at which `fits` holds; the smallest where it holds at none. */
function largest(least: number, most: number, fits: (times: number) => boolean) {
  let [low, high] = [least, most];
  for (let round = 0; round < ROUNDS; round++) {
    const times = (low + high) / 2;
    if (fits(times)) low = times;
    else high = times;
  }
  return low;
}

/**
 * Enlarges a card with charts. A chart takes its size from its container: with plain zoom it would be larger with the same
 * small type, and clipped. So it is drawn for a container smaller by the same factor and scaled as a picture; the charts
 * share the remaining height. Returns a function that restores all sizes, or null for a card without charts.
 */
function fitCharts(card: HTMLElement, times: number) {
  const find = (wish: string) => [...card.querySelectorAll(wish)] as HTMLElement[];
  const charts = find('.stPlotlyChart');
  if (!charts.length) return null;
  const containers = charts.map((chart) => (chart.closest(CONTAINER) ?? chart) as HTMLElement);
  const words = find(CONTAINER).filter(
    (container) => !container.querySelector(`${CONTAINER}, .stPlotlyChart`),
  );
  const rooms = containers.map((container) => container.parentElement?.clientWidth ?? container.clientWidth);
  const tall = charts.map((chart) => chart.clientHeight);
  // Columns beside each other keep their widths, which are those of their charts.
  const columns = new Map(
    find('[data-testid="stColumn"]').map((column) => [
      column as Element,
      `0 0 ${Math.floor(column.getBoundingClientRect().width)}px`,
    ]),
  );
  const undo = words.map((container) => dress(container, { zoom: String(times) }));
  // Elements around a chart would shrink and clip it.
  for (const container of containers)
    for (let node = container.parentElement; node && node !== card; node = node.parentElement)
      undo.push(
        dress(node, {
          flex: columns.get(node) ?? 'none',
          height: 'auto',
          'max-height': 'none',
          overflow: 'visible',
        }),
      );
  const spread = (more: number) =>
    charts.forEach((chart, n) => {
      const height = Math.max(onPhone() ? CHART : SMALLEST, tall[n] + more / charts.length / times);
      const size = { width: `${rooms[n] / times}px`, height: `${height}px`, overflow: 'visible' };
      for (let node = chart; node !== containers[n]; node = node.parentElement as HTMLElement)
        undo.push(dress(node, size));
      const below = { 'margin-bottom': `${height * (times - 1)}px` };
      undo.push(dress(containers[n], { ...size, ...below, 'min-width': '0', 'align-self': 'flex-start' }));
      // The picture alone: around it the page measures for how much room it is drawn.
      const picture = chart.querySelector('.js-plotly-plot') as HTMLElement | null;
      if (picture) undo.push(dress(picture, { transform: `scale(${times})`, 'transform-origin': '0 0' }));
    });
  spread(0);
  const last = card.lastElementChild?.getBoundingClientRect().bottom ?? 0;
  // A pixel less, which rounded sizes would need.
  spread(card.getBoundingClientRect().bottom - last - parseFloat(getComputedStyle(card).paddingBottom) - 1);
  return () => undo.forEach((back) => back());
}

/** Enlarges a card of Streamlit elements; returns a function that restores it. `before`: its size on the page. */
function fitElements(card: HTMLElement, { width, height }: DOMRect) {
  const { clientWidth, clientHeight } = card;
  const fits = Math.min(clientWidth / width, clientHeight / height);
  const room = onPhone() ? 1 : Math.min(MOST, Math.max(1, fits));
  const charts = fitCharts(card, room);
  if (charts) return charts;
  const inner = ([...card.children] as HTMLElement[]).filter((child) => child.offsetHeight);
  let undo: (() => void)[] = [];
  const zoom = (times: number) => {
    undo.forEach((back) => back());
    undo = inner.map((child) => dress(child, { zoom: String(times) }));
    return excess(card) <= 0;
  };
  zoom(largest(1, MOST / LEAST, zoom));
  return () => undo.forEach((back) => back());
}

/**
 * Enlarges a card of a view, whose layout changes with its width. Where even the smallest type leaves it too tall, its
 * pictures get less room (`inSight` in view.ts reads it). Returns a function that restores the card.
 */
function fitView(card: HTMLElement, root: HTMLElement) {
  const draw = (times: number, room: number) => {
    root.style.setProperty('--atlas-scale', String(times));
    root.dataset.slideRoom = String(Math.round(room));
    root.dispatchEvent(new Event('refit'));
    return excess(card) <= 0;
  };
  const least = onPhone() ? 1 : LEAST;
  const most = Number(card.dataset.slideMost ?? MOST);
  const times = largest(least, most, (size) => draw(size, window.innerHeight / size));
  const room = window.innerHeight / times;
  if (!draw(times, room))
    draw(
      times,
      largest(SMALLEST, room, (tall) => draw(times, tall)),
    );
  return () => {
    root.style.removeProperty('--atlas-scale');
    delete root.dataset.slideRoom;
    root.dispatchEvent(new Event('refit'));
  };
}

/** Says whether a card has to be fitted again: the sizes, and how its charts are scaled, which a chart drawn anew is not. */
function signatureOf(card: HTMLElement) {
  const sizes = [window.innerWidth, window.innerHeight, card.clientWidth, card.clientHeight];
  const charts = [...card.querySelectorAll('.js-plotly-plot')] as HTMLElement[];
  return [...sizes, card.scrollHeight, ...charts.map(({ style }) => style.transform)].join();
}

/** Shows a card as a slide, or fits it again. */
function show(state: Slide, card: HTMLElement) {
  state.undo();
  const before = card.getBoundingClientRect();
  document.documentElement.toggleAttribute('data-slide', true);
  card.setAttribute(MARK, '');
  const root = card.closest('.atlas') as HTMLElement | null;
  const smaller = root ? fitView(card, root) : fitElements(card, before);
  state.card = card;
  state.signature = signatureOf(card);
  state.undo = () => {
    smaller();
    card.removeAttribute(MARK);
    state.undo = () => {};
  };
}

const rests = () =>
  document.querySelector('[data-test-script-state]:not([data-test-script-state="running"])') !== null;

/**
 * Remembers where the page is scrolled to. While it is drawn for a slide and back it can be too short to stay there; the
 * returned function brings it back and holds it until the page is at rest or the reader does something.
 */
function rememberScroll() {
  const main = document.querySelector('[data-testid="stMain"]');
  if (!main) return () => {};
  const [top, path] = [main.scrollTop, location.pathname];
  return () => {
    if (location.pathname !== path || !main.isConnected) return;
    const began = performance.now();
    const acts = ['wheel', 'touchstart', 'pointerdown', 'keydown'];
    let [height, set, since] = [-1, -1, began];
    const stop = () => {
      window.clearInterval(timer);
      for (const act of acts) document.removeEventListener(act, stop, true);
    };
    const hold = () => {
      const [now, same] = [performance.now(), main.scrollHeight === height];
      if (same && main.scrollTop !== set) return stop(); // somebody scrolls
      if (!same) main.scrollTop = top;
      [height, set] = [main.scrollHeight, main.scrollTop];
      if (!same || !rests()) since = now;
      if (now - since > SETTLES || now - began > AT_MOST) stop();
    };
    const timer = window.setInterval(hold, EVERY / 6);
    for (const act of acts) document.addEventListener(act, stop, true);
    hold();
  };
}

/** Finds the wanted card, keeps it fitted, and gives up on one that the page does not have. */
function look(state: Slide) {
  if (state.card?.isConnected && state.card.hasAttribute(MARK)) {
    if (signatureOf(state.card) !== state.signature) show(state, state.card);
    return;
  }
  state.card = null;
  const card = cardsIn(document).find((each) => cardName(each) === state.name && each.offsetHeight);
  if (card) return show(state, framed(card));
  state.idle = rests() ? state.idle + 1 : 0;
  if (state.idle < PATIENCE) return;
  const { name } = state;
  showSlide('');
  state.tell(name, true);
}

/** Shows the card of this name as a slide as soon as it is there; an empty name leaves the slide. */
function showSlide(name: string, card: HTMLElement | null = null) {
  const state = page.atlasSlide;
  if (!state || (name === state.name && (state.card?.isConnected || !name))) return;
  if (!state.name) state.scrollBack = rememberScroll();
  state.undo();
  [state.name, state.card, state.idle] = [name, null, 0];
  window.clearInterval(state.timer);
  document.documentElement.toggleAttribute('data-slide', name !== '');
  if (!name) {
    if (document.fullscreenElement) void document.exitFullscreen();
    state.scrollBack();
    return;
  }
  if (card) show(state, card);
  state.timer = window.setInterval(() => look(state), EVERY);
}

/** Whether a card is shown as a slide, or is about to be. */
export const isSlide = () => document.documentElement.hasAttribute('data-slide');

/**
 * Keeps the slide in the link: `tell` is called with the card that the reader shows. While a page is drawn again there can
 * be several keepers for a moment; the last one that asked for a card is heard, and once it goes the one before it.
 */
export function keepSlide(tell: Slide['tell']) {
  const state = page.atlasSlide;
  const keeper: Keeper = {
    card: '',
    tell(card, missing) {
      keeper.card = missing ? '' : card;
      tell(card, missing);
    },
  };
  const hear = (wanted: Keeper | undefined) => {
    if (state) state.tell = wanted?.tell ?? (() => {});
    showSlide(wanted?.card ?? '');
  };
  return {
    show(card: string) {
      keeper.card = card;
      if (state) state.keepers = [...state.keepers.filter((each) => each !== keeper), keeper];
      hear(keeper);
    },
    leave() {
      if (!state) return;
      const heard = state.keepers.at(-1) === keeper;
      state.keepers = state.keepers.filter((each) => each !== keeper);
      if (!heard) return;
      if (state.keepers.length) return hear(state.keepers.at(-1));
      // Closed at once, the slide would leave the whole screen, and be left for good when that is done.
      state.tell = () => {};
      window.setTimeout(() => state.keepers.length || hear(undefined), REMOUNT);
    },
  };
}

/**
 * Toggles the slide of the chosen card, on the whole screen where the browser allows it.
 * @param inside an element of the card, where it is known
 */
export function toggleSlide(inside: Element | null = null) {
  const state = page.atlasSlide;
  if (!state) return;
  const around = isSlide() ? null : (cardAround(inside) ?? chosen(state));
  const card = around && framed(around);
  const name = card ? cardName(card) : '';
  if (card) document.documentElement.requestFullscreen?.().catch(() => {}); // refused, the window is filled
  showSlide(name, card);
  state.tell(name);
}

/** Listens once a page, for as long as it is open. */
export function listenForSlides() {
  if (page.atlasSlide) return;
  const nothing = () => {};
  const blank = { keepers: [], pointed: null, card: null, name: '', signature: '', idle: 0, timer: 0 };
  const state: Slide = (page.atlasSlide = { ...blank, undo: nothing, scrollBack: nothing, tell: nothing });
  document.addEventListener('pointermove', (event) => {
    state.pointed = event.composedPath()[0] as Element;
  });
  document.addEventListener('fullscreenchange', () => {
    if (!document.fullscreenElement && isSlide()) toggleSlide();
  });
  const press = (event: KeyboardEvent) => {
    if (EMBEDDED || event.ctrlKey || event.metaKey || event.altKey) return;
    const away = event.key === 'Escape' && isSlide();
    const target = event.composedPath()[0] as Element;
    if (!away && (event.key.toLowerCase() !== 'f' || target.closest?.(TYPING))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    toggleSlide();
  };
  document.addEventListener('keydown', press, true);
}
