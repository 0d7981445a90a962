"""How norms are called in sentences."""

from __future__ import annotations

import pytest

from core.analysis.norms import Place
from ui.inside.norms import norm_in_words


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Place("encoder", 0, "final"), "the encoder's final norm"),
        (Place("decoder", 2, "cross"), "the norm of layer 2's cross-attention"),
        (Place("encoder", 0, "embed"), "the norm of the encoder's embedding"),
    ],
)
def test_a_norm_is_not_the_norm_of_a_norm(place: Place, words: str) -> None:
    assert norm_in_words(place) == words
