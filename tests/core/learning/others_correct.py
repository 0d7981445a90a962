"""Twenty correct modules and functions in other people's styles: layouts, argument names, orders, masks, parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import Tensor, nn

# -- attention ----------------------------------------------------------------------------------------------


class ValuesFirst(nn.Module):
    """The order of a video notebook, einsum, one small matrix for every head, a mask that must be passed."""

    def __init__(self, embed_size: int = 48, heads: int = 4, divisor: float | None = None) -> None:
        super().__init__()
        self.heads, size = heads, embed_size // heads
        self.to_v, self.to_k, self.to_q = (nn.Linear(size, size, bias=False) for _ in range(3))
        self.fc_out = nn.Linear(embed_size, embed_size)
        self.divisor = divisor or size**0.5

    def forward(self, values: Tensor, keys: Tensor, query: Tensor, mask: Tensor | None) -> Tensor:
        batch, asked = query.shape[:2]
        v, k, q = (
            to(x.reshape(batch, x.shape[1], self.heads, -1))
            for to, x in ((self.to_v, values), (self.to_k, keys), (self.to_q, query))
        )
        energy = torch.einsum("bqhc,bkhc->bhqk", q, k)
        if mask is not None:
            energy = energy.masked_fill(mask == 0, -1e20)
        weights = torch.softmax(energy / self.divisor, dim=3)
        return self.fc_out(torch.einsum("bhqk,bkhc->bqhc", weights, v).reshape(batch, asked, -1))


class KeyQueryValue(nn.Module):
    """Keys first, heads cut by view, a mask of 1 for what is hidden."""

    def __init__(self, dim: int = 64, num_heads: int = 8) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.wk, self.wq, self.wv, self.dense = (nn.Linear(dim, dim) for _ in range(4))

    def split(self, x: Tensor) -> Tensor:
        return x.view(x.size(0), -1, self.num_heads, x.size(-1) // self.num_heads).permute(0, 2, 1, 3)

    def forward(self, key: Tensor, query: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        k, q, v = self.split(self.wk(key)), self.split(self.wq(query)), self.split(self.wv(value))
        logits = q.matmul(k.transpose(-1, -2)) / math.sqrt(k.size(-1))
        if mask is not None:
            logits = logits + mask.float() * -1e9
        weights = logits.softmax(dim=-1)
        joined = weights.matmul(v).permute(0, 2, 1, 3).contiguous().view(query.size(0), -1, query.size(-1))
        return self.dense(joined), weights


def product(query: Tensor, key: Tensor, value: Tensor, mask: Any = None, drop: Any = None) -> Any:
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = scores.softmax(dim=-1)
    if drop is not None:
        weights = drop(weights)
    return weights @ value, weights


class Annotated(nn.Module):
    """A list of linears; the mask (B, T, S) gets its axis of heads inside; the weights are kept on the module."""

    def __init__(self, h: int = 4, d_model: int = 32) -> None:
        super().__init__()
        self.h, self.d_k, self.seen = h, d_model // h, None
        self.linears = nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(4))
        self.drop = nn.Dropout(0.1)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Tensor:
        if mask is not None:
            mask = mask.unsqueeze(1)
        count = query.size(0)
        query, key, value = (
            each(x).view(count, -1, self.h, self.d_k).transpose(1, 2)
            for each, x in zip(self.linears, (query, key, value), strict=False)
        )
        x, self.seen = product(query, key, value, mask, self.drop)
        return self.linears[-1](x.transpose(1, 2).contiguous().view(count, -1, self.h * self.d_k))


class MinimalCausal(nn.Module):
    """Causal by a buffer of its own, one projection for all three."""

    def __init__(self, n_embd: int = 48, n_head: int = 6, block_size: int = 32) -> None:
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(n_embd, 3 * n_embd), nn.Linear(n_embd, n_embd)
        self.n_head, self.n_embd = n_head, n_embd
        lower = torch.tril(torch.ones(block_size, block_size))
        self.register_buffer("bias", lower.view(1, 1, block_size, block_size))

    def forward(self, x: Tensor) -> Tensor:
        rows, length, width = x.size()
        q, k, v = (
            each.view(rows, length, self.n_head, -1).transpose(1, 2)
            for each in self.c_attn(x).split(self.n_embd, dim=2)
        )
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        bias: Any = self.bias
        att = F.softmax(att.masked_fill(bias[:, :, :length, :length] == 0, float("-inf")), dim=-1)
        return self.c_proj((att @ v).transpose(1, 2).contiguous().view(rows, length, width))


class FoldedHeads(nn.Module):
    """Heads folded into the batch, queries and keys each divided by the fourth root."""

    def __init__(self, emb: int = 40, heads: int = 5, mask: bool = False) -> None:
        super().__init__()
        self.emb, self.heads, self.mask = emb, heads, mask
        self.tokeys, self.toqueries, self.tovalues = (nn.Linear(emb, emb, bias=False) for _ in range(3))
        self.unifyheads = nn.Linear(emb, emb)

    def fold(self, x: Tensor) -> Tensor:
        b, t, _ = x.size()
        return x.view(b, t, self.heads, -1).transpose(1, 2).contiguous().view(b * self.heads, t, -1)

    def forward(self, x: Tensor) -> Tensor:
        b, t, e = x.size()
        k, q, v = (self.fold(to(x)) for to in (self.tokeys, self.toqueries, self.tovalues))
        s = e // self.heads
        dot = torch.bmm(q / s**0.25, (k / s**0.25).transpose(1, 2))
        if self.mask:
            rows, columns = torch.triu_indices(t, t, offset=1)
            dot[..., rows, columns] = float("-inf")
        out = torch.bmm(F.softmax(dot, dim=2), v).view(b, self.heads, t, s)
        return self.unifyheads(out.transpose(1, 2).contiguous().view(b, t, e))


class SequenceFirst(nn.Module):
    """torch's own module with tokens first, its weights thrown away."""

    def __init__(self, d: int = 24, nhead: int = 4) -> None:
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d, nhead, dropout=0.1, batch_first=False)

    def forward(self, src: Tensor, src_mask: Any = None, src_key_padding_mask: Any = None) -> Tensor:
        out, _ = self.self_attn(
            src, src, src, attn_mask=src_mask, key_padding_mask=src_key_padding_mask, need_weights=False
        )
        return out


