"""The stored importance: what was measured comes back, and a file that is none of this model is refused in one sentence."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.analysis.uncertainty import interval
from core.api import load
from core.checkpoints import files
from core.decoding.example import load_example
from core.decoding.session import DecodeSession
from core.errors import CheckpointError
from core.experiments.importance import survey, write_importance, written_pairs
from core.experiments.rankings import HeadIntervals, importance_sources, load_importance, rank_for_pair
from core.model.hooks import ATTENTION
from tests.core.experiments.test_corpus_run import Arrays, put


@pytest.fixture(scope="module")
def stored(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("importance") / "tiny"
    shutil.copytree(tiny_checkpoint, folder)
    write_importance(load(folder, device="cpu"))
    return folder


def sources_of(folder: Path) -> list[str]:
    return importance_sources(load(folder, device="cpu").card)


def test_it_comes_back_as_it_was_measured(stored: Path) -> None:
    checkpoint, sources = load(stored, device="cpu"), sources_of(stored)
    result = load_importance(stored, checkpoint.config, checkpoint.digest, sources)
    *_, expected = survey(checkpoint.model, written_pairs(checkpoint, sources))
    assert result.complete and result.sentences == expected.sentences
    for kind, table in expected.left_out.items():
        np.testing.assert_allclose(result.left_out[kind], table, atol=1e-6)
        np.testing.assert_allclose(result.gradient[kind], expected.gradient[kind], atol=1e-6)
    for name, curve in expected.kept.items():
        assert result.kept[name].counts == curve.counts
        np.testing.assert_allclose(result.kept[name].first, curve.first)
    assert result.ranking() == expected.ranking()
    assert (stored / files.IMPORTANCE).stat().st_size < 10_000


def test_of_other_weights_or_other_sentences_it_is_refused(stored: Path) -> None:
    checkpoint, sources = load(stored, device="cpu"), sources_of(stored)
    for digest, asked in (("0" * 64, sources), (checkpoint.digest, sources[:1])):
        with pytest.raises(CheckpointError, match="write it again with `core example`"):
            load_importance(stored, checkpoint.config, digest, asked)  # type: ignore[arg-type]


HARMS: dict[str, Callable[[Arrays], Any]] = {
    "other shape": lambda arrays: arrays.update({"left_out|cross": arrays["left_out|cross"][:1]}),
    "infinite": put("left_out|cross", np.inf, (0, 0)),
    "negative gradient": put("gradient|encoder", -1, (0, 0)),
    "too many": lambda arrays: arrays.update({"kept|left_out|counts": arrays["kept|left_out|counts"] + 1}),
    "no share": lambda arrays: arrays.update({"kept|gradient|first": arrays["kept|gradient|first"] + 1}),
    "lacking": lambda arrays: arrays.pop("gradient|causal"),
}


@pytest.mark.parametrize("harm", HARMS)
def test_numbers_that_cannot_be_are_refused(stored: Path, tmp_path: Path, harm: str) -> None:
    folder = tmp_path / "t"
    shutil.copytree(stored, folder)
    with np.load(folder / files.IMPORTANCE) as loaded:
        arrays = {name: np.array(loaded[name]) for name in loaded.files}
    HARMS[harm](arrays)
    np.savez(folder / files.IMPORTANCE, **arrays)
    checkpoint = load(folder, device="cpu")
    with pytest.raises(CheckpointError, match="not the importance of this model"):
        load_importance(folder, checkpoint.config, checkpoint.digest, sources_of(folder))  # type: ignore[arg-type]


SHIPPED = sorted((Path(__file__).parents[3] / "checkpoints").glob("**/example.npz"))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.parent.name)
def test_the_heads_of_a_pair_come_in_one_order_before_and_after_the_model_is_there(file: Path) -> None:
    """The stored example orders the heads of every pair of tokens as the model's own decode of it does."""
    checkpoint = load(file.parent, device="cpu")
    stored = load_example(file.parent, checkpoint.config)
    text = checkpoint.source_tokenizer.decode(stored.source_ids)
    session = DecodeSession(checkpoint, text, record=("*.weights",))
    session.run()
    assert session.trace.written_ids == stored.written_ids
    for kind, attention in ATTENTION.items():
        before, after = (
            trace.stacked(attention.stack, attention.block, "weights") for trace in (stored, session.trace)
        )
        for query, key in np.ndindex(before.shape[2:]):
            ranked = [rank_for_pair(kind, maps[:, :, query, key]) for maps in (before, after)]  # type: ignore[arg-type]
            assert ranked[0] == ranked[1], (kind, query, key)


