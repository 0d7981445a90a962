"""A translation read early or without norms: the logit lens on the decoder's layers, decoding from each layer of the
encoder, and the same model with every norm taken out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from core.analysis.norms import RECORD, norm_sites, stream_table
from core.api import trace_ids
from core.decoding.inputs import never_written, step_limit
from core.decoding.search import greedy
from core.experiments.what_if import greedy_by_steps
from core.model.hooks import Edit, Hooks, Site

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer


@dataclass(frozen=True)
class LogitLens:
    """The model's next token read off every decoder layer; row 0 is the embedding, the last row the model's output.

    `top` (L + 1, T, k) token ids, most probable first, with their `probability`; `rank` (L + 1, T) from 1 and
    `written` (L + 1, T) the probability of the token that was written. Padding and the start token, which are never
    written, are not among `top` and take no rank; their share stays theirs. `logits` (T, V) are those of the last row.
    """

    top: np.ndarray
    probability: np.ndarray
    rank: np.ndarray
    written: np.ndarray
    logits: np.ndarray


def logit_lens(checkpoint: Bundle, source: Sequence[int], written: Sequence[int], k: int = 5) -> LogitLens:
    """softmax(W_U · final_norm(h_l)) for each layer l of the decoder and each step (nostalgebraist 2020).

    A model without a final norm, such as a post-norm one, is read without it.
    """
    model, config, device = checkpoint.model, checkpoint.config, checkpoint.device
    sites = [_embedded(model), *(_output(model, "decoder", layer) for layer in range(config.decoder_layers))]
    hooks = Hooks(sites)
    with torch.inference_mode():
        model(
            torch.tensor([list(source)], device=device),
            torch.tensor([[config.bos_id, *written[:-1]]], device=device),
            hooks,
        )
        rows = []
        banned = torch.tensor(never_written(config), dtype=torch.long, device=device)
        for site in sites:  # one layer at a time: all of them together would be L times the vocabulary
            states = hooks.records[site]
            logits = model.project(states if model.decoder_norm is None else model.decoder_norm(states))[0]
            rows.append(_read(logits, torch.tensor(list(written), device=device), k, banned))
    top, probability, rank, own = (np.stack([row[n].cpu().numpy() for row in rows]) for n in range(4))
    return LogitLens(top, probability, rank, own, logits.float().cpu().numpy())


def _read(logits: Tensor, written: Tensor, k: int, banned: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    probability = logits.float().softmax(-1)
    own = probability.gather(-1, written[:, None])
    probability = probability.index_fill(-1, banned, -1.0)
    top = probability.topk(min(k, probability.shape[-1] - len(banned)), dim=-1)
    rank = (probability > own).sum(-1) + 1
    return top.indices, top.values, rank, own[:, 0]


def decoder_lens(checkpoint: Bundle, source: Sequence[int]) -> list[list[int]]:
    """What greedy search writes when the decoder reads the encoder's layer l, l = 0 … L (Langedijk et al. 2023).

    0 is the embedding; each goes through the encoder's final norm where there is one; L writes the translation.
    """
    model, config, device = checkpoint.model, checkpoint.config, checkpoint.device
    sites = [
        _embedded(model, "encoder"),
        *(_output(model, "encoder", n) for n in range(config.encoder_layers)),
    ]
    hooks = Hooks(sites)
    with torch.inference_mode():
        ids = torch.tensor([list(source)], device=device)
        model.encode(ids, hooks)
        states = torch.cat([hooks.records[site] for site in sites])  # (L + 1, S, d)
        memory = states if model.encoder_norm is None else model.encoder_norm(states)
        return greedy(
            model, memory, ids.expand(len(sites), -1), [step_limit(config, len(source))] * len(sites)
        )


def _embedded(model: Transformer, stack: str = "decoder") -> Site:
    return Site(stack, 0, "embed", model.config.embedded(stack))


def _output(model: Transformer, stack: str, layer: int) -> Site:
    name = "norm_output" if model.config.of(stack).norm_placement == "post" else "residual_after"
    return Site(stack, layer, "ffn", name)


@dataclass(frozen=True)
class WithoutNorms:
    """`stream` is `core.analysis.norms.stream_table` without norms; `written` the first tokens that greedy search writes."""

    stream: pd.DataFrame
    written: tuple[int, ...]


def without_norms(checkpoint: Bundle, source: Sequence[int], written: Sequence[int]) -> WithoutNorms:
    """Run a source and its translation with every norm giving back its input.

    Writes no more tokens than `written` has: a model without its norms often repeats a word without end.
    """
    trace = trace_ids(checkpoint, source, written, RECORD, passing_norms(checkpoint.config))
    text = greedy_by_steps(checkpoint, source, passing_norms(checkpoint.config), len(written))
    return WithoutNorms(stream_table(trace), tuple(text))


def passing_norms(config: ModelConfig) -> dict[Site | str, Edit]:
    """Edits of one pass, after which the output of every norm is its input."""
    edits: dict[Site | str, Edit] = {}
    for site in norm_sites(config):
        entered: list[Tensor] = []  # a pass visits `norm_input` and then `norm_output`

        def enter(values: Tensor, entered: list[Tensor] = entered) -> Tensor:
            entered[:] = [values]
            return values

        def leave(values: Tensor, entered: list[Tensor] = entered) -> Tensor:
            return entered.pop()

        edits[Site(*site, "norm_input")], edits[Site(*site, "norm_output")] = enter, leave
    return edits
