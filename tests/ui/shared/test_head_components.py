"""The map views' wrappers: what they send, how exact it is, how many bytes, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from core.analysis.glossary import SCORES
from core.errors import InputError
from ui.session import state
from ui.shared import head_wall, mount
from ui.shared.checks import file_stem
from ui.shared.head_detail import DetailResult, HeadMap, Viewed, _result, _viewed, detail_data
from ui.shared.head_wall import WallResult
from ui.shared.head_wall import _arranged as wall_arranged
from ui.shared.head_wall import _result as wall_result
from ui.shared.joint_data import joint_data
from ui.shared.map_pairs import Side
from ui.shared.two_maps import _viewed as compare_viewed
from ui.shared.two_maps import compare_data, parse_moved
from ui.shared.wall_data import Arranged, WallData, from_bytes, to_bytes, wall_data
from ui.web import bundles as web

ATTACK = "<img src=x onerror=alert(1)>"


def _weights(*shape: int, seed: int = 0) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(0, 2, shape)
    values = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(values / values.sum(-1, keepdims=True))


def _words(count: int) -> list[str]:
    return [f"word{i}" for i in range(count)]


def _sent(wall: WallData) -> int:
    """Bytes of the wall's data: the words as JSON and the cells as they are."""
    return len(json.dumps(wall["meta"]).encode()) + wall["levels"].nbytes


# ----- bytes -----


def test_a_byte_is_close_everywhere_and_fine_near_zero() -> None:
    weights = np.linspace(0, 1, 100_001)
    assert np.abs(from_bytes(to_bytes(weights)) - weights).max() <= 1 / 255
    even = from_bytes(to_bytes(np.full(512, 1 / 512)))
    assert np.abs(even - 1 / 512).max() < 2e-4
    assert to_bytes([0.0, 1.0]).tolist() == [0, 255]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -0.01, 1.2])
def test_bytes_refuse_what_is_not_a_weight(bad: float) -> None:
    with pytest.raises(InputError, match="from 0 to 1"):
        to_bytes([0.2, bad])


@pytest.mark.parametrize(
    ("tokens", "limit"), [(12, 60_000), (64, 250_000), (128, 1_000_000), (512, 1_000_000)]
)
def test_wall_bytes_with_code_words_and_scores(tokens: int, limit: int) -> None:
    scores = {
        name: np.random.default_rng(1).random((6, 8)) for name in ("diagonality", "entropy", "confidence")
    }
    data = wall_data(
        _weights(6, 8, tokens, tokens).astype(np.float32),
        _words(tokens),
        _words(tokens),
        kind="cross",
        scores=scores,
    )
    code = mount.packed(web.module("wall"))
    style = web.sheet("wall")
    assert _sent(data) + len(code) + len(style) <= limit


# ----- the wall -----


def test_wall_sends_every_head_in_order() -> None:
    weights = _weights(2, 3, 4, 5)
    data = wall_data(weights, _words(4), [ATTACK, *_words(4)], kind="cross")
    meta = data["meta"]
    assert meta["cols"][0] == ATTACK
    assert meta["shape"] == (4, 5)
    assert meta["labelled"]
    back = from_bytes(data["levels"]).reshape(2, 3, 4, 5)
    assert np.abs(back - weights).max() <= 1 / 255
    json.dumps(meta)


