"""The selection and its URL: every value survives the round trip, nonsense falls back, fields that belong together change together."""

from __future__ import annotations

import dataclasses
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.experiments.edits import Edits
from core.language import speaking
from ui.session import state
from ui.session.codec import UNPINNED, Pin
from ui.session.selection import MEAN, TEXT_LIMIT, Selection

LINK = dict(parse_qsl(
    "checkpoint=en-fr&text=Où+est+l’hôtel+?+<b>%26=%23&strategy=sample&target=Where+is+the+hotel?&temperature=0.85&top_k=40"
    "&top_p=0.9&seed=17&beam=4&node=12&force=0:12,3:415&step=4&kind=encoder&layer=2&head=mean&overlay=0.1,3.2&how=max"
    "&draw=masked&measure=alti&words=1&hide=1&versus=step&against=1.3&other_text=I+am+here.&other_step=3"
    "&other_checkpoint=dates&token=t2&pin=t5-s7&pins=q3,k0&only_kind=causal&sort=high&badge=entropy&least=0.25&only_layer=1"
    "&only_role=end-of-sentence+sink&tone=log&threshold=12&scale=log&zoom=3-9,0-12&cell=2.3.-&lens=3.2&card=weights"
    "&number=3.17&every=1&place=decoder.1.cross&pair=20&offset=3&swap=4&desk=inspect&edits=zc2-5_n_h3&off=mean&ablated=12"
    "&alternative=17&clean=The+boy.&corrupted=The+girl.&direction=disturbed&taken=5&probe=1&reading=reading&by=contribution&joined=1&gold=a1b2c3:1-1,2p3&pitfall=head-split-view&deal=3"
    "&game=142&round=2&lesson=masks.3&answers=1-2,4-1&handout=masks&solutions=1&language=fr&watch=live&at=309&sentence=2"
    "&task=sort&tutorial=tutorial-b&claim=means&presenter=1&full=stage"
))  # fmt: skip
"""A link that sets every field."""
FULL, _ = state.parse(LINK)


def test_a_default_selection_has_no_parameters() -> None:
    assert state.to_params(Selection()) == {}
    assert state.parse({}) == (Selection(), ())


def test_every_field_survives_the_round_trip() -> None:
    assert all(getattr(FULL, field.name) != field.default for field in dataclasses.fields(FULL)), (
        "the example must set every field"
    )
    assert state.to_params(FULL) == LINK and tuple(LINK) == state.PARAMETERS
    assert state.parse(state.to_params(FULL)) == (FULL, ())


def test_parameters_are_read_as_what_they_are() -> None:
    assert (FULL.layer, FULL.head, FULL.top_p, FULL.words) == (2, MEAN, 0.9, True)
    assert (FULL.force, FULL.overlay, FULL.answers) == (
        ((0, 12), (3, 415)),
        ((0, 1), (3, 2)),
        ((1, 2), (4, 1)),
    )
    assert (FULL.pin, FULL.pins) == (Pin("cross", 5, 7), ("q3", "k0"))
    assert (FULL.zoom, FULL.cell, FULL.norm_site) == ((3, 9, 0, 12), (2, 3, None), "decoder.1.cross")
    assert FULL.edits == Edits.parse("zc2-5_n_h3")


@given(
    text=st.text(min_size=1, max_size=200).filter(lambda text: text.strip()),
    force=st.lists(
        st.tuples(st.integers(0, 500), st.integers(0, 50_000)), max_size=8, unique_by=lambda p: p[0]
    ),
    layer=st.none() | st.integers(-1, 127),
    top_p=st.integers(1, 99).map(lambda n: n / 100),
)
def test_any_selection_survives_the_round_trip(
    text: str, force: list[tuple[int, int]], layer: int | None, top_p: float
) -> None:
    selection = Selection(text=text, force=tuple(sorted(force)), layer=layer, top_p=top_p)
    assert state.parse(state.to_params(selection)) == (selection, ())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("checkpoint", "../../etc/passwd"),
        ("checkpoint", "a\x00b"),
        ("text", " " * 9),
        ("text", "x" * (TEXT_LIMIT + 1)),
        ("strategy", "GREEDY"),
        ("temperature", "nan"),
        ("temperature", "0"),
        ("temperature", "1e400"),
        ("top_k", "-1"),
        ("card", "Weights"),
        ("number", "3"),
        ("number", "-1.2"),
        ("top_p", "1.5"),
        ("seed", "1.0"),
        ("seed", "٣"),
        ("beam", "1"),
        ("beam", "999999999999999999"),
        ("force", "3:"),
        ("force", "5:1,3:2"),
        ("force", "3:1,3:2"),
        ("force", ",".join(f"{i}:1" for i in range(100))),
        ("step", "-3"),
        ("kind", "<script>"),
        ("layer", "two"),
        ("head", "256"),
        ("words", "yes"),
        ("against", "1"),
        ("overlay", "2.5,2.5"),
        ("overlay", ",".join(f"1.{i}" for i in range(8))),
        ("pin", "s1-t2"),
        ("pin", "t5"),
        ("pin", "t5-s7-s8"),
        ("pins", "q1,q1"),
        ("pins", "x1"),
        ("pins", ",".join(f"q{i}" for i in range(40))),
        ("sort", "up"),
        ("badge", "../x"),
        ("least", "inf"),
        ("threshold", "51"),
        ("zoom", "4-3,0-2"),
        ("zoom", "0-3"),
        ("cell", "3.1.1"),
        ("cell", "0.-.-"),
        ("cell", "0.1"),
        ("token", "x3"),
        ("place", "decoder.1.nothing"),
        ("lesson", "masks"),
        ("lesson", "../masks.1"),
        ("lesson", "masks.100"),
        ("answers", "1"),
        ("answers", "2-1,1-1"),
        ("answers", "1-1,1-2"),
        ("answers", ",".join(f"{n}-1" for n in range(21))),
        ("language", "FR"),
        ("language", "../en"),
        ("presenter", ""),
    ],
)
def test_nonsense_falls_back_and_is_named(name: str, value: str) -> None:
    selection, refused = state.parse({name: value, "unknown": "1"})
    assert selection == Selection()
    assert refused == (name,)
    assert name in state.refusal(refused)


