"""The ladder compares whole texts, however little of them is shown."""

from __future__ import annotations

import types
from typing import Any

import pytest

from ui.inside import lenses
from ui.inside.lenses import COMPARED, LONGEST, Ladder
from ui.shared import checkpoints as listing
from ui.shared import context, models

SENTENCE = " ".join(f"word{number}" for number in range(100))
LONG = " ".join(f"w{number}" for number in range(COMPARED + 20))


def ladder_of(monkeypatch: pytest.MonkeyPatch, *texts: str) -> Ladder:
    """The ladder of a model that writes these texts, the embedding's first."""
    monkeypatch.setattr("core.experiments.lenses.decoder_lens", lambda *_: list(range(len(texts))))
    monkeypatch.setattr(models, "model", lambda *_: None)
    monkeypatch.setattr(context.CheckpointView, "memo", lambda self, name, make: make())
    writes = types.SimpleNamespace(decode=lambda place: f" {texts[place]}")
    decode: Any = types.SimpleNamespace(trace=types.SimpleNamespace(source_ids=(4, 2)))
    entry: Any = types.SimpleNamespace(tokenizers=(writes, writes))
    return lenses.ladder_of(context.DecodeView(entry, decode=decode))


def note(ladder: Ladder, text: str) -> str:
    decode: Any = types.SimpleNamespace(text=text)
    return lenses.notes(ladder, decode)


def test_a_long_translation_is_the_one_above_the_ladder(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ladder_of(monkeypatch, "a", SENTENCE)
    assert len(SENTENCE) > LONGEST
    assert note(found, SENTENCE) == note(found, f" {SENTENCE}") == lenses.LAYERS
    assert "was made another way" in note(found, f"{SENTENCE} more")


def test_texts_that_differ_beyond_what_is_shown_are_not_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ladder_of(monkeypatch, "a", f"{SENTENCE} b", f"{SENTENCE} c", f"{SENTENCE} c")
    assert found.first == 2 and not found.lost
    assert found.layers[1].shared == 100 / 101 and found.layers[2].shared == 1.0


def test_what_is_shown_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ladder_of(monkeypatch, "word0 other", SENTENCE, "a b", "a c")
    assert found.layers[2].difference == (("same", "a"), ("missing", "c"), ("extra", "b"))
    whole = ladder_of(monkeypatch, "word0 other", SENTENCE).layers
    assert whole[1].text == SENTENCE
    ((kind, shown),) = whole[1].difference
    assert kind == "same" and shown == f"{SENTENCE[:LONGEST].rstrip()}…"
    same, missing = whole[0].difference
    assert same == ("same", "word0") and missing == ("missing", f"{SENTENCE[6 : LONGEST + 1].rstrip()}…")


def test_of_a_very_long_one_the_note_says_what_was_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ladder_of(monkeypatch, f"{LONG} more", LONG)
    assert found.first == 1 and not found.lost and found.layers[0].shared == 1.0
    assert note(found, LONG) == f"{lenses.LAYERS} The shares are of its first {COMPARED} words."
    endless = ladder_of(monkeypatch, "a b " * 1000, "a " * 2000)
    assert endless.layers[0].shared == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("texts", "named", "unnamed"),
    [
        (("y", "x", "y", "y"), ("the embedding", "layer 0"), ("layer 1",)),  # a higher layer loses it again
        (("x", "y", "x", "x", "y"), ("layer 0", "layer 1", "layer 2"), ("embedding",)),
        (("x", "y", "y", "y"), ("layer 0",), ("embedding", "layer 1")),
        (("x", "x", "y", "y"), ("layer 1",), ("embedding", "layer 0")),
    ],
)
def test_the_title_names_the_lowest_depth_that_gives_the_translation_and_those_that_lose_it(
    monkeypatch: pytest.MonkeyPatch, texts: tuple[str, ...], named: tuple[str, ...], unnamed: tuple[str, ...]
) -> None:
    found = ladder_of(monkeypatch, *texts)
    title = lenses.heading(found)
    assert found.first == texts.index(texts[-1])
    assert [layer.name for layer in found.lost] == [
        layer.name for layer, text in zip(found.layers, texts, strict=True)
        if text != texts[-1] and found.layers.index(layer) > found.first
    ]  # fmt: skip
    places = [title.casefold().index(name) for name in named]
    assert places == sorted(places)
    assert not [name for name in unnamed if name in title.casefold()], title


def test_the_title_of_a_shipped_sentence_whose_embedding_gives_the_translation_says_so() -> None:
    from ui.session.selection import Selection

    entry, _ = listing.find("en-fr")
    models.model(entry)
    text = "A man in a red shirt is riding a bike."
    ladder = lenses.ladder_of(context.CheckpointView(entry, Selection(checkpoint="en-fr", text=text)).decoded)
    assert [layer.text == ladder.layers[-1].text for layer in ladder.layers] == [
        True,
        False,
        True,
        True,
        True,
    ]
    title = lenses.heading(ladder).casefold()
    assert title.index("the embedding") < title.index("layer 0") and "layer 1" not in title
