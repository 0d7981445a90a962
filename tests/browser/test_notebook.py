"""In a notebook: real cells run by a real kernel, and what they show opened without a network and held against plain loops."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.browser.golden_model import HEADS, KINDS, NAME, TEXT, Passed
from tests.browser.golden_reading import SPOKEN, menu_file, readout, told

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
CELLS = {
    "trace": "trace = core.trace(ck, TEXT)\ntrace",
    "session": "session = core.DecodeSession(ck, TEXT)\nsession.step(); session.step()\nsession",
    "cross": 'core.show(trace, kind="cross", head=(2, 1))',
    "joint": 'core.show(trace, kind="joint", head=(1, 2))',
    "untouched": "core.DecodeSession(ck, TEXT)",
    "several": 'from IPython.display import display\ndisplay(core.show(trace, kind="causal"))\n"after"',
    "saved": 'print(core.show(trace, kind="encoder").save("encoder.html").stat().st_size > 1000)',
    "wrong": 'try:\n    core.show(trace, kind="sideways")\nexcept core.AtlasError as error:\n    print(error)',
    "bare": 'core.trace(ck, TEXT, record=["*.norm_mean"])',
}


@pytest.fixture(scope="module")
def outputs(listed: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, str]]]:
    """What every cell gave: for each output its kinds of data, as the kernel sent them."""
    nbformat = pytest.importorskip("nbformat")
    from nbclient import NotebookClient

    folder = next(path for root in listed.split(os.pathsep) if (path := Path(root) / NAME).is_dir())
    first = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nimport core\nck = core.load({str(folder)!r}, device='cpu')\nTEXT = {TEXT!r}"
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(code) for code in (first, *CELLS.values())]
    last = "print('streamlit' in sys.modules, 'plotly' in sys.modules)"
    book.cells.append(nbformat.v4.new_code_cell(last))
    where = tmp_path_factory.mktemp("notebook")
    client = NotebookClient(
        book, timeout=400, kernel_name="python3", resources={"metadata": {"path": str(where)}}
    )
    client.execute()
    assert book.cells[-1].outputs[0].text == "False False\n", "a notebook needs neither"
    return {
        name: [dict(each.get("data", {"stdout": each.get("text", "")})) for each in cell.outputs]
        for name, cell in zip(CELLS, book.cells[1:-1], strict=True)
    }


@pytest.fixture(scope="module")
def tab(chromium: Browser) -> Iterator[Page]:
    """A page of a context that has no network, and where every request but that of the file itself fails the test."""
    context = chromium.new_context(
        viewport={"width": 1100, "height": 900}, accept_downloads=True, offline=True
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: line.type == "error" and wrong.append(line.text))
    page.on("request", lambda asked: asked.url.startswith(("http", "ws")) and wrong.append(asked.url))
    yield page
    context.close()
    assert not wrong, wrong


def opened(tab: Page, output: dict[str, str], folder: Path) -> Page:
    """A cell as a notebook shows it: its HTML in a page; returns the page inside the frame, opened by itself."""
    cell = output["text/html"]
    shown = folder / "cell.html"
    shown.write_text(f"<!doctype html><meta charset=utf-8>{cell}", "utf-8")
    tab.goto(shown.as_uri())
    frame = tab.frame_locator("iframe")
    frame.locator(".card canvas").first.wait_for()
    assert "allow-same-origin" not in cell
    inner = folder / "inner.html"
    inner.write_text(html.unescape(re.search(r'srcdoc="(.*)"></iframe>', cell, re.S)[1]), "utf-8")  # type: ignore[index]
    tab.goto(inner.as_uri())
    tab.locator(".card canvas").first.wait_for()
    return tab


def row_named(sentence: str, written: Passed, kind: str) -> int:
    """The row that a sentence is about: the word it writes, or in the encoder the word it looks from."""
    queries = written.source if kind == "encoder" else written.written
    named = re.search(
        r"From (“.+?”|the \w+ token)" if kind == "encoder" else r"writes (“.+?”|the \w+ token)", sentence
    )
    assert named, sentence
    return queries.index(SPOKEN.get(named[1], named[1].strip("“”")))


def check_head(page: Page, written: Passed, kind: str, number: int) -> tuple[int, int]:
    """The open head's sentence tells that head's numbers on this input; returns the head."""
    detail = page.locator(f"#detail-{number} .detail")
    sentence = readout(detail.locator(".readout"))
    layer, head = map(int, re.findall(r"\d", detail.locator(".card-title").inner_text()))
    assert f"head {layer}.{head}" in sentence
    row = row_named(sentence, written, kind)
    values, keys = written.maps[kind][layer][head][row], written.keys(kind)
    if "looks only at" in sentence:
        assert max(values) > 0.99
        return layer, head
    pairs = told(sentence, keys)
    assert pairs and pairs[0][0] == keys[int(np.argmax(values))], (sentence, values)
    for word, percent in pairs:  # one byte a weight: 0.4 points beside the rounding
        assert abs(percent - 100 * values[keys.index(word)]) < 0.95, (sentence, values)
    return layer, head


def test_a_trace_shows_every_kind_and_all_three_joined(
    outputs: dict[str, list[dict[str, str]]], tab: Page, written: Passed, tmp_path: Path
) -> None:
    (output,) = outputs["trace"]
    assert output["text/plain"].startswith("Trace(config=") and len(output["text/html"]) < 400_000
    page = opened(tab, output, tmp_path)
    tabs = page.get_by_role("tab")
    assert tabs.all_inner_texts() == [
        "cross-attention", "decoder self-attention (causal)", "encoder self-attention", "all three, word by word",
    ]  # fmt: skip
    assert (
        TEXT in page.locator("h1").inner_text()
        and " ".join(written.written[:-1]) in page.locator("h1").inner_text()
    )
    for number, kind in enumerate(("cross", "causal", "encoder")):
        tabs.nth(number).click()
        page.locator(f"#detail-{number} .detail canvas:visible").first.wait_for()
        check_head(page, written, kind, number)
        folder = tmp_path / kind
        folder.mkdir()
        lines = menu_file(page, f"#wall-{number}", "csv", folder).read_text("utf-8-sig").splitlines()
        assert len(lines) == 1 + len(written.maps[kind]) * HEADS
    tabs.nth(2).press("ArrowRight")
    page.locator("#joint-3 canvas").first.wait_for()
    assert tabs.nth(3).get_attribute("aria-selected") == "true"
    sentence = readout(page.locator("#joint-3 .readout"))
    mean = np.mean(np.array(written.maps["cross"]), axis=(0, 1))[-1]
    numbers = told(sentence, written.keys("cross"))
    assert "the mean of all heads" in sentence
    for word, percent in numbers[:1]:
        assert abs(percent - 100 * mean[written.keys("cross").index(word)]) < 0.51


@pytest.mark.thorough
def test_a_session_shows_what_is_written_so_far(
    outputs: dict[str, list[dict[str, str]]], tab: Page, written: Passed, tmp_path: Path
) -> None:
    page = opened(tab, outputs["session"][0], tmp_path)
    title = page.locator("h1").inner_text()
    assert " ".join(written.written[:2]) in title and written.written[2] not in title
    check_head(page, written, "cross", 0)
    page = opened(tab, outputs["untouched"][0], tmp_path)
    assert page.get_by_role("tab").all_inner_texts() == ["encoder self-attention"]
    check_head(page, written, "encoder", 0)


@pytest.mark.thorough
def test_show_opens_the_kind_and_the_head_that_were_asked_for(
    outputs: dict[str, list[dict[str, str]]], tab: Page, written: Passed, tmp_path: Path
) -> None:
    page = opened(tab, outputs["cross"][0], tmp_path)
    assert page.get_by_role("tab").all_inner_texts() == ["cross-attention"]
    assert check_head(page, written, "cross", 0) == (2, 1)
    page.locator('#wall-0 button[aria-label*="1.2"]').first.click()
    page.locator("#detail-0 .card-title").filter(has_text="1.2").wait_for()
    assert check_head(page, written, "cross", 0) == (1, 2)
    page = opened(tab, outputs["joint"][0], tmp_path)
    sentence = readout(page.locator("#joint-0 .readout"))
    row = written.maps["cross"][1][2][-1]
    assert "head 1.2" in sentence
    for word, percent in told(sentence, written.keys("cross"))[:1]:
        assert abs(percent - 100 * row[written.keys("cross").index(word)]) < 0.51


def test_what_is_displayed_saved_or_wrong(
    outputs: dict[str, list[dict[str, str]]], tab: Page, written: Passed, tmp_path: Path
) -> None:
    shown, after = outputs["several"]
    assert after["text/plain"] == "'after'"
    check_head(opened(tab, shown, tmp_path), written, "causal", 0)
    assert outputs["saved"] == [{"stdout": "True\n"}]
    assert outputs["wrong"] == [
        {"stdout": "kind is 'sideways'; choose one of cross, causal, encoder, joint, or leave it out.\n"}
    ]
    assert set(outputs["bare"][0]) == {"text/plain"}, "nothing to draw: text"
    assert set(KINDS) == {"encoder", "causal", "cross"}
