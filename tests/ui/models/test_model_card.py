"""What a card tells: in words, bounded, and safe whatever somebody wrote into it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.checkpoints.summary import CheckpointSummary
from core.language import speaking
from core.model.config import ModelConfig
from ui.models import model_card
from ui.models.model_card import does, scores, terms, translated
from ui.shared import checkpoints
from ui.shared.checkpoints import Entry, in_words

CONFIG = ModelConfig(source_vocab_size=8000, target_vocab_size=120, d_model=64, heads=4, tie_embeddings=False)


def entry(card: dict[str, Any] | None = None, config: ModelConfig = CONFIG) -> Entry:
    """A checkpoint that holds nothing but its card and its options."""
    summary = CheckpointSummary(
        path=Path("nowhere"),
        config=config,
        card=card or {},
        parameters=1_234_567,
        stored_bytes=2_500_000,
        has_example=False,
        has_atlas=False,
        has_importance=False,
        has_dynamics=False,
    )
    return Entry("folder", Path("nowhere"), "stamp", summary)


ODD: list[Any] = [None, 3, 1.5, True, [], {}, [[]], {"a": 1}, float("nan"), "\x00", "", "   "]


@pytest.mark.parametrize("odd", ODD)
def test_any_value_in_a_card_is_shown_or_left_out(odd: Any) -> None:
    fields = ("name", "description", "origin", "examples", "figures", "data", "terms", "limits", "trained")
    for field in fields:
        card = entry({field: odd})
        model_card.title(card), model_card.does(card), model_card.terms(card)
        model_card.examples(card), model_card.scores(card), model_card.example_table(card)
    example = {"source": "x", "translation": odd, "greedy": odd, "trained_on": odd}
    heads, rows = model_card.example_table(
        entry({"examples": [example, odd, {"source": "y", "greedy": "z"}]})
    )
    assert all(len(row) == len(heads) and all(isinstance(cell, str) for cell in row) for row in rows)
    several = {"bleu": 1, "multi_reference": {"bleu": odd, "sources": odd}}
    for quality in (
        odd,
        {"test": odd},
        {"test": {"bleu": odd, "beam": odd, "sentences": odd}},
        {"test": {"bleu": 1, "multi_reference": odd}},
        {"test": several},
    ):
        _, rows = model_card.scores(entry({"figures": {"quality": quality}}))
        assert all(isinstance(cell, str) for row in rows for cell in row)


def test_a_title_is_the_cards_name_or_the_folders() -> None:
    assert model_card.title(entry({"name": "نموذج"})) == "نموذج"
    assert model_card.title(entry({"name": "  "})) == "folder"
    assert model_card.title(entry({"name": ["x"]})) == "folder"
    assert len(model_card.title(entry({"name": "x" * 10_000}))) <= 100


def test_what_it_does_comes_from_the_card() -> None:
    assert (
        model_card.does(entry({"description": "Turns dates round.", "origin": "o"})) == "Turns dates round."
    )
    assert model_card.does(entry({"origin": "imported from BART"})) == "Imported from BART"
    assert model_card.does(entry()) == "Its card does not say what it does."


def test_long_cards_are_cut() -> None:
    card = {"data": ["y" * 5000] * 400, "examples": [{"source": "x" * 5000, "translation": "z"}] * 400}
    rows = model_card.terms(entry(card))
    assert len(rows) <= 50 and all(len(line) <= 600 for _, line in rows)
    examples = model_card.examples(entry(card))
    assert len(examples) == checkpoints.MOST_EXAMPLES and all(len(source) <= 600 for source, _ in examples)


def test_terms_are_named_on_their_first_line() -> None:
    card = {"limits": ["short", "sentences"], "data": "Multi30k", "terms": 7}
    assert model_card.terms(entry(card)) == [("data", "Multi30k"), ("limits", "short"), ("", "sentences")]


def test_examples_come_with_or_without_their_translation() -> None:
    card = {"examples": [{"source": "a dog", "translation": "un chien"}, "a cat", {"translation": "x"}, 5]}
    assert model_card.examples(entry(card)) == [("a dog", "un chien"), ("a cat", "")]


def test_examples_tell_greedy_search_and_what_was_trained_on() -> None:
    listed = [
        {"source": "a", "translation": "b", "greedy": "b", "trained_on": []},
        {"source": "c", "translation": "d", "greedy": "e", "trained_on": ["classroom", "tatoeba"]},
    ]
    assert model_card.example_table(entry({"examples": listed})) == (
        ("source", "what the model writes", "by greedy search", "trained on"),
        [("a", "b", "the same", ""), ("c", "d", "e", "classroom, tatoeba")],
    )
    plain = [{"source": "a", "translation": "b", "trained_on": []}]
    assert model_card.example_table(entry({"examples": plain})) == (
        ("source", "what the model writes"),
        [("a", "b")],
    )


def test_a_score_against_all_references_has_a_row_of_its_own() -> None:
    quality = {"t": {"bleu": 40, "chrf": 60, "multi_reference": {"bleu": 53.66, "sources": 1324}}}
    assert model_card.scores(entry({"figures": {"quality": quality}}))[1] == [
        ("t", "40.0", "60.0"),
        ("t · against all references · 1,324 sources", "53.7", ""),
    ]


@pytest.mark.parametrize(("exact", "shown"), [(100.0, False), (0.5, False), (0.0, True)])
def test_no_bleu_where_sentences_are_too_short_for_it(exact: float, shown: bool) -> None:
    """One word right is a BLEU of 0, for want of four in a row."""
    found = {"bleu": 0.0, "chrf": 50.0, "exact": exact}
    heads, _ = model_card.scores(entry({"figures": {"quality": {"reverse (test)": found}}}))
    assert ("BLEU" in heads) is shown


def test_scores_are_a_table_of_what_was_measured() -> None:
    quality = {
        "val": {"bleu": 41.26, "chrf": 60, "beam": 5, "sentences": 1014},
        "test": {"bleu": 30, "beam": 1},
        "empty": {"beam": 5},
        "odd": 3,
    }
    heads, rows = model_card.scores(entry({"figures": {"quality": quality}}))
    assert heads == ("measured on", "BLEU", "chrF")
    assert rows == [("val · beam 5 · 1,014 sentences", "41.3", "60.0"), ("test · greedy", "30.0", "")]
    exact = {"figures": {"quality": {"t": {"exact": 99.994}}}}
    assert model_card.scores(entry(exact))[1] == [("t", "99.99 %")]
    assert model_card.scores(entry())[1] == []


def test_sizes_are_in_words() -> None:
    assert model_card.size_words(entry()) == "1.23 M parameters, 2.5 MB on disk"
    assert dict(model_card.size_facts(entry())) == {
        "parameters": "1.23 M",
        "width": "64",
        "vocabulary": "8,000 → 120",
        "norm": "post-norm",
    }
    shared = ModelConfig(source_vocab_size=9, target_vocab_size=9)
    assert dict(model_card.size_facts(entry(config=shared)))["vocabulary"] == "9"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (999, "999"),
        (1_000, "1 k"),
        (254_400, "254 k"),
        (999_499, "999 k"),
        (999_500, "1 M"),
        (999_950, "1 M"),
        (11_534_336, "11.5 M"),
        (999_499_999, "999 M"),
        (999_500_000, "1 B"),
        (1_234_567_890, "1.23 B"),
        (999_499_999_999, "999 B"),
        (1_234_567_890_123, "1,235 B"),
    ],
)
def test_a_count_carries_into_the_next_unit(number: int, words: str) -> None:
    assert in_words(number) == words


def test_the_stacks_are_the_models_own() -> None:
    config = ModelConfig(
        source_vocab_size=9,
        target_vocab_size=9,
        encoder_layers=3,
        decoder_layers=2,
        heads=8,
        decoder_heads=4,
    )
    drawn = [(stack.kind, stack.layers, stack.heads) for stack in model_card.stacks(config)]
    assert drawn == [("encoder", 3, 8), ("causal", 2, 4), ("cross", 2, 4)]
    bare = ModelConfig(source_vocab_size=9, target_vocab_size=9, encoder_layers=0, decoder_layers=2)
    assert [stack.kind for stack in model_card.stacks(bare)] == ["causal", "cross"]


@pytest.mark.parametrize(
    "name", ["paper", "tutorial-a", "tutorial-b", "tutorial-c", "tutorial-d", "tutorial-e"]
)
def test_every_kind_of_model_is_put_into_words(name: str) -> None:
    rows = model_card.config_rows(ModelConfig.preset(name, source_vocab_size=30, target_vocab_size=30))
    assert len({option for option, _ in rows}) == len(rows) == 17
    assert all(value.strip() for _, value in rows)


@pytest.mark.parametrize(
    ("change", "option", "words"),
    [
        ({"norm_placement": "pre"}, "place of the norm", "inside the branch (pre-norm)"),
        ({"norm_formula": "rms", "norm_eps": 1e-6}, "norm", "root mean square, ε 1e-06"),
        ({"positions": "learned"}, "positions", "a learned vector for each position"),
        ({"score_scale": "none"}, "scores divided by", "nothing"),
        ({"activation": "silu", "gated": True}, "feed-forward", "2,048 wide, silu, gated"),
        ({"projection_bias": False, "attention_output_bias": False, "ffn_bias": False}, "biases", "none"),
        ({"tie_output": False}, "shared tables", "nothing"),
        ({"dropout": 0.0}, "dropout", "0, on the sub-layer’s output"),
        ({"decoder_heads": 2}, "heads", "encoder: 4 of 16 dimensions · decoder: 2 of 32 dimensions"),
    ],
)
def test_an_option_says_what_it_is(change: dict[str, Any], option: str, words: str) -> None:
    import dataclasses

    assert dict(model_card.config_rows(dataclasses.replace(CONFIG, **change)))[option] == words


def test_what_differs_stands_first() -> None:
    import dataclasses

    other = dataclasses.replace(CONFIG, dropout=0.3, final_norm=True)
    rows = model_card.compared(CONFIG, other)
    assert [option for option, mine, theirs in rows if mine != theirs] == ["final norm", "dropout"]
    assert [mine == theirs for _, mine, theirs in rows] == [False] * 2 + [True] * 15


@pytest.mark.parametrize(
    ("value", "words"), [(100.0, "100.0"), (99.97, "99.97"), (99.999, "99.99"), (99.84, "99.8"), (0, "0.0")]
)
def test_a_score_does_not_round_up_to_perfect(value: float, words: str) -> None:
    assert model_card._score(value, "{:.1f}") == words


@pytest.mark.parametrize(
    "entry", [each for each in checkpoints.entries() if not each.problem], ids=lambda each: each.name
)
def test_the_card_of_a_shipped_model_is_in_the_language_of_its_reader(entry: Entry) -> None:
    english = [does(entry), *(line for _, line in terms(entry))]
    with speaking("fr"):
        french = [does(entry), *(line for _, line in terms(entry))]
        _, rows = scores(entry)
    assert len(french) == len(english) > 5
    assert [one for one, other in zip(english, french, strict=True) if one == other] == [
        entry.usable.card["trained"]
    ]
    assert not any("held back" in row[0] or "valid)" in row[0] for row in rows)


def test_numbers_of_an_evaluation_are_written_as_its_reader_does() -> None:
    with speaking("fr"):
        assert translated("dates (test): 5,000 pairs with 2,746 distinct answers.") == (
            "dates (test)\u00a0: 5\u202f000 paires, 2\u202f746 réponses distinctes."
        )
        scored = translated(
            "The app steps by greedy search, but the scores are of beam search. sacreBLEU, greedy against beam: "
            "57.85 against 59.65 on a (valid), 44.22 against 46.01 on b (held back)."
        )
        assert scored.endswith(
            "57,85 contre 59,65 sur a (validation), 44,22 contre 46,01 sur b (hors entraînement)."
        )
        assert translated("What its author wrote.") == "What its author wrote."
