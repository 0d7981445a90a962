/* One key lets the card that is pointed at fill the screen, and gives it back. Browsers keep what fills the screen above
   everything else and close it with Esc by themselves; here it is also made larger, so that its words fill it too. */

const MOST = 2.6; // times larger than on the page
const ROUNDS = 5; // halvings between 1 and MOST
const TYPING =
  'input, textarea, select, [contenteditable], [role="combobox"], [role="listbox"], [role="slider"]';
const CARD = '.card, [class*="st-key-card_"]';

/** @typedef {{ pointed: Element | null, filled: HTMLElement | null, before: DOMRect | null }} Filling */

/** Every view is a module of its own: what fills the screen is known once a page. @returns {Filling | null} null when it was made before */
function begin() {
  const page = /** @type {{ atlasFilling?: Filling }} */ (/** @type {unknown} */ (window));
  if (page.atlasFilling) return null;
  return (page.atlasFilling = { pointed: null, filled: null, before: null });
}

/** The card around an element, through the views' shadow roots. @param {Element | null | undefined} element */
function cardAround(element) {
  for (let node = element ?? null; node;) {
    const card = node.closest(CARD);
    if (card) return card.closest('[data-testid="stSidebar"]') ? null : /** @type {HTMLElement} */ (card);
    const root = node.getRootNode();
    node = root instanceof ShadowRoot ? root.host : null;
  }
  return null;
}

/** Every card of the page. @param {Document | ShadowRoot} root @returns {HTMLElement[]} */
function cardsIn(root) {
  const own = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(CARD)]).filter(cardAround);
  const inside = [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
    shadowRoot ? cardsIn(shadowRoot) : [],
  );
  return [...own, ...inside];
}

/** How much of a card is in sight, in square pixels. @param {HTMLElement} card */
function seenOf(card) {
  const { left, right, top, bottom } = card.getBoundingClientRect();
  const wide = Math.min(right, window.innerWidth) - Math.max(left, 0);
  return wide * Math.max(0, Math.min(bottom, window.innerHeight) - Math.max(top, 0));
}

/** The card with the keyboard or the pointer in it, else the one that takes most of the screen. @param {Filling} filling */
function chosen({ pointed }) {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  const near = cardAround(active) ?? cardAround(pointed?.isConnected ? pointed : null);
  if (near) return near;
  return cardsIn(document).reduce(
    (a, b) => (a && seenOf(a) >= seenOf(b) ? a : b),
    /** @type {HTMLElement | null} */ (null),
  );
}

/**
 * Makes a card's contents larger; 1 gives their own size back.
 * @param {HTMLElement} card
 * @param {number} times
 */
function enlarge(card, times) {
  const root = /** @type {HTMLElement | null} */ (card.closest('.atlas'));
  if (!root) return void card.style.setProperty('zoom', times === 1 ? '' : String(times));
  const page = Number(getComputedStyle(document.documentElement).getPropertyValue('--atlas-scale')) || 1;
  if (times === 1) root.style.removeProperty('--atlas-scale');
  else root.style.setProperty('--atlas-scale', String(page * times));
  root.dispatchEvent(new Event('refit'));
}

/**
 * Gives the charts of a card `more` pixels of height together; null takes them back.
 * @param {HTMLElement} card
 * @param {number | null} more
 */
function stretchCharts(card, more) {
  const charts = [...card.querySelectorAll('.stPlotlyChart')];
  for (const chart of charts) {
    const tall = chart.clientHeight + (more ?? 0) / charts.length;
    for (let node = /** @type {Element | null} */ (chart); node && node !== card; node = node.parentElement) {
      const { style } = /** @type {HTMLElement} */ (node);
      if (more === null) style.removeProperty('height');
      else if (node === chart || node.children.length === 1)
        style.setProperty('height', `${tall}px`, 'important');
      if (node.matches('[data-testid="stElementContainer"]')) break;
    }
  }
  return charts.length > 0;
}

/**
 * As large as all of the card is in sight. A view lays itself out anew for another width, so its size is found by trying;
 * other cards only grow.
 * @param {HTMLElement} card
 * @param {DOMRect} before where it stood on the page
 */
function fit(card, { width, height }) {
  if (!card.closest('.atlas')) {
    // A chart takes its size from its place: zoomed, it would be drawn larger and cut.
    if (stretchCharts(card, window.innerHeight - height)) return;
    return enlarge(
      card,
      Math.min(MOST, Math.max(1, Math.min(window.innerWidth / width, window.innerHeight / height))),
    );
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
}

/** What fills the screen; the deepest of the nested roots knows. */
function filling() {
  let element = document.fullscreenElement;
  while (element?.shadowRoot?.fullscreenElement) element = element.shadowRoot.fullscreenElement;
  return /** @type {HTMLElement | null} */ (element);
}

/**
 * Lets the chosen card fill the screen, or gives back the one that does.
 * @param {Element | null} inside an element of the card, where it is known
 */
export async function toggleFill(inside = null) {
  const page = /** @type {{ atlasFilling?: Filling }} */ (/** @type {unknown} */ (window));
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
    state.pointed = /** @type {Element} */ (event.composedPath()[0]);
  });
  document.addEventListener('fullscreenchange', () => {
    const now = filling();
    if (state.filled && state.filled !== now) {
      enlarge(state.filled, 1);
      stretchCharts(state.filled, null);
    }
    state.filled = now?.matches(CARD) ? now : null;
    // The browser lays the screen out before it is measured.
    const { filled, before } = state;
    if (filled && before) requestAnimationFrame(() => state.filled === filled && fit(filled, before));
  });
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const away = event.key === 'Escape' && document.fullscreenElement;
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (!away && (event.key.toLowerCase() !== 'f' || target.closest?.(TYPING))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    void toggleFill();
  };
  document.addEventListener('keydown', press, true);
}
