/* Tabs of a page: a click or an arrow key opens a section and hides the others. */

/** Links each tab to the section of its number; returns what opens one. `opened` hears of each. */
export function linkTabs(tabs: HTMLElement[], sections: HTMLElement[], opened: (n: number) => void) {
  const open = (n: number) => {
    sections.forEach((section, k) => (section.hidden = k !== n));
    tabs.forEach((tab, k) => {
      tab.setAttribute('aria-selected', String(k === n));
      tab.tabIndex = k === n ? 0 : -1;
    });
    opened(n);
  };
  tabs.forEach((tab, n) => {
    tab.addEventListener('click', () => open(n));
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = (n + step + tabs.length) % tabs.length;
      open(next);
      tabs[next].focus();
      event.preventDefault();
      event.stopPropagation();
    });
  });
  return open;
}
