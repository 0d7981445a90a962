"""A small model computed from the mathematics of each tutorial's and toolkit's own code, with that code's names.

It gives logits, and on its way the maps of the three kinds of attention by layer and the encoder's states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from core.decoding.search import translate_batch
from core.model.transformer import Transformer
from tests.parity.comparing import Batch, Measured, differences

PAD, START, END = 1, 2, 3
STEPS = 26
Maps = dict[str, list[Tensor]]
KINDS = {"encoder": ("encoder",), "decoder": ("causal", "cross")}
LAYERS = {"encoder": 2, "decoder": 3}


@dataclass
class Seen:
    """What a reference forward saw on its way."""

    maps: Maps = field(default_factory=lambda: {"encoder": [], "causal": [], "cross": []})
    states: Tensor | None = None


def sinusoids(length: int, width: int) -> Tensor:
    """Sine and cosine interleaved, (length, width)."""
    table = torch.zeros(length, width)
    position = torch.arange(length, dtype=torch.float)[:, None]
    rate = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10000.0) / width))
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)
    return table


def softmax_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, divisor: float) -> tuple[Tensor, Tensor]:
    """q, k, v (B, H, T, d_h) → mixed (B, T, H·d_h) and weights (B, H, T, S); mask 1 = may attend."""
    energy = q @ k.transpose(-2, -1) / divisor
    weights = torch.softmax(energy.masked_fill(mask == 0, -1e10), dim=-1)
    mixed = (weights @ v).transpose(1, 2)
    return mixed.reshape(mixed.shape[0], mixed.shape[1], -1), weights


def masks(source: Tensor, target: Tensor, pad: int) -> tuple[Tensor, Tensor]:
    """(B, 1, 1, S) and (B, 1, T, T)."""
    length = target.shape[1]
    causal = torch.tril(torch.ones(length, length)).bool()
    return (source != pad)[:, None, None, :], causal & (target != pad)[:, None, None, :]


def place(module: nn.Module, path: str, child: nn.Module) -> None:
    """Register `child` under a dotted path, with a bare module for each step on the way."""
    *steps, last = path.split(".")
    for step in steps:
        if step not in module._modules:
            module.add_module(step, nn.Module())
        module = module.get_submodule(step)
    module.add_module(last, child)


class Attention(nn.Module):
    """Multi-head attention whose projections of queries, keys, values and output have the layout's names.

    `one_for_all`: one head_dim × head_dim matrix without a bias serves every head.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        names: tuple[str, str, str, str],
        *,
        by_model: bool,
        one_for_all: bool,
        biased: bool,
    ) -> None:
        super().__init__()
        self.heads, self.names, self.one_for_all = heads, names, one_for_all
        self.divisor = math.sqrt(width if by_model else width // heads)
        size = width // heads if one_for_all else width
        for name in names[:3]:
            place(self, name, nn.Linear(size, size, bias=biased and not one_for_all))
        place(self, names[3], nn.Linear(width, width, bias=biased))

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor, record: list[Tensor]) -> Tensor:
        parts = []
        for name, x in zip(self.names[:3], (query, memory, memory), strict=True):
            project, split = self.get_submodule(name), (self.heads, -1)
            heads = project(x.unflatten(-1, split)) if self.one_for_all else project(x).unflatten(-1, split)
            parts.append(heads.transpose(1, 2))
        mixed, weights = softmax_attention(*parts, mask, self.divisor)
        record.append(weights)
        out: Tensor = self.get_submodule(self.names[3])(mixed)
        return out


class EpsNorm(nn.Module):
    """scale · (x − mean) / (std + eps) + shift, of the unbiased deviation, with the layout's own names for scale and shift."""

    def __init__(self, width: int, names: tuple[str, str]) -> None:
        super().__init__()
        self.names = names
        self.register_parameter(names[0], nn.Parameter(torch.ones(width)))
        self.register_parameter(names[1], nn.Parameter(torch.zeros(width)))

    def forward(self, x: Tensor) -> Tensor:
        scale, shift = (self.get_parameter(name) for name in self.names)
        return scale * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + shift


