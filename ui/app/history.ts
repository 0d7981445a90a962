/* One entry of the browser's history for one action of the reader.

   Streamlit answers `st.switch_page` with other parameters in two steps: the page in view with the new parameters, then the
   new page with them. Each is an entry of the history; the first one nobody has seen, so the browser's Back seemed dead. */

const ACTIONS = ['pointerdown', 'keydown', 'popstate'];

/** Has a new page take the place of an entry that differs from it in the page alone, if the reader has done nothing between. */
export function oneEntry(): void {
  const page = window as unknown as { atlasHistory?: true };
  if (page.atlasHistory) return;
  page.atlasHistory = true;
  let passing = ''; // the address of the last entry, if it has the same page as the one before and the reader's last action made it
  for (const name of ACTIONS)
    window.addEventListener(name, () => (passing = ''), {
      capture: true,
      passive: true,
    });
  const push = history.pushState.bind(history);
  history.pushState = (state: unknown, unused: string, url?: string | URL | null) => {
    const from = new URL(location.href);
    const to = new URL(url ?? '', from);
    const turned = from.pathname !== to.pathname;
    if (turned && passing === from.href && from.search === to.search)
      history.replaceState(state, unused, url);
    else push(state, unused, url);
    passing = turned ? '' : to.href;
  };
}
