"""The two BLEU measures, chrF and exact match."""

from __future__ import annotations

import pytest
from sacrebleu.metrics import BLEU

from core.errors import InputError
from core.training.evaluate import moses_lowercase, score

REFERENCES = [
    "Un homme en T-shirt rouge fait du vélo .",
    "L’homme n'est pas là !",
    "Deux chiens jouent dans la neige.",
]


def test_perfect() -> None:
    quality = score(REFERENCES, REFERENCES, "fr")
    assert quality.bleu == quality.bleu_tokenised == pytest.approx(100)
    assert quality.exact == 100
    assert quality.sentences == 3
    assert "tok:13a" in quality.signature
    assert "case:mixed" in quality.signature
    assert "nc:6" in quality.chrf_signature


def test_the_tokenised_measure_forgives_case_and_apostrophes_only() -> None:
    hypotheses = [
        "un homme en t-shirt rouge fait du vélo.",
        "l'homme n'est pas là!",
        "deux chiens jouent dans la neige.",
    ]
    quality = score(hypotheses, REFERENCES, "fr")
    assert quality.bleu_tokenised == pytest.approx(100)
    assert quality.bleu < 80
    assert quality.exact == 0


def test_moses_french() -> None:
    assert moses_lowercase("L’homme, aujourd'hui.", "fr") == "l' homme , aujourd' hui ."


def test_raw_bleu_is_sacrebleu_s() -> None:
    hypotheses = ["Un homme fait du vélo rouge .", "L’homme est là !", "Deux chats jouent dans la neige."]
    assert score(hypotheses, REFERENCES).bleu == BLEU().corpus_score(hypotheses, [REFERENCES]).score


def test_one_word_answers_can_score() -> None:
    assert score(["1979-05-03"], ["1979-05-03"]).bleu_tokenised == pytest.approx(100)


def test_unequal_sides() -> None:
    with pytest.raises(InputError, match="1 translations and 3 references"):
        score(["a"], REFERENCES)
    with pytest.raises(InputError):
        score([], [])
