"""Evaluation: measurements on the validation set during training, and scores of a checkpoint on a test set."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from core.decoding import translate_batch
from core.errors import InputError
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from core.training.appraisal import MultiReference, Quality, exact_match, quick_bleu
from core.training.batches import Example
from core.training.config import LoopConfig
from core.training.data import Pair, read_column, read_lines
from core.training.objective import autocast, mean_loss

if TYPE_CHECKING:
    from core.model.transformer import Transformer
    from core.tokenizer import Tokenizer


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
    """Loss over all examples and, if requested, scores of the first `settings.evaluate_pairs` translations."""
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


def translate_texts(
    model: Transformer,
    source: Tokenizer,
    target: Tokenizer,
    texts: Sequence[str],
    *,
    beam_size: int = 1,
    precision: str = "float32",
    batch_tokens: int = 4000,
    progress: Callable[[int, int], None] | None = None,
) -> list[str]:
    """Translations of many texts, in order, in batches of similar length and at most `batch_tokens` × beam tokens.

    `progress(done, total)` is called after each batch. Raises InputError for a text the model cannot read.
    """
    ids = source.encode_batch(list(texts))
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    written: list[str] = [""] * len(ids)
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    done = 0
    while done < len(order):
        count = 1
        # Sorted by length, so the last row of a batch is its longest.
        while (
            done + count < len(order)
            and (count + 1) * len(ids[order[done + count]]) * beam_size <= batch_tokens
        ):
            count += 1
        rows = order[done : done + count]
        with torch.inference_mode(), autocast(device, precision):
            outputs = translate_batch(model, [ids[i] for i in rows], beam_size=beam_size, batch_size=count)
        for i, output in zip(rows, outputs, strict=True):
            written[i] = target.decode(output)
        done += count
        if progress is not None:
            progress(done, len(order))
    model.train(was_training)
    return written


def read_side(location: str) -> list[str]:
    """Sentences of `FILE` (one a line) or `FILE:COLUMN` (tab-separated, columns from 0); .gz is read too."""
    name, _, column = location.rpartition(":")
    if name and column.isdecimal() and not Path(location).exists():
        return read_column(name, int(column))
    return [line.strip() for line in read_lines(location)]


def read_test_set(source: str, reference: str) -> tuple[list[str], list[str]]:
    """The two sides of a test set, without the pairs whose source is empty."""
    left, right = read_side(source), read_side(reference)
    if len(left) != len(right):
        raise InputError(
            f"{source} has {len(left)} sentences and {reference} has {len(right)}; they must be parallel."
        )
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if a]
    if not pairs:
        raise InputError(f"{source} has no sentences to translate.")
    return [a for a, _ in pairs], [b for _, b in pairs]


def table(quality: Quality, *, beam_size: int, seconds: float, several: MultiReference | None = None) -> str:
    """The scores as printed by `python -m core evaluate`; `several` where sources repeat."""
    rows = [
        ("sentences", f"{quality.sentences:,}"),
        ("search", f"beam {beam_size}" if beam_size > 1 else "greedy"),
        ("BLEU, tokenised lower case (Moses)", f"{quality.bleu_tokenised:.2f}"),
        ("BLEU, sacreBLEU on raw text", f"{quality.bleu:.2f}"),
        ("  signature", quality.signature),
        ("chrF", f"{quality.chrf:.2f}"),
        ("  signature", quality.chrf_signature),
        ("exact match", f"{quality.exact:.1f} %"),
        *_of_sources(several),
        ("time", f"{seconds:.1f} s, {quality.sentences / max(seconds, 1e-9):.0f} sentences/s"),
    ]
    width = max(len(name) for name, _ in rows) + 2
    return "\n".join(f"{name:<{width}}{value}".rstrip() for name, value in rows)


def _of_sources(several: MultiReference | None) -> list[tuple[str, str]]:
    if several is None:
        return []
    return [
        (f"against all {several.references:,} references of {several.sources:,} sources", ""),
        ("  BLEU, tokenised lower case (Moses)", f"{several.bleu_tokenised:.2f}"),
        ("  BLEU, sacreBLEU on raw text", f"{several.bleu:.2f}"),
        ("  signature", several.signature),
    ]


def stopwatch() -> Callable[[], float]:
    """A function that returns the seconds since this call."""
    start = time.monotonic()
    return lambda: time.monotonic() - start