class HeadTensors(nn.Module):
    """Parameters (H, d, d_h) and no linear at all."""

    def __init__(self, heads: int = 3, d: int = 24) -> None:
        super().__init__()
        size = d // heads
        self.P_q, self.P_k, self.P_v = (nn.Parameter(torch.randn(heads, d, size) * 0.2) for _ in range(3))
        self.P_o = nn.Parameter(torch.randn(heads, d, size) * 0.2)

    def forward(self, X: Tensor, M: Tensor) -> Tensor:  # noqa: N803
        q, k, v = (
            torch.einsum("bnd,hdk->bhnk", x, p) for x, p in ((X, self.P_q), (M, self.P_k), (M, self.P_v))
        )
        weights = torch.softmax(torch.einsum("bhnk,bhmk->bhnm", q, k) / q.shape[-1] ** 0.5, dim=-1)
        return torch.einsum("bhnk,hdk->bnd", torch.einsum("bhnm,bhmk->bhnk", weights, v), self.P_o)


class OneHead(nn.Module):
    def __init__(self, d_in: int, size: int) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d_in, size) for _ in range(3))

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Tensor:
        return product(self.q(query), self.k(key), self.v(value), mask)[0]


class ListOfHeads(nn.Module):
    """One module for each head, their results concatenated."""

    def __init__(self, num_heads: int = 3, dim_in: int = 30) -> None:
        super().__init__()
        self.heads = nn.ModuleList(OneHead(dim_in, dim_in // num_heads) for _ in range(num_heads))
        self.linear = nn.Linear(dim_in, dim_in)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Tensor:
        return self.linear(torch.cat([head(query, key, value, mask) for head in self.heads], dim=-1))


class KeywordMask(nn.Module):
    """A mask by keyword alone, added to the scores."""

    def __init__(self, width: int = 64, n_heads: int = 4) -> None:
        super().__init__()
        self.n_heads, self.in_proj, self.out = n_heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, hidden_states: Tensor, *, attn_bias: Tensor | None = None) -> Tensor:
        b, t, _ = hidden_states.shape
        q, k, v = self.in_proj(hidden_states).view(b, t, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        scores = torch.baddbmm(
            torch.zeros(b * self.n_heads, t, t),
            q.flatten(0, 1),
            k.flatten(0, 1).mT,
            alpha=q.shape[-1] ** -0.5,
        ).view(b, self.n_heads, t, t)
        if attn_bias is not None:
            scores = scores + attn_bias
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


class Reader(nn.Module):
    """Cross-attention: the decoder's state and a memory, whose keys and values come from one projection."""

    def __init__(self, dim: int = 36, heads: int = 3) -> None:
        super().__init__()
        self.heads, self.norm = heads, nn.LayerNorm(dim)
        self.to_q, self.to_kv = nn.Linear(dim, dim, bias=False), nn.Linear(dim, 2 * dim, bias=False)
        self.to_out = nn.Sequential(nn.Linear(dim, dim), nn.Dropout(0.1))

    def forward(self, x: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        q, (k, v) = self.to_q(self.norm(x)), self.to_kv(memory).chunk(2, dim=-1)
        q, k, v = (each.unflatten(-1, (self.heads, -1)).transpose(1, 2) for each in (q, k, v))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=memory_mask)
        return x + self.to_out(out.transpose(1, 2).flatten(2))


class TimeBatch(nn.Module):
    """Tokens first, queries scaled before the product, heads folded into the batch."""

    def __init__(self, embed_dim: int = 32, num_heads: int = 4) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, embed_dim // num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(embed_dim, embed_dim) for _ in range(4)
        )

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Any = None) -> Any:
        tgt_len, bsz, dim = query.shape
        q = self.q_proj(query) * self.head_dim**-0.5
        q, k, v = (
            x.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)
            for x in (q, self.k_proj(key), self.v_proj(value))
        )
        scores = torch.bmm(q, k.transpose(1, 2))
        if key_padding_mask is not None:
            split = scores.view(bsz, self.num_heads, tgt_len, -1)
            split = split.masked_fill(key_padding_mask[:, None, None, :].bool(), -1e8)
            scores = split.view(bsz * self.num_heads, tgt_len, -1)
        out = torch.bmm(F.softmax(scores, dim=-1), v).transpose(0, 1).contiguous().view(tgt_len, bsz, dim)
        return self.out_proj(out), None