@given(st.dictionaries(st.sampled_from(sorted(state.PARAMETERS)), st.text(max_size=40)))
def test_no_link_can_raise(params: dict[str, str]) -> None:
    selection, refused = state.parse(params)
    assert state.parse(state.to_params(selection)) == (selection, ())
    assert set(refused) <= set(params)


def test_good_parameters_stand_beside_bad_ones() -> None:
    selection, refused = state.parse({"kind": "causal", "layer": "nine"})
    assert selection == Selection(kind="causal")
    assert refused == ("layer",)


def test_no_refusal_is_no_sentence() -> None:
    assert state.refusal(()) == ""


def test_a_new_sentence_forgets_the_path_but_keeps_the_view() -> None:
    new = FULL.typed("I am tired.")
    assert (new.text, new.step, new.force, new.node, new.token, new.target) == (
        "I am tired.",
        None,
        (),
        None,
        "",
        "",
    )
    assert (new.kind, new.layer, new.strategy, new.words) == ("encoder", 2, "sample", True)


def test_the_same_sentence_changes_nothing() -> None:
    assert FULL.typed(FULL.text or "") == FULL


def test_another_checkpoint_starts_at_its_example() -> None:
    new = FULL.changed(checkpoint="dates")
    assert (new.text, new.strategy, new.force, new.layer, new.head) == (None, "greedy", (), None, None)
    assert new.presenter


def test_one_own_translation_does_not_outlive_its_sentence() -> None:
    assert Selection(strategy="given", target="x").changed(text="new").strategy == "greedy"


def test_changing_a_field_to_its_own_value_forgets_nothing() -> None:
    assert FULL.changed(strategy="sample", seed=17) == FULL


def test_forcing_keeps_earlier_words_and_drops_later_ones() -> None:
    selection = Selection(force=((1, 10), (4, 40), (6, 60)))
    assert selection.forced(4, 7).force == ((1, 10), (4, 7))
    assert selection.forced(4, 7).step == 5


def test_forced_words_are_taken_back_from_the_end() -> None:
    selection = Selection(force=((1, 10), (4, 40), (6, 60)), step=9)
    assert selection.unforced(1) == Selection(force=((1, 10), (4, 40)), step=7)
    assert selection.unforced(3) == Selection(step=2)


def test_a_path_of_the_beam_can_be_followed_and_left() -> None:
    selection = Selection(strategy="beam")
    assert selection.followed(12, 3).node == 12
    assert selection.followed(12, 3).followed(0, 0).node is None


def test_every_field_says_what_it_means_and_what_resets_it() -> None:
    names = {each.name for each in dataclasses.fields(Selection)}
    for each in dataclasses.fields(Selection):
        assert len(each.metadata["meaning"]) > 8, each.name
        assert names.issuperset(each.metadata["reset_by"]), each.name
        assert each.name not in each.metadata["reset_by"]


@pytest.mark.parametrize(
    ("pin", "written"),
    [
        (Pin("cross", 5, 7), "t5-s7"),
        (Pin("encoder", 0, 3), "s0-s3"),
        (Pin("causal", 4, 1), "t4-t1"),
        (UNPINNED, "none"),
    ],
)
def test_a_pin_names_the_two_sides_of_its_kind(pin: Pin, written: str) -> None:
    assert state.to_params(Selection(pin=pin)) == {"pin": written}
    assert state.parse({"pin": written}) == (Selection(pin=pin), ())


def test_a_pin_belongs_to_one_translation() -> None:
    pinned = Selection(text="One.", pin=Pin("cross", 1, 2))
    assert pinned.changed(kind="encoder", layer=2).pin == pinned.pin
    for changes in ({"text": "Two."}, {"checkpoint": "dates"}, {"strategy": "beam"}):
        assert pinned.changed(**changes).pin is None


VALUES = st.one_of(
    st.text(max_size=60),
    st.integers(-(10**12), 10**12).map(str),
    st.sampled_from(["xx", "nan", "inf", "-0", "1e999", "mean", "none", "0.0", "s0", "t5-s7", "q0,k0", "0-1,0-1", "word " * 300]),
    st.from_regex(r"[a-z0-9]{1,8}([.,:-][0-9]{1,9}){0,4}", fullmatch=True),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(tuple(state.PARAMETERS)), VALUES, max_size=8))
def test_no_link_is_an_error(params: dict[str, str]) -> None:
    """Any value of any parameter is read or named in one sentence, in any language a link may name."""
    selection, refused = state.parse(params)
    with speaking(selection.language):
        assert bool(state.refusal(refused)) == bool(refused)
    assert state.parse(state.to_params(selection)) == (selection, ())


def test_an_upload_field_that_leaves_the_page_opens_no_import(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(state, "update", lambda **changes: opened.append(changes["desk"]))
    for files, expected in ((None, []), ([], []), (["weights.pt"], ["import"])):
        monkeypatch.setattr(state, "_session", lambda files=files: {"widget_files": files})
        state.open_import("widget_files")
        assert opened == expected
