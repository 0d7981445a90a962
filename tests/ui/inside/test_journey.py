"""How norms are called in sentences."""

from __future__ import annotations

import pytest

from core.analysis.norms import NormSite
from ui.inside.norms import norm_in_words


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (NormSite("encoder", 0, "final"), "the encoder's final norm"),
        (NormSite("decoder", 2, "cross"), "the norm of layer 2's cross-attention"),
        (NormSite("encoder", 0, "embed"), "the norm of the encoder's embedding"),
    ],
)
def test_a_norm_is_not_the_norm_of_a_norm(place: NormSite, words: str) -> None:
    assert norm_in_words(place) == words
