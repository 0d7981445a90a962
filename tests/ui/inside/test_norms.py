"""What the layer-norm page says: how norms are called, and what it found outlying."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core import api
from core.analysis.norms import (
    OUTLIER_TOKENS,
    RECORD,
    NormParameters,
    NormSite,
    outlier_activations,
    outlier_sentence,
    stream_outliers,
)
from core.model.hooks import Site
from core.model.trace import Trace
from tests.ui.shared.test_make_decode import padding_starts
from ui.inside.norm_figures import norm_in_words

STREAM = Site("encoder", 0, "ffn", "norm_output")


def stream_with(large: int) -> Trace:
    """A pass over 20 tokens, whose encoder's dimension 17 is 9 at the first `large` of them."""
    trace = api.trace(padding_starts(), "abc def ghi jab cde", record=RECORD)
    values = np.array(trace.array(STREAM))
    assert len(values) == 20
    values[:large, 17] = 9.0
    return replace(trace, records={**trace.records, STREAM: values})


@pytest.mark.parametrize("large", [0, 1])
def test_one_token_of_twenty_is_no_outlier(large: int) -> None:
    trace = stream_with(large)
    assert OUTLIER_TOKENS > 1 / 20 and not len(outlier_activations(trace))
    said = outlier_sentence({}, trace)
    assert said == "No gain γ is an outlier. No dimension of the stream stands out."


def test_one_dimension_is_told_with_its_stack() -> None:
    said = outlier_sentence({}, stream_with(2))
    assert said.endswith(" In the stream, encoder dimension 17 stands out.")


def found(**dimensions: list[int]) -> pd.DataFrame:
    rows = [(stack, index, 1.0, 1.0, 9.0) for stack, listed in dimensions.items() for index in listed]
    return pd.DataFrame(rows, columns=["stack", "dimension", "layers", "tokens", "largest"])


def test_a_dimension_of_both_stacks_is_told_of_each() -> None:
    said = stream_outliers(found(encoder=[17], decoder=[17]), 512)
    assert said == "In the stream, encoder dimension 17 and decoder dimension 17 stand out."


def test_a_long_list_is_cut_in_each_stack() -> None:
    said = stream_outliers(found(encoder=[1, 2, 3, 4, 5, 6], decoder=[7, 8]), 512)
    assert said == (
        "In the stream, encoder dimensions 1, 2, 3, 4 and 2 more and decoder dimensions 7, 8 stand out."
    )


def test_of_many_none_dominates() -> None:
    said = stream_outliers(found(encoder=[1, 2], decoder=[2, 3]), 32)
    assert said == "No single dimension dominates."


@pytest.mark.parametrize(
    ("far", "words"),
    [
        (1, "1 gain γ is an outlier. No"),
        (2, "2 gains γ are outliers. Dimension 5 is an outlier in 2 norms. "),
    ],
)
def test_gains_are_counted_in_the_right_number(far: int, words: str) -> None:
    gamma = np.ones(64)
    gamma[5] = 4.0
    places = [NormSite("encoder", 0, "self"), NormSite("encoder", 0, "ffn")]
    parameters = {place: NormParameters(gamma, np.zeros(64)) for place in places[:far]}
    assert outlier_sentence(parameters, stream_with(0)).startswith(words)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (NormSite("encoder", 0, "final"), "the encoder’s final norm"),
        (NormSite("decoder", 2, "cross"), "the norm of layer 2’s cross-attention"),
        (NormSite("encoder", 0, "embed"), "the norm of the encoder’s embedding"),
    ],
)
def test_a_norm_is_not_the_norm_of_a_norm(place: NormSite, words: str) -> None:
    assert norm_in_words(place) == words
