/* Shared by every component, with base_colour.js and base_paint.js. ui/components/base.py puts
   `const TOKENS = {...};` before them and `export default (args) => mount(args, <view>);` after the component.

   A view is a function `(root, host) => ({ update(data), relayout?(), destroy?() })`. Streamlit calls the
   default export again with every new data object and on every theme change; `mount` keeps one view per
   place on the page and hands it the news, so a view builds its DOM once.

   Words from the user (tokens, sentences) reach the page through textContent and canvas text only. */

import { luminance } from './colour.js';
import { el, say } from './dom.js';
import { measureContext } from './paint.js';
import { TOKENS } from './tokens.js';

/* ---------- mounting ---------- */

const mounts = new WeakMap();

function readTheme(root) {
  const background = getComputedStyle(root).getPropertyValue('--st-background-color').trim();
  const probe = measureContext;
  probe.fillStyle = '#ffffff';
  probe.fillStyle = background || '#ffffff'; // the canvas turns any CSS colour into #rrggbb
  return luminance(probe.fillStyle.slice(0, 7)) < 0.25 ? 'dark' : 'light';
}

function applyTheme(root, host) {
  host.theme = readTheme(root);
  host.colours = TOKENS[host.theme];
  root.dataset.theme = host.theme;
  for (const [name, value] of Object.entries(host.colours)) {
    if (typeof value !== 'string') continue;
    root.style.setProperty(`--${name.replaceAll('_', '-')}`, value);
    // A switch between light and dark runs no Python, so the page's own CSS (ui/shell.css) is told here.
    document.documentElement.style.setProperty(`--atlas-${name.replaceAll('_', '-')}`, value);
  }
}

function startView({ parentElement, data }, create) {
  const root = parentElement.querySelector('.atlas');
  root.replaceChildren();
  const stop = new AbortController();
  const host = { root, signal: stop.signal, scale: 1, kindColour: (kind) => host.colours[kind] ?? host.colours.cross };
  applyTheme(root, host);
  // One element one em wide and one as wide as the root: their sizes change with presenter mode and with the page.
  const ruler = el('span', { class: 'ruler', 'aria-hidden': 'true' });
  const tip = el('div', { class: 'tip', role: 'tooltip', hidden: true });
  const stage = el('div', { class: 'stage-root' });
  root.append(stage, ruler, tip);
  host.tip = (words, x, y) => {
    tip.hidden = !words;
    if (!words) return;
    if (typeof words === 'string') tip.textContent = words;
    else say(tip, words);
    const room = root.clientWidth - tip.offsetWidth - 4;
    tip.style.transform = `translate(${Math.max(0, Math.min(room, x + 12))}px, ${y + 14}px)`;
  };
  const readScale = () => (host.scale = (ruler.getBoundingClientRect().width || 100) / 100);
  readScale();
  const view = create(stage, host);
  let size = '';
  const observer = new ResizeObserver(() => {
    readScale();
    const now = `${root.clientWidth}/${host.scale.toFixed(3)}`;
    if (now !== size && size) view.relayout?.();
    size = now;
  });
  observer.observe(root);
  observer.observe(ruler);
  // Canvas text measured before the web font arrives would be set in the wrong widths.
  document.fonts?.ready.then(() => !stop.signal.aborted && view.relayout?.());
  const destroy = () => {
    observer.disconnect();
    stop.abort();
    view.destroy?.();
  };
  return { host, view, destroy, turn: 0 };
}

export function mount(args, create) {
  const place = args.parentElement;
  if (!mounts.has(place)) mounts.set(place, startView(args, create));
  const mounted = mounts.get(place);
  const { host, view } = mounted;
  const turn = ++mounted.turn;
  host.trigger = args.setTriggerValue;
  host.state = args.setStateValue;
  applyTheme(host.root, host);
  view.update(args.data);
  return () => {
    // A late clean-up of an older call must not take down the view a newer call is using.
    if (mounts.get(place) !== mounted || mounted.turn !== turn) return;
    mounted.destroy();
    mounts.delete(place);
  };
}
