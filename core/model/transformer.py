"""The encoder-decoder Transformer (Vaswani et al. 2017), from tokens to logits.

source ─ embed ─ encoder layers ─ memory ──┐
target ─ embed ─ decoder layers (causal self-attention, cross-attention to memory) ─ project ─ logits
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.errors import InputError
from core.model import positions
from core.model.attention import (
    DecodeState,
    FixedState,
    KeysValues,
    Mask,
    MultiHeadAttention,
    source_mask,
    target_mask,
)
from core.model.config import ModelConfig
from core.model.hooks import Hooks, tap
from core.model.layers import DecoderLayer, EncoderLayer, FeedForward, Norm
from core.model.linear import Part, dropout, product


def sinusoid_table(
    length: int, d_model: int, layout: str = "sinusoidal", denominator: str = "half"
) -> Tensor:
    """`positions.sinusoid_table` as a tensor, (length, d_model) float64, with the options of the configuration."""
    table = positions.sinusoid_table(
        length, d_model, cast(positions.Layout, layout), cast(positions.Denominator, denominator)
    )
    return torch.from_numpy(table)


class PositionTable(Part):
    """Absolute positions added to the embeddings: a fixed sinusoid table, or a learned one."""

    table: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.offset = config.position_offset
        rows = config.max_length + config.position_offset
        if config.positions == "learned":
            self.table = nn.Parameter(torch.empty(rows, config.d_model))
        else:
            table = torch.empty(rows, config.d_model)
            if not table.is_meta:  # a model built without memory has no numbers
                table.copy_(
                    sinusoid_table(rows, config.d_model, config.positions, config.sinusoid_denominator)
                )
            self.register_buffer("table", table, persistent=False)

    def forward(self, start: int | Tensor, length: int) -> Tensor:
        """Rows for positions start … start + length − 1 → (length, d_model); `start` a number, or (1,) on the device."""
        if isinstance(start, Tensor):
            rows = start + torch.arange(self.offset, self.offset + length, device=start.device)
            return self.table.index_select(0, rows)
        first = self.offset + start
        return self.table[first : first + length]


class RelativeBias(Part):
    """T5's learned bias per head for each bucket of key − query distances; one table a stack, or a layer."""

    bucket_of: Tensor

    def __init__(self, config: ModelConfig, bidirectional: bool) -> None:
        super().__init__()
        # From this distance on, all offsets of one direction share a bucket.
        self.reach = max(config.relative_max_distance, config.relative_buckets)
        buckets = relative_bucket(
            torch.arange(-self.reach, self.reach + 1, device="cpu"),
            bidirectional,
            config.relative_buckets,
            config.relative_max_distance,
        )
        self.register_buffer("bucket_of", buckets, persistent=False)
        self.table = nn.Parameter(torch.empty(config.relative_buckets, config.heads))

    def forward(self, start: int | Tensor, queries: int, keys: int) -> Tensor:
        """Bias for queries at start … start + queries − 1 and keys at 0 … keys − 1 → (1, H, queries, keys)."""
        device = self.table.device
        query = (start + torch.arange(queries, device=device))[:, None]
        offsets = torch.arange(keys, device=device)[None, :] - query
        buckets = self.bucket_of[offsets.clamp(-self.reach, self.reach) + self.reach]
        return self.table[buckets].permute(2, 0, 1)[None]


