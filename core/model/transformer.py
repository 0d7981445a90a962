"""The encoder-decoder Transformer (Vaswani et al. 2017), from tokens to logits.

source ─ embed ─ encoder layers ─ memory ──┐
target ─ embed ─ decoder layers (causal self-attention, cross-attention to memory) ─ project ─ logits
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.errors import InputError
from core.model.attention import MultiHeadAttention
from core.model.cache import DecodeState, FixedState
from core.model.config import ModelConfig
from core.model.hooks import Hooks, tap
from core.model.layers import DecoderLayer, EncoderLayer, FeedForward, Norm
from core.model.linear import Part, Whole, dropout, linear
from core.model.masks import source_mask, target_mask
from core.model.positions import PositionTable, RelativeBias


class Embedding(Part):
    """Tokens to vectors: table lookup, scale, positions, optional norm, dropout (Vaswani et al. 2017, section 3.4-3.5)."""

    def __init__(self, config: ModelConfig, stack: str, table: nn.Parameter) -> None:
        super().__init__()
        self.stack = stack
        self.table = table  # (V, d_model); the same parameter object where tables are tied
        self.scale = math.sqrt(config.d_model) if config.embedding_scale else 1.0
        self.max_length = config.max_length
        self.positions = PositionTable(config) if config.positions in _ABSOLUTE else None
        self.norm = Norm(config) if config.embedding_norm else None
        self.norm_first = config.embedded(stack) == "sum"
        self.dropout = config.dropout

    def forward(self, tokens: Tensor, start: int | Tensor = 0, hooks: Hooks | None = None) -> Tensor:
        """tokens (B, T) int64 at positions start … → (B, T, d_model). A `start` on the device is bounded by its owner."""
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
            if at.wants("position_encoding"):  # rows of the model's own table: show a copy
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
        self.encoder_bias, self.decoder_bias = (
            _relative_bias(config, stack) for stack in ("encoder", "decoder")
        )
        self.encoder_norm = Norm(config) if config.final_norm else None
        self.decoder_norm = Norm(config) if config.final_norm else None
        # A tied projection is the target table itself, so it has no parameter of its own.
        self.output_proj = (
            None if config.tie_output else nn.Parameter(torch.empty(config.target_vocab_size, config.d_model))
        )
        self.output_bias = nn.Parameter(torch.zeros(config.target_vocab_size)) if config.output_bias else None
        self.table: Whole | None = None
        self.output_scale = config.d_model**-0.5 if config.output_scale == "inverse_sqrt_d_model" else 1.0
        self._initialise()

    def _initialise(self) -> None:
        """Xavier-uniform matrices (Glorot & Bengio 2010), zero biases, embeddings of unit norm a row once scaled."""
        for name, parameter in self.named_parameters():
            if parameter.is_meta:
                continue  # no numbers to set; asking torch to would load its compiler, which takes seconds
            if name.endswith("embedding.table") or name == "output_proj":
                nn.init.normal_(parameter, std=self.config.d_model**-0.5)
            elif name.endswith(".positions.table") or ("_bias." in name and name.endswith(".table")):
                nn.init.normal_(parameter, std=0.02)
            elif parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("proj.bias"):
                nn.init.zeros_(parameter)

    def lay_out(self) -> Transformer:
        """This model with its matrices put in memory as their products read them fastest (see `core.model.linear`)."""
        for name, part in self.named_modules():
            if isinstance(part, MultiHeadAttention):
                part.lay_out(queries=name.endswith("self_attention"))
            elif isinstance(part, FeedForward):
                part.lay_out()
        owner, name = self._output
        self.table = Whole([(owner, name)], [] if self.output_bias is None else [(self, "output_bias")])
        return self

    @property
    def laid_out(self) -> bool:
        """Whether `lay_out` was called."""
        return self.table is not None

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
        biases = self.biases("encoder", 0, length, length)
        for layer, bias in zip(self.encoder_layers, biases, strict=True):
            x = layer(x, mask, bias, hooks)
        return self._finish("encoder", self.encoder_norm, x, hooks)

    def decode(self, target: Tensor, memory: Tensor, source: Tensor, hooks: Hooks | None = None) -> Tensor:
        """target (B, T), memory (B, S, d_model) of source (B, S) → logits (B, T, V)."""
        return self.project(self.decode_states(target, memory, source, hooks), hooks)

    def decode_states(
        self, target: Tensor, memory: Tensor, source: Tensor, hooks: Hooks | None = None
    ) -> Tensor:
        """The decoder's last states before the output projection, (B, T, d_model)."""
        length = target.shape[1]
        past = target_mask(target, self.config.pad_id)
        seen = source_mask(source, self.config.source_padding)
        biases = self.biases("decoder", 0, length, length)
        x = self.target_embedding(target, hooks=hooks)
        for layer, bias in zip(_decoder_layers(self), biases, strict=True):
            x = layer(x, past, layer.memory_keys_values(memory, hooks), seen, bias, None, hooks)
        return self._finish("decoder", self.decoder_norm, x, hooks)

    def start(
        self, memory: Tensor, source: Tensor, hooks: Hooks | None = None, capacity: int | None = None
    ) -> DecodeState:
        """A fresh cache for decoding from `memory` (B, S, d_model) of `source` (B, S); with a `capacity`, one of fixed size."""
        found = (layer.memory_keys_values(memory, hooks) for layer in _decoder_layers(self))
        # Once here, or a product would at every step.
        cross = [(k.contiguous(), v.contiguous()) for k, v in found]
        seen, rows = source_mask(source, self.config.source_padding), range(len(source))
        return DecodeState(cross, seen, rows) if capacity is None else FixedState(cross, seen, capacity, rows)

    def step(self, tokens: Tensor, state: DecodeState, hooks: Hooks | None = None) -> Tensor:
        """Read one more target token a row, tokens (B,) int64, extending `state` → logits (B, V) for the next."""
        start = state.position
        x = self.target_embedding(tokens[:, None], start, hooks)  # (B, 1, d_model)
        biases = self.biases("decoder", start, 1, state.keys(1))
        mask = state.mask
        for layer, memory, bias in zip(_decoder_layers(self), state.cross, biases, strict=True):
            x = layer(x, mask, memory, state.source_mask, bias, state, hooks)
        logits = self.project(self._finish("decoder", self.decoder_norm, x, hooks), hooks)
        state.advance()
        return logits[:, 0]

    def biases(self, stack: str, start: int | Tensor, queries: int, keys: int) -> Sequence[Tensor | None]:
        """What relative positions add to each layer's self-attention scores, (1, H, queries, keys); None without them."""
        tables, layers = (
            self.encoder_bias if stack == "encoder" else self.decoder_bias,
            self.config.layers(stack),
        )
        if isinstance(tables, nn.ModuleList):
            return [table(start, queries, keys) for table in tables]
        return [None if tables is None else tables(start, queries, keys)] * layers

    def bias_table(self, stack: str, layer: int = 0) -> Tensor | None:
        """The table of relative positions (buckets, H) that one layer reads; None without relative positions."""
        tables = self.encoder_bias if stack == "encoder" else self.decoder_bias
        own = tables[layer] if isinstance(tables, nn.ModuleList) else tables
        return own.table if isinstance(own, RelativeBias) else None

    def project(self, states: Tensor, hooks: Hooks | None = None) -> Tensor:
        """Decoder states (…, d_model) → logits (…, V)."""
        owner, name = self._output
        scaled = states if self.output_scale == 1.0 else states * self.output_scale
        logits = linear(scaled, getattr(owner, name), self.output_bias, self.table)
        return tap(hooks, "decoder", 0, "final")("logits", logits)

    @property
    def _output(self) -> tuple[nn.Module, str]:
        """Who has the output table, and under which name."""
        return (self.target_embedding, "table") if self.config.tie_output else (self, "output_proj")

    def _finish(self, stack: str, norm: Norm | None, x: Tensor, hooks: Hooks | None) -> Tensor:
        at = tap(hooks, stack, 0, "final")
        return at("output", x if norm is None else norm(x, at))


def _relative_bias(config: ModelConfig, stack: str) -> RelativeBias | nn.ModuleList | None:
    """A stack's one table of relative positions, or one a layer (UMT5)."""
    if config.positions != "relative_buckets":
        return None
    both_ways = stack == "encoder"
    if not config.relative_bias_per_layer:
        return RelativeBias(config, both_ways)
    return nn.ModuleList(RelativeBias(config, both_ways) for _ in range(config.layers(stack)))


_ABSOLUTE = ("sinusoidal", "sinusoidal_halves", "learned")
_SIDE = {"encoder": "source", "decoder": "target"}


def _decoder_layers(model: Transformer) -> list[DecoderLayer]:
    return [layer for layer in model.decoder_layers if isinstance(layer, DecoderLayer)]
