"""The map views' wrappers: what they send, how exact it is, how many bytes, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from core.analysis.glossary import SCORES
from core.errors import InputError
from tests.mounted import sent, softmax
from ui.session import state
from ui.shared.head_views import HEAD, WALL, HeadData, HeadMap, Opened, Pins, Viewed
from ui.shared.map_data import Arranged, JointData, WallData, from_bytes, to_bytes, wall_data
from ui.shared.two_maps import COMPARE, CompareData, Moved, PairLook, Side
from ui.web.contract import file_stem, pack

ATTACK = "<img src=x onerror=alert(1)>"


def _words(count: int) -> list[str]:
    return [f"word{i}" for i in range(count)]


def _size(wall: WallData) -> int:
    """Bytes of the wall's data: the words as JSON and the cells as they are."""
    fields = pack(wall, lambda values: None)["fields"]
    return len(json.dumps(fields).encode()) + wall.levels.nbytes


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


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("tokens", "limit"), [(12, 15_000), (64, 205_000), (128, 955_000), (512, 955_000)])
def test_wall_bytes_with_words_and_scores(tokens: int, limit: int) -> None:
    scores = {
        name: np.random.default_rng(1).random((6, 8)) for name in ("diagonality", "entropy", "confidence")
    }
    data = wall_data(
        softmax(6, 8, tokens, tokens).astype(np.float32),
        _words(tokens),
        _words(tokens),
        kind="cross",
        scores_of=scores,
    )
    assert _size(data) <= limit


# ----- the wall -----


def test_wall_sends_every_head_in_order() -> None:
    weights = softmax(2, 3, 4, 5)
    data = wall_data(weights, _words(4), [ATTACK, *_words(4)], kind="cross")
    meta = sent(data)
    assert meta["cols"][0] == ATTACK
    assert meta["shape"] == [4, 5]
    assert meta["labelled"]
    back = from_bytes(data.levels).reshape(2, 3, 4, 5)
    assert np.abs(back - weights).max() <= 1 / 255


def test_long_maps_are_reduced_and_keep_their_peaks() -> None:
    weights = np.zeros((1, 1, 300, 200))
    weights[0, 0, 299, 7] = 1.0
    wall = wall_data(weights, _words(300), _words(200), kind="cross")
    meta = sent(wall)
    assert not meta["labelled"]
    rows, columns = meta["shape"]
    assert max(rows, columns) <= 96
    assert meta["block"] == [4, 3]
    levels = wall.levels.reshape(rows, columns)
    assert levels[-1, 7 // 3] == 255
    assert levels.sum() == 255


def test_rows_not_yet_written_are_there_and_empty() -> None:
    data = wall_data(softmax(1, 2, 3, 4), _words(3), _words(4), kind="cross", total=7)
    meta = sent(data)
    assert meta["shape"] == [7, 4]
    assert meta["written"] == 3
    assert meta["rows"][3:] == ["·"] * 4
    assert data.levels.reshape(2, 7, 4)[:, 3:].sum() == 0


def test_scores_unknown_to_the_kind_become_blanks_and_strong_ones_have_a_mark() -> None:
    scores = {"diagonality": np.array([[0.9, np.nan]]), "entropy": np.array([[2.0, 1.0]])}
    meta = sent(
        wall_data(
            softmax(1, 2, 3, 3),
            _words(3),
            _words(3),
            kind="encoder",
            scores_of=scores,
            arranged=Arranged(badge="entropy"),
        )
    )
    assert meta["arranged"]["badge"] == "entropy"
    assert meta["scores"]["diagonality"]["values"] == [0.9, None]
    assert meta["scores"]["diagonality"]["mark"] == 0.8
    for name in ("diagonality", "entropy"):  # each says what it is, how far it goes and who said so
        assert meta["scores"][name]["definition"] == SCORES[name].definition
        explained = dict(meta["scores"][name]["explained"])
        assert explained["range"] == SCORES[name].range and explained["source"] == SCORES[name].source
        assert "this sentence only" in explained["counts"]
    assert 1.0 < meta["scores"]["entropy"]["mark"] < 2.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": softmax(3, 4, 5)}, "layers, heads, queries, keys"),
        ({"rows": _words(3)}, "3 query labels"),
        ({"cols": _words(6)}, "6 key labels"),
        ({"kind": "both"}, "'both'"),
        ({"scores_of": {"entropy": np.zeros((2, 2))}}, "Score 'entropy'"),
        ({"file": "../"}, "file name"),
    ],
)
def test_wall_refuses_what_does_not_fit(changes: dict[str, object], message: str) -> None:
    fits = {"weights": softmax(1, 1, 4, 5), "rows": _words(4), "cols": _words(5), "kind": "cross"}
    with pytest.raises(InputError, match=message):
        wall_data(**{**fits, **changes})  # type: ignore[arg-type]


