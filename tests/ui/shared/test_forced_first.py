"""A token that a model always writes first is no choice: no sum, no count and no first choice has it."""

from __future__ import annotations

import math
import types
from typing import Any

import numpy as np
import pytest
import torch

from core.api import Checkpoint
from core.decoding.inputs import read_source
from core.experiments.edits import Edits
from tests.ui.shared.test_make_decode import padding_starts
from ui.session.selection import Selection
from ui.shared import context, make_decode, models, what_if
from ui.shared.decode import Decode
from ui.translate import sentence_box
from ui.what_if import finding, why

TEXT = "abc def."
FIRST = 9


def decoded(checkpoint: Checkpoint, **options: Any) -> Decode:
    return make_decode.run(checkpoint, read_source(checkpoint, TEXT), Selection(**options), ())


def by_hand(checkpoint: Checkpoint, decode: Decode) -> torch.Tensor:
    """log p of every token at every step, (T, V)."""
    source, written = decode.trace.source_ids, decode.trace.written_ids
    read = [checkpoint.config.bos_id, *written[:-1]]
    with torch.inference_mode():
        return checkpoint.model(torch.tensor([source]), torch.tensor([read])).double().log_softmax(-1)[0]


def test_it_is_not_among_the_words_of_ones_own_translation(monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = padding_starts(forced_bos_id=FIRST)
    decode = decoded(checkpoint, strategy="given", target="cab.")
    logs, written = by_hand(checkpoint, decode), decode.trace.written_ids
    assert written[0] == FIRST and int(logs[0, 1:].argmax()) + 1 != FIRST, "a choice it would not have been"
    places = range(1, len(written))
    assert [word.id for word in decode.scored] == list(written[1:])
    total = float(sum(logs[place, written[place]] for place in places))
    assert decode.log_probability == pytest.approx(total, abs=1e-4)
    same = sum(int(logs[place, 1:].argmax()) + 1 == written[place] for place in places)
    titles: list[Any] = []
    monkeypatch.setattr(sentence_box.cards, "title", lambda *words: titles.append(words))
    entry = types.SimpleNamespace(tokenizers=(checkpoint.source_tokenizer, checkpoint.target_tokenizer))
    sentence_box.own_strip(types.SimpleNamespace(entry=entry, decode=decode))  # type: ignore[arg-type]
    ((title, below),) = titles
    number = f"{total:.2f}".replace("-", "−")
    assert title == f"Log-probability of your translation: {number} nats"
    mean = f"{total / len(places):.2f}".replace("-", "−")
    label = checkpoint.target_tokenizer.label(FIRST)
    assert below == (
        f"{mean} per token over {len(places)} tokens; at {same} of them, the model would have written the same token. "
        f"“{label}” does not count: it is always written first."
    )


def test_a_model_that_is_free_says_nothing_of_it() -> None:
    decode = decoded(padding_starts(), strategy="given", target="cab.")
    assert len(decode.scored) == len(decode.trace.written_ids) and sentence_box._always(decode) == ""


def test_a_token_forced_against_it_costs_what_the_model_gives_it() -> None:
    checkpoint = padding_starts(forced_bos_id=FIRST)
    decode = decoded(checkpoint, force=((0, 5),))
    logs = by_hand(checkpoint, decode)
    assert decode.scored[0].id == 5
    assert decode.scored[0].log_probability == pytest.approx(float(logs[0, 5]), abs=1e-4)


@pytest.mark.parametrize("stored", [False, True])
def test_the_first_choice_after_a_change_may_be_written(
    monkeypatch: pytest.MonkeyPatch, stored: bool
) -> None:
    """Padding is the most probable token of this model, and its first one is always written."""
    checkpoint = padding_starts(forced_bos_id=FIRST)
    decode = decoded(checkpoint)
    logs, written = by_hand(checkpoint, decode), decode.trace.written_ids
    assert any(int(row.argmax()) == 0 for row in logs[1:]), "the ban matters"
    monkeypatch.setattr(models, "model", lambda *_: checkpoint)
    monkeypatch.setattr(context.DecodeView, "memo", lambda self, name, make, heavy: make())
    tokenizers = (checkpoint.source_tokenizer, checkpoint.target_tokenizer)
    entry: Any = types.SimpleNamespace(tokenizers=tokenizers, config=checkpoint.config)
    found = (
        what_if._stored(decode)
        if stored
        else what_if.outcome(context.DecodeView(entry, decode=decode), Edits())
    )
    label = checkpoint.target_tokenizer.label
    assert [name for name, _ in found.chosen] == [label(token) for token in written], (
        "greedy search's own words"
    )
    wanted = [1.0, *(float(logs[place, written[place]].exp()) for place in range(1, len(written)))]
    assert [share for _, share in found.chosen] == pytest.approx(wanted, abs=1e-5)
    np.testing.assert_allclose(found.before, wanted, atol=1e-5)
    np.testing.assert_allclose(found.after, wanted, atol=1e-5)
    assert found.choices == tuple(range(1, len(written)))
    total = f"{sum(math.log(share) for share in wanted):.2f}".replace("-", "−")
    words = "".join(part if isinstance(part, str) else part[0] for part in finding.total_sentence(found))
    assert words == f"Log-probability of the whole translation: {total} nats"


def test_where_the_reader_forced_another_first_token_the_first_choice_is_the_one_that_is_always_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checkpoint = padding_starts(forced_bos_id=FIRST)
    decode = decoded(checkpoint, force=((0, 5),))
    monkeypatch.setattr(models, "model", lambda *_: checkpoint)
    monkeypatch.setattr(context.DecodeView, "memo", lambda self, name, make, heavy: make())
    tokenizers = (checkpoint.source_tokenizer, checkpoint.target_tokenizer)
    entry: Any = types.SimpleNamespace(tokenizers=tokenizers, config=checkpoint.config)
    found = what_if.outcome(context.DecodeView(entry, decode=decode), Edits())
    assert found.chosen[0] == (checkpoint.target_tokenizer.label(FIRST), 1.0)
    assert found.before[0] == pytest.approx(float(by_hand(checkpoint, decode)[0, 5].exp()), abs=1e-5)


def test_no_reasons_are_looked_for_where_there_was_no_choice() -> None:
    decode = decoded(padding_starts(forced_bos_id=FIRST))
    first = decode.trace.tokens.written[0]
    options = what_if.alternatives(decode, 0)
    assert options, "other words have a probability there"
    assert (
        why._nothing_to_say(decode, 0, options)
        == f"“{first}” is always written here, whatever the model reads"
    )
    assert why._nothing_to_say(decode, 1, what_if.alternatives(decode, 1)) == ""
    assert why._nothing_to_say(decode, 1, {}) == "This step has no other word to compare with"
    free = decoded(padding_starts())
    assert why._nothing_to_say(free, 0, what_if.alternatives(free, 0)) == ""