def test_long_maps_are_reduced_and_keep_their_peaks() -> None:
    weights = np.zeros((1, 1, 300, 200))
    weights[0, 0, 299, 7] = 1.0
    wall = wall_data(weights, _words(300), _words(200), kind="cross")
    meta = wall["meta"]
    assert not meta["labelled"]
    rows, columns = meta["shape"]
    assert max(rows, columns) <= 96
    assert meta["block"] == (4, 3)
    levels = wall["levels"].reshape(rows, columns)
    assert levels[-1, 7 // 3] == 255
    assert levels.sum() == 255


def test_rows_not_yet_written_are_there_and_empty() -> None:
    data = wall_data(_weights(1, 2, 3, 4), _words(3), _words(4), kind="cross", rows=7)
    meta = data["meta"]
    assert meta["shape"] == (7, 4)
    assert meta["written"] == 3
    assert meta["rows"][3:] == ["·"] * 4
    assert data["levels"].reshape(2, 7, 4)[:, 3:].sum() == 0


def test_scores_unknown_to_the_kind_become_blanks_and_strong_ones_have_a_mark() -> None:
    scores = {"diagonality": np.array([[0.9, np.nan]]), "entropy": np.array([[2.0, 1.0]])}
    meta = wall_data(
        _weights(1, 2, 3, 3),
        _words(3),
        _words(3),
        kind="encoder",
        scores=scores,
        arranged=Arranged(badge="entropy"),
    )["meta"]
    assert meta["arranged"][1] == "entropy"
    assert meta["scores"]["diagonality"]["values"] == [0.9, None]
    assert meta["scores"]["diagonality"]["mark"] == 0.8
    for name in ("diagonality", "entropy"):  # each says what it is, how far it goes and who said so
        assert meta["scores"][name]["definition"] == SCORES[name].definition
        told = dict(meta["scores"][name]["told"])
        assert told["range"] == SCORES[name].range and told["source"] == SCORES[name].source
        assert "this sentence only" in told["counts"]
    assert 1.0 < meta["scores"]["entropy"]["mark"] < 2.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: wall_data(_weights(3, 4, 5), _words(4), _words(5), kind="cross"),
            "layers, heads, queries, keys",
        ),
        (lambda: wall_data(_weights(1, 1, 4, 5), _words(3), _words(5), kind="cross"), "3 query labels"),
        (lambda: wall_data(_weights(1, 1, 4, 5), _words(4), _words(6), kind="cross"), "6 key labels"),
        (lambda: wall_data(_weights(1, 1, 4, 4), _words(4), _words(4), kind="both"), "'both'"),  # type: ignore[arg-type]
        (
            lambda: wall_data(
                _weights(1, 1, 4, 4), _words(4), _words(4), kind="cross", scores={"entropy": np.zeros((2, 2))}
            ),
            "Score 'entropy'",
        ),
        (
            lambda: wall_data(_weights(1, 1, 4, 4), _words(4), _words(4), kind="cross", file_name="../"),
            "file name",
        ),
    ],
)
def test_wall_refuses_what_does_not_fit(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_messages_from_the_browser_are_read_with_care() -> None:
    assert wall_result({"heads": [[2.0, 5]]}) == WallResult(picked=((2, 5),))
    assert wall_result({"heads": [[2, 5], [0, 1]]}) == WallResult(picked=((2, 5), (0, 1)))
    assert wall_result({"heads": []}) == WallResult(closed=True)
    hostile: tuple[object, ...] = (
        None,
        "x",
        {},
        {"heads": 3},
        {"heads": [[1]]},
        {"heads": [[-1, 2]]},
        {"heads": [["a", 1]]},
    )
    assert all(wall_result(value) == WallResult() for value in (*hostile, {"heads": [[0, 0]] * 9}))
    assert wall_arranged(["high", "entropy", 0.5, "log"]) == Arranged("high", "entropy", 0.5, "log")
    assert wall_arranged(["model", None, None, "weight"]) == Arranged(tone="weight")
    bad_wall: tuple[object, ...] = (
        None,
        [],
        ["up", "", None, "log"],
        ["high", 3, None, "log"],
        ["high", "", "x", "log"],
    )
    assert all(wall_arranged(value) is None for value in bad_wall)
    assert _result([[4, 1], []]) == DetailResult((4, 1), ())
    bad_pins: tuple[object, ...] = (None, [], [[1]], ["no", []], [[-1], []], [[0] * 2000, []])
    assert all(_result(value) == DetailResult() for value in bad_pins)
    assert _viewed([12, True, [0, 3, 1, 4]]) == Viewed(12, True, (0, 3, 1, 4))
    assert _viewed([0, False, None]) == Viewed(0, False, None)
    bad_views: tuple[object, ...] = (None, [1, True], [99, True, None], [1, "yes", None], [1, True, [1, 2]])
    assert all(_viewed(value) is None for value in bad_views)


# ----- one head -----


def test_detail_numbers_are_exact() -> None:
    weights = _weights(7, 9).astype(np.float32)
    data = detail_data(HeadMap(weights, 2, 5), _words(7), _words(9), kind="cross")
    assert np.array_equal(data["exact"].reshape(7, 9), weights)
    meta = data["meta"]
    assert meta["heads"] == [{"name": "2.5", "subject": "head 2.5"}]
    assert meta["title"] == "Head 2.5"
    assert meta["verb"] == "Writing"
    assert meta["unit"] == "share"
    json.dumps(meta)


def test_what_may_not_be_attended_is_marked() -> None:
    causal = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    sent = detail_data(HeadMap(causal, 0, 0), _words(4), _words(4), kind="causal")["exact"].reshape(4, 4)
    assert np.isnan(sent[np.triu_indices(4, 1)]).all()
    assert np.isfinite(sent[np.tril_indices(4)]).all()
    scores = np.arange(16.0).reshape(4, 4)
    raw = detail_data(HeadMap(scores, 0, 0), _words(4), _words(4), kind="causal", mode="scores")
    assert np.isfinite(raw["exact"]).all(), "scores before the mask exist above the diagonal"
    scores[0, 1:] = -np.inf
    masked = detail_data(HeadMap(scores, 0, 0), _words(4), _words(4), kind="causal", mode="masked")
    assert np.isnan(masked["exact"][1:4]).all()


def test_eight_heads_together_long_ones_in_bytes() -> None:
    short = detail_data(
        [HeadMap(_weights(8, 8), 0, h) for h in range(8)], _words(8), _words(8), kind="encoder"
    )
    assert short["meta"]["exact"] == 8
    long = detail_data(
        [HeadMap(_weights(512, 512), 0, h) for h in range(3)], _words(512), _words(512), kind="encoder"
    )
    assert long["meta"]["exact"] == 1
    assert long["exact"].shape == (512 * 512,)
    assert long["levels"].shape == (2 * 512 * 512,)
    assert long["levels"].dtype == np.uint8


def test_detail_refuses_what_does_not_fit() -> None:
    words = _words(3)
    nine: list[HeadMap] = [HeadMap(_weights(3, 3), 0, h) for h in range(9)]
    cases: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: detail_data(nine, words, words, kind="cross"), "9 heads"),
        (lambda: detail_data([], words, words, kind="cross"), "0 heads"),
        (lambda: detail_data(HeadMap(_weights(2, 3, 3)), words, words, kind="cross"), "one head is"),
        (lambda: detail_data(HeadMap(np.full((3, 3), 2.0)), words, words, kind="cross"), "between 0 and 1"),
        (lambda: detail_data(HeadMap(_weights(3, 3)), words, words[:2], kind="cross"), "2 key labels"),
        (lambda: detail_data(HeadMap(_weights(3, 3)), words, words, kind="cross", mode="odd"), "'odd'"),  # type: ignore[arg-type]
        (
            lambda: detail_data(
                [HeadMap(_weights(3, 3)), HeadMap(_weights(2, 3))], words, words, kind="cross"
            ),
            "shapes differ",
        ),
    )
    for make, message in cases:
        with pytest.raises(InputError, match=message):
            make()


