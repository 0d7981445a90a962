"""Claims of E, the notebook after a video."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import torch

from core.analysis.readout import exact
from core.learning.claims.claim import Outcome, grid, outcome, percent, seeded, small
from core.learning.study import far
from core.learning.tutorials import preset
from core.model.config import ModelConfig
from core.model.hooks import Hooks, Site
from core.model.layers import DecoderLayer
from core.model.transformer import Transformer

BATCH: Final = ((1, 7, 4, 3, 5, 9, 2, 0), (1, 5, 6, 2, 4, 7, 6, 2))
"""E's two targets; 2 is the end token, 0 padding."""


def shifted() -> Outcome:
    target = BATCH[0]
    fed, wanted = target[:-1], target[1:]
    reads = {"reads": " ".join(map(str, fed)), "wanted": " ".join(map(str, wanted))}
    return outcome(len(fed) == len(wanted), fed=len(fed), count=len(target), **reads)


def einsum() -> Outcome:
    draw = seeded()
    q, k, v = (torch.randn(2, length, 8, 32, generator=draw) for length in (7, 9, 9))
    energy = torch.einsum("nqhd,nkhd->nhqk", q, k)
    by_product = q.transpose(1, 2) @ k.permute(0, 2, 3, 1)
    weights = torch.softmax(energy / 32**0.5, dim=-1)
    mixed = torch.einsum("nhqk,nkhd->nqhd", weights, v)
    by_mixing = (weights @ v.transpose(1, 2)).transpose(1, 2)
    errors = far(energy, by_product), far(mixed, by_mixing)
    exactly = {"scores": exact(errors[0], 6), "mixed": exact(errors[1], 6)}
    return outcome(max(errors) < 1e-4, error=small(max(errors)), **exactly)


def large_number() -> Outcome:
    width, length = preset("tutorial-e").d_model, 10
    scores = torch.randn(length, length, generator=seeded())
    hidden = torch.triu(torch.ones(length, length), diagonal=1).bool()
    weights = torch.softmax(scores.masked_fill(hidden, -1e20) / width**0.5, dim=-1)
    ahead = float(weights[hidden].max())
    nothing = torch.softmax(torch.full((length,), -1e20) / width**0.5, dim=-1)
    alone = exact(float(nothing.max()), 1)
    return outcome(ahead == 0, ahead=exact(ahead, 0), exactly=exact(ahead, 4), alone=alone)


def end_is_fed() -> Outcome:
    end, pad = 2, 0
    rows = [{"number": number, "end": end, "token": row[-1]} for number, row in enumerate(BATCH, start=1)]
    count = sum(row["token"] == pad for row in rows)
    return outcome(count == 0, *rows, count=count, rows=len(BATCH))


def padded_target() -> Outcome:
    """The weight that rows give to padding, with the causal mask alone: in E's own batch, and with three tokens of padding."""
    fed = [row[:-1] for row in BATCH]
    own = sum(token == 0 for row in fed for token in row)
    tokens = torch.tensor([1, 7, 4, 2, 0, 0, 0])
    scores = torch.randn(400, len(tokens), len(tokens), generator=seeded())
    later = torch.triu(torch.ones(len(tokens), len(tokens)), diagonal=1).bool()
    weights = torch.softmax(scores.masked_fill(later, -1e20), dim=-1)
    on_padding = weights[..., tokens == 0].sum(-1).mean(0)
    words, padding = on_padding[tokens != 0].max(), on_padding[tokens == 0].mean()
    return outcome(
        float(padding) == 0,
        **{"own": own, "words": percent(float(words)), "padding": percent(float(padding))},
    ).with_grids(grid(" ".join(map(str, tokens.tolist())), weights[0]))


def diagram_order() -> Outcome:
    length, root = 9, math.sqrt(preset("tutorial-e").d_model)
    scores = torch.randn(length, length, generator=seeded()) * root
    hidden = torch.triu(torch.ones(length, length), diagonal=1).bool()
    diagram = torch.softmax((scores / root).masked_fill(hidden, -1e20), dim=-1)
    code = torch.softmax(scores.masked_fill(hidden, -1e20) / root, dim=-1)
    error = far(diagram, code)
    return outcome(error < 1e-6, error=small(error), exactly=exact(error, 6))


def stack() -> Outcome:
    """Keys, values and queries of every decoder layer, compared with projections of what E says they are made from."""
    sizes = {"d_model": 32, "heads": 2, "d_ff": 32, "source_vocab_size": 10, "target_vocab_size": 10}
    model = Transformer(ModelConfig.preset("tutorial-e", **sizes)).eval()
    draw, hooks = seeded(), Hooks(("decoder.*.cross.*", "*.output", "*.norm_output"))
    source, target = (torch.randint(3, 10, (1, count), generator=draw) for count in (9, 7))
    last, first = [], []
    with torch.inference_mode():
        for values in model.parameters():
            values.normal_(std=0.3, generator=draw)
        memory = model.encode(source, hooks)
        model.decode(target, memory, source, hooks)
        early = hooks.records[Site("encoder", 0, "ffn", "norm_output")]
        for number, layer in enumerate(model.decoder_layers):
            assert isinstance(layer, DecoderLayer)
            at = Site("decoder", number, "cross", "k")
            k, v, q = (hooks.records[at._replace(kind=kind)] for kind in "kvq")
            own = hooks.records[at._replace(block="self", kind="norm_output")]
            made = layer.memory_keys_values(memory)
            last.append(max(far(k, made[0]), far(v, made[1]), far(q, layer.cross_attention.queries(own))))
            first.append(far(k, layer.memory_keys_values(early)[0]))
    errors = {"error": small(max(last)), "exactly": exact(max(last), 6), "first": exact(min(first))}
    return outcome(max(last) < 1e-4 < min(first), layers=len(last), **errors)


def shared_matrix() -> Outcome:
    c = preset("tutorial-e")
    shared, apart = c.d_head**2, c.d_model * c.d_model
    x = torch.randn(c.heads, c.d_head, generator=seeded(), requires_grad=True)
    matrix = torch.randn(c.d_head, c.d_head, generator=seeded())
    with torch.enable_grad():
        (gradient,) = torch.autograd.grad((x @ matrix)[0].sum(), x)
    read = int((gradient != 0).sum())
    return outcome(
        read == c.d_head,
        **{
            "shared": f"{shared:,}",
            "apart": f"{apart:,}",
            "read": read,
            "size": c.d_head,
            "width": c.d_model,
        },
    )


OUTCOMES: Final[Mapping[str, Callable[[], Outcome]]] = {
    "end-is-fed": end_is_fed,
    "padded-target": padded_target,
    "shared-matrix": shared_matrix,
    "diagram-order": diagram_order,
    "large-number": large_number,
    "stack": stack,
    "shifted": shifted,
    "einsum": einsum,
}