def _wall(**more: object) -> WallData:
    return wall_data(softmax(6, 8, 3, 3), _words(3), _words(3), kind="cross", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("event", "said", "answer"),
    [
        ("picked", {"heads": [[2.0, 5]]}, Opened(((2, 5),))),
        ("picked", {"heads": [[2, 5], [0, 1]]}, Opened(((2, 5), (0, 1)))),
        ("picked", {"heads": []}, Opened(())),
        *(("picked", said, None) for said in (None, "x", {}, {"heads": 3}, {"heads": [[1]]})),
        *(("picked", {"heads": said}, None) for said in ([[-1, 2]], [["a", 1]], [[0.5, 1]], [[0, 0]] * 9)),
        (
            "arranged",
            {"sort": "high", "badge": "entropy", "least": 0.5, "tone": "log"},
            Arranged("high", "entropy", 0.5, "log"),
        ),
        ("arranged", {"sort": "model", "tone": "weight"}, Arranged(tone="weight")),
        *(("arranged", {**{"sort": "high"}, **said}, None) for said in ({"sort": "up"}, {"badge": 3}, {"least": "x"})),
        ("arranged", [], None),
    ],
)  # fmt: skip
def test_messages_of_the_wall_are_read_with_care(event: str, said: object, answer: object) -> None:
    assert WALL.answer(event, said, _wall()) == answer


@pytest.mark.parametrize(
    ("event", "said", "answer"),
    [
        ("pinned", {"rows": [4, 1], "columns": []}, Pins((4, 1), ())),
        *(("pinned", said, None) for said in (None, [], {"rows": "no"}, {"rows": [-1]}, {"rows": [0] * 2000})),
        ("pinned", {"rows": [5], "columns": []}, None),
        ("viewed", {"threshold": 12, "log": True, "zoom": [0, 3, 1, 4]}, Viewed(12, True, (0, 3, 1, 4))),
        ("viewed", {"threshold": 0, "log": False, "zoom": None}, Viewed(0, False, None)),
        *(("viewed", said, None) for said in (None, {"threshold": 99}, {"log": "yes"}, {"zoom": [1, 2]})),
    ],
)  # fmt: skip
def test_messages_of_an_open_head_are_read_with_care(event: str, said: object, answer: object) -> None:
    drawn = HeadData(HeadMap(softmax(5, 5)), _words(5), _words(5), kind="cross")
    assert HEAD.answer(event, said, drawn) == answer


# ----- one head -----


def test_detail_numbers_are_exact() -> None:
    weights = softmax(7, 9).astype(np.float32)
    data = HeadData(HeadMap(weights, 2, 5), _words(7), _words(9), kind="cross")
    assert np.array_equal(data.heads[0].values, weights)
    meta = sent(data)
    assert [(head["name"], head["subject"]) for head in meta["heads"]] == [("2.5", "head 2.5")]
    assert meta["title"] == "Head 2.5"
    assert meta["unit"] == "share"


def test_what_may_not_be_attended_is_marked() -> None:
    causal = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    sent = HeadData(HeadMap(causal, 0, 0), _words(4), _words(4), kind="causal").heads[0].values
    assert np.isnan(sent[np.triu_indices(4, 1)]).all()
    assert np.isfinite(sent[np.tril_indices(4)]).all()
    scores = np.arange(16.0).reshape(4, 4)
    raw = HeadData(HeadMap(scores, 0, 0), _words(4), _words(4), kind="causal", mode="scores")
    assert np.isfinite(raw.heads[0].values).all(), "scores before the mask exist above the diagonal"
    scores[0, 1:] = -np.inf
    masked = HeadData(HeadMap(scores, 0, 0), _words(4), _words(4), kind="causal", mode="masked")
    assert np.isnan(masked.heads[0].values[0, 1:]).all()