@pytest.mark.parametrize("words", [("a", "b"), ("a", "c")])
def test_a_cell_of_the_difference_is_pinned_only_where_there_is_one(words: tuple[str, str]) -> None:
    values = np.full((2, 2), 0.5)
    first = Side(values, ("x", "y"), ("a", "b"), "one", "one")
    second = Side(values, ("x", "y"), words, "two", "two")
    meta = compare_data(first, second, kind="cross", title="t", cell=(2, 0, 0))["meta"]
    assert meta["view"][0] == ([2, 0, 0] if words == first.keys else None)
    assert compare_data(first, second, kind="cross", title="t", cell=(1, 1, 1))["meta"]["view"][0] == [
        1,
        1,
        1,
    ]


def test_the_largest_difference_is_one_that_is_drawn() -> None:
    """A later step reads words that were forbidden before: there the first map has no number."""
    words, heads = ("⟨start⟩", "un", "chien"), ("0.0", "0.1")
    early = Side(
        np.array([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]]), heads, words, "step 2", word="chien", position=1
    )
    late = Side(np.array([[0.1, 0.1, 0.8], [0.6, 0.3, 0.1]]), heads, words, "step 3", word="noir", position=2)
    meta = compare_data(early, late, kind="causal", title="t")["meta"]
    assert meta["largest"] == (0, 1, False)


def test_a_pinned_cell_of_a_comparison_is_read_with_care() -> None:
    assert compare_viewed([[2, 3, None], True]) == ((2, 3, None), True)
    assert compare_viewed([None, False]) == (None, False)
    hostile: tuple[object, ...] = (
        None,
        [],
        [None],
        [[3, 0, 0], True],
        [[0, None, None], True],
        [[0, -1, 0], True],
    )
    assert all(compare_viewed(value) is None for value in (*hostile, [[0, "x", 0], True], [[0, 1], True]))


def test_a_moved_weight_is_read_with_care() -> None:
    side = Side(np.full((2, 3), 1 / 3), ("x", "y"), ("a", "b", "c"), "before", "head 0.0")
    pair = compare_data(side, replace(side, name="after"), kind="cross", title="t", moves=[0, 2, 7])
    assert pair["meta"]["moves"] == [0, 2]
    assert parse_moved([1, 2, 730], pair) == (1, 2, 730)
    wrong = [
        None,
        3,
        [1, 2],
        [2, 0, 5],
        [0, 1, 5],
        [0, 0, 1001],
        [0, 0, -1],
        [0, 0, True],
        ["0", 0, 1],
        [0.5, 0, 1],
    ]
    for value in (*wrong, [0, 0, float("nan")], [0, 0, 0.5], [0, -1, 0], [0, 0, 0, 0]):
        assert parse_moved(value, pair) is None, value
    still = compare_data(side, replace(side, name="after"), kind="cross", title="t")
    assert parse_moved([0, 0, 500], still) is None, "nothing can be moved where nothing was offered"


