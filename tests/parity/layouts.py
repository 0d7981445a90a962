"""Small models written from each tutorial layout's own mathematics, with that layout's own names.

Each returns logits, the maps of the three kinds of attention by layer, and the encoder's states.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

Maps = dict[str, list[Tensor]]


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


class Linear4(nn.Module):
    """Multi-head attention whose four projections have the layout's names."""

    def __init__(
        self, width: int, heads: int, names: tuple[str, str, str, str], divide_by_model: bool = False
    ) -> None:
        super().__init__()
        self.heads, self.names = heads, names
        self.divisor = math.sqrt(width if divide_by_model else width // heads)
        for name in names:
            self.add_module(name, nn.Linear(width, width))

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor, record: list[Tensor]) -> Tensor:
        q, k, v = (
            self.get_submodule(name)(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for name, x in zip(self.names[:3], (query, memory, memory), strict=True)
        )
        mixed, weights = softmax_attention(q, k, v, mask, self.divisor)
        record.append(weights)
        out: Tensor = self.get_submodule(self.names[3])(mixed)
        return out


# -- the seq2seq tutorial ------------------------------------------------------------------------------------

_FC = ("fc_q", "fc_k", "fc_v", "fc_o")


class _Seq2seqFeedForward(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.fc_1, self.fc_2 = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.fc_2(torch.relu(self.fc_1(x)))
        return out


class _Seq2seqLayer(nn.Module):
    def __init__(self, width: int, heads: int, inner: int, decoder: bool) -> None:
        super().__init__()
        self.self_attention = Linear4(width, heads, _FC)
        self.self_attn_layer_norm = nn.LayerNorm(width)
        if decoder:
            self.encoder_attention = Linear4(width, heads, _FC)
            self.enc_attn_layer_norm = nn.LayerNorm(width)
        self.positionwise_feedforward = _Seq2seqFeedForward(width, inner)
        self.ff_layer_norm = nn.LayerNorm(width)


class _Seq2seqStack(nn.Module):
    def __init__(
        self, size: int, width: int, layers: int, heads: int, inner: int, length: int, decoder: bool
    ) -> None:
        super().__init__()
        self.tok_embedding, self.pos_embedding = nn.Embedding(size, width), nn.Embedding(length, width)
        self.layers = nn.ModuleList(_Seq2seqLayer(width, heads, inner, decoder) for _ in range(layers))
        if decoder:
            self.fc_out = nn.Linear(width, size)

    def embed(self, tokens: Tensor) -> Tensor:
        scale = math.sqrt(self.tok_embedding.embedding_dim)
        out: Tensor = self.tok_embedding(tokens) * scale + self.pos_embedding(torch.arange(tokens.shape[1]))
        return out


class Seq2seq(nn.Module):
    def __init__(self, source: int, target: int, width: int, heads: int, inner: int, pad: int) -> None:
        super().__init__()
        self.encoder = _Seq2seqStack(source, width, 2, heads, inner, 60, False)
        self.decoder = _Seq2seqStack(target, width, 3, heads, inner, 50, True)
        self.pad = pad

    def forward(self, source: Tensor, target: Tensor, seen: Seen) -> Tensor:
        source_mask, target_mask = masks(source, target, self.pad)
        x = self.encoder.embed(source)
        for layer in self.encoder.layers:
            x = layer.self_attn_layer_norm(x + layer.self_attention(x, x, source_mask, seen.maps["encoder"]))
            x = layer.ff_layer_norm(x + layer.positionwise_feedforward(x))
        seen.states = memory = x
        y = self.decoder.embed(target)
        for layer in self.decoder.layers:
            y = layer.self_attn_layer_norm(y + layer.self_attention(y, y, target_mask, seen.maps["causal"]))
            y = layer.enc_attn_layer_norm(
                y + layer.encoder_attention(y, memory, source_mask, seen.maps["cross"])
            )
            y = layer.ff_layer_norm(y + layer.positionwise_feedforward(y))
        out: Tensor = self.decoder.fc_out(y)
        return out


# -- norms that add eps to an unbiased deviation -------------------------------------------------------------


class EpsNorm(nn.Module):
    """scale · (x − mean) / (std + eps) + shift, with the layout's own names for scale and shift."""

    def __init__(self, width: int, names: tuple[str, str]) -> None:
        super().__init__()
        self.names = names
        self.register_parameter(names[0], nn.Parameter(torch.ones(width)))
        self.register_parameter(names[1], nn.Parameter(torch.zeros(width)))

    def forward(self, x: Tensor) -> Tensor:
        scale, shift = (self.get_parameter(name) for name in self.names)
        return scale * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + shift


class _Holder(nn.Module):
    """A named child with one module inside, as sublayer.N.norm has."""

    def __init__(self, name: str, child: nn.Module) -> None:
        super().__init__()
        self.add_module(name, child)


class _Buffered(nn.Module):
    """Holds a table of positions as a buffer called pe, (1, length, width)."""

    pe: Tensor

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.register_buffer("pe", sinusoids(length, width)[None])


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


# -- The Annotated Transformer -------------------------------------------------------------------------------


class _Linears(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.linears = nn.ModuleList(nn.Linear(width, width) for _ in range(4))
        self.heads = heads

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor, record: list[Tensor]) -> Tensor:
        q, k, v = (
            linear(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for linear, x in zip(self.linears, (query, memory, memory), strict=False)
        )
        mixed, weights = softmax_attention(q, k, v, mask, math.sqrt(q.shape[-1]))
        record.append(weights)
        out: Tensor = self.linears[3](mixed)
        return out


class _AnnotatedForward(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.w_2(torch.relu(self.w_1(x)))
        return out


class _AnnotatedLayer(nn.Module):
    def __init__(self, width: int, heads: int, inner: int, decoder: bool) -> None:
        super().__init__()
        self.self_attn = _Linears(width, heads)
        if decoder:
            self.src_attn = _Linears(width, heads)
        self.feed_forward = _AnnotatedForward(width, inner)
        norms = (EpsNorm(width, ("a_2", "b_2")) for _ in range(3 if decoder else 2))
        self.sublayer = nn.ModuleList(_Holder("norm", norm) for norm in norms)


class _AnnotatedStack(nn.Module):
    def __init__(self, layers: int, width: int, heads: int, inner: int, decoder: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(_AnnotatedLayer(width, heads, inner, decoder) for _ in range(layers))
        self.norm = EpsNorm(width, ("a_2", "b_2"))


class Annotated(nn.Module):
    def __init__(self, source: int, target: int, width: int, heads: int, inner: int, pad: int) -> None:
        super().__init__()
        self.encoder = _AnnotatedStack(2, width, heads, inner, False)
        self.decoder = _AnnotatedStack(3, width, heads, inner, True)
        self.src_embed = nn.Sequential(_Holder("lut", nn.Embedding(source, width)), _Buffered(60, width))
        self.tgt_embed = nn.Sequential(_Holder("lut", nn.Embedding(target, width)), _Buffered(60, width))
        self.generator = _Holder("proj", nn.Linear(width, target))
        self.pad = pad

    def forward(self, source: Tensor, target: Tensor, seen: Seen) -> Tensor:
        source_mask, target_mask = masks(source, target, self.pad)
        x = _lookup(self.src_embed[0].lut, self.src_embed[1].pe, source)
        for layer in self.encoder.layers:
            h = layer.sublayer[0].norm(x)
            x = x + layer.self_attn(h, h, source_mask, seen.maps["encoder"])
            x = x + layer.feed_forward(layer.sublayer[1].norm(x))
        seen.states = memory = self.encoder.norm(x)
        y = _lookup(self.tgt_embed[0].lut, self.tgt_embed[1].pe, target)
        for layer in self.decoder.layers:
            h = layer.sublayer[0].norm(y)
            y = y + layer.self_attn(h, h, target_mask, seen.maps["causal"])
            y = y + layer.src_attn(layer.sublayer[1].norm(y), memory, source_mask, seen.maps["cross"])
            y = y + layer.feed_forward(layer.sublayer[2].norm(y))
        out: Tensor = self.generator.proj(self.decoder.norm(y))
        return out


def _lookup(table: nn.Embedding, positions: Tensor, tokens: Tensor) -> Tensor:
    out: Tensor = table(tokens) * math.sqrt(table.embedding_dim) + positions[:, : tokens.shape[1]]
    return out


# -- tutorial B ----------------------------------------------------------------------------------------------

_W = ("w_q", "w_k", "w_v", "w_o")


class _BForward(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.linear_1, self.linear_2 = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.linear_2(torch.relu(self.linear_1(x)))
        return out


class _BLayer(nn.Module):
    def __init__(self, width: int, heads: int, inner: int, decoder: bool, by_model: bool) -> None:
        super().__init__()
        self.self_attention_block = Linear4(width, heads, _W, by_model)
        if decoder:
            self.cross_attention_block = Linear4(width, heads, _W, by_model)
        self.feed_forward_block = _BForward(width, inner)
        norms = (EpsNorm(width, ("alpha", "bias")) for _ in range(3 if decoder else 2))
        self.residual_connections = nn.ModuleList(_Holder("norm", norm) for norm in norms)


class _BStack(nn.Module):
    def __init__(
        self, layers: int, width: int, heads: int, inner: int, decoder: bool, by_model: bool
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(_BLayer(width, heads, inner, decoder, by_model) for _ in range(layers))
        self.norm = EpsNorm(width, ("alpha", "bias"))


class TutorialB(nn.Module):
    def __init__(
        self, source: int, target: int, width: int, heads: int, inner: int, pad: int, by_model: bool = True
    ) -> None:
        super().__init__()
        self.encoder = _BStack(2, width, heads, inner, False, by_model)
        self.decoder = _BStack(3, width, heads, inner, True, by_model)
        self.src_embed = _Holder("embedding", nn.Embedding(source, width))
        self.tgt_embed = _Holder("embedding", nn.Embedding(target, width))
        self.src_pos, self.tgt_pos = _Buffered(60, width), _Buffered(50, width)
        self.projection_layer = _Holder("proj", nn.Linear(width, target))
        self.pad = pad

    def forward(self, source: Tensor, target: Tensor, seen: Seen) -> Tensor:
        source_mask, target_mask = masks(source, target, self.pad)
        x = _lookup(self.src_embed.embedding, self.src_pos.pe, source)
        for layer in self.encoder.layers:
            h = layer.residual_connections[0].norm(x)
            x = x + layer.self_attention_block(h, h, source_mask, seen.maps["encoder"])
            x = x + layer.feed_forward_block(layer.residual_connections[1].norm(x))
        seen.states = memory = self.encoder.norm(x)
        y = _lookup(self.tgt_embed.embedding, self.tgt_pos.pe, target)
        for layer in self.decoder.layers:
            h = layer.residual_connections[0].norm(y)
            y = y + layer.self_attention_block(h, h, target_mask, seen.maps["causal"])
            h = layer.residual_connections[1].norm(y)
            y = y + layer.cross_attention_block(h, memory, source_mask, seen.maps["cross"])
            y = y + layer.feed_forward_block(layer.residual_connections[2].norm(y))
        out: Tensor = self.projection_layer.proj(self.decoder.norm(y))
        return out


# -- tutorial E ----------------------------------------------------------------------------------------------


class _EAttention(nn.Module):
    """One head_dim × head_dim matrix serves every head; `whole` is the later version with embed_size × embed_size."""

    def __init__(self, width: int, heads: int, whole: bool) -> None:
        super().__init__()
        self.heads, self.whole, self.divisor = heads, whole, math.sqrt(width)
        size = width if whole else width // heads
        self.values, self.keys = nn.Linear(size, size, bias=whole), nn.Linear(size, size, bias=whole)
        self.queries, self.fc_out = nn.Linear(size, size, bias=whole), nn.Linear(width, width)

    def forward(
        self, values: Tensor, keys: Tensor, query: Tensor, mask: Tensor, record: list[Tensor]
    ) -> Tensor:
        parts = []
        for projection, x in ((self.queries, query), (self.keys, keys), (self.values, values)):
            split = (-1, self.heads, x.shape[-1] // self.heads)
            heads = (
                projection(x).unflatten(-1, split[1:])
                if self.whole
                else projection(x.unflatten(-1, split[1:]))
            )
            parts.append(heads.transpose(1, 2))
        mixed, weights = softmax_attention(*parts, mask, self.divisor)
        record.append(weights)
        out: Tensor = self.fc_out(mixed)
        return out


class _EBlock(nn.Module):
    def __init__(self, width: int, heads: int, inner: int, whole: bool) -> None:
        super().__init__()
        self.attention = _EAttention(width, heads, whole)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.feed_forward = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, width))

    def forward(
        self, value: Tensor, key: Tensor, query: Tensor, mask: Tensor, record: list[Tensor]
    ) -> Tensor:
        x = self.norm1(self.attention(value, key, query, mask, record) + query)
        out: Tensor = self.norm2(self.feed_forward(x) + x)
        return out


class _EDecoderBlock(nn.Module):
    def __init__(self, width: int, heads: int, inner: int, whole: bool) -> None:
        super().__init__()
        self.attention, self.norm = _EAttention(width, heads, whole), nn.LayerNorm(width)
        self.transformer_block = _EBlock(width, heads, inner, whole)


class _EStack(nn.Module):
    def __init__(self, size: int, width: int, layers: nn.ModuleList, length: int) -> None:
        super().__init__()
        self.word_embedding, self.position_embedding = nn.Embedding(size, width), nn.Embedding(length, width)
        self.layers = layers

    def embed(self, tokens: Tensor) -> Tensor:
        out: Tensor = self.word_embedding(tokens) + self.position_embedding(torch.arange(tokens.shape[1]))
        return out


class TutorialE(nn.Module):
    def __init__(
        self, source: int, target: int, width: int, heads: int, inner: int, pad: int, whole: bool = False
    ) -> None:
        super().__init__()
        blocks = nn.ModuleList(_EBlock(width, heads, inner, whole) for _ in range(2))
        self.encoder = _EStack(source, width, blocks, 60)
        decoders = nn.ModuleList(_EDecoderBlock(width, heads, inner, whole) for _ in range(3))
        self.decoder = _EStack(target, width, decoders, 60)
        self.decoder.fc_out = nn.Linear(width, target)
        self.pad = pad

    def forward(self, source: Tensor, target: Tensor, seen: Seen) -> Tensor:
        source_mask = (source != self.pad)[:, None, None, :]
        target_mask = torch.tril(torch.ones(target.shape[1], target.shape[1]))[None, None]
        x = self.encoder.embed(source)
        for block in self.encoder.layers:
            x = block(x, x, x, source_mask, seen.maps["encoder"])
        seen.states = memory = x
        y = self.decoder.embed(target)
        for block in self.decoder.layers:
            query = block.norm(block.attention(y, y, y, target_mask, seen.maps["causal"]) + y)
            y = block.transformer_block(memory, memory, query, source_mask, seen.maps["cross"])
        out: Tensor = self.decoder.fc_out(y)
        return out
