"""What is written without feed-forward networks, and the unit of a token: the stored study against the model itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from core.learning.feed_forward import MOST, TAKEN_OUT, stored, study, write_without
from core.learning.feed_forward import TEXT as SENTENCE

SHIPPED = Path(__file__).parents[3] / "checkpoints"


def test_the_stored_study_is_of_the_shipped_model() -> None:
    result, checkpoint = stored(), core.load(SHIPPED / "en-fr")
    assert (result.checkpoint, result.text, len(result.written)) == ("en-fr", SENTENCE, len(TAKEN_OUT))
    trace = core.trace(checkpoint, SENTENCE, record=["encoder.3.ffn.hidden"])
    hidden = trace.array("encoder.3.ffn.hidden")[trace.tokens.source.index(result.token)]
    assert (trace.array("encoder.3.ffn.hidden") == 0).mean() > 0.9  # a unit is 0 for most tokens
    assert "cuisin cuisin" in result.without("decoder.*") and "cuisin cuisin" not in result.translation
    assert result.unit.number == int(hidden.argmax()) and hidden.max() > 0
    assert result.unit.sentences == len(checkpoint.card["probe_sentences"])
    assert len(set(result.unit.words)) == MOST and result.token not in result.unit.words
    # The strongest other token really makes that unit active.
    (sentence,) = [
        text for text in checkpoint.card["probe_sentences"] if f" {result.unit.words[0]} " in f" {text} "
    ][:1]
    other = core.trace(checkpoint, sentence, target="le", record=["encoder.3.ffn.hidden"])
    active = other.array("encoder.3.ffn.hidden")[:, result.unit.number]
    assert other.tokens.source[int(active.argmax())] == result.unit.words[0]


def test_without_the_encoders_networks_the_text_is_the_stored_one() -> None:
    result, checkpoint = stored(), core.load(SHIPPED / "en-fr")
    trace = core.trace(checkpoint, SENTENCE)
    assert checkpoint.translate(SENTENCE) == result.translation
    assert write_without(checkpoint, trace, "encoder.*") == result.without("encoder.*")
    assert result.changed("encoder.0") == 0 < result.changed("encoder.*") < result.changed("*")


def test_a_network_that_is_taken_out_adds_nothing() -> None:
    from core.learning.study import run_ids

    checkpoint = core.load(SHIPPED / "en-fr")
    trace = core.trace(checkpoint, SENTENCE)
    edit = {"encoder.0.ffn.output": lambda output: output.new_zeros(output.shape)}
    sites = ("encoder.0.ffn.residual_before", "encoder.0.ffn.residual_after")
    seen = run_ids(checkpoint.model, trace.source_ids, trace.target_ids, edit, sites)
    before, after = (values for site, values in seen.records.items() if str(site) in sites)
    assert np.array_equal(before, after)


@pytest.mark.thorough
def test_the_whole_study_is_measured_again() -> None:
    assert study(core.load(SHIPPED / "en-fr")) == stored()
