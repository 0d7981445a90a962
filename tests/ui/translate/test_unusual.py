"""The sentence under a translation: nothing where nothing is unusual, and one sentence where something is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ui.session.selection import Selection
from ui.shared import checkpoints
from ui.shared.context import CheckpointView, DecodeView
from ui.translate import sentence_box, unusual


def decoded(text: str, **chosen: object) -> DecodeView:
    entry, _ = checkpoints.find("en-fr")
    return CheckpointView(entry, Selection(checkpoint="en-fr", text=text, **chosen)).decoded  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("The cat is sleeping on the red sofa.", ""),
        ("A man is riding a bike in the park.", ""),
        ("مرحبا بالعالم", "The model does not know "),
        ("🙂", "The model does not know “🙂”; it reads ⟨unk⟩ in its place."),
        ("Zuckerberg sleeps.", "Unlike the training text: “Zuckerberg” is cut into 6 pieces."),
        ("Le chat dort sur le canapé rouge.", "The model is far less confident than usual: −1.00 per token"),
    ],
)
def test_only_what_is_unusual_is_said_and_in_one_sentence(text: str, says: str) -> None:
    view = decoded(text)
    said = sentence_box.remarks(view, None)
    assert len(said) == bool(says) and "".join(said).startswith(says)


def test_the_confidence_of_greedy_search_is_compared_alone() -> None:
    """The figures of a card are of finished greedy translations."""
    view = decoded("Le chat dort sur le canapé rouge.")
    assert unusual.sentence(view)
    for other in (
        replace(view.decode, strategy="beam"),
        replace(view.decode, forced=(1,)),
        replace(view.decode, finished=False),
    ):
        assert unusual.sentence(replace(view, decode=other)) == ""


def test_a_language_that_another_checkpoint_reads_is_named_once() -> None:
    view = decoded("Ein Mann sitzt auf einer Bank und liest ein Buch in der Sonne.")
    reader = unusual.better_reader(view)
    assert reader is not None and (reader[0].name, reader[1]) == ("de-en", "German")
    assert sentence_box.remarks(view, reader) == []


def test_a_translation_that_was_cut_short_says_so() -> None:
    view = decoded("The cat is sleeping on the red sofa.")
    (said,) = sentence_box.remarks(replace(view, decode=replace(view.decode, finished=False)), None)
    assert said == "The decoder stopped after 9 tokens without ending the sentence."
