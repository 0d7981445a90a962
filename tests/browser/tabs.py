"""Tabs that stay open between tests and are turned to another address, as the browser's Back and Forward turn them.

Loading the page takes five times the work of turning it (1.6 s and 0.3 s of processor; with charts 4.7 s): all of
Streamlit's code is compiled and run again. A turned tab has the same session, which takes its selection from the new
address as it does from any link; everything a page has drawn is taken down, because the tab rests on another page between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, ConsoleMessage, Page

MOST = 5  # tabs that are kept
SELDOM = 60  # turns after which a tab is loaded again, so that nothing grows without end
AT_REST = ("lenses", "alignment")  # the first, or after a test on that page the second
PATIENCE = 60_000  # milliseconds
# Count the runs of the script that ended whole, from what the server sends: field 6 of a message, `script_finished`, which
# is 0 then. The page's own sign of a run (`data-test-script-state`) is skipped when a run is quick and the machine is busy.
_COUNT_RUNS = """(() => {
  const ended = (bytes) => {
    let at = 0;
    const varint = () => {
      let value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = bytes[at++];
        value += (byte & 127) * scale;
        if (!(byte > 127)) return value;
      }
    };
    while (at < bytes.length) {
      const tag = varint();
      const kind = tag % 8;
      const value = kind === 0 || kind === 2 ? varint() : 0;
      if (tag === 6 * 8) return value === 0;
      at += { 1: 8, 2: value, 5: 4 }[kind] ?? 0;
    }
    return false;
  };
  window.__runs = 0;
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => {
        if (data instanceof ArrayBuffer && ended(new Uint8Array(data))) window.__runs += 1;
      });
    }
  };
})()"""
# A canvas does not tell what is written on it: sizes are taken down as they are drawn, until it is cleared.
WRITTEN = r"""(() => {
  const { prototype } = CanvasRenderingContext2D;
  const write = prototype.fillText;
  prototype.fillText = function (words, ...rest) {
    const { a, b } = this.getTransform();
    const size = parseFloat(/([\d.]+)px/.exec(this.font)[1]) * Math.hypot(a, b) / (devicePixelRatio || 1);
    if (String(words).trim()) (this.canvas.written ??= []).push([size, String(words)]);
    return write.call(this, words, ...rest);
  };
  const width = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, 'width');
  Object.defineProperty(HTMLCanvasElement.prototype, 'width', {
    get() { return width.get.call(this); },
    set(value) { this.written = []; width.set.call(this, value); },
  });
})();"""
# Go to an address without loading it; done when the script has run for it and what it drew is there.
_TURN = """async ([address, patience]) => {
  const app = document.querySelector('[data-testid="stApp"]');
  const late = performance.now() + patience;
  const until = async (done) => {
    while (!done()) {
      if (performance.now() > late) throw new Error('the page was not turned');
      await new Promise((next) => setTimeout(next, 20));
    }
  };
  const still = () => app.dataset.testScriptState === 'notRunning';
  await until(still);
  const runs = window.__runs;
  history.pushState({}, '', address);
  dispatchEvent(new PopStateEvent('popstate', { state: {} }));
  await until(() => window.__runs > runs);
  await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
  await until(still);
}"""
_LEFT_BEHIND = '[data-baseweb="popover"], [data-testid="stDialog"], [data-testid="stException"]'


class Screen(NamedTuple):
    """What a tab has from its first moment and keeps: a page drawn for another screen is another page."""

    width: int
    height: int
    scheme: Literal["light", "dark"]
    motion: Literal["reduce", "no-preference"]


class Tabs:
    """The tabs of a run: those at rest, by the screen they were opened for, and those in use."""

    def __init__(self, context: BrowserContext, server: str) -> None:
        self.context, self.server = context, server
        self.errors: list[str] = []  # of all tabs on the app, since a test began
        self._resting: list[tuple[Screen, Page]] = []
        self._used: list[tuple[Screen, Page]] = []
        self._turns: dict[Page, int] = {}
        # While one tab is open Chromium keeps the process, and with it what is compiled, for the next.
        self._keeper = context.new_page()
        self._keeper.goto(f"{server}/_stcore/health")

    def load(self, screen: Screen, address: str) -> Page:
        """A new tab that loads the address; it is closed after the test."""
        page = self.context.new_page()
        page.set_viewport_size({"width": screen.width, "height": screen.height})
        page.emulate_media(color_scheme=screen.scheme, reduced_motion=screen.motion)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._complain)
        page.add_init_script(_COUNT_RUNS)
        page.add_init_script(WRITTEN)
        page.goto(f"{self.server}{address}")
        return page

    def _complain(self, line: ConsoleMessage) -> None:
        """Take down an error of the console; what Streamlit cannot fetch without a network is none of ours."""
        if line.type == "error" and not line.text.startswith("Failed to load resource"):
            self.errors.append(line.text)

    def turn(self, screen: Screen, address: str, tab: Page | None = None) -> Page:
        """A tab turned to the address: `tab`, or one that was at rest; a new one where none was, or it does not turn."""
        if tab is not None and self._as_opened(screen, tab) and self.turned(tab, address):
            return tab
        places = [i for i, (of, _) in enumerate(self._resting) if of == screen]
        place = places[-1] if places else None  # the one that came to rest last
        page = self._resting.pop(place)[1] if place is not None else None
        if page is None or not self.turned(page, address):
            page = self.load(screen, address)
        self._used.append((screen, page))
        self._turns[page] = self._turns.get(page, 0) + 1
        return page

    def rest(self, keep: bool) -> None:
        """After a test: bring the tabs it used to rest if they are to be kept, close every other one."""
        used, self._used = self._used, []
        for screen, page in used:
            if keep and self._turns[page] < SELDOM and self._comes_to_rest(screen, page):
                self._resting.append((screen, page))
        self._resting = self._resting[-MOST:]
        kept = [page for _, page in self._resting]
        for page in self.context.pages:
            if page not in kept and page != self._keeper:
                if page.url.startswith(self.server):
                    page.evaluate("() => (localStorage.clear(), sessionStorage.clear())")
                page.close()
        self._turns = {page: self._turns[page] for page in kept}

    def _comes_to_rest(self, screen: Screen, page: Page) -> bool:
        if not self._as_opened(screen, page):
            return False
        other = AT_REST[urlsplit(page.url).path == f"/{AT_REST[0]}"]
        if not self.turned(page, f"/{other}?checkpoint=tiny&text=at+rest"):
            return False
        page.evaluate(
            "() => { if (window.atlasBus) window.atlasBus.last = {}; }"
        )  # what views told one another
        return page.locator(_LEFT_BEHIND).count() == 0

    def _as_opened(self, screen: Screen, page: Page) -> bool:
        """Nothing stored, pointed at or intercepted in the tab, and its screen that of its first moment; False where it is gone."""
        if page.is_closed() or not page.url.startswith(self.server):
            return False
        page.evaluate("() => (localStorage.clear(), sessionStorage.clear(), document.activeElement?.blur())")
        page.unroute_all()
        page.mouse.move(0, 0)
        page.set_viewport_size({"width": screen.width, "height": screen.height})
        page.emulate_media(color_scheme=screen.scheme, reduced_motion=screen.motion)
        return True

    def turned(self, page: Page, address: str) -> bool:
        """Turn an open tab to the address; False where that cannot be done."""
        from playwright.sync_api import Error

        try:
            page.evaluate(_TURN, [address, PATIENCE])
        except Error:  # the page is gone, or in the middle of something that does not end
            return False
        return True
