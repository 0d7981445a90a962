"""The whole model once more in plain float64 numpy, from the parameters and the configuration alone: what every card must show.

Nothing here uses `core.model` (but the configuration), `core.learning` or anything recorded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from core.model.config import ModelConfig

Array = np.ndarray


class Plain:
    """`cards(kind, layer, head)` are the numbers of every card by its key."""

    def __init__(self, config: ModelConfig, state: Mapping[str, Array]) -> None:
        self.config, self.state = config, state
        self.cards_of: dict[tuple[str, int], dict[str, Array]] = {}
        self.shared: dict[str, dict[str, Array]] = {"encoder": {}, "decoder": {}}

    def run(self, source: Sequence[int], target: Sequence[int]) -> Plain:
        self.memory = self.stack("encoder", source, None)
        last = self.stack("decoder", target, self.memory)
        c = self.config
        table = self.state["target_embedding.table" if c.tie_output else "output_proj"]
        logits = last @ table.T
        if c.output_scale != "none":
            logits = logits / math.sqrt(c.d_model)
        if c.output_bias:
            logits = logits + self.state["output_bias"]
        exps = np.exp(logits)
        self.shared["decoder"] |= {"logits": logits, "probabilities": exps / exps.sum(1, keepdims=True)}
        return self

    def stack(self, stack: str, tokens: Sequence[int], memory: Array | None) -> Array:
        c, shared = self.config, self.shared[stack]
        side = "source" if stack == "encoder" else "target"
        x = self.state[f"{side}_embedding.table"][list(tokens)]
        x = x * math.sqrt(c.d_model) if c.embedding_scale else x
        shared["tokens"] = x
        if c.positions in ("sinusoidal", "sinusoidal_halves", "learned"):
            shared["positions"] = self.positions(side, len(tokens))
            x = shared["embedded"] = x + shared["positions"]
        if c.embedding_norm:
            x = shared["embedding_norm"] = self.norm(x, f"{side}_embedding.norm")
        for layer in range(c.layers(stack)):
            for block in ("self", "ffn") if memory is None else ("self", "cross", "ffn"):
                x = self.sublayer(x, stack, layer, block, memory)
        shared["rest"] = x
        if c.final_norm:
            x = shared["final_norm"] = self.norm(x, f"{stack}_norm")
        return x

    def positions(self, side: str, count: int) -> Array:
        c = self.config
        if c.positions == "learned":
            return self.state[f"{side}_embedding.positions.table"][c.position_offset :][:count]
        table, half = np.zeros((count, c.d_model)), c.d_model // 2
        for p in range(count):
            for i in range(half):
                steps = half if c.sinusoid_denominator == "half" else half - 1
                angle = (p + c.position_offset) / 10000 ** (i / steps)
                at = (2 * i, 2 * i + 1) if c.positions == "sinusoidal" else (i, half + i)
                table[p, at[0]], table[p, at[1]] = math.sin(angle), math.cos(angle)
        return table

    def norm(self, x: Array, name: str) -> Array:
        c, out = self.config, np.empty_like(x)
        for t, row in enumerate(x):
            if c.norm_formula == "rms":
                out[t] = (
                    row / math.sqrt(sum(row * row) / len(row) + c.norm_eps) * self.state[f"{name}.weight"]
                )
                continue
            mean = sum(row) / len(row)
            squares = sum((row - mean) ** 2)
            if c.norm_formula == "layer":
                scaled = (row - mean) / math.sqrt(squares / len(row) + c.norm_eps)
            else:
                scaled = (row - mean) / (math.sqrt(squares / (len(row) - 1)) + c.norm_eps)
            out[t] = scaled * self.state[f"{name}.weight"] + self.state[f"{name}.bias"]
        return out

    def linear(self, x: Array, name: str) -> Array:
        out = x @ self.state[f"{name}.weight"].T
        return out + self.state[f"{name}.bias"] if f"{name}.bias" in self.state else out

    def sublayer(self, x: Array, stack: str, layer: int, block: str, memory: Array | None) -> Array:
        c = self.config
        pre, name = c.norm_placement == "pre", f"{stack}_layers.{layer}"
        normed = self.norm(x, f"{name}.{block}_residual.norm") if pre else x
        made: dict[str, Array] = {"entered": x, "read": normed}
        out = (
            self.forward(normed, name, made)
            if block == "ffn"
            else self.attention(normed, stack, layer, block, memory, made)
        )
        made["added"] = x + out
        made["after"] = x + out if pre else self.norm(x + out, f"{name}.{block}_residual.norm")
        self.cards_of[f"{stack}.{block}", layer] = made
        return made["after"]

    def forward(self, x: Array, name: str, made: dict[str, Array]) -> Array:
        c = self.config
        made["up"] = self.linear(x, f"{name}.feed_forward.up_proj")
        through = made["gate"] = self.linear(x, f"{name}.feed_forward.gate_proj") if c.gated else made["up"]
        bent = {
            "relu": lambda v: max(v, 0.0),
            "gelu": lambda v: v * 0.5 * math.erfc(-v / math.sqrt(2)),
            "gelu_tanh": lambda v: 0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))),
            "silu": lambda v: v / (1 + math.exp(-v)),
        }[c.activation]
        made["hidden"] = np.vectorize(bent, otypes=[float])(through) * (made["up"] if c.gated else 1.0)
        made["down"] = self.linear(made["hidden"], f"{name}.feed_forward.down_proj")
        return made["down"]

    def attention(
        self, x: Array, stack: str, layer: int, block: str, memory: Array | None, made: dict[str, Array]
    ) -> Array:
        c, name = self.config, f"{stack}_layers.{layer}.{block}_attention"
        other = memory if block == "cross" and memory is not None else x
        scale = {"head": math.sqrt(c.d_head), "model": math.sqrt(c.d_model), "none": 1.0}[c.score_scale]
        gathered = []
        for letter, read in (("q", x), ("k", other), ("v", other)):
            if c.shared_head_projection:
                parts = [
                    self.linear(read[:, h * c.d_head : (h + 1) * c.d_head], f"{name}.{letter}_proj")
                    for h in range(c.heads)
                ]
                made[letter] = np.concatenate(parts, axis=1)
            else:
                made[letter] = self.linear(read, f"{name}.{letter}_proj")
        for h in range(c.heads):
            q, k, v = (made[letter][:, h * c.d_head : (h + 1) * c.d_head] for letter in "qkv")
            products = np.array([[sum(a * b) for b in k] for a in q])
            biased = scaled = products / scale
            if c.positions == "relative_buckets" and block == "self":
                biased = scaled + self.bias(stack, h, len(x))
            masked = biased.copy()
            if (stack, block) == ("decoder", "self"):
                masked[np.triu_indices(len(x), 1)] = -np.inf
            exps = np.exp(masked)
            weights = exps / exps.sum(axis=1, keepdims=True)
            made |= {f"{letter}_head.{h}": part for letter, part in zip("qkv", (q, k, v), strict=True)}
            steps = {
                "products": products,
                "scaled": scaled,
                "biased": biased,
                "masked": masked,
                "weights": weights,
            }
            made |= {f"{key}.{h}": values for key, values in steps.items()}
            made[f"mixed.{h}"] = weights @ v
            gathered.append(weights @ v)
        made["joined"] = np.concatenate(gathered, axis=1)
        made["output"] = self.linear(made["joined"], f"{name}.output_proj")
        return made["output"]

    def bias(self, stack: str, head: int, count: int) -> Array:
        c, table = self.config, self.state[f"{stack}_bias.table"]
        buckets, result = c.relative_buckets, np.empty((count, count))
        for q in range(count):
            for k in range(count):
                offset, first, many = k - q, 0, buckets
                if stack == "encoder":
                    many = buckets // 2
                    first = many if offset > 0 else 0
                distance = abs(offset) if stack == "encoder" else max(-offset, 0)
                bucket = distance
                if distance >= many // 2:
                    far = math.log(distance / (many // 2)) / math.log(c.relative_max_distance / (many // 2))
                    bucket = min(many // 2 + int(far * (many - many // 2)), many - 1)
                result[q, k] = table[first + bucket, head]
        return result

    def card(self, key: str, kind: str, layer: int, head: int) -> Array:
        """What the card `key` must show."""
        stack = "encoder" if kind == "encoder" else "decoder"
        block = "cross" if kind == "cross" else "self"
        made, forward = self.cards_of[f"{stack}.{block}", layer], self.cards_of[f"{stack}.ffn", layer]
        if key in (
            "tokens",
            "positions",
            "embedded",
            "embedding_norm",
            "rest",
            "final_norm",
            "logits",
            "probabilities",
        ):
            return self.shared[stack][key]
        named = {
            "entering": made["entered"],
            "norm": made["read"],
            "memory": self.memory,
            "added": made["added"],
            "added_norm": made["after"],
            "between": forward["entered"],
            "forward_norm": forward["read"],
            "forward_added": forward["added"],
            "forward_added_norm": forward["after"],
        }
        if key in named:
            return named[key]
        if key in ("up", "gate", "hidden", "down"):
            return forward[key]
        return made[key] if key in made else made[f"{key}.{head}"]