def test_the_intervals_of_a_stored_survey_are_those_of_its_sentences(stored: Path) -> None:
    checkpoint, sources = load(stored, device="cpu"), sources_of(stored)
    found = load_importance(stored, checkpoint.config, checkpoint.digest, sources)
    measured = found.measured
    assert measured is not None
    for kind, table in found.left_out.items():
        assert found.rises[kind].shape == (found.sentences, *table.shape)
        one = interval(found.rises[kind])
        np.testing.assert_allclose(measured.left_out[kind].value, table, atol=1e-6)
        np.testing.assert_allclose(measured.left_out[kind].low, one.low, atol=1e-6)
        np.testing.assert_allclose(measured.left_out[kind].high, one.high, atol=1e-6)
        slopes = measured.gradient[kind]
        assert (slopes.low <= found.gradient[kind] + 1e-6).all() and slopes.sentences == found.sentences
    value, low, high = measured.agreement["all"]
    assert value == pytest.approx(found.agreement) and low <= value <= high
    assert set(measured.agreement) == {"all", *found.left_out}
    heads = sum(table.size for table in found.left_out.values())
    ends = np.concatenate([np.stack(each).reshape(2, -1) for each in measured.ranks.values()], axis=1)
    assert ends.min() >= 1 and ends.max() <= heads and (ends[0] <= ends[1]).all()
    best = found.ranking()[0]
    assert measured.ranks[best[0]][0][best[1:]] == 1


def test_a_file_of_an_earlier_version_has_no_intervals(stored: Path, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    shutil.copytree(stored, folder)
    with np.load(folder / files.IMPORTANCE) as loaded:
        arrays = {name: loaded[name] for name in loaded.files if not name.startswith(("rises", "slopes"))}
    np.savez(folder / files.IMPORTANCE, **arrays)
    checkpoint = load(folder, device="cpu")
    found = load_importance(folder, checkpoint.config, checkpoint.digest, sources_of(folder))
    assert found.measured is None and found.complete


def test_heads_that_do_not_differ_share_their_ranks() -> None:
    """Three heads of one true value and one of another: each of the three may be anywhere among three ranks."""
    rng = np.random.default_rng(4)
    rises = {"cross": rng.normal(size=(150, 1, 4)) + np.array([3.0, 0.0, 0.0, 0.0])}
    found = HeadIntervals.of(rises, {"cross": np.abs(rises["cross"])})  # type: ignore[arg-type]
    low, high = found.ranks["cross"]
    assert (low[0, 0], high[0, 0]) == (1, 1)
    assert (low[0, 1:] == 2).all() and (high[0, 1:] == 4).all()


def test_the_sentences_of_a_card_are_listed_once_and_what_is_no_text_is_passed_over() -> None:
    card: dict[str, Any] = {
        "examples": [{"source": "a"}, {"source": 3}, "b"],
        "probe_sentences": ["b", "", None, "c"],
        "further_sentences": "none",
    }
    assert importance_sources(card) == ["a", "b", "c"]
    assert importance_sources({"examples": [{"source": f"s{n}"} for n in range(500)]})[-1] == "s399"
    for recipe in (
        None,
        {},
        {"sources": [3]},
        {"sources": [{"task": "no such"}]},
        {"sources": [{"task": []}]},
    ):
        assert importance_sources({"recipe": recipe}) == []
    dates = importance_sources({"examples": ["3.5.1979"], "recipe": {"sources": [{"task": "dates"}]}})
    assert len(set(dates)) == len(dates) == 200 and dates == importance_sources(
        {"examples": ["3.5.1979"], "recipe": {"sources": [{"task": "dates"}]}}
    )
