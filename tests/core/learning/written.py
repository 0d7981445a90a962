"""Attention and a small Transformer as somebody learning writes them, with one mistake at a time or none."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Queries, keys and values (B, T, d) and a mask of 1 where attending is allowed."""

    def __init__(self, d_model: int, heads: int, fault: str = "", bias: bool = True) -> None:
        super().__init__()
        self.d_model, self.heads, self.d_h, self.fault = d_model, heads, d_model // heads, fault
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, d_model, bias=bias) for _ in range(3))
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
        rows, fault = q.shape[0], self.fault

        def cut(x: Tensor) -> Tensor:
            if fault == "head-split-view":
                return x.reshape(rows, self.heads, -1, self.d_h)
            parts = x.reshape(rows, -1, self.heads, self.d_h)
            return parts if fault == "heads-attend-heads" else parts.transpose(1, 2)

        a, b, c = cut(self.w_q(q)), cut(self.w_k(k)), cut(self.w_v(v))
        scores = (
            a @ b.transpose(-2, -1) / math.sqrt(self.d_model if fault == "scale-by-d-model" else self.d_h)
        )
        if fault == "mask-truth-value":
            if mask:
                scores = scores.masked_fill(mask == 0, -math.inf)
        elif mask is not None and fault != "heads-attend-heads":
            hidden = {"mask-leaks": 1e-9, "masked-row-nan": -math.inf}.get(fault, -1e9)
            scores = scores.masked_fill(mask == 0, hidden)
        mixed = torch.softmax(scores, dim=-1) @ c
        if fault in ("heads-attend-heads", "merge-without-transpose", "head-split-view"):
            return self.w_o(mixed.reshape(rows, -1, self.d_model))
        return self.w_o(mixed.transpose(1, 2).reshape(rows, -1, self.d_model))


class StdNorm(nn.Module):
    """x − mean over std + ε."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return self.gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) + self.beta


class OwnNorm(StdNorm):
    """Layer norm written out."""

    def forward(self, x: Tensor) -> Tensor:
        variance = x.var(-1, correction=0, keepdim=True)
        return self.gamma * (x - x.mean(-1, keepdim=True)) / torch.sqrt(variance + 1e-5) + self.beta


class Positions(nn.Module):
    """Sinusoids added to (B, T, d)."""

    def __init__(self, d_model: int, length: int = 40, fault: str = "") -> None:
        super().__init__()
        even = torch.arange(0, d_model, 2)
        angle = torch.arange(length)[:, None] / 10000 ** (
            (2 * even if fault == "pe-exponent-doubled" else even) / d_model
        )
        table = torch.zeros(length, d_model)
        table[:, 0::2], table[:, 1::2] = angle.sin(), angle.cos()
        self.register_buffer("table", table)

    def forward(self, x: Tensor) -> Tensor:
        table: Any = self.table
        return x + table[: x.shape[1]]


class Layer(nn.Module):
    def __init__(self, d_model: int, heads: int, cross: bool, fault: str, pre: bool) -> None:
        super().__init__()
        inner = "" if fault in ("no-causal-mask", "std-plus-eps") else fault
        self.attention = MultiHeadAttention(d_model, heads, inner)
        self.cross = MultiHeadAttention(d_model, heads, inner) if cross else None
        norm = StdNorm if fault == "std-plus-eps" else nn.LayerNorm
        self.norms = nn.ModuleList(norm(d_model) for _ in range(3 if cross else 2))
        self.ffn = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.ReLU(), nn.Linear(2 * d_model, d_model))
        self.dropout, self.fault, self.pre = nn.Dropout(0.1), fault, pre

    def around(self, index: int, x: Tensor, part: Any) -> Tensor:
        norm = self.norms[index]
        if self.pre:
            return x + self.dropout(part(norm(x)))
        if self.fault == "no-residual" and index == 1:
            return norm(part(x))
        if self.fault == "dropout-after-norm":
            return self.dropout(norm(x + part(x)))
        return norm(x + self.dropout(part(x)))

    def forward(
        self, x: Tensor, mask: Tensor | None, memory: Tensor | None = None, source_mask: Tensor | None = None
    ) -> Tensor:
        x = self.around(0, x, lambda h: self.attention(h, h, h, mask))
        if self.cross is not None and memory is not None:
            cross = self.cross
            if self.fault == "cross-qkv-swapped":
                x = self.around(1, x, lambda h: cross(memory, h, h))
            else:
                x = self.around(1, x, lambda h: cross(h, memory, memory, source_mask))
        return self.around(len(self.norms) - 1, x, self.ffn)


class Translator(nn.Module):
    """A whole encoder-decoder: `fault` "" is correct; `pre`, `learned`, `tied` are choices."""

    def __init__(self, fault: str = "", *, pre: bool = False, learned: bool = False, words: int = 13) -> None:
        super().__init__()
        d_model, heads = 16, 4
        torch.manual_seed(4)
        self.source, self.target = nn.Embedding(words, d_model), nn.Embedding(words, d_model)
        self.places = nn.Embedding(40, d_model) if learned else None
        self.positions = Positions(d_model, fault=fault)
        first = Layer(d_model, heads, False, fault, pre)
        second = first if fault == "shared-layers" else Layer(d_model, heads, False, fault, pre)
        self.encoder = nn.ModuleList([first, second])
        self.decoder = nn.ModuleList(Layer(d_model, heads, True, fault, pre) for _ in range(2))
        self.out, self.fault = nn.Linear(d_model, words), fault

    def embed(self, table: nn.Embedding, ids: Tensor) -> Tensor:
        x = table(ids) * 4.0
        if self.fault == "batch-order":
            return self.positions(x.transpose(0, 1)).transpose(0, 1)
        if self.fault == "positions-twice":
            x = self.positions(x)
        return x + self.places(torch.arange(ids.shape[1])) if self.places is not None else self.positions(x)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        length, fault = target.shape[1], self.fault
        source_mask = (source != 0)[:, None, None, :]
        if fault == "source-padding":
            source_mask = (source != 99)[:, None, None, :]
        causal = torch.ones(length, length, dtype=torch.bool).tril()
        real = (target != 0)[:, None, None, :]
        mask = causal if fault == "target-padding-unmasked" else causal & real
        if fault == "no-causal-mask":
            mask = real.expand(-1, 1, length, -1)
        if fault == "one-off":
            mask = torch.ones(length, length, dtype=torch.bool).tril(1) & real
        embedded = x = self.embed(self.source, source)
        for layer in self.encoder:
            x = layer(x, source_mask)
        if fault == "source-partly":
            x, source_mask = x[:, -1:], source_mask[..., -1:]
        memory, x = embedded if fault == "layer-unused" else x, self.embed(self.target, target)
        if fault == "prefix-ignored":
            x = self.embed(self.target, torch.ones_like(target))
        if fault == "dropout-in-evaluation":
            x = nn.functional.dropout(x, 0.1)
        for layer in self.decoder:
            x = layer(x, mask, memory, source_mask)
        return self.out(x)
