"""The claims that open Positions and Norms, from numbers of which each is known."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from core import api
from core.analysis.norms import RECORD, NormParameters, NormSite
from core.analysis.readout import rewriting
from core.model.hooks import Site
from tests.ui.shared.test_make_decode import padding_starts
from ui.inside import norms, position_numbers
from ui.inside.position_figures import Swap, tokens_html
from ui.session.codec import Pin
from ui.session.selection import Selection

LABELS = ("The", "cat", "sees", "a", "sofa", "⟨end⟩")


def swap(before: str, after: str, nats: float = -15.0) -> Swap:
    return Swap(LABELS, 4, 1, rewriting(before, after), nats)


@pytest.mark.parametrize(
    ("after", "title"),
    [
        ("Le canapé voit le chat.", "the model writes the same words in another order"),
        ("Le chat voit le canapé.", "the translation stays the same"),
        ("Le chat voit le chien.", "1 of 6 words changes"),
        ("Un chien dort.", "5 of 6 words change"),
    ],
)
def test_the_title_is_what_the_swap_did(after: str, title: str) -> None:
    title_text = swap("Le chat voit le canapé.", after).title
    assert title_text == f"Swap the positions of “cat” and “sofa”: {title}"


@pytest.mark.parametrize(
    ("nats", "words"),
    [
        (-15.0, "3,300,000 times less likely"),
        (-0.5, "1.6 times less likely"),
        (-4.0, "55 times less likely"),
        (2.0, "7.4 times more likely"),
        (0.0, "stays as likely as before"),
        (-40.0, "10¹⁷ times less likely"),
    ],
)
def test_how_much_less_likely_is_counted(nats: float, words: str) -> None:
    assert words in swap("a", "b", nats).sentence


def test_the_two_tokens_show_each_others_position() -> None:
    markup = tokens_html(swap("a", "b"), np.eye(8)[:, :4], "light")
    assert "<bdi>cat</bdi>" in markup and "<s>1</s> <b>4</b>" in markup and "<s>4</s> <b>1</b>" in markup
    assert markup.count("class=moved") == 2 and markup.count("linear-gradient") == len(LABELS)


def test_of_a_long_sentence_the_words_around_the_swap_and_both_ends_are_drawn() -> None:
    labels = tuple(f"w{n}" for n in range(20))  # 100 letters and gaps
    markup = tokens_html(Swap(labels, 9, 3, rewriting("a", "b"), -1.0), np.eye(20)[:, :4], "light")
    drawn = re.findall(r"<bdi>(.*?)</bdi>.*?<span>(.*?)</span>", markup)
    assert drawn == [
        ("w0", "0"),
        ("w1", "1"),  # a single word is not folded away
        ("w2", "2"),
        ("w3", "<s>3</s> <b>9</b>"),
        ("w4", "4"),
        ("…", "5–7"),
        ("w8", "8"),
        ("w9", "<s>9</s> <b>3</b>"),
        ("w10", "10"),
        ("…", "11–18"),
        ("w19", "19"),
    ]
    assert 'title="w5 w6 w7"' in markup


def test_the_pinned_word_is_the_token_in_hand() -> None:
    for pin, token in ((Pin("cross", 5, 7), 7), (Pin("encoder", 2, 3), 2), (Pin("causal", 2, 3), 6)):
        assert position_numbers.token_in_hand(Selection(pin=pin), 10) == ("s", token)
    assert position_numbers.token_in_hand(Selection(pin=Pin("cross", 5, 7), token="s4"), 10) == ("s", 4)
    # Where the decoder's tokens can be in hand too, those of a link or a pin are.
    assert position_numbers.token_in_hand(Selection(pin=Pin("causal", 2, 3)), 10, 5) == ("t", 2)
    assert position_numbers.token_in_hand(Selection(token="t4"), 10, 5) == ("t", 4)
    assert position_numbers.token_in_hand(Selection(token="t5"), 10, 5) == ("s", 6)


def test_the_largest_bias_is_found_within_the_sentence() -> None:
    offsets = np.arange(-5, 6)
    bias = np.zeros((2, 11))
    bias[0, 5], bias[1, 4], bias[0, 10] = 9.0, 2.5, 8.0  # the token itself, one before, five after
    assert position_numbers.favourite(bias, offsets, 3) == (1, -1, 2.5)
    assert (
        "Head 1 adds most to the score of the token 1 position before: +2.50"
        in position_numbers.favourite_title(1, -1, 2.5)
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3.25, "3.2"),
        (59.4, "59"),
        (1_345_210.0, "1,350,000"),
        (1.905e10, "1.9 × 10¹⁰"),
        (np.inf, "infinity"),
    ],
)
def test_a_length_has_the_digits_that_count(value: float, words: str) -> None:
    assert norms.size_words(value) == words


@pytest.mark.parametrize("formula", ["layer", "rms", "layer_unbiased_std"])
def test_the_steps_of_a_norm_end_in_its_output(formula: str) -> None:
    checkpoint = padding_starts()
    config = replace(checkpoint.config, norm_formula=formula)
    trace = api.trace(checkpoint, "abc def", record=RECORD)
    site = NormSite("encoder", 0, "ffn")
    before = np.asarray(trace.array(Site(*site, "norm_input")), dtype=np.float64)
    mean = np.zeros(len(before)) if formula == "rms" else before.mean(-1)
    variance = {
        "layer": before.var(-1),
        "rms": np.square(before).mean(-1),
        "layer_unbiased_std": before.var(-1, ddof=1),
    }[formula]
    records = {**trace.records, Site(*site, "norm_mean"): mean, Site(*site, "norm_var"): variance}
    trace = replace(trace, config=config, records=records)
    width = before.shape[1]
    parameters = NormParameters(np.full(width, 2.0), np.full(width, 0.5))
    steps = norms.steps(trace, site, 1, parameters)
    np.testing.assert_allclose(steps.before, before[1])
    spread = np.sqrt(np.square(steps.scaled).mean()) if formula == "rms" else steps.scaled.std()
    assert spread == pytest.approx(1.0, rel=0.05)
    assert formula == "rms" or abs(steps.scaled.mean()) < 1e-6
    np.testing.assert_allclose(steps.after, 2 * steps.scaled + 0.5)
    title = norms.one_norm_title(steps, "abc", config)
    assert f"±{np.abs(before[1]).max():.1f}" in title and f"±{np.abs(steps.after).max():.1f}" in title