class RotaryTable(Part):
    """The cosines and sines that turn the queries and keys of self-attention (Su et al. 2021); nothing is learned."""

    table: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        table = torch.empty(2, config.max_length, config.d_head // 2)
        if not table.is_meta:
            angles = torch.from_numpy(positions.rotation_angles(config.max_length, config.d_head))
            table.copy_(torch.stack((angles.cos(), angles.sin())))
        self.register_buffer("table", table, persistent=False)

    def forward(self, start: int | Tensor, length: int) -> Tensor:
        """Cosines and sines of positions start … start + length − 1 → (2, length, d_h / 2)."""
        if isinstance(start, Tensor):
            return self.table.index_select(1, start + torch.arange(length, device=start.device))
        return self.table[:, start : start + length]


def relative_bucket(
    offset: Tensor, bidirectional: bool, buckets: int = 32, max_distance: int = 128
) -> Tensor:
    """`positions.relative_buckets` of each `offset` = key − query, int64 of the same shape, on the CPU."""
    return torch.from_numpy(positions.relative_buckets(offset.numpy(), bidirectional, buckets, max_distance))


class Embedding(Part):
    """Tokens to vectors: table lookup, scale, positions, optional norm, dropout (Vaswani et al. 2017, section 3.4-3.5)."""

    def __init__(self, config: ModelConfig, stack: str, table: nn.Parameter) -> None:
        super().__init__()
        self.stack = stack
        self.table = table  # (V, d_model); the same parameter object where tables are tied
        self.scale = math.sqrt(config.d_model) if config.of(stack).embedding_scale else 1.0
        self.max_length = config.max_length
        self.positions = PositionTable(config) if config.positions in _ABSOLUTE else None
        self.norm = Norm(config.of(stack)) if config.embedding_norm else None
        self.norm_first = config.embedded(stack) == "sum"
        self.dropout = config.dropout

    def forward(self, tokens: Tensor, start: int | Tensor = 0, hooks: Hooks | None = None) -> Tensor:
        """tokens (B, T) int64 at positions start … → (B, T, d_model). The caller bounds a `start` that is on the device."""
        length = tokens.shape[1]
        if isinstance(start, int) and start + length > self.max_length:
            raise InputError(
                f"The {_SIDE[self.stack]} has {start + length} tokens; this model reads at most {self.max_length}: "
                "shorten the text."
            )
        at = tap(hooks, self.stack, 0, "embed")
        x = at("token_embedding", F.embedding(tokens, self.table) * self.scale)
        if self.norm is not None and self.norm_first:
            x = self.norm(x, at)
        if self.positions is not None:
            encoding = self.positions(start, length)[None]  # (1, T, d_model)
            if at.wants("position_encoding"):  # rows of the model's own table: record a copy
                encoding = at("position_encoding", encoding.clone())
            x = x + encoding
        x = at("sum", x)
        if self.norm is not None and not self.norm_first:
            x = self.norm(x, at)
        return dropout(x, self.dropout, self.training)


class Transformer(nn.Module):
    """An encoder and a decoder. Stateless: a forward pass changes nothing on any module."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        source_table = nn.Parameter(torch.empty(config.source_vocab_size, config.d_model))
        target_table = (
            source_table
            if config.tie_embeddings
            else nn.Parameter(torch.empty(config.target_vocab_size, config.d_model))
        )
        self.source_embedding = Embedding(config, "encoder", source_table)
        self.target_embedding = Embedding(config, "decoder", target_table)
        self.encoder_layers = nn.ModuleList(EncoderLayer(config, i) for i in range(config.encoder_layers))
        self.decoder_layers = nn.ModuleList(DecoderLayer(config, i) for i in range(config.decoder_layers))
        self.encoder_bias = _relative_bias(config, "encoder")
        self.decoder_bias = _relative_bias(config, "decoder")
        encoder, decoder = config.of("encoder"), config.of("decoder")
        self.encoder_rotary, self.decoder_rotary = (
            RotaryTable(own) if own.positions == "rotary" else None for own in (encoder, decoder)
        )
        self.encoder_norm = Norm(encoder) if encoder.final_norm else None
        self.decoder_norm = Norm(decoder) if decoder.final_norm else None
        # A tied projection is the target table itself, so it has no parameter of its own.
        self.output_proj = (
            None if config.tie_output else nn.Parameter(torch.empty(config.target_vocab_size, config.d_model))
        )
        self.output_bias = nn.Parameter(torch.zeros(config.target_vocab_size)) if config.output_bias else None
        self.output_scale = config.d_model**-0.5 if config.output_scale == "inverse_sqrt_d_model" else 1.0
        self._initialise()

    def _initialise(self) -> None:
        """Xavier-uniform matrices (Glorot & Bengio 2010), zero biases, embedding rows of unit norm once scaled."""
        for name, parameter in self.named_parameters():
            if parameter.is_meta:
                continue  # nothing to set, and torch would load its compiler, which takes seconds
            if name.endswith("embedding.table") or name == "output_proj":
                nn.init.normal_(parameter, std=self.config.d_model**-0.5)
            elif name.endswith(".positions.table") or ("_bias." in name and name.endswith(".table")):
                nn.init.normal_(parameter, std=0.02)
            elif parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("proj.bias"):
                nn.init.zeros_(parameter)

    def pack_weights(self) -> Transformer:
        """This model, with the layers' matrices where their products read them fastest (see `core.model.linear`)."""
        for name, module in self.named_modules():
            if isinstance(module, MultiHeadAttention):
                module.pack_weights(queries=name.endswith("self_attention"))
            elif isinstance(module, FeedForward):
                module.pack_weights()
        return self

    @property
    def weights_packed(self) -> bool:
        """Whether `pack_weights` was called; not so for a copy of a model."""
        return any(
            isinstance(each, MultiHeadAttention) and each.joined is not None for each in self.modules()
        )

    def forward(self, source: Tensor, target: Tensor, hooks: Hooks | None = None) -> Tensor:
        """source (B, S) and target (B, T) int64, padded with the config's pad ids → logits (B, T, V).

        Row t of the logits scores the token that follows target[:, : t + 1].
        """
        return self.decode(target, self.encode(source, hooks), source, hooks)

    def encode(self, source: Tensor, hooks: Hooks | None = None) -> Tensor:
        """source (B, S) → memory (B, S, d_model)."""
        mask = source_mask(source, self.config.source_padding)
        x = self.source_embedding(source, hooks=hooks)
        length = source.shape[1]
        biases, turns = self.biases("encoder", 0, length, length), self.turns("encoder", 0, length)
        for layer, bias in zip(self.encoder_layers, biases, strict=True):
            x = layer(x, mask, bias, hooks, turns)
        return self._finish("encoder", self.encoder_norm, x, hooks)

    def decode(self, target: Tensor, memory: Tensor, source: Tensor, hooks: Hooks | None = None) -> Tensor:
        """target (B, T), memory (B, S, d_model) of source (B, S) → logits (B, T, V)."""
        return self.project(self.decode_states(target, memory, source, hooks), hooks)

    def decode_states(
        self, target: Tensor, memory: Tensor, source: Tensor, hooks: Hooks | None = None
    ) -> Tensor:
        """The decoder's states before the output projection, (B, T, d_model)."""
        cross = (layer.memory_keys_values(memory, hooks) for layer in _decoder_layers(self))
        return self._read(target, cross, source_mask(source, self.config.source_padding), hooks)

    def _read(self, target: Tensor, cross: Iterable[KeysValues], seen: Mask, hooks: Hooks | None) -> Tensor:
        """The decoder's states of target (B, T) with each layer's keys and values of the memory, (B, T, d_model)."""
        length = target.shape[1]
        mask = target_mask(target, self.config.pad_id, self.config.causal)
        biases, turns = self.biases("decoder", 0, length, length), self.turns("decoder", 0, length)
        x = self.target_embedding(target, hooks=hooks)
        for layer, memory, bias in zip(_decoder_layers(self), cross, biases, strict=True):
            x = layer(x, mask, memory, seen, bias, None, hooks, turns)
        return self._finish("decoder", self.decoder_norm, x, hooks)

    def start(
        self, memory: Tensor, source: Tensor, hooks: Hooks | None = None, capacity: int | None = None
    ) -> DecodeState:
        """An empty cache for decoding from `memory` (B, S, d_model) of `source` (B, S).

        It has a fixed size where `capacity` is given, unless the decoder has no causal mask: see `step`.
        """
        keys_values = (layer.memory_keys_values(memory, hooks) for layer in _decoder_layers(self))
        # Made contiguous here once; otherwise every step's product would do it.
        cross = [(k.contiguous(), v.contiguous()) for k, v in keys_values]
        seen, rows = source_mask(source, self.config.source_padding), range(len(source))
        if capacity is None or not self.config.causal:
            return DecodeState(cross, seen, rows)
        return FixedState(cross, seen, capacity, rows)

    def step(self, tokens: Tensor, state: DecodeState, hooks: Hooks | None = None) -> Tensor:
        """Read one more target token per row, tokens (B,) int64, extending `state` → logits (B, V) for the next.

        Without a causal mask every earlier position sees the new token too, so a step reads all of them again: what it
        records has one row for each token read.
        """
        if not self.config.causal:
            states = self._read(state.read_again(tokens[:, None]), state.cross, state.source_mask, hooks)
            logits = self.project(states[:, -1:], hooks)
            state.advance()
            return logits[:, 0]
        start = state.position
        x = self.target_embedding(tokens[:, None], start, hooks)  # (B, 1, d_model)
        biases, turns = self.biases("decoder", start, 1, state.keys(1)), self.turns("decoder", start, 1)
        mask = state.mask
        for layer, memory, bias in zip(_decoder_layers(self), state.cross, biases, strict=True):
            x = layer(x, mask, memory, state.source_mask, bias, state, hooks, turns)
        logits = self.project(self._finish("decoder", self.decoder_norm, x, hooks), hooks)
        state.advance()
        return logits[:, 0]

    def biases(self, stack: str, start: int | Tensor, queries: int, keys: int) -> Sequence[Tensor | None]:
        """What relative positions add to each layer's self-attention scores, (1, H, queries, keys); None without them."""
        tables = self.encoder_bias if stack == "encoder" else self.decoder_bias
        layers = self.config.layers(stack)
        if isinstance(tables, nn.ModuleList):
            return [table(start, queries, keys) for table in tables]
        return [None if tables is None else tables(start, queries, keys)] * layers

    def turns(self, stack: str, start: int | Tensor, length: int) -> Tensor | None:
        """What rotary positions turn queries and keys of self-attention by, (2, length, d_h / 2); None without them."""
        table = self.encoder_rotary if stack == "encoder" else self.decoder_rotary
        return None if table is None else table(start, length)

    def bias_table(self, stack: str, layer: int = 0) -> Tensor | None:
        """The table of relative positions (buckets, H) that one layer reads; None without relative positions."""
        tables = self.encoder_bias if stack == "encoder" else self.decoder_bias
        own = tables[layer] if isinstance(tables, nn.ModuleList) else tables
        return own.table if isinstance(own, RelativeBias) else None

    def project(self, states: Tensor, hooks: Hooks | None = None) -> Tensor:
        """Decoder states (…, d_model) → logits (…, V)."""
        table = self.target_embedding.table if self.output_proj is None else self.output_proj
        scaled = states if self.output_scale == 1.0 else states * self.output_scale
        logits = product(scaled, table, self.output_bias)
        return tap(hooks, "decoder", 0, "final")("logits", logits)

    def _finish(self, stack: str, norm: Norm | None, x: Tensor, hooks: Hooks | None) -> Tensor:
        at = tap(hooks, stack, 0, "final")
        return at("output", x if norm is None else norm(x, at))


def _relative_bias(config: ModelConfig, stack: str) -> RelativeBias | nn.ModuleList | None:
    """A stack's one table of relative positions, or one a layer (UMT5)."""
    if config.positions != "relative_buckets":
        return None
    both_ways, own = config.sees_ahead(stack), config.of(stack)
    if not config.relative_bias_per_layer:
        return RelativeBias(own, both_ways)
    return nn.ModuleList(RelativeBias(own, both_ways) for _ in range(config.layers(stack)))


_ABSOLUTE = ("sinusoidal", "sinusoidal_halves", "learned")
_SIDE = {"encoder": "source", "decoder": "target"}


def _decoder_layers(model: Transformer) -> list[DecoderLayer]:
    return [layer for layer in model.decoder_layers if isinstance(layer, DecoderLayer)]