class GammaNorm(nn.Module):
    """gamma · (x − mean) / √(variance + 1e-12) + beta."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.layer_norm(x, x.shape[-1:], self.gamma, self.beta, 1e-12)


def steeper_sinusoids(length: int, width: int) -> Tensor:
    """Sines and cosines whose exponents, 2i/d for column i, grow twice as fast as the paper's, (length, width)."""
    angles = torch.arange(length).double()[:, None] / 10000.0 ** (2 * torch.arange(width).double() / width)
    return torch.where(torch.arange(width) % 2 == 0, angles.sin(), angles.cos()).float()


@dataclass(frozen=True)
class Layout:
    """What the code of one layout calls its parts, and how it computes. Within a layer, names are those of its modules."""

    attention: tuple[str, str, str, str]  # projections: queries, keys, values, output
    blocks: Mapping[str, tuple[str, str]]  # kind of attention → its module and its norm
    feed_forward: Mapping[str, tuple[str, str, str]]  # stack → up, down and norm
    tables: Mapping[str, str]  # stack → the embedding of its tokens
    positions: Mapping[
        str, tuple[str, int]
    ]  # stack → a learned embedding or a buffer of sinusoids, and how many
    output: str
    layers: str = "{stack}.layers"
    norm: Callable[[int], nn.Module] = nn.LayerNorm
    embedding_norm: str = ""  # of the sum of embeddings and positions, within each stack
    final_norms: str = ""  # of both stacks in a pre-norm layout, within each; a post-norm one has none
    learned: bool = False
    table: Callable[[int, int], Tensor] = sinusoids
    stored: bool = True  # the buffers of sinusoids, in the state dict
    flat: bool = False  # those buffers are (length, width), not (1, length, width)
    scaled: bool = True  # embeddings, by the root of their width
    by_model: bool = False  # scores are divided by the root of the model's width, not of a head's
    one_for_all: bool = False
    biased: bool = True  # attention
    output_bias: bool = True
    tied: bool = (
        False  # one table for both sides and the output, whose logits are divided by the root of the width
    )