def test_pins_outside_the_map_are_dropped() -> None:
    data = detail_data(
        HeadMap(_weights(3, 3)), _words(3), _words(3), kind="cross", pinned_rows=[1, 7, -1], current_row=9
    )
    assert data["meta"]["pins"] == [[1], []]
    assert data["meta"]["current"] is None


# ----- joint and compare -----


def test_joint_keeps_the_start_token_and_checks_shapes() -> None:
    encoder, cross, causal = _weights(5, 5), _weights(3, 5), np.eye(3)
    data = joint_data(
        encoder, cross, causal, _words(5), ["⟨start⟩", "du", "vélo"], ["du", "vélo", "⟨end⟩"], step=99
    )
    meta = data["meta"]
    assert meta["target"] == ["⟨start⟩", "du", "vélo", "⟨end⟩"]
    assert meta["step"] == 3
    assert np.array_equal(data["cross"].reshape(3, 5), cross.astype(np.float32))
    with pytest.raises(InputError, match="encoder"):
        joint_data(_weights(4, 4), cross, causal, _words(5), _words(3), _words(3))
    with pytest.raises(InputError, match="from 0 to 1"):
        joint_data(encoder, cross * 3, causal, _words(5), _words(3), _words(3))


def test_compare_leaves_the_difference_out_when_words_differ() -> None:
    def side(name: str, queries: list[str], seed: int) -> Side:
        return Side(_weights(len(queries), 4, seed=seed), queries, _words(4), name)

    first, second = side("2.5", _words(3), 0), side("1.1", _words(3), 1)
    same = compare_data(first, second, kind="cross", title="2.5 and 1.1")
    assert same["meta"]["comparable"] is True
    other = compare_data(first, side("b", ["x", "y"], 1), kind="cross", title="a and b")
    assert other["meta"]["comparable"] is False
    with pytest.raises(InputError, match="2 query labels"):
        compare_data(replace(first, queries=_words(2)), second, kind="cross", title="a and b")


def test_file_names_cannot_leave_the_download_folder() -> None:
    assert file_stem("../../etc/passwd") == "etc-passwd"
    assert file_stem("cross head 2.5 <b>") == "cross-head-2.5-b"
    assert len(file_stem("x" * 500)) == 80
    with pytest.raises(InputError, match="no file name"):
        file_stem("///")


def test_hidden_shares_fit_their_rows() -> None:
    values = np.array([[0.5, 0.5], [np.nan, np.nan]])
    data = detail_data(HeadMap(values, 0, 0, hidden=[0.25, 0.97]), _words(2), _words(2), kind="cross")
    assert data["meta"]["hidden"] == [[0.25, 0.97]]
    assert np.isnan(data["exact"][2:]).all()
    with pytest.raises(InputError, match="1 hidden shares for a map with 2 rows"):
        detail_data(HeadMap(values, 0, 0, hidden=[0.25]), _words(2), _words(2), kind="cross")


def test_the_digest_of_a_wall_follows_what_is_drawn_and_not_how_it_is_arranged() -> None:
    def digest(weights: np.ndarray, arranged: Arranged, title: str = "All heads") -> object:
        data = wall_data(weights, _words(3), _words(3), kind="cross", arranged=arranged, title=title)
        return data["meta"]["digest"]

    first, other = _weights(1, 2, 3, 3), _weights(1, 2, 3, 3, seed=1)
    assert digest(first, Arranged()) == digest(first.copy(), Arranged(sort="high", tone="log"))
    assert (
        len(
            {
                str(digest(*case))
                for case in ((first, Arranged()), (other, Arranged()), (first, Arranged(), "x"))
            }
        )
        == 3
    )


@pytest.mark.parametrize("number", [1e400, -1e400, float("nan"), 10**400, 2**70])
def test_a_number_that_is_no_place_counts_as_nothing(number: float) -> None:
    assert head_wall._result({"heads": [[number, 0]]}) == head_wall.WallResult()
    assert head_wall._off([[0, number]], 2, 2) is None
    assert head_wall._arranged(["layer", None, number, None]) is None
    for message in (number, [0, [number]], {"a": {"b": (1, number)}}, [0] * 200_000):
        assert not state._sendable(message)
    assert state._sendable({"heads": [[0, 1], [2.0, 3.5]], "label": "x", "none": None, "yes": True})
