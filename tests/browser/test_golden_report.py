"""From the model to the pixel: the offline report holds every map, word and candidate, and opens by itself."""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from tests.browser.golden_model import KINDS, SHOWN, TARGET, TEXT, Naive, Passed
from tests.browser.golden_reading import check_told, near, readout, row_said, taken_away, visit_golden
from tests.browser.looking import Visit

pytestmark = pytest.mark.turned


def test_the_report_holds_every_map_and_step(visit: Visit, tmp_path: Path) -> None:
    written = Naive().translate(TEXT)
    page = visit_golden(visit, "attention", kind="cross")
    path = taken_away(page, "HTML report, offline", tmp_path)
    text = path.read_text("utf-8")
    walls = json.loads(re.search(r"\.default\((\[.*\])\);", text)[1])  # type: ignore[index]
    assert [wall["fields"]["kind"] for wall in walls] == list(KINDS)
    for kind, wall in zip(KINDS, walls, strict=True):
        rows = (written.source, []) if kind == "encoder" else (written.written, written.read)
        assert (wall["fields"]["rows"], wall["fields"]["reads"]) == rows
        assert wall["fields"]["cols"] == written.keys(kind)
        maps = np.array(written.maps[kind])
        levels = np.frombuffer(zlib.decompress(base64.b64decode(wall["column0"])), np.uint8).reshape(
            maps.shape
        )
        assert np.abs((levels / 255.0) ** 2 - maps).max() <= 1 / 255
    check_steps(text, written)
    tab = page.context.new_page()
    tab.goto(path.as_uri())
    for n, kind in enumerate(KINDS):
        detail = tab.locator(f"#detail-{n} .detail")
        title = detail.locator(".card-title").inner_text().strip()
        layer, head = map(int, re.fullmatch(r"Head (\d)\.(\d)", title).groups())  # type: ignore[union-attr]
        sentence = readout(detail.locator(".readout"))
        maps = written.maps[kind][layer][head]
        starts = [f"{row_said(written, kind, row)}: head {layer}.{head} " for row in range(len(maps))]
        (row,) = (row for row, start in enumerate(starts) if sentence.startswith(start))
        check_told(sentence.removeprefix(starts[row]), written.keys(kind), maps[row])


def check_steps(text: str, passed: Passed) -> None:
    """Each step's word and its candidates with their percentages, the written one marked."""
    steps = re.findall(r"<li><p><span>(\d+)</span> <bdi>(.*?)</bdi></p><ol>(.*?)</ol></li>", text)
    assert [(number, html.unescape(word)) for number, word, _ in steps] == [
        (str(place), word) for place, word in enumerate(passed.written, start=1)
    ]
    for step, (_, word, listed) in enumerate(steps):
        shares = passed.probabilities(step)
        best = sorted(range(len(shares)), key=lambda token: -shares[token])
        found = re.findall(r"<li( class=taken)?><bdi>(.*?)</bdi>.*?<output>([\d.]+) %", listed)
        labels = [SHOWN.get(TARGET[token], TARGET[token]) for token in best[: len(found)]]
        assert [label for _, label, _ in found] == labels and len(found) >= 5
        for token, (taken, label, percent) in zip(best, found, strict=False):
            assert near(float(percent), shares[token], 1) and bool(taken) == (label == word)
