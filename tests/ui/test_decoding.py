"""What the pages draw of a decode is what the core decided."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from core.checkpoint import Checkpoint
from core.config import ModelConfig
from core.decoding import DecodeSession
from core.decoding.inputs import read_source
from core.model import Transformer
from core.tokenizer import Tokenizer
from ui import decoding
from ui.components.next_word import NextWord, step_data
from ui.selection import Selection


def padding_starts(**options: Any) -> Checkpoint:
    """A random model whose start token is its padding, as Marian's and T5's are, and which finds padding likely."""
    tokenizer = Tokenizer.from_vocabulary(
        ["<pad>", "</s>", "<unk>", *"abcdefghij ."], specials={"pad": 0, "bos": 0, "eos": 1, "unk": 2}
    )
    size = tokenizer.vocab_size
    config = ModelConfig(
        source_vocab_size=size,
        target_vocab_size=size,
        **{"d_model": 32, "heads": 4, "encoder_layers": 1, "decoder_layers": 1, "d_ff": 32, "max_length": 32},
        **{"bos_id": 0, "eos_id": 1, "unk_id": 2, "output_bias": True, "tie_output": False, **options},
    )
    torch.manual_seed(3)
    model = Transformer(config).eval().requires_grad_(False)
    assert model.output_bias is not None
    model.output_bias[0] = 4.0
    return Checkpoint(model, tokenizer, tokenizer, {})


def above_the_line(step: NextWord) -> list[int]:
    """The words that next_word.js draws above the line: those not barred, up to the count."""
    assert step.cut is not None
    shown = step_data(step)
    return [token for token in shown["ids"] if token not in shown["barred"]][: step.cut[0]]  # type: ignore[attr-defined, operator]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"top_k": 3}, "top 3"),
        ({"top_p": 0.5}, "nucleus p = 0.50"),
        ({"top_k": 6, "top_p": 0.5}, "p = 0.50 of the top 6"),
    ],
)
def test_the_cut_drawn_is_the_cut_used(options: dict[str, Any], name: str) -> None:
    ck = padding_starts()
    chosen = Selection(strategy="sample", temperature=1.5, seed=4, **options)
    shown = decoding.run(ck, read_source(ck, "abc def."), chosen, ())
    session = DecodeSession.replay(
        ck, "abc def.", shown.trace.written_ids, strategy="sample", temperature=1.5, seed=4, **options
    )
    assert len(shown.steps) > 3
    assert any(
        0 in step.ids[:3] for step in shown.steps
    )  # padding is among the best, so that the ban matters
    for place, step in enumerate(shown.steps):
        used = session.cut_off(place)
        assert step.cut == (len(used), name)
        assert above_the_line(step) == list(used.ids)
        assert step.chosen in used


def test_a_word_that_is_always_first_is_the_only_one_kept() -> None:
    ck = padding_starts(forced_bos_id=9)
    for strategy in ("greedy", "sample"):
        shown = decoding.run(ck, read_source(ck, "abc."), Selection(strategy=strategy, top_k=5), ())  # type: ignore[arg-type]
        first = shown.steps[0]
        assert first.chosen == 9
        assert first.cut == (1, "always written first")
        assert set(above_the_line(first)) <= {9}
        assert (shown.steps[1].cut is None) == (strategy == "greedy")