class Grouped(nn.Module):
    """Two heads of queries to each head of keys and values, causal when asked."""

    def __init__(self, dim: int = 32, n_q: int = 4, n_kv: int = 2) -> None:
        super().__init__()
        self.n_q, self.n_kv, self.size = n_q, n_kv, dim // n_q
        self.wq, self.wo = nn.Linear(dim, dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.wk, self.wv = (nn.Linear(dim, n_kv * self.size, bias=False) for _ in range(2))

    def shared(self, x: Tensor) -> tuple[Tensor, Tensor]:
        k, v = (
            to(x).unflatten(-1, (self.n_kv, self.size)).repeat_interleave(self.n_q // self.n_kv, dim=2)
            for to in (self.wk, self.wv)
        )
        return k.transpose(1, 2), v.transpose(1, 2)

    def forward(self, x: Tensor, is_causal: bool = False) -> Tensor:
        q, (k, v) = self.wq(x).unflatten(-1, (self.n_q, self.size)).transpose(1, 2), self.shared(x)
        return self.wo(
            F.scaled_dot_product_attention(q, k, v, is_causal=is_causal).transpose(1, 2).flatten(2)
        )


class FixedLength(nn.Module):
    """A causal mask of one length as an attribute that is no buffer."""

    def __init__(self, size: int = 12, heads: int = 2, sequence_length: int = 10) -> None:
        super().__init__()
        self.heads, self.sequence_length = heads, sequence_length
        self.q_linear, self.k_linear, self.v_linear, self.out = (nn.Linear(size, size) for _ in range(4))
        self.mask = torch.triu(torch.full((sequence_length, sequence_length), -torch.inf), diagonal=1)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Any:
        shape = (q.size(0), -1, self.heads, q.size(-1) // self.heads)
        q, k, v = (
            to(x).view(*shape).transpose(1, 2)
            for to, x in ((self.q_linear, q), (self.k_linear, k), (self.v_linear, v))
        )
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(shape[-1])
        weights = F.softmax(scores + self.mask, dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(shape[0], -1, shape[2] * shape[3])), weights


class KeysTimesQueries(nn.Module):
    """Scores (keys, queries), the softmax over the first of them; one mask for tokens and one for heads."""

    def __init__(self, dim: int = 32, heads: int = 4) -> None:
        super().__init__()
        self.heads, self.norm = heads, nn.LayerNorm(dim)
        self.q_lin, self.k_lin, self.v_lin, self.out_lin = (nn.Linear(dim, dim) for _ in range(4))

    def forward(
        self, hidden: Tensor, layer_past: Any = None, attention_mask: Any = None, head_mask: Any = None
    ) -> Any:
        normed = self.norm(hidden)
        q, k, v = (
            lin(normed).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for lin in (self.q_lin, self.k_lin, self.v_lin)
        )
        scores = k @ q.mT / math.sqrt(q.shape[-1])
        if attention_mask is not None:
            scores = scores + (1.0 - attention_mask[:, None, :, None]) * -10000.0
        weights = scores.softmax(dim=-2).mT
        if head_mask is not None:
            weights = weights * head_mask
        return hidden + self.out_lin((weights @ v).transpose(1, 2).flatten(2)), (k, v)


def own_softmax(K: Tensor, Q: Tensor, V: Tensor) -> Tensor:  # noqa: N803
    """Written out, (batch, tokens, heads, size)."""
    scores = torch.einsum("bkhd,bqhd->bhqk", K, Q) / math.sqrt(K.shape[-1])
    raised = torch.exp(scores - scores.amax(-1, keepdim=True))
    return torch.einsum("bhqk,bkhd->bqhd", raised / raised.sum(-1, keepdim=True), V)


# -- its surroundings ---------------------------------------------------------------------------------------


def get_subsequent_mask(seq: Tensor) -> Tensor:
    """The causal half alone; whoever calls it adds the padding."""
    length = seq.size(1)
    return (1 - torch.triu(torch.ones((1, length, length)), diagonal=1)).bool()


class PositionsTokensFirst(nn.Module):
    """A table (max_len, 1, d) added to (T, B, d)."""

    def __init__(self, d_model: int = 20, max_len: int = 60, power: float = 1.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.1)
        position = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) * power / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2], pe[:, 0, 1::2] = torch.sin(position * div), torch.cos(position * div)
        self.register_buffer("pe", pe)

    def forward(self, x: Tensor) -> Tensor:
        pe: Any = self.pe
        return self.dropout(x + pe[: x.size(0)])


class MasksByHand(nn.Module):
    """An encoder-decoder whose masks default to None: whoever calls it makes them."""

    def __init__(self, words: int = 17, d: int = 24) -> None:
        super().__init__()
        self.src_tok, self.tgt_tok = nn.Embedding(words, d), nn.Embedding(words, d)
        self.pos = nn.Embedding(50, d)
        self.enc, self.dec, self.cross = (Annotated(4, d) for _ in range(3))
        self.norms, self.out = nn.ModuleList(nn.LayerNorm(d) for _ in range(3)), nn.Linear(d, words)

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Any = None, tgt_mask: Any = None) -> Tensor:
        x = self.src_tok(src) + self.pos(torch.arange(src.shape[1]))
        memory = self.norms[0](x + self.enc(x, x, x, src_mask))
        y = self.tgt_tok(tgt) + self.pos(torch.arange(tgt.shape[1]))
        y = self.norms[1](y + self.dec(y, y, y, tgt_mask))
        return self.out(self.norms[2](y + self.cross(y, memory, memory, src_mask)))