def test_eight_heads_together_long_ones_in_bytes() -> None:
    short = HeadData([HeadMap(softmax(8, 8), 0, h) for h in range(8)], _words(8), _words(8), kind="encoder")
    assert [head.values.dtype for head in short.heads] == [np.float32] * 8
    long = HeadData(
        [HeadMap(softmax(512, 512), 0, h) for h in range(3)], _words(512), _words(512), kind="encoder"
    )
    assert [head.values.dtype for head in long.heads] == [np.float32, np.uint8, np.uint8]
    assert all(head.values.size == 512 * 512 for head in long.heads)


def test_detail_refuses_what_does_not_fit() -> None:
    words = _words(3)
    nine: list[HeadMap] = [HeadMap(softmax(3, 3), 0, h) for h in range(9)]
    cases: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: HeadData(nine, words, words, kind="cross"), "9 heads"),
        (lambda: HeadData([], words, words, kind="cross"), "0 heads"),
        (lambda: HeadData(HeadMap(softmax(2, 3, 3)), words, words, kind="cross"), "one head is"),
        (lambda: HeadData(HeadMap(np.full((3, 3), 2.0)), words, words, kind="cross"), "between 0 and 1"),
        (lambda: HeadData(HeadMap(softmax(3, 3)), words, words[:2], kind="cross"), "2 key labels"),
        (lambda: HeadData(HeadMap(softmax(3, 3)), words, words, kind="cross", mode="odd"), "'odd'"),  # type: ignore[arg-type]
        (
            lambda: HeadData([HeadMap(softmax(3, 3)), HeadMap(softmax(2, 3))], words, words, kind="cross"),
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
    meta = sent(CompareData((first, second), kind="cross", title="t", looked=PairLook((2, 0, 0))))
    assert meta["looked"]["cell"] == ([2, 0, 0] if words == first.keys else None)
    assert sent(CompareData((first, second), kind="cross", title="t", looked=PairLook((1, 1, 1))))["looked"][
        "cell"
    ] == [1, 1, 1]


def test_the_largest_difference_is_one_that_is_drawn() -> None:
    """A later step reads words that were forbidden before: there the first map has no number."""
    words, heads = ("⟨start⟩", "un", "chien"), ("0.0", "0.1")
    early = Side(
        np.array([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]]), heads, words, "step 2", word="chien", position=1
    )
    late = Side(np.array([[0.1, 0.1, 0.8], [0.6, 0.3, 0.1]]), heads, words, "step 3", word="noir", position=2)
    meta = sent(CompareData((early, late), kind="causal", title="t"))
    assert meta["largest"] == [0, 1, False]


def test_a_pinned_cell_of_a_comparison_is_read_with_care() -> None:
    side = Side(np.full((2, 3), 1 / 3), ("x", "y"), ("a", "b", "c"), "before", "head 0.0")
    drawn = CompareData((side, replace(side, name="after")), kind="cross", title="t")

    def viewed(cell: object, log: object) -> object:
        return COMPARE.answer("viewed", {"cell": cell, "log": log}, drawn)

    assert viewed([2, 3, None], True) == PairLook((2, 3, None), True)
    assert viewed(None, False) == PairLook(None, False)
    hostile: tuple[object, ...] = ([3, 0, 0], [0, None, None], [0, -1, 0], [0, "x", 0], [0, 1])
    assert all(viewed(cell, True) is None for cell in hostile) and viewed(None, 1) is None
    assert all(COMPARE.answer("viewed", said, drawn) is None for said in (None, [], [None]))


def test_a_moved_weight_is_read_with_care() -> None:
    side = Side(np.full((2, 3), 1 / 3), ("x", "y"), ("a", "b", "c"), "before", "head 0.0")
    pair = CompareData((side, replace(side, name="after")), kind="cross", title="t", moves=[0, 2, 7])
    assert sent(pair)["moves"] == [0, 2]

    def moved(row: object, column: object, thousandths: object, drawn: CompareData = pair) -> object:
        said = {"row": row, "column": column, "thousandths": thousandths}
        return COMPARE.answer("moved", said, drawn)

    assert moved(1, 2, 730) == Moved(1, 2, 730)
    wrong = [
        [2, 0, 5],
        [0, 1, 5],
        [0, 0, 1001],
        [0, 0, -1],
        [0, 0, True],
        ["0", 0, 1],
        [0.5, 0, 1],
    ]
    for value in (*wrong, [0, 0, float("nan")], [0, 0, 0.5], [0, -1, 0]):
        assert moved(*value) is None, value
    assert all(COMPARE.answer("moved", said, pair) is None for said in (None, 3, [1, 2, 3], {"row": 1}))
    still = CompareData((side, replace(side, name="after")), kind="cross", title="t")
    assert moved(0, 0, 500, still) is None, "nothing can be moved where nothing was offered"


