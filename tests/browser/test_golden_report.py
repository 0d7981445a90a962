"""From the model to the pixel: the offline report holds every map, word and candidate, and opens by itself."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.golden_model import KINDS, SHOWN, TARGET, TEXT, Naive, Passed
from tests.browser.golden_reading import check_told, readout, row_said, taken_away, visit_golden
from tests.browser.looking import Visit

pytestmark = pytest.mark.turned


def test_the_report_holds_every_map_and_step(visit: Visit, tmp_path: Path) -> None:
    written = Naive().translate(TEXT)
    page = visit_golden(visit, "attention", kind="cross")
    path = taken_away(page, "HTML report, offline", tmp_path)
    packed = json.loads(re.search(r"\.default\((\{.*\})\);", path.read_text("utf-8"))[1])  # type: ignore[index]
    stored = packed["fields"]["stored"]
    assert packed["fields"]["bytes"] == 0, "no model"
    assert (stored["source"], stored["target"], stored["reads"]) == (
        written.source,
        written.written,
        written.read,
    )
    columns = {tuple(way): packed[f"column{n}"] for n, (way, _) in enumerate(packed["arrays"])}
    for kind in KINDS:
        maps = np.array(written.maps[kind])
        content = zlib.decompress(base64.b64decode(columns["stored", "weights", kind]))
        assert stored["shapes"][kind] == list(maps.shape)
        assert np.abs(np.frombuffer(content, np.float32).reshape(maps.shape) - maps).max() < 1e-5
    check_steps(stored["steps"], written)
    tab = page.context.new_page()
    tab.goto(path.as_uri())
    for kind, name in (("cross", "Cross"), ("causal", "Causal self"), ("encoder", "Encoder self")):
        tab.get_by_role("tab", name=name).click()
        detail = tab.locator(f"#detail-{kind} .detail")
        title = detail.locator(".card-title").inner_text().strip()
        layer, head = map(int, re.fullmatch(r"Head (\d)\.(\d)", title).groups())  # type: ignore[union-attr]
        sentence = readout(detail.locator(".readout"))
        maps = written.maps[kind][layer][head]
        starts = [f"{row_said(written, kind, row)}: head {layer}.{head} " for row in range(len(maps))]
        (row,) = (row for row, start in enumerate(starts) if sentence.startswith(start))
        check_told(sentence.removeprefix(starts[row]), written.keys(kind), maps[row])


def check_steps(steps: list[dict[str, Any]], passed: Passed) -> None:
    """Each step's candidates with their probabilities, and the word that was written."""
    assert len(steps) == len(passed.written)
    for n, (step, word) in enumerate(zip(steps, passed.written, strict=True)):
        shares = passed.probabilities(n)
        best = sorted(range(len(shares)), key=lambda token: -shares[token])[: len(step["ids"])]
        assert step["labels"] == [SHOWN.get(TARGET[token], TARGET[token]) for token in best]
        assert len(best) >= 5
        assert np.abs(np.array(step["probabilities"]) - [shares[token] for token in best]).max() < 1e-5
        assert step["labels"][step["ids"].index(step["chosen"])] == word
