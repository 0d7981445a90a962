/* One key toggles full screen for the card under the pointer. The browser keeps it on top and closes it with Esc; this module
   also enlarges its contents, type included. */

const MOST = 2.6; // times larger than on the page
const ROUNDS = 5; // halvings between 1 and MOST
const TYPING =
  'input, textarea, select, [contenteditable], [role="combobox"], [role="listbox"], [role="slider"]';
const CARD = '.card, [class*="st-key-card_"]';
const CONTAINER = '[data-testid="stElementContainer"]';

interface Filling {
  pointed: Element | null;
  filled: HTMLElement | null;
  before: DOMRect | null;
  back(): void;
}

/**
 * Views are separate modules, so the full-screen state is created once per page.
 * @returns null if it already exists
 */
function begin(): Filling | null {
  const page = window as unknown as { atlasFilling?: Filling };
  if (page.atlasFilling) return null;
  return (page.atlasFilling = { pointed: null, filled: null, before: null, back() {} });
}

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
function cardsIn(root: Document | ShadowRoot): HTMLElement[] {
  const own = ([...root.querySelectorAll(CARD)] as HTMLElement[]).filter(cardAround);
  const inside = [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
    shadowRoot ? cardsIn(shadowRoot) : [],
  );
  return [...own, ...inside];
}

/** How much of a card is in sight, in square pixels. */
function seenOf(card: HTMLElement) {
  const { left, right, top, bottom } = card.getBoundingClientRect();
  const wide = Math.min(right, window.innerWidth) - Math.max(left, 0);
  return wide * Math.max(0, Math.min(bottom, window.innerHeight) - Math.max(top, 0));
}

/** The card with the keyboard or the pointer in it, else the one that takes most of the screen. */
function chosen({ pointed }: Filling) {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  const near = cardAround(active) ?? cardAround(pointed?.isConnected ? pointed : null);
  if (near) return near;
  return cardsIn(document).reduce(
    (a, b) => (a && seenOf(a) >= seenOf(b) ? a : b),
    null as HTMLElement | null,
  );
}

/** Enlarges a card's contents; 1 restores their size. */
function enlarge(card: HTMLElement, times: number) {
  const root = card.closest('.atlas') as HTMLElement | null;
  if (!root) return void card.style.setProperty('zoom', times === 1 ? '' : String(times));
  const page = Number(getComputedStyle(document.documentElement).getPropertyValue('--atlas-scale')) || 1;
  if (times === 1) root.style.removeProperty('--atlas-scale');
  else root.style.setProperty('--atlas-scale', String(page * times));
  root.dispatchEvent(new Event('refit'));
}

/** Overrides style properties; returns a function that removes the overrides. */
function dress(node: HTMLElement, wanted: Record<string, string>) {
  for (const [name, value] of Object.entries(wanted)) node.style.setProperty(name, value, 'important');
  return () => Object.keys(wanted).forEach((name) => node.style.removeProperty(name));
}

/**
 * Enlarges a card with charts. A chart takes its size from its container: with plain zoom it would be larger with the same
 * small type, and clipped. So it is drawn for a container smaller by the same factor and scaled as a picture; the charts
 * share the remaining height. Returns a function that restores all sizes, or null for a card without charts.
 */
function enlargeCharts(card: HTMLElement, times: number) {
  const find = (wish: string) => [...card.querySelectorAll(wish)] as HTMLElement[];
  const charts = find('.stPlotlyChart');
  if (!charts.length) return null;
  const containers = charts.map((chart) => (chart.closest(CONTAINER) ?? chart) as HTMLElement);
  const words = find(CONTAINER).filter(
    (container) => !container.querySelector(`${CONTAINER}, .stPlotlyChart`),
  );
  const rooms = containers.map((container) => container.parentElement?.clientWidth ?? container.clientWidth);
  const tall = charts.map((chart) => chart.clientHeight);
  const undo = words.map((container) => dress(container, { zoom: String(times) }));
  // Elements around a chart would shrink and clip it.
  for (const container of containers)
    for (let node = container.parentElement; node && node !== card; node = node.parentElement)
      undo.push(dress(node, { flex: 'none', height: 'auto', 'max-height': 'none', overflow: 'visible' }));
  const spread = (more: number) =>
    charts.forEach((chart, n) => {
      const height = tall[n] + more / charts.length / times;
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
  spread(window.innerHeight - last - parseFloat(getComputedStyle(card).paddingBottom));
  return () => undo.forEach((back) => back());
}

/**
 * Enlarges the card as far as all of it stays visible. A view changes its layout with the width, so the factor is found by
 * bisection; other cards only grow. Returns a function that restores the card's size.
 * @param before where it stood on the page
 */
function fit(card: HTMLElement, { width, height }: DOMRect) {
  const back = () => enlarge(card, 1);
  if (!card.closest('.atlas')) {
    const room = Math.min(window.innerWidth / width, window.innerHeight / height);
    const times = Math.min(MOST, Math.max(1, room));
    const smaller = enlargeCharts(card, times);
    if (!smaller) enlarge(card, times);
    return smaller ?? back;
  }
  let [low, high] = [1, MOST];
  for (let round = 0; round < ROUNDS; round++) {
    const times = (low + high) / 2;
    enlarge(card, times);
    const fits = card.scrollHeight <= card.clientHeight + 1 && card.scrollWidth <= card.clientWidth + 1;
    if (fits) low = times;
    else high = times;
  }
  enlarge(card, low);
  return back;
}

/** The full-screen element, taken from the deepest nested shadow root. */
function filling() {
  let element = document.fullscreenElement;
  while (element?.shadowRoot?.fullscreenElement) element = element.shadowRoot.fullscreenElement;
  return element as HTMLElement | null;
}

/**
 * Toggles full screen for the chosen card.
 * @param inside an element of the card, where it is known
 */
export async function toggleFill(inside: Element | null = null) {
  const page = window as unknown as { atlasFilling?: Filling };
  if (document.fullscreenElement) return document.exitFullscreen();
  const card = cardAround(inside) ?? (page.atlasFilling && chosen(page.atlasFilling));
  if (!card || !page.atlasFilling) return;
  page.atlasFilling.before = card.getBoundingClientRect();
  await card.requestFullscreen?.();
}

/** Listens once a page, for as long as it is open. */
export function listenForFill() {
  const state = begin();
  if (!state) return;
  document.addEventListener('pointermove', (event) => {
    state.pointed = event.composedPath()[0] as Element;
  });
  document.addEventListener('fullscreenchange', () => {
    const now = filling();
    if (state.filled !== now) state.back();
    state.back = () => {};
    state.filled = now?.matches(CARD) ? now : null;
    // The browser lays the screen out before it is measured.
    const { filled, before } = state;
    if (!filled || !before) return;
    requestAnimationFrame(() => {
      if (state.filled === filled) state.back = fit(filled, before);
    });
  });
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const away = event.key === 'Escape' && document.fullscreenElement;
    const target = event.composedPath()[0] as Element;
    if (!away && (event.key.toLowerCase() !== 'f' || target.closest?.(TYPING))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    void toggleFill();
  };
  document.addEventListener('keydown', press, true);
}