SEQ2SEQ = Layout(
    attention=("fc_q", "fc_k", "fc_v", "fc_o"),
    blocks={
        **dict.fromkeys(("encoder", "causal"), ("self_attention", "self_attn_layer_norm")),
        "cross": ("encoder_attention", "enc_attn_layer_norm"),
    },
    feed_forward=dict.fromkeys(
        KINDS, ("positionwise_feedforward.fc_1", "positionwise_feedforward.fc_2", "ff_layer_norm")
    ),
    tables={stack: f"{stack}.tok_embedding" for stack in KINDS},
    positions={"encoder": ("encoder.pos_embedding", 60), "decoder": ("decoder.pos_embedding", 50)},
    output="decoder.fc_out",
    learned=True,
)
ANNOTATED = Layout(
    attention=("linears.0", "linears.1", "linears.2", "linears.3"),
    blocks={
        **dict.fromkeys(("encoder", "causal"), ("self_attn", "sublayer.0.norm")),
        "cross": ("src_attn", "sublayer.1.norm"),
    },
    feed_forward={
        stack: ("feed_forward.w_1", "feed_forward.w_2", f"sublayer.{len(kinds)}.norm")
        for stack, kinds in KINDS.items()
    },
    tables={"encoder": "src_embed.0.lut", "decoder": "tgt_embed.0.lut"},
    positions={"encoder": ("src_embed.1.pe", 60), "decoder": ("tgt_embed.1.pe", 60)},
    output="generator.proj",
    norm=partial(EpsNorm, names=("a_2", "b_2")),
    final_norms="norm",
)
TUTORIAL_B = Layout(
    attention=("w_q", "w_k", "w_v", "w_o"),
    blocks={
        **dict.fromkeys(("encoder", "causal"), ("self_attention_block", "residual_connections.0.norm")),
        "cross": ("cross_attention_block", "residual_connections.1.norm"),
    },
    feed_forward={
        stack: (
            *("feed_forward_block.linear_1", "feed_forward_block.linear_2"),
            f"residual_connections.{len(kinds)}.norm",
        )
        for stack, kinds in KINDS.items()
    },
    tables={"encoder": "src_embed.embedding", "decoder": "tgt_embed.embedding"},
    positions={"encoder": ("src_pos.pe", 60), "decoder": ("tgt_pos.pe", 50)},
    output="projection_layer.proj",
    norm=partial(EpsNorm, names=("alpha", "bias")),
    final_norms="norm",
)
TUTORIAL_E = Layout(
    attention=("queries", "keys", "values", "fc_out"),
    blocks={
        "encoder": ("attention", "norm1"),
        "causal": ("attention", "norm"),
        "cross": ("transformer_block.attention", "transformer_block.norm1"),
    },
    feed_forward={
        stack: (f"{inside}feed_forward.0", f"{inside}feed_forward.2", f"{inside}norm2")
        for stack, inside in (("encoder", ""), ("decoder", "transformer_block."))
    },
    tables={stack: f"{stack}.word_embedding" for stack in KINDS},
    positions={stack: (f"{stack}.position_embedding", 60) for stack in KINDS},
    output="decoder.fc_out",
    learned=True,
    scaled=False,
    by_model=True,
)
JOEYNMT = Layout(
    attention=("q_layer", "k_layer", "v_layer", "output_layer"),
    blocks={
        "encoder": ("src_src_att", "layer_norm"),
        "causal": ("trg_trg_att", "x_layer_norm"),
        "cross": ("src_trg_att", "dec_layer_norm"),
    },
    feed_forward=dict.fromkeys(
        KINDS, ("feed_forward.pwff_layer.0", "feed_forward.pwff_layer.3", "feed_forward.layer_norm")
    ),
    tables={"encoder": "src_embed.lut", "decoder": "trg_embed.lut"},
    positions={stack: (f"{stack}.pe.pe", 5000) for stack in KINDS},
    output="decoder.output_layer",
    norm=partial(nn.LayerNorm, eps=1e-6),
    final_norms="layer_norm",
    output_bias=False,
)


