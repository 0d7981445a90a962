/* The page is seen once its parts have their room, so that nothing that is seen moves while a link opens. Until then the
   early styles hide it (ui/app/server.py), which also show it after a while should this never run. */

const PATIENCE = 5000; // milliseconds until it is shown whatever is missing

/** Whether a part of the page is not drawn yet: a widget whose code is on its way, or a view in sight. */
function isMissing() {
  if (document.querySelector('[data-testid="stSkeleton"]')) return true;
  if (document.querySelector('.atlas-loading:not(.done)')) return false; // the model is loading, which is said
  if (document.querySelector('[data-test-script-state="running"]')) return true;
  return [...document.querySelectorAll('[data-testid^="stBidiComponent"]')].some((part) => {
    const view = part.shadowRoot?.querySelector('.atlas > .stage-root');
    return !view && part.getBoundingClientRect().top < window.innerHeight;
  });
}

/** Shows the page as soon as nothing in sight is missing. */
export function revealOnceDrawn() {
  const { dataset } = document.documentElement;
  const until = performance.now() + PATIENCE;
  const look = () => {
    if (isMissing() && performance.now() < until) requestAnimationFrame(look);
    else dataset.drawn = '';
  };
  if (dataset.drawn === undefined) look();
}
