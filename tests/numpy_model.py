"""The one model that expected numbers come from: a Transformer in float64 numpy, which shares no code with the app.

It is given the choices of a configuration by name and the parameters by their names in the file. A pass keeps every array
on its way, so a test reads maps, norms and the numbers inside a head from one place.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Array = np.ndarray
Site = tuple[str, int, str]  # ("decoder", 1, "cross"): stack, layer, sub-layer ("self", "cross" or "ffn")
SITE = {"encoder": ("encoder", "self"), "causal": ("decoder", "self"), "cross": ("decoder", "cross")}
"""The stack and the sub-layer of a kind of attention."""


def softmax(scores: Sequence[float]) -> list[float]:
    """exp of each over the sum of all."""
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / sum(powers) for power in powers]


class Pass:
    """What one pass computed: `sites[site]` and `stacks[stack]` hold arrays by name, (tokens, width) unless said.

    Of a sub-layer: `entered`, `read` (after a pre-norm), `output`, `added` (the sum), `after`. Of attention too: `q`, `k`,
    `v`, `joined`, and with `.HEAD` behind the name (queries, keys) `products`, `scaled`, `biased`, `masked`, `weights`, and
    `q_head`, `k_head`, `v_head`, `q_turned`, `k_turned` (by rotary positions), `mixed`. Of a feed-forward: `up`, `gate`, `hidden`, `down`.
    """

    def __init__(self) -> None:
        self.sites: dict[Site, dict[str, Array]] = {}
        self.stacks: dict[str, dict[str, Array]] = {"encoder": {}, "decoder": {}}

    def card(self, key: str, kind: str, layer: int, head: int) -> Array:
        """What the card `key` of Inside a head must show."""
        stack, block = SITE[kind]
        attention, forward = self.sites[stack, layer, block], self.sites[stack, layer, "ffn"]
        if key in self.stacks[stack]:
            return self.stacks[stack][key]
        named = {
            "entering": attention["entered"],
            "norm": attention["read"],
            "memory": self.stacks["encoder"]["memory"],
            "added": attention["added"],
            "added_norm": attention["after"],
            "between": forward["entered"],
            "forward_norm": forward["read"],
            "forward_added": forward["added"],
            "forward_added_norm": forward["after"],
        }
        if key in named:
            return named[key]
        if key in ("up", "gate", "hidden", "down"):
            return forward[key]
        return attention[key] if key in attention else attention[f"{key}.{head}"]


class NumpyModel:
    """A model of these choices (the fields of a configuration by name) and parameters, computed in double precision."""

    def __init__(self, choices: Mapping[str, Any], parameters: Mapping[str, Array]) -> None:
        self.choices = dict(choices)
        self.p = {name: np.asarray(values, dtype=np.float64) for name, values in parameters.items()}

    @property
    def width(self) -> int:
        """The numbers of one vector."""
        return int(self.choices["d_model"])

    @property
    def heads(self) -> int:
        """The heads of one layer."""
        return int(self.choices["heads"])

    @property
    def size(self) -> int:
        """The numbers of one head's query."""
        return self.choices.get("head_dim") or self.width // self.heads

    def computed(self, source: Sequence[int], read: Sequence[int], into: Pass | None = None) -> Pass:
        """A full pass over token ids: the encoder reads `source`, the decoder `read`, which begins with the start token."""
        found, decoder = into or Pass(), self.decoder()
        x = self.embed("source", source, found)
        for layer in range(self.choices["encoder_layers"]):
            x = self.feed_forward(
                found, self.attention(found, x, x, "encoder", layer, "self"), "encoder", layer
            )
        memory = found.stacks["encoder"]["memory"] = self.last(found, x, "encoder")
        x = decoder.embed("target", read, found)
        for layer in range(self.choices["decoder_layers"]):
            x = decoder.decoder_layer(found, x, memory, layer)
        logits = decoder.logits(decoder.last(found, x, "decoder"))
        shares = np.array([softmax(list(row)) for row in logits])
        found.stacks["decoder"] |= {"logits": logits, "probabilities": shares}
        return found

    def decoder(self) -> NumpyModel:
        """The same model, whatever its class changes, with the choices of the decoder, as far as it has its own."""
        own = {
            name: value
            for name, value in self.choices.items()
            if name.startswith("decoder_") and value is not None
        }
        own.pop("decoder_layers", None)
        same = copy.copy(self)
        same.choices = self.choices | {name.removeprefix("decoder_"): value for name, value in own.items()}
        return same

    def decoder_layer(self, found: Pass, x: Array, memory: Array, layer: int) -> Array:
        """The stream after a layer of the decoder."""
        x = self.attention(found, x, x, "decoder", layer, "self")
        x = self.attention(found, x, memory, "decoder", layer, "cross")
        return self.feed_forward(found, x, "decoder", layer)

    def last(self, found: Pass, x: Array, stack: str) -> Array:
        """What a stack hands on: its stream, behind the last norm where there is one."""
        found.stacks[stack]["rest"] = x
        if self.choices["final_norm"]:
            x = found.stacks[stack]["final_norm"] = self.norm(x, f"{stack}_norm")
        return x

    def logits(self, x: Array) -> Array:
        """The scores of every word, (tokens, words)."""
        table = self.p["target_embedding.table" if self.choices["tie_output"] else "output_proj"]
        scores = x @ table.T
        if self.choices["output_scale"] != "none":
            scores = scores / math.sqrt(self.width)
        return scores + self.p["output_bias"] if self.choices["output_bias"] else scores

    # -- embeddings -----------------------------------------------------------------------------------------------

    def scaled(self, side: str) -> bool:
        """Whether the embeddings of a side are multiplied by the root of their width."""
        own = self.choices.get("decoder_embedding_scale") if side == "target" else None
        return bool(self.choices["embedding_scale"] if own is None else own)

    def embed(self, side: str, ids: Sequence[int], found: Pass | None = None) -> Array:
        """The vectors of tokens with their positions."""
        made = (found or Pass()).stacks["encoder" if side == "source" else "decoder"]
        x = self.p[f"{side}_embedding.table"][list(ids)]
        made["tokens"] = x = x * math.sqrt(self.width) if self.scaled(side) else x
        if self.choices["positions"] not in ("relative_buckets", "rotary", "none"):
            made["positions"] = self.positions(side, len(ids))
            x = x + made["positions"]
        made["embedded"] = x
        if self.choices["embedding_norm"]:
            x = made["embedding_norm"] = self.norm(x, f"{side}_embedding.norm")
        return x

    def positions(self, side: str, count: int) -> Array:
        """The vectors added at the first positions."""
        c = self.choices
        if c["positions"] == "learned":
            return self.p[f"{side}_embedding.positions.table"][c["position_offset"] :][:count]
        table, half = np.zeros((count, self.width)), self.width // 2
        for p in range(count):
            for i in range(half):
                steps = half if c["sinusoid_denominator"] == "half" else half - 1
                angle = (p + c["position_offset"]) / 10_000 ** (i / steps)
                at = (2 * i, 2 * i + 1) if c["positions"] == "sinusoidal" else (i, half + i)
                table[p, at[0]], table[p, at[1]] = math.sin(angle), math.cos(angle)
        return table

    def bias(self, stack: str, layer: int, head: int, count: int) -> Array:
        """What relative positions add to a head's scores: a number a bucket of distances."""
        buckets, reach = self.choices["relative_buckets"], self.choices["relative_max_distance"]
        both_ways = stack == "encoder" or not self.choices.get("causal", True)
        own = f".{layer}" if self.choices["relative_bias_per_layer"] else ""
        many = buckets // 2 if both_ways else buckets
        rows = np.empty((count, count))
        for q in range(count):
            for k in range(count):
                distance = abs(k - q) if both_ways else max(q - k, 0)
                bucket = distance
                if distance >= many // 2:
                    far = math.log(distance / (many // 2)) / math.log(reach / (many // 2))
                    bucket = min(many // 2 + int(far * (many - many // 2)), many - 1)
                first = many if both_ways and k > q else 0
                rows[q, k] = self.p[f"{stack}_bias{own}.table"][first + bucket, head]
        return rows

    def turned(self, vectors: Array) -> Array:
        """A head's queries or keys in self-attention: each pair of columns, a complex number, times e^(i · angle)."""
        if self.choices["positions"] != "rotary":
            return vectors
        out = np.empty_like(vectors)
        for position, row in enumerate(vectors):
            for pair in range(self.size // 2):
                angle = position / 10_000 ** (2 * pair / self.size)
                number = complex(row[2 * pair], row[2 * pair + 1]) * complex(math.cos(angle), math.sin(angle))
                out[position, 2 * pair], out[position, 2 * pair + 1] = number.real, number.imag
        return out

    # -- sub-layers -----------------------------------------------------------------------------------------------

    def attention(self, found: Pass, x: Array, memory: Array, stack: str, layer: int, block: str) -> Array:
        """The stream after attention to `memory`, which is the stream itself in self-attention."""
        name = f"{stack}_layers.{layer}.{block}_attention"
        kind = "cross" if block == "cross" else "encoder" if stack == "encoder" else "causal"
        made = self.enters(found, x, (stack, layer, block))
        other = memory if block == "cross" else made["read"]
        for letter, read in (("q", made["read"]), ("k", other), ("v", other)):
            made[letter] = self.projected(read, f"{name}.{letter}_proj")
        scale = {"head": math.sqrt(self.size), "model": math.sqrt(self.width), "none": 1.0}
        for head in range(self.heads):
            part = slice(head * self.size, (head + 1) * self.size)
            q, k, v = (made[letter][:, part] for letter in "qkv")
            read = [self.turned(each) for each in (q, k)] if block == "self" else [q, k]
            products = np.array([[sum(a * b) for b in read[1]] for a in read[0]])
            scaled = products / scale[self.choices["score_scale"]]
            biased = scaled
            if self.choices["positions"] == "relative_buckets" and block == "self":
                biased = scaled + self.bias(stack, layer, head, len(x))
            masked, weights = biased.copy(), np.zeros_like(biased)
            for t, row in enumerate(biased):
                seen = t + 1 if kind == "causal" and self.choices.get("causal", True) else len(row)
                masked[t, seen:] = -np.inf
                weights[t, :seen] = self.reweighted((kind, layer, head, t), softmax(list(row[:seen])))
            steps = {"products": products, "scaled": scaled, "biased": biased, "masked": masked}
            steps |= {"weights": weights, "q_head": q, "k_head": k, "v_head": v, "mixed": weights @ v}
            steps |= {"q_turned": read[0], "k_turned": read[1]}
            made |= {f"{key}.{head}": values for key, values in steps.items()}
        made["joined"] = np.concatenate([made[f"mixed.{head}"] for head in range(self.heads)], axis=1)
        return self.add(found, x, self.linear(made["joined"], f"{name}.output_proj"), (stack, layer, block))

    def reweighted(self, query: tuple[str, int, int, int], row: list[float]) -> list[float]:
        """What the query (kind, layer, head, token) mixes with, over the keys it may see: its own weights."""
        return row

    def feed_forward(self, found: Pass, x: Array, stack: str, layer: int) -> Array:
        """The stream after a feed-forward sub-layer."""
        name, made = f"{stack}_layers.{layer}.feed_forward", self.enters(found, x, (stack, layer, "ffn"))
        made["up"] = self.linear(made["read"], f"{name}.up_proj")
        gated = self.choices["gated"]
        through = made["gate"] = self.linear(made["read"], f"{name}.gate_proj") if gated else made["up"]
        bent = {
            "relu": lambda v: max(v, 0.0),
            "gelu": lambda v: v * 0.5 * math.erfc(-v / math.sqrt(2)),
            "gelu_tanh": lambda v: 0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))),
            "silu": lambda v: v / (1 + math.exp(-v)),
            "gelu_10": lambda v: min(max(v * 0.5 * math.erfc(-v / math.sqrt(2)), -10), 10),
            "quick_gelu": lambda v: v / (1 + math.exp(-1.702 * v)),
            "mish": lambda v: v * math.tanh(math.log1p(math.exp(v))),
            "hardswish": lambda v: 0.0 if v <= -3 else v if v >= 3 else v * (v + 3) / 6,
            "leaky_relu": lambda v: v if v >= 0 else v / 100,
            "relu2": lambda v: v * v if v > 0 else 0.0,
            "relu6": lambda v: 0.0 if v < 0 else min(v, 6.0),
            "sigmoid": lambda v: 1 / (1 + math.exp(-v)),
            "tanh": math.tanh,
            "laplace": lambda v: 0.5 * math.erfc(-(v - 0.707107) / (0.282095 * math.sqrt(2))),
            "sqrtsoftplus": lambda v: math.sqrt(math.log1p(math.exp(v))),
            "linear": lambda v: v,
        }[self.choices["activation"]]
        made["hidden"] = np.vectorize(bent, otypes=[float])(through) * (made["up"] if gated else 1.0)
        made["down"] = self.linear(made["hidden"], f"{name}.down_proj")
        return self.add(found, x, made["down"], (stack, layer, "ffn"))

    def enters(self, found: Pass, x: Array, site: Site) -> dict[str, Array]:
        """The arrays of a sub-layer, which begin with what enters it and what it reads."""
        stack, layer, block = site
        pre = self.choices["norm_placement"] == "pre"
        read = self.norm(x, f"{stack}_layers.{layer}.{block}_residual.norm") if pre else x
        made = found.sites[site] = {"entered": x, "read": read}
        return made

    def add(self, found: Pass, x: Array, output: Array, site: Site) -> Array:
        """The stream with a sub-layer's output, behind a post-norm."""
        stack, layer, block = site
        made = found.sites.setdefault(site, {"entered": x})
        made |= {"output": output, "added": x + output, "after": x + output}
        if self.choices["norm_placement"] == "post":
            made["after"] = self.norm(x + output, f"{stack}_layers.{layer}.{block}_residual.norm")
        return made["after"]

    def norm(self, x: Array, name: str) -> Array:
        """Each row scaled by its own spread, by one of the three formulas."""
        eps, gain, out = self.choices["norm_eps"], self.p[f"{name}.weight"], np.empty_like(x)
        for t, row in enumerate(x):
            count, mean = len(row), sum(row) / len(row)
            squares = sum((row - mean) ** 2)
            match self.choices["norm_formula"]:
                case "rms":
                    out[t] = row / math.sqrt(sum(row * row) / count + eps) * gain
                    continue
                case "layer":
                    scaled = (row - mean) / math.sqrt(squares / count + eps)
                case _:
                    scaled = (row - mean) / (math.sqrt(squares / (count - 1)) + eps)
            out[t] = scaled * gain + self.p[f"{name}.bias"]
        return out

    def linear(self, x: Array, name: str) -> Array:
        """Rows times a matrix, with its bias where there is one."""
        out = x @ self.p[f"{name}.weight"].T
        return out + self.p[f"{name}.bias"] if f"{name}.bias" in self.p else out

    def projected(self, x: Array, name: str) -> Array:
        """Queries, keys or values: one product, or the same small one for each head's part."""
        if not self.choices["shared_head_projection"]:
            return self.linear(x, name)
        parts = [x[:, h * self.size : (h + 1) * self.size] for h in range(self.heads)]
        return np.concatenate([self.linear(part, name) for part in parts], axis=1)