HYUNWOONGKO = Layout(
    attention=("w_q", "w_k", "w_v", "w_concat"),
    blocks={
        "encoder": ("attention", "norm1"),
        "causal": ("self_attention", "norm1"),
        "cross": ("enc_dec_attention", "norm2"),
    },
    feed_forward={
        stack: ("ffn.linear1", "ffn.linear2", f"norm{1 + len(kinds)}") for stack, kinds in KINDS.items()
    },
    tables={stack: f"{stack}.emb.tok_emb" for stack in KINDS},
    positions={stack: (f"{stack}.emb.pos_emb.encoding", 256) for stack in KINDS},
    output="decoder.linear",
    norm=GammaNorm,
    stored=False,
    scaled=False,
)
JADORE801120 = Layout(
    attention=("w_qs", "w_ks", "w_vs", "fc"),
    blocks={
        **dict.fromkeys(("encoder", "causal"), ("slf_attn", "slf_attn.layer_norm")),
        "cross": ("enc_attn", "enc_attn.layer_norm"),
    },
    feed_forward=dict.fromkeys(KINDS, ("pos_ffn.w_1", "pos_ffn.w_2", "pos_ffn.layer_norm")),
    tables={"encoder": "encoder.src_word_emb", "decoder": "decoder.trg_word_emb"},
    positions={stack: (f"{stack}.position_enc.pos_table", 200) for stack in KINDS},
    output="trg_word_prj",
    layers="{stack}.layer_stack",
    norm=partial(nn.LayerNorm, eps=1e-6),
    embedding_norm="layer_norm",
    scaled=False,
    biased=False,
    output_bias=False,
)
SAMLYNNEVANS = Layout(
    attention=("q_linear", "k_linear", "v_linear", "out"),
    blocks={
        "encoder": ("attn", "norm_1"),
        "causal": ("attn_1", "norm_1"),
        "cross": ("attn_2", "norm_2"),
    },
    feed_forward={
        stack: ("ff.linear_1", "ff.linear_2", f"norm_{1 + len(kinds)}") for stack, kinds in KINDS.items()
    },
    tables={stack: f"{stack}.embed.embed" for stack in KINDS},
    positions={stack: (f"{stack}.pe.pe", 200) for stack in KINDS},
    output="out",
    norm=partial(EpsNorm, names=("alpha", "bias")),
    final_norms="norm",
    table=steeper_sinusoids,
)
ORIGINAL_TRANSFORMER = Layout(
    attention=("qkv_nets.0", "qkv_nets.1", "qkv_nets.2", "out_projection_net"),
    blocks={
        "encoder": ("multi_headed_attention", "sublayers.0.norm"),
        "causal": ("trg_multi_headed_attention", "sublayers.0.norm"),
        "cross": ("src_multi_headed_attention", "sublayers.1.norm"),
    },
    feed_forward={
        stack: ("pointwise_net.linear1", "pointwise_net.linear2", f"sublayers.{len(kinds)}.norm")
        for stack, kinds in KINDS.items()
    },
    tables={"encoder": "src_embedding.embeddings_table", "decoder": "trg_embedding.embeddings_table"},
    positions={
        "encoder": ("src_pos_embedding.positional_encodings_table", 5000),
        "decoder": ("trg_pos_embedding.positional_encodings_table", 5000),
    },
    output="decoder_generator.linear",
    layers="{stack}.{stack}_layers",
    final_norms="norm",
    flat=True,
)


