"""What the write-ups print, computed again: shapes on the meta device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import torch
from torch import Tensor

from core.language import message
from core.learning.study import Words
from core.learning.tutorials import preset
from core.model.attention import MultiHeadAttention, causal_mask
from core.model.config import ModelConfig
from core.model.hooks import LOGITS, Hooks, Site
from core.model.layers import EncoderLayer
from core.model.positions import sinusoid_table
from core.model.transformer import Transformer

D_POSITIONS: Final = """
0.0000 1.0000 0.0000 1.0000 0.0000 1.0000
0.8415 0.5403 0.0464 0.9989 0.0022 1.0000
0.9093 -0.4161 0.0927 0.9957 0.0043 1.0000
0.1411 -0.9900 0.1388 0.9903 0.0065 1.0000
-0.7568 -0.6536 0.1846 0.9828 0.0086 1.0000
-0.9589 0.2837 0.2300 0.9732 0.0108 0.9999
-0.2794 0.9602 0.2749 0.9615 0.0129 0.9999
0.6570 0.7539 0.3192 0.9477 0.0151 0.9999
0.9894 -0.1455 0.3629 0.9318 0.0172 0.9999
0.4121 -0.9111 0.4057 0.9140 0.0194 0.9998
"""
"""The rows that D prints, positions 0 to 9 in six dimensions."""


# -- printouts ------------------------------------------------------------------------------------------------

Verdict = Literal["right", "mistake", "chance"]


@dataclass(frozen=True)
class Printed:
    """One line of a printout: what it is of, what the write-up prints, and what this project computes.

    `note`: what the same shape hides, or why the numbers need not agree. `by_chance`: they depend on random weights.
    """

    what: Words
    printed: str
    computed: str
    note: Words = ""
    by_chance: bool = False

    @property
    def verdict(self) -> Verdict:
        """Whether the line is right: a mistake prints something else, or what its note says."""
        if self.by_chance:
            return "chance"
        return "right" if self.printed == self.computed and not self.note else "mistake"


_RECORDED: Final = (
    "*.q",
    "*.k",
    "*.v",
    "*.weights",
    "*.head_output",
    "*.output",
    "*.norm_output",
    "*.sum",
    "decoder.final.logits",
)
Records = Mapping[Site, Tensor]


def _shape(tensor: Tensor) -> str:
    return f"({', '.join(map(str, tensor.shape))})"


def _unbatched(tensor: Tensor) -> str:
    return _shape(tensor[0])


def _merged(tensor: Tensor) -> Tensor:
    """(N, H, T, d_h) as it is before the heads are cut out: (N, T, H·d_h)."""
    return tensor.transpose(1, 2).flatten(-2)


def _run(name: str, source: tuple[int, int], target: tuple[int, int], **sizes: int) -> Records:
    """The records of a pass of the preset over ids of these shapes, on the meta device."""
    hooks = Hooks(_RECORDED)
    with torch.device("meta"), torch.inference_mode():
        model = Transformer(ModelConfig.preset(name, **sizes)).eval()
        model(torch.empty(source, dtype=torch.long), torch.empty(target, dtype=torch.long), hooks)
    return hooks.records


def _next_words(count: int) -> int:
    """How many different next words `count` untrained models of A choose for one input."""
    config = preset("tutorial-a")
    chosen = set()
    for seed in range(count):
        draw = torch.Generator().manual_seed(seed)
        states = torch.randn(config.d_model, generator=draw)
        matrix = torch.randn(config.target_vocab_size, config.d_model, generator=draw)
        chosen.add(int((matrix @ states).argmax()))
    return len(chosen)


def _a() -> tuple[Printed, ...]:
    seen = _run("tutorial-a", (1, 4), (1, 5))

    def of(stack: str, block: str, kind: str) -> Tensor:
        return seen[Site(stack, 0, block, kind)]

    def three(block: str, show: Callable[[Tensor], Tensor]) -> str:
        stack = "encoder" if block == "encoder" else "decoder"
        name = "cross" if block == "cross" else "self"
        return " ".join(_unbatched(show(of(stack, name, kind))) for kind in "qkv")

    def same(tensor: Tensor) -> Tensor:
        return tensor

    cut = message("The shape is right, the numbers in it are not: cut without a transpose")
    models = 20
    return (
        Printed(message("Q, K, V of four tokens"), "(4, 64) (4, 64) (4, 64)", three("encoder", _merged)),
        Printed(message("cut into heads"), "(2, 4, 32) (2, 4, 32) (2, 4, 32)", three("encoder", same), cut),
        Printed(message("self-attention weights"), "(2, 4, 4)", _unbatched(of("encoder", "self", "weights"))),
        Printed(message("weighted values"), "(2, 4, 32)", _unbatched(of("encoder", "self", "head_output"))),
        Printed(
            message("target embeddings with positions"), "(5, 64)", _unbatched(of("decoder", "embed", "sum"))
        ),
        Printed(
            message("masked self-attention, after its norm"),
            "(5, 64)",
            _unbatched(of("decoder", "self", "norm_output")),
        ),
        Printed(
            message("Q of the target, K and V of the source"),
            "(5, 64) (4, 64) (4, 64)",
            three("cross", _merged),
        ),
        Printed(
            message("cut into heads, cross-attention"),
            "(2, 5, 32) (2, 4, 32) (2, 4, 32)",
            three("cross", same),
            cut,
        ),
        Printed(
            message("cross-attention weights, five target tokens"),
            "(2, 5, 4)",
            _unbatched(of("decoder", "cross", "weights")),
        ),
        Printed(
            message("weighted values of the source"),
            "(2, 5, 32)",
            _unbatched(of("decoder", "cross", "head_output")),
        ),
        Printed(
            message("output of the decoder block"), "(5, 64)", _unbatched(of("decoder", "ffn", "norm_output"))
        ),
        Printed(
            message("next token"),
            "952",
            f"{_next_words(models)} / {models}",
            (
                message("Untrained weights choose: {models} models, {words} different words"),
                {"models": str(models), "words": str(_next_words(models))},
            ),
            by_chance=True,
        ),
    )


def _b() -> tuple[Printed, ...]:
    seen = _run("tutorial-b", (1, 10), (1, 2))
    q, weights = (seen[Site("encoder", 0, "self", kind)] for kind in ("q", "weights"))
    return (
        Printed(message("queries, ten tokens"), "(1, 10, 8, 64)", _shape(q.transpose(1, 2))),
        Printed(
            message("attention weights"),
            "(1, 10, 8, 8)",
            _shape(weights),
            message("Heads attend to heads: no token sees another"),
        ),
    )


def _c() -> tuple[Printed, ...]:
    config = preset("tutorial-c")
    with torch.device("meta"), torch.inference_mode():
        layer = Transformer(config).encoder_layers[0]
        assert isinstance(layer, EncoderLayer) and isinstance(layer.self_attention, MultiHeadAttention)
        attention, x = layer.self_attention, torch.empty(1, 4, config.d_model)
        q, (k, v) = attention.queries_keys_values(x)
        fused = torch.cat(
            [part(x) for part in (attention.q_proj, attention.k_proj, attention.v_proj)], dim=-1
        )
    seen = _run("tutorial-c", (1, 4), (1, 4))
    batch = _run("tutorial-c", (64, 40), (64, 1))
    together = torch.cat([q, k, v], dim=-1)
    table, even = sinusoid_table(4, config.d_model), torch.arange(0, config.d_model, 2).tolist()
    first = Site("encoder", 0, "self", "weights")
    return (
        Printed(
            message("q, k, v of the first example"),
            "(4, 512) (4, 512) (4, 512)",
            " ".join([_unbatched(x)] * 3),
        ),
        Printed(message("input vectors"), "(1, 4, 512)", _shape(x)),
        Printed(message("Q, K, V by one matrix"), "(1, 4, 1536)", _shape(fused)),
        Printed(message("cut into heads"), "(1, 4, 8, 192)", _shape(together.transpose(1, 2))),
        Printed(message("heads before tokens"), "(1, 8, 4, 192)", _shape(together)),
        Printed(message("each of the three"), "(1, 8, 4, 64)", _shape(q)),
        Printed(message("weights"), "(1, 8, 4, 4)", _shape(seen[first])),
        Printed(
            message("weighted values"), "(1, 8, 4, 64)", _shape(seen[first._replace(kind="head_output")])
        ),
        Printed(
            message("heads merged"),
            "(1, 4, 512)",
            _shape(_merged(seen[first._replace(kind="head_output")])),
            message("The shape is right, the numbers in it are not: merged without a transpose"),
        ),
        Printed(message("output of attention"), "(1, 4, 512)", _shape(seen[first._replace(kind="output")])),
        Printed(
            message("even dimensions: first, last, how many"),
            "0 510 256",
            f"{even[0]} {even[-1]} {len(even)}",
        ),
        Printed(
            message("sines, and cosines"),
            "(4, 256) (4, 256)",
            " ".join(f"{table[:, at::2].shape}" for at in (0, 1)),
        ),
        Printed(message("positions of four tokens"), "(4, 512)", f"{table.shape}"),
        Printed(
            message("input with positions"),
            "(1, 4, 512)",
            _shape(x + torch.empty(table.shape, device="meta")),
        ),
        Printed(
            message("encoder, 64 sentences of 40"),
            "(64, 40, 512)",
            _shape(batch[Site("encoder", 0, "final", "output")]),
        ),
    )


def _d() -> tuple[Printed, ...]:
    index = torch.arange(6)
    single = torch.pow(10_000.0, index[0::2].float() / 6)
    seen = _run("tutorial-d", (4, 10), (4, 10), source_vocab_size=50257, target_vocab_size=50257)

    def of(stack: str, block: str, kind: str) -> Tensor:
        return seen[Site(stack, 0, block, kind)]

    q, k, v = (of("encoder", "self", kind) for kind in "qkv")
    together, mixed = torch.cat([q, k, v], dim=-1), of("encoder", "self", "head_output")
    hidden = (~causal_mask(10)[0, 0]).sum(-1)
    return (
        Printed(
            message("even and odd dimensions"),
            "0 2 4 · 1 3 5",
            " · ".join(" ".join(str(int(n)) for n in index[at::2]) for at in (0, 1)),
        ),
        Printed(
            message("denominators, in single precision"),
            "1.0000 21.5443 464.1590",
            " ".join(f"{float(each):.4f}" for each in single),
        ),
        Printed(
            message("sinusoid of position 1, d = 6"),
            "0.8415 0.5403 0.0464 0.9989 0.0022 1.0000",
            " ".join(f"{each:.4f}" for each in sinusoid_table(2, 6)[1]),
        ),
        Printed(message("input with positions"), "(4, 10, 6)", _shape(of("encoder", "embed", "sum"))),
        Printed(
            message("Q, K, V by one matrix"),
            "(4, 10, 18)",
            _shape(torch.cat([_merged(each) for each in (q, k, v)], dim=-1)),
        ),
        Printed(message("cut into heads"), "(4, 10, 2, 9)", _shape(together.transpose(1, 2))),
        Printed(message("heads before tokens"), "(4, 2, 10, 9)", _shape(together)),
        Printed(
            message("hidden later tokens of each row of the mask"),
            "9 8 7 6 5 4 3 2 1 0",
            " ".join(str(int(n)) for n in hidden),
        ),
        Printed(message("attention weights"), "(4, 2, 10, 10)", _shape(of("encoder", "self", "weights"))),
        Printed(message("weighted values"), "(4, 2, 10, 3)", _shape(mixed)),
        Printed(message("tokens before heads"), "(4, 10, 2, 3)", _shape(mixed.transpose(1, 2))),
        Printed(message("heads merged"), "(4, 10, 6)", _shape(_merged(mixed))),
        Printed(message("output of attention"), "(4, 10, 6)", _shape(of("encoder", "self", "output"))),
        Printed(
            message("layer norm, residual added"), "(4, 10, 6)", _shape(of("encoder", "self", "norm_output"))
        ),
        Printed(
            message("feed-forward, and its norm"),
            "(4, 10, 6) (4, 10, 6)",
            " ".join(_shape(of("encoder", "ffn", kind)) for kind in ("output", "norm_output")),
        ),
        Printed(message("decoder input with positions"), "(4, 10, 6)", _shape(of("decoder", "embed", "sum"))),
        Printed(
            message("causal self-attention, decoder"),
            "(4, 10, 6)",
            _shape(of("decoder", "self", "norm_output")),
        ),
        Printed(
            message("cross-attention"),
            "(4, 10, 6)",
            _shape(of("decoder", "cross", "norm_output")),
            message("The shape hides a mistake: queries from the encoder, keys and values from the decoder"),
        ),
        Printed(message("feed-forward, decoder"), "(4, 10, 6)", _shape(of("decoder", "ffn", "norm_output"))),
        Printed(message("output probabilities"), "(4, 10, 50257)", _shape(seen[LOGITS])),
    )


def _e() -> tuple[Printed, ...]:
    target = torch.empty((2, 8), dtype=torch.long, device="meta")
    seen = _run("tutorial-e", (2, 9), tuple(target[:, :-1].shape), source_vocab_size=10, target_vocab_size=10)  # type: ignore[arg-type]
    source = torch.empty((2, seen[Site("encoder", 0, "self", "q")].shape[2]), device="meta")
    return (
        Printed(message("source"), "(2, 9)", _shape(source)),
        Printed(message("target without its last token"), "(2, 7)", _shape(target[:, :-1])),
        Printed(message("logits, 10 words"), "(2, 7, 10)", _shape(seen[LOGITS])),
    )


_PRINTED: Final[Mapping[str, Callable[[], tuple[Printed, ...]]]] = {
    "tutorial-a": _a,
    "tutorial-b": _b,
    "tutorial-c": _c,
    "tutorial-d": _d,
    "tutorial-e": _e,
}


@cache
def printed(name: str) -> tuple[Printed, ...]:
    """What the write-up prints and what this project computes; nothing for those that print nothing."""
    return _PRINTED[name]() if name in _PRINTED else ()
