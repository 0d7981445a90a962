"""What is measured on the validation set while training runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from core.training.batches import Example
from core.training.config import LoopConfig
from core.training.data import Pair
from core.training.evaluate import translate_texts
from core.training.objective import mean_loss
from core.training.quality import exact_match, quick_bleu


@dataclass(frozen=True)
class Measurement:
    """`valid_loss` in nats per target token; BLEU (sacreBLEU, greedy) and exact match in percent, NaN if not asked."""

    valid_loss: float
    bleu: float = math.nan
    exact: float = math.nan


def measure(
    model: Transformer,
    pairs: Sequence[Pair],
    examples: Sequence[Example],
    tokenizers: tuple[Tokenizer, Tokenizer],
    settings: LoopConfig,
    *,
    translate: bool,
) -> Measurement:
    """Loss over all examples and, if asked, scores of the first `settings.evaluate_pairs` translations."""
    device: torch.device = next(model.parameters()).device
    loss = mean_loss(
        model, examples, batch_tokens=settings.batch_tokens, precision=settings.precision, device=device
    )
    if not translate:
        return Measurement(loss)
    few = pairs[: settings.evaluate_pairs]
    written = translate_texts(model, *tokenizers, [pair.source for pair in few], precision=settings.precision)
    references = [pair.target for pair in few]
    return Measurement(loss, quick_bleu(written, references), exact_match(written, references))
