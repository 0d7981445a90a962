"""What the Attention page says of its contributions is what was measured, and differences have the sign that is said."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.analysis.contributions import CONTRIBUTIONS
from core.model.hooks import Site
from core.model.trace import Trace
from tests.mounted import sent
from ui.attention import measures
from ui.heads import atlas
from ui.session.selection import Selection
from ui.shared import checkpoints as listing
from ui.shared import context, contributions, models
from ui.shared.contributions import Measured
from ui.shared.maps import Axis

LABELS = tuple("abcd")
AXIS = Axis(LABELS, tuple((n,) for n in range(4)))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is sent to the browser in place of drawing it."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(measures, "mount", lambda view, data, key: found.append(sent(data)))
    return found


@pytest.mark.parametrize("kind", ["encoder", "causal"])
def test_a_token_that_matters_more_than_the_baseline_is_drawn_positive(
    drawn: list[dict[str, Any]], kind: Any
) -> None:
    """Token b takes .7 of row d where a uniform model gives it .25; the browser draws second minus first."""
    uniform = np.tri(4) / np.tri(4).sum(1, keepdims=True)
    rolled = uniform.copy()
    rolled[3] = [0.1, 0.7, 0.1, 0.1]
    found = Measured(kind, "rollout", np.stack([rolled, uniform])[:, None], "share", {})
    measures.beside_baseline(found.values, AXIS, AXIS, 0, found)
    (data,) = drawn
    change = (data["second"] - data["first"]).reshape(4, 4)
    assert change[3, 1] == pytest.approx(0.45, abs=1e-6)
    assert change[3, 0] == pytest.approx(-0.15, abs=1e-6)
    assert np.allclose(data["second"].reshape(4, 4)[3], rolled[3], atol=1e-6)
    assert "rollout" in data["names"][1] and "rollout" not in data["names"][0]


def test_the_sum_that_is_checked_is_that_of_attention_and_the_words_say_so() -> None:
    """A feed-forward network whose record is spoiled changes nothing in the check; attention whose record is, does."""
    from core.experiments import contributions as experiment

    entry, _ = listing.find("paper")
    model = models.model(entry).model
    view = context.CheckpointView(entry, Selection(checkpoint="paper", text="abcdef")).decoded
    trace = view.recorded((*experiment.RECORD, "*.ffn.*"))

    def spoiled(block: str) -> Trace:
        sites = [site for site in trace.records if site.block == block and site.kind == "norm_output"]
        assert sites
        return replace(trace, records={**trace.records, **{site: trace.records[site] + 1 for site in sites}})

    honest = experiment.gap(model, trace)
    assert honest < 1e-5
    assert experiment.gap(model, spoiled("ffn")) == pytest.approx(honest)
    for block in ("self", "cross"):
        assert experiment.gap(model, spoiled(block)) > 0.1
    assert isinstance(next(iter(trace.records)), Site)
    for measure in contributions.SUMMED:
        said = measures.check(Measured("cross", measure, np.zeros((1, 1, 1, 1)), "length", {}, gap=1e-7))
        assert "attention sub-layer" in said, said
    # ALTI+ follows attention alone, so its own words say what becomes of the other sub-layers.
    assert "feed-forward" in CONTRIBUTIONS["alti"].definition.casefold()


def test_no_law_of_sinks_is_told_where_the_shipped_models_do_not_keep_it() -> None:
    """Over the atlas of de-en half of the encoder's heads receive more from sinks than they look at them."""
    entry, _ = listing.find("de-en")
    found = atlas.stored(entry)
    share, arrives = (
        np.array([[found.mean("encoder", layer, head, name) for head in range(8)] for layer in range(4)])
        for name in ("sink_share", "sink_arrives")
    )
    assert (arrives > share).sum() >= 8  # 16 of 32
    for entry_of in CONTRIBUTIONS.values():
        said = f"{entry_of.definition} {entry_of.markdown}"
        assert not re.search(r"sinks? (has|have|is|are)\b", said), said
