/* The page is seen once its parts have their room, so that nothing that is seen moves while a link opens. Until then the
   early styles hide it (ui/app/server.py), which also show it after a while should this never run. */

const CONTAINER = '[data-testid="stElementContainer"]';
const PATIENCE = 5000; // milliseconds until it is shown whatever is missing
const FOR_A_RUN = 1000; // and until a run counts as one that computes, whose results come below what is there

/** Whether a part of the page is not drawn yet: a widget whose code is on its way, or a view in sight. */
function isMissing(waited: number) {
  const skeletons = [...document.querySelectorAll('[data-testid="stSkeleton"]')];
  if (skeletons.some((part) => !part.closest('[class*="st-key-chart_"]'))) return true;
  if (document.querySelector('.atlas-loading:not(.done)')) return false; // the model is loading, which is said
  if (waited < FOR_A_RUN && document.querySelector('[data-test-script-state="running"]')) return true;
  return [...document.querySelectorAll('[data-testid^="stBidiComponent"]')].some((part) => {
    const view = part.shadowRoot?.querySelector('.atlas > .stage-root');
    // Those that are never seen take no room (ui/style/shell.css).
    const takesRoom = getComputedStyle(part.closest(CONTAINER) ?? part).position !== 'absolute';
    return !view && takesRoom && part.getBoundingClientRect().top < window.innerHeight;
  });
}

/** Shows the page as soon as nothing in sight is missing. */
export function revealOnceDrawn() {
  const { dataset } = document.documentElement;
  const began = performance.now();
  const look = () => {
    const waited = performance.now() - began;
    if (waited < PATIENCE && isMissing(waited)) requestAnimationFrame(look);
    else dataset.drawn = '';
  };
  if (dataset.drawn === undefined) look();
}
