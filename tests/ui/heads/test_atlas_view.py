"""What the atlas sends to the browser is what was measured, head by head, and what comes back is checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.analysis.roles import ATLAS_SCORES
from core.checkpoints import files
from core.experiments.corpus import QUANTILES, load_atlas
from core.model.hooks import ATTENTION
from tests.mounted import sent
from ui.heads.atlas import ATLAS, COLUMNS, KINDS, AtlasData, AtlasPick, Listed, Measured
from ui.session.selection import Selection


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Of a model whose kinds have different numbers of layers, none of them that of its heads."""
    from tests.browser.golden_model import NAME, write_golden

    folder = tmp_path_factory.mktemp("golden")
    write_golden(folder)
    config, digest = files.read_config(folder / NAME), files.folder_digest(folder / NAME)
    found = load_atlas(folder / NAME, config, digest)
    return Measured(found, found.sentences)


def test_every_head_has_its_own_numbers_roles_and_place(measured: Measured) -> None:
    data = AtlasData(measured, kind="causal", opened=AtlasPick("causal", 1, 2), title="All")
    meta: dict[str, Any] = sent(data)
    numbers = data.numbers.reshape(len(meta["heads"]), len(meta["scores"]), 9)
    names = [score["name"] for score in meta["scores"]]
    assert names == list(ATLAS_SCORES) and data.opened == AtlasPick("causal", 1, 2)
    assert [head["kind"] for head in meta["heads"]] == ["encoder"] * 6 + ["causal"] * 9 + ["cross"] * 9
    rows = {(row["kind"], row["layer"], row["head"]): row for row in measured.atlas.rows()}
    for place, head in enumerate(meta["heads"]):
        row = rows[ATTENTION[head["kind"]].name, head["layer"], head["head"]]
        assert head["position"] == pytest.approx([row["map_x"], row["map_y"]], abs=1e-6)
        assert [f"{role} (" in row["roles"] for role in head["roles"]] == [True] * row["roles"].count("(")
        for number, name in enumerate(names):
            expected = [row.get(name), row.get(f"{name}_spread")]
            expected += [row.get(f"{name}_q{round(100 * share):02d}") for share in QUANTILES]
            expected += [row.get(f"{name}_low"), row.get(f"{name}_high")]
            told = np.array([np.nan if value is None else value for value in expected])
            np.testing.assert_allclose(numbers[place, number], told, rtol=1e-5, atol=1e-6)


def test_columns_are_scores_of_their_kind() -> None:
    for kind in KINDS:
        assert all(ATTENTION[kind].name in ATLAS_SCORES[name].kinds for name in COLUMNS[kind])


def test_the_head_that_opens_is_the_links_or_the_cards_or_the_one_with_most_of_the_first_column(
    measured: Measured,
) -> None:
    table = measured.atlas.scores["cross"]["alignment"].average
    assert table[measured.first("cross")] == table.max()
    assert measured.opened(Selection(layer=1, head=2), "cross", {}) == (1, 2)
    for layer, head in ((None, 1), (-1, 0), (3, 0), (0, 3)):
        assert measured.opened(Selection(layer=layer, head=head), "cross", {}) == measured.first("cross")
    stated = {"layer": 0, "head": 1, "share": 0.5, "words": 9, "sentences": 2}
    card = {"default_heads": {"cross": stated}}
    assert measured.first("cross") != (0, 1) == measured.opened(Selection(), "cross", card)
    assert measured.opened(Selection(layer=1, head=2), "cross", card) == (1, 2)
    assert measured.opened(Selection(), "encoder", card) == measured.first("encoder")
    far = {"default_heads": {"cross": {**stated, "layer": 99}}}
    assert measured.opened(Selection(), "cross", far) == measured.first("cross")


@pytest.fixture(scope="module")
def drawn(measured: Measured) -> AtlasData:
    return AtlasData(measured, kind="cross", opened=AtlasPick("cross", 0, 0), title="All")


def test_only_a_head_of_the_model_is_taken_from_the_browser(drawn: AtlasData) -> None:
    one = {"kind": "cross", "layer": 1.0, "head": 2}
    assert ATLAS.answer("picked", one, drawn) == AtlasPick("cross", 1, 2)
    for wrong in ({"kind": "joint"}, {"layer": 99}, {"head": 3}):
        assert ATLAS.answer("picked", one | wrong, drawn) is None, wrong


def test_only_a_listing_of_its_scores_and_roles_is_taken_from_the_browser(drawn: AtlasData) -> None:
    low = {"sort": "low", "score": "alignment", "layer": 1, "role": "rare word"}
    assert ATLAS.answer("arranged", low, drawn) == Listed("low", "alignment", 1, "rare word")
    assert ATLAS.answer("arranged", {"role": "none"}, drawn) == Listed("model", "", None, "none")
    for wrong in ({"sort": "sideways"}, {"score": "beauty"}, {"layer": -1}, {"role": "<b>"}):
        assert ATLAS.answer("arranged", low | wrong, drawn) is None, wrong
