"""What the tutorials print, computed again: shapes on the meta device, sinusoids with numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from core.language import message
from core.learning.study import Words
from core.learning.tutorials import preset
from core.model.attention import MultiHeadAttention
from core.model.config import ModelConfig
from core.model.hooks import Hooks, Site
from core.model.layers import EncoderLayer
from core.model.position_tables import sinusoid_table
from core.model.transformer import Transformer


@dataclass(frozen=True)
class Printed:
    """One line of a printout: what it is of, what the write-up prints, and what this project computes."""

    what: Words
    printed: str
    computed: str

    @property
    def agrees(self) -> bool:
        """Whether both are the same."""
        return self.printed == self.computed


def _shape(tensor: Tensor) -> str:
    return f"({', '.join(map(str, tensor.shape))})"


def _unbatched(tensor: Tensor) -> str:
    return _shape(tensor[0])


def _run(name: str, source: tuple[int, int], target: tuple[int, int], **sizes: int) -> Mapping[Site, Tensor]:
    """The records of a pass of the preset over ids of these shapes, on the meta device."""
    hooks = Hooks(
        ("*.q", "*.k", "*.v", "*.weights", "*.self.output", "encoder.final.output", "decoder.final.logits")
    )
    with torch.device("meta"), torch.inference_mode():
        model = Transformer(ModelConfig.preset(name, **sizes)).eval()
        model(torch.empty(source, dtype=torch.long), torch.empty(target, dtype=torch.long), hooks)
    return hooks.records


def _a() -> tuple[Printed, ...]:
    seen = _run("tutorial-a", (1, 4), (1, 5))
    q = seen[Site("encoder", 0, "self", "q")]
    whole = q.transpose(1, 2).flatten(-2)
    return (
        Printed(message("Q, K, V of four tokens"), "(4, 64)", _unbatched(whole)),
        Printed(message("cut into heads"), "(2, 4, 32)", _unbatched(q)),
        Printed(message("self-attention weights"), "(2, 4, 4)", _unbatched(seen[Site("encoder", 0, "self", "weights")])),
        Printed(message("cross-attention weights, five target tokens"), "(2, 5, 4)", _unbatched(seen[Site("decoder", 0, "cross", "weights")])),
    )  # fmt: skip


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
    return (
        Printed(message("Q, K, V by one matrix"), "(1, 4, 1536)", _shape(fused)),
        Printed(message("cut into heads"), "(1, 8, 4, 192)", _shape(torch.cat([q, k, v], dim=-1))),
        Printed(message("each of the three"), "(1, 8, 4, 64)", _shape(q)),
        Printed(message("weights"), "(1, 8, 4, 4)", _shape(seen[Site("encoder", 0, "self", "weights")])),
        Printed(
            message("output of attention"), "(1, 4, 512)", _shape(seen[Site("encoder", 0, "self", "output")])
        ),
        Printed(
            message("encoder, 64 sentences of 40"),
            "(64, 40, 512)",
            _shape(batch[Site("encoder", 0, "final", "output")]),
        ),
    )


def _d() -> tuple[Printed, ...]:
    row = sinusoid_table(2, 6)[1]
    single = torch.pow(10_000.0, torch.arange(0, 6, 2).float() / 6)
    weights = _run("tutorial-d", (4, 10), (4, 10))[Site("encoder", 0, "self", "weights")]
    return (
        Printed(message("sinusoid of position 1, d = 6"), "0.8415 0.5403 0.0464 0.9989 0.0022 1.0000", " ".join(f"{each:.4f}" for each in row)),
        Printed(message("denominators, in single precision"), "1.0000 21.5443 464.1590", " ".join(f"{float(each):.4f}" for each in single)),
        Printed(message("attention weights"), "(4, 2, 10, 10)", _shape(weights)),
    )  # fmt: skip


def _e() -> tuple[Printed, ...]:
    target = torch.empty((2, 8), dtype=torch.long, device="meta")
    seen = _run("tutorial-e", (2, 9), tuple(target[:, :-1].shape), source_vocab_size=10, target_vocab_size=10)  # type: ignore[arg-type]
    logits = seen[Site("decoder", 0, "final", "logits")]
    return (
        Printed(
            message("source"),
            "(2, 9)",
            _shape(torch.empty((2, seen[Site("encoder", 0, "self", "q")].shape[2]), device="meta")),
        ),
        Printed(message("target without its last token"), "(2, 7)", _shape(target[:, :-1])),
        Printed(message("logits, 10 words"), "(2, 7, 10)", _shape(logits)),
    )


_PRINTED: Final[Mapping[str, Callable[[], tuple[Printed, ...]]]] = {
    "tutorial-a": _a,
    "tutorial-c": _c,
    "tutorial-d": _d,
    "tutorial-e": _e,
}


def printed(name: str) -> tuple[Printed, ...]:
    """What the write-up prints and what this project computes; nothing for those that print no shapes."""
    return _PRINTED[name]() if name in _PRINTED else ()


def encoder_shape(name: str, length: int) -> tuple[int, ...]:
    """The shape of the encoder output of the preset for one sentence of `length` tokens."""
    return tuple(_run(name, (1, length), (1, 2))[Site("encoder", 0, "self", "output")].shape)
