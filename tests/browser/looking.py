"""What the browser tests have in common: waiting until nothing more comes by itself, pointing, counting, saving."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

Visit = Callable[..., "Page"]
CHECKED = re.compile(
    r"\d+ ((of \d+ )?checks|contrôles)"
)  # on the strip once the model's trust report is made

# Pixels are compared on a coarse grid, so that text at the edge of a sample does not matter.
_COLOURS = """(canvas) => {
  const { width, height } = canvas;
  const data = canvas.getContext('2d').getImageData(0, 0, width, height).data;
  const seen = new Set();
  for (let y = 1; y < height; y += 3) for (let x = 1; x < width; x += 3) {
    const n = 4 * (y * width + x);
    if (data[n + 3]) seen.add(data[n] * 65536 + data[n + 1] * 256 + data[n + 2]);
  }
  return seen.size;
}"""


# Presses a head of the wall and reads, before any answer can have come, what the detail shows.
PRESS = """(index) => {
  const deep = (wish, node = document) => {
    for (const child of node.querySelectorAll('*')) {
      if (child.matches(wish)) return child;
      const inside = child.shadowRoot && deep(wish, child.shadowRoot);
      if (inside) return inside;
    }
    return null;
  };
  deep('.wall-heads').querySelectorAll('.wall-head')[index].click();
  const detail = deep('.detail');
  return [detail.querySelector('.card-title').textContent.trim(), detail.dataset.numbers, detail.querySelector('.readout').textContent.replaceAll('\\u00a0', ' ')];
}"""
# Where a view can be mounted by hand; `parentElement` as Streamlit hands it over.
ELEMENT = """
  const parentElement = document.createElement('div');
  parentElement.innerHTML = '<div class="atlas"></div>';
  document.body.append(parentElement);
"""


# Resolves once no script runs and nothing on the page, shadow roots included, has moved or changed for four looks.
_QUIET = """async (patience) => {
  const app = document.querySelector('[data-testid="stApp"]');
  const look = () => {
    let sum = 0;
    const walk = (root) => {
      for (const node of root.querySelectorAll('*')) {
        const box = node.getBoundingClientRect();
        sum = (31 * sum + 7 * box.x + 11 * box.y + 13 * box.width + 17 * box.height + 1) % 1e9;
        if (node.shadowRoot) walk(node.shadowRoot);
      }
    };
    walk(document);
    return `${sum} ${document.body.innerText} ${app?.dataset.testScriptState === 'running'}`;
  };
  const late = performance.now() + patience;
  let last = '';
  for (let same = 0; same < 4 && performance.now() < late; ) {
    await new Promise((next) => setTimeout(next, 40));
    const now = look();
    same = now === last && !now.endsWith('true') ? same + 1 : 0;
    last = now;
  }
}"""


def quiet(page: Page, patience: int = 5_000) -> Page:
    """The page once nothing on it moves or changes any more; what never rests is waited for `patience` ms."""
    page.evaluate(_QUIET, patience)
    return page


def params(page: Page) -> dict[str, str]:
    """The URL's parameters."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def wait_for_params(page: Page, **wanted: str) -> None:
    """Wait until the URL holds these parameters."""
    tests = " && ".join(f"p.get({name!r}) === {value!r}" for name, value in wanted.items())
    page.wait_for_function(f"() => {{ const p = new URLSearchParams(location.search); return {tests}; }}")


def ready(page: Page) -> Page:
    """The page once its model is loaded and checked, so that nothing more comes by itself."""
    page.get_by_text(CHECKED).first.wait_for(state="attached")  # a lesson folds the sidebar away
    return quiet(page)


def point(canvas: Locator, x: float, y: float) -> tuple[float, float]:
    """A place on a canvas in shares of its size, once it is in sight."""
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box
    return box["x"] + box["width"] * x, box["y"] + box["height"] * y


def colours(canvas: Locator) -> int:
    """How many colours a canvas shows; a blank one has none or one."""
    canvas.wait_for()
    return int(canvas.evaluate(_COLOURS))


def choose(page: Page, label: str, option: str) -> None:
    """Choose from one of Streamlit's lists, by its label."""
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def count_messages(page: Page) -> Callable[[], int]:
    """How many messages the page has sent to the server since this call.

    Playwright tells of a socket when it opens; this one is open, so its messages are counted from inside.
    """
    page.evaluate(
        "() => { window.__sent = 0; const send = (window.__send ??= WebSocket.prototype.send);"
        " WebSocket.prototype.send = function (...a) { window.__sent += 1; return send.apply(this, a); }; }"
    )
    return lambda: int(page.evaluate("window.__sent"))


def saved(page: Page, folder: Path, press: Callable[[], None]) -> Path:
    """The file that a press gives."""
    with page.expect_download() as download:
        press()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path