class Reference(nn.Module):
    """The model of one layout: `source` and `target` tokens, of which `pad` is the padding on both sides."""

    def __init__(
        self, layout: Layout, source: int, target: int, width: int, heads: int, inner: int, pad: int
    ) -> None:
        super().__init__()
        self.layout, self.pad, self.width = layout, pad, width
        attend = partial(
            Attention,
            names=layout.attention,
            by_model=layout.by_model,
            one_for_all=layout.one_for_all,
            biased=layout.biased,
        )
        for stack, size in (("encoder", source), ("decoder", target)):
            place(self, layout.tables[stack], nn.Embedding(size, width))
            at, length = layout.positions[stack]
            if layout.learned:
                place(self, at, nn.Embedding(length, width))
            else:
                holder, _, name = at.rpartition(".")
                place(self, holder, nn.Module())
                table = layout.table(length, width)[None]
                table = table[0] if layout.flat else table
                self.get_submodule(holder).register_buffer(name, table, persistent=layout.stored)
            if layout.embedding_norm:
                place(self, f"{stack}.{layout.embedding_norm}", layout.norm(width))
            for n in range(LAYERS[stack]):
                layer = f"{layout.layers.format(stack=stack)}.{n}"
                for attention, norm in (layout.blocks[kind] for kind in KINDS[stack]):
                    place(self, f"{layer}.{attention}", attend(width, heads))
                    place(self, f"{layer}.{norm}", layout.norm(width))
                up, down, norm = layout.feed_forward[stack]
                place(self, f"{layer}.{up}", nn.Linear(width, inner))
                place(self, f"{layer}.{down}", nn.Linear(inner, width))
                place(self, f"{layer}.{norm}", layout.norm(width))
            if layout.final_norms:
                place(self, f"{stack}.{layout.final_norms}", layout.norm(width))
        place(self, layout.output, nn.Linear(width, target, bias=layout.output_bias))
        if layout.tied:
            table: Any = self.get_submodule(layout.tables["decoder"]).weight
            for part in (layout.tables["encoder"], layout.output):
                self.get_submodule(part).weight = table

    def forward(self, source: Tensor, target: Tensor, seen: Seen) -> Tensor:
        source_mask, target_mask = masks(source, target, self.pad)
        each = {"encoder": source_mask, "causal": target_mask, "cross": source_mask}
        seen.states = memory = self._stack("encoder", source, None, each, seen)
        states = self._stack("decoder", target, memory, each, seen)
        out: Tensor = self.get_submodule(self.layout.output)(states)
        return out / math.sqrt(self.width) if self.layout.tied else out

    def _stack(self, stack: str, ids: Tensor, memory: Any, mask: Mapping[str, Tensor], seen: Seen) -> Tensor:
        """The states of one stack, (B, T, width); `memory`: those of the encoder, for the decoder."""
        layout, pre = self.layout, bool(self.layout.final_norms)
        x = self._embedded(stack, ids)
        for n in range(LAYERS[stack]):
            layer = self.get_submodule(f"{layout.layers.format(stack=stack)}.{n}")
            for kind in KINDS[stack]:
                attend, norm = map(layer.get_submodule, layout.blocks[kind])
                read = norm(x) if pre else x
                x = x + attend(read, memory if kind == "cross" else read, mask[kind], seen.maps[kind])
                x = x if pre else norm(x)
            up, down, norm = map(layer.get_submodule, layout.feed_forward[stack])
            x = x + down(torch.relu(up(norm(x) if pre else x)))
            x = x if pre else norm(x)
        return self.get_submodule(f"{stack}.{layout.final_norms}")(x) if pre else x

    def _embedded(self, stack: str, ids: Tensor) -> Tensor:
        layout, (at, _) = self.layout, self.layout.positions[stack]
        positions: Any = (
            self.get_submodule(at).weight if layout.learned else self.get_buffer(at).flatten(0, -2)
        )
        scale = math.sqrt(self.width) if layout.scaled else 1.0
        out: Tensor = self.get_submodule(layout.tables[stack])(ids) * scale + positions[: ids.shape[1]]
        return self.get_submodule(f"{stack}.{layout.embedding_norm}")(out) if layout.embedding_norm else out


class Sinusoids(nn.Module):
    """Holds a table of positions as a buffer called pos_embedding, (length, 1, width)."""

    pos_embedding: Tensor

    class Table(nn.Module):
        """An embedding inside a module of its own."""

        def __init__(self, size: int, width: int) -> None:
            super().__init__()
            self.embedding = nn.Embedding(size, width)

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.register_buffer("pos_embedding", sinusoids(length, width)[:, None])


def written(model: nn.Module, row: list[int]) -> list[int]:
    """The greedy output for one source, by a plain loop, from the start token on and without it."""
    target = torch.tensor([[START]])
    for _ in range(STEPS):
        logits = model(torch.tensor([row]), target, Seen())[0, -1]
        logits[[PAD, START]] = -torch.inf  # layouts differ in what a written padding token would mean
        target = torch.cat([target, logits.argmax().reshape(1, 1)], dim=1)
        if int(target[0, -1]) == END:
            break
    return target[0, 1:].tolist()


def compared(theirs: nn.Module, ours: Transformer) -> Measured:
    """Both on one padded batch of 27 target tokens, and decoded greedily on each source."""
    batch, seen = Batch.of(ours.config), Seen()
    with torch.inference_mode():
        logits = theirs(batch.source, batch.target, seen)
        texts = [written(theirs, row) for row in batch.sources]
    assert seen.states is not None and all(len(text) > 1 for text in texts)
    same = translate_batch(ours, batch.sources, 1, STEPS) == texts
    return differences(ours, batch, logits, seen.maps, seen.states, same)