def test_pins_outside_the_map_are_dropped() -> None:
    data = HeadData(
        HeadMap(softmax(3, 3)), _words(3), _words(3), kind="cross", pins=Pins((1, 7, -1)), current=9
    )
    assert data.pins == Pins((1,), ())
    assert data.current is None


# ----- joint and compare -----


def test_joint_keeps_the_start_token_and_checks_shapes() -> None:
    encoder, cross, causal = softmax(5, 5), softmax(3, 5), np.eye(3)
    data = JointData(
        encoder, cross, causal, _words(5), ["⟨start⟩", "du", "vélo"], ["du", "vélo", "⟨end⟩"], at=99
    )
    meta = sent(data)
    assert meta["target"] == ["⟨start⟩", "du", "vélo", "⟨end⟩"]
    assert meta["step"] == 3
    assert np.array_equal(data.cross, cross.astype(np.float32))
    with pytest.raises(InputError, match="encoder"):
        JointData(softmax(4, 4), cross, causal, _words(5), _words(3), _words(3))
    with pytest.raises(InputError, match="from 0 to 1"):
        JointData(encoder, cross * 3, causal, _words(5), _words(3), _words(3))


def test_compare_leaves_the_difference_out_when_words_differ() -> None:
    def side(name: str, queries: list[str], seed: int) -> Side:
        return Side(softmax(len(queries), 4, seed=seed), queries, _words(4), name)

    first, second = side("2.5", _words(3), 0), side("1.1", _words(3), 1)
    same = CompareData((first, second), kind="cross", title="2.5 and 1.1")
    assert same.comparable is True
    other = CompareData((first, side("b", ["x", "y"], 1)), kind="cross", title="a and b")
    assert other.comparable is False
    with pytest.raises(InputError, match="2 query labels"):
        CompareData((replace(first, queries=_words(2)), second), kind="cross", title="a and b")


def test_file_names_cannot_leave_the_download_folder() -> None:
    assert file_stem("../../etc/passwd") == "etc-passwd"
    assert file_stem("cross head 2.5 <b>") == "cross-head-2.5-b"
    assert len(file_stem("x" * 500)) == 80
    with pytest.raises(InputError, match="no file name"):
        file_stem("///")


def test_hidden_shares_fit_their_rows() -> None:
    values = np.array([[0.5, 0.5], [np.nan, np.nan]])
    data = HeadData(HeadMap(values, 0, 0, hidden=[0.25, 0.97]), _words(2), _words(2), kind="cross")
    assert data.heads[0].hidden == (0.25, 0.97)
    assert np.isnan(data.heads[0].values[1]).all()
    with pytest.raises(InputError, match="1 hidden shares for a map with 2 rows"):
        HeadData(HeadMap(values, 0, 0, hidden=[0.25]), _words(2), _words(2), kind="cross")


def test_the_digest_of_a_wall_follows_what_is_drawn_and_not_how_it_is_arranged() -> None:
    def digest(weights: np.ndarray, arranged: Arranged, title: str = "All heads") -> object:
        data = wall_data(weights, _words(3), _words(3), kind="cross", arranged=arranged, title=title)
        return data.digest

    first, other = softmax(1, 2, 3, 3), softmax(1, 2, 3, 3, seed=1)
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
    for event, said in (
        ("picked", {"heads": [[number, 0]]}),
        ("arranged", {"least": number}),
    ):
        assert WALL.answer(event, said, _wall()) is None
    for message in (number, [0, [number]], {"a": {"b": (1, number)}}, [0] * 200_000):
        assert not state._sendable(message)
    assert state._sendable({"heads": [[0, 1], [2.0, 3.5]], "label": "x", "none": None, "yes": True})