class WrappedTorch(nn.Module):
    """torch's whole model, tokens first, the target as first argument, masks made inside."""

    def __init__(self, words: int = 19, d: int = 16, memory_padding: bool = True) -> None:
        super().__init__()
        self.embed, self.pos = nn.Embedding(words, d, padding_idx=0), PositionsTokensFirst(d)
        self.core = nn.Transformer(d, 2, 1, 1, 32, batch_first=False)
        self.head, self.memory_padding = nn.Linear(d, words), memory_padding

    def forward(self, trg: Tensor, src: Tensor) -> Tensor:
        causal = torch.triu(torch.ones(len(trg), len(trg), dtype=torch.bool), 1)
        hidden = (src == 0).T
        out = self.core(
            self.pos(self.embed(src) * 4), self.pos(self.embed(trg) * 4), tgt_mask=causal,
            src_key_padding_mask=hidden, tgt_key_padding_mask=(trg == 0).T,
            memory_key_padding_mask=hidden if self.memory_padding else None,
        )  # fmt: skip
        return self.head(out)


CORRECT: Final[dict[str, tuple[str, Callable[[], Any]]]] = {
    "values, keys, query, mask; shared matrices": ("attention", ValuesFirst),
    "key, query, value; 1 hides": ("attention", KeyQueryValue),
    "a list of linears, mask (B, T, S)": ("attention", Annotated),
    "causal by a buffer, fused": ("attention", MinimalCausal),
    "heads folded into the batch": ("attention", FoldedHeads),
    "the same, causal": ("attention", lambda: FoldedHeads(mask=True)),
    "torch's module, tokens first": ("attention", SequenceFirst),
    "parameters (H, d, d_h)": ("attention", HeadTensors),
    "a module for each head": ("attention", ListOfHeads),
    "a mask by keyword": ("attention", KeywordMask),
    "state and memory, residual inside": ("attention", Reader),
    "time, batch, channel": ("attention", TimeBatch),
    "grouped queries": ("attention", Grouped),
    "one length, mask inside": ("attention", FixedLength),
    "keys times queries, two kinds of masks": ("attention", KeysTimesQueries),
    "K, Q, V with the softmax written out": ("attention", lambda: own_softmax),
    "the causal half alone": ("mask", lambda: get_subsequent_mask),
    "positions, tokens first": ("positional", PositionsTokensFirst),
    "masks default to None": ("model", MasksByHand),
    "torch's model, target first": ("model", WrappedTorch),
}
