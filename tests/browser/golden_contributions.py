"""What the hand-made model's tokens contribute, and what its lenses show, worked out a second time by plain loops.

Shares no code with the app: vectors come from `Naive`, whose sub-layers are gone through head by head, key by key.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.browser.golden_model import (
    BOS,
    DECODER_LAYERS,
    ENCODER_LAYERS,
    EOS,
    HEADS,
    WIDTH,
    Naive,
    Passed,
    encode,
)
from tests.numpy_model import SITE, softmax

Array = np.ndarray
SIZE = WIDTH // HEADS
LAYERS = {"encoder": ENCODER_LAYERS, "causal": DECODER_LAYERS, "cross": DECODER_LAYERS}


@dataclass
class Contributions:
    """By kind and layer: `vectors[kind][layer][head][t][j]` and what is built from them. Cross rows of `alti` and
    `residual` end with the prefix."""

    model: Naive
    passed: Passed
    vectors: dict[str, list[list[list[list[Array]]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind in SITE:
            self.vectors[kind] = [self._of_layer(kind, layer) for layer in range(LAYERS[kind])]

    def reads(self, kind: str, layer: int) -> tuple[Array, Array]:
        """The stream before a sub-layer, and what its keys and values are made of."""
        stack, block = SITE[kind]
        x = self.passed.sublayers[(stack, layer, block)][0]
        memory = self.passed.norms[("encoder", ENCODER_LAYERS - 1, "ffn")][1]
        return x, memory if kind == "cross" else x

    def _of_layer(self, kind: str, layer: int) -> list[list[list[Array]]]:
        stack, block = SITE[kind]
        name = f"{stack}_layers.{layer}.{block}_attention"
        p = self.model.p
        x, memory = self.reads(kind, layer)
        found = []
        for head in range(HEADS):
            part = slice(head * SIZE, (head + 1) * SIZE)
            spoken = [
                p[f"{name}.output_proj.weight"][:, part]
                @ (p[f"{name}.v_proj.weight"] @ row + p[f"{name}.v_proj.bias"])[part]
                for row in memory
            ]
            weights = self.passed.maps[kind][layer][head]
            found.append([[weights[t][j] * spoken[j] for j in range(len(memory))] for t in range(len(x))])
        return found

    def lengths(self, kind: str, layer: int, head: int) -> Array:
        """‖αf(x)‖, (T, S)."""
        rows = self.vectors[kind][layer][head]
        return np.array([[math.sqrt(sum(v * v for v in vector)) for vector in row] for row in rows])

    def after(self, kind: str, layer: int) -> tuple[list[list[Array]], list[Array]]:
        """The parts behind the norm, the residual among them, and the real vectors they are parts of."""
        stack, block = SITE[kind]
        place = (stack, layer, block)
        x, _ = self.reads(kind, layer)
        total, out = self.passed.norms[place]
        gain = self.model.p[f"{stack}_layers.{layer}.{block}_residual.norm.weight"]
        parts = []
        for t in range(len(x)):
            row = [
                sum(head[t][j] for head in self.vectors[kind][layer])
                for j in range(len(self.vectors[kind][layer][0][t]))
            ]
            if kind == "cross":
                row.append(x[t])
            else:
                row[t] = row[t] + x[t]
            mean = sum(total[t]) / WIDTH
            spread = math.sqrt(sum((v - mean) ** 2 for v in total[t]) / WIDTH + 1e-5)
            parts.append([(np.asarray(z) - sum(z) / WIDTH) / spread * gain for z in row])
        return parts, list(out)

    def residual(self, kind: str, layer: int) -> Array:
        """Lengths with residual and norm."""
        parts, _ = self.after(kind, layer)
        return np.array([[math.sqrt(sum(v * v for v in part)) for part in row] for row in parts])

    def alti(self, kind: str, layer: int) -> Array:
        """What each key is to the layer's vector: rows of 1."""
        parts, out = self.after(kind, layer)
        rows = []
        for t, row in enumerate(parts):
            size = sum(abs(v) for v in out[t])
            near = [max(0.0, size - sum(abs(v) for v in out[t] - part)) for part in row]
            if kind == "causal":
                near = [v if j <= t else 0.0 for j, v in enumerate(near)]
            rows.append([v / sum(near) for v in near])
        return np.array(rows)

    def followed(self, depth: int, layers: dict[str, list[Array]]) -> Array:
        """Shares of source tokens and of decoder inputs in each step after `depth` decoder layers, (T, S + T)."""
        source = multiplied(layers["encoder"])
        steps, keys = len(self.passed.read), len(self.passed.source)
        mixed = [[1.0 if j == keys + t else 0.0 for j in range(keys + steps)] for t in range(steps)]
        for layer in range(depth):
            own, cross = layers["causal"][layer], layers["cross"][layer]
            mixed = [
                [
                    cross[t][keys] * sum(own[t][i] * mixed[i][j] for i in range(steps))
                    + (sum(cross[t][s] * source[s][j] for s in range(keys)) if j < keys else 0.0)
                    for j in range(keys + steps)
                ]
                for t in range(steps)
            ]
        return np.array(mixed)

    def alti_plus(self, depth: int = DECODER_LAYERS) -> Array:
        return self.followed(
            depth, {kind: [self.alti(kind, n) for n in range(LAYERS[kind])] for kind in SITE}
        )

    def halves(self, kind: str, uniform: bool = False) -> list[Array]:
        """What rollout takes each layer for; `uniform`: of a model that looks everywhere equally."""
        found = []
        for heads in self.passed.maps[kind]:
            mean = np.mean(np.array(heads), axis=0)
            if uniform:
                allowed = np.tri(*mean.shape) if kind == "causal" else np.ones_like(mean)
                mean = allowed / allowed.sum(axis=1, keepdims=True)
            rest = np.full((len(mean), 1), 0.5)
            found.append(np.hstack([mean / 2, rest]) if kind == "cross" else mean / 2 + np.eye(len(mean)) / 2)
        return found

    def rollout(self, kind: str, layer: int, uniform: bool = False) -> Array:
        if kind != "cross":
            return multiplied(self.halves(kind, uniform)[: layer + 1])
        layers = {each: self.halves(each, uniform) for each in SITE}
        return folded(self.followed(layer + 1, layers), len(self.passed.source), kind)

    def zeroing(self, kind: str, layer: int) -> Array:
        """How far the layer's output turns without each key's values; rows of 1."""
        real = self._output(kind, layer, None)
        keys = len(self.vectors[kind][layer][0][0])
        far = np.array(
            [
                [cosine_distance(real[t], gone[t]) for t in range(len(real))]
                for gone in (self._output(kind, layer, key) for key in range(keys))
            ]
        ).T
        return np.asarray(far / far.sum(axis=1, keepdims=True))

    def _output(self, kind: str, layer: int, gone: int | None) -> Array:
        """A layer's output when what one key says is taken out of one of its sub-layers."""
        stack, block = SITE[kind]
        x, added = self.passed.sublayers[(stack, layer, block)]
        if gone is not None:
            said = [sum(head[t][gone] for head in self.vectors[kind][layer]) for t in range(len(x))]
            added = added - np.array(said)
        scratch = Passed([], [], [])
        x = self.model.add(scratch, x, added, (stack, layer, block))
        if kind == "causal":
            memory = self.reads("cross", layer)[1]
            x = self.model.attention(scratch, x, memory, "decoder", layer, "cross")
        return self.model.feed_forward(scratch, x, stack, layer)


def multiplied(layers: Sequence[Array]) -> Array:
    """The lowest layer first."""
    found = np.eye(len(layers[0]))
    for layer in layers:
        found = layer @ found
    return found


def folded(whole: Array, keys: int, kind: str) -> Array:
    """One side of shares of both, and the other side summed in a last column."""
    source, prefix = whole[:, :keys], whole[:, keys:]
    one, other = (source, prefix) if kind == "cross" else (prefix, source)
    return np.hstack([one, other.sum(axis=1, keepdims=True)])


def cosine_distance(a: Array, b: Array) -> float:
    return 1.0 - sum(a * b) / math.sqrt(sum(a * a) * sum(b * b))


# -- lenses -----------------------------------------------------------------------------------------------------


def depths(passed: Passed) -> list[Array]:
    """The decoder's stream at its embedding and after each layer."""
    return [
        passed.embedded["decoder"],
        *(passed.norms[("decoder", n, "ffn")][1] for n in range(DECODER_LAYERS)),
    ]


def read_off(model: Naive, state: Array) -> list[float]:
    """The distribution that one vector would end in."""
    return softmax(list(model.p["output_proj"] @ state + model.p["output_bias"]))


def rungs(model: Naive, text: str, longest: int = 32) -> list[list[int]]:
    """What greedy search writes when the decoder reads the encoder's embedding, and each of its layers."""
    source = encode(text)
    first = model.run(source, [EOS])
    memories = [
        first.embedded["encoder"],
        *(first.norms[("encoder", n, "ffn")][1] for n in range(ENCODER_LAYERS)),
    ]
    return [_greedy(model, memory, min(longest, 2 * len(source) + 20)) for memory in memories]


def _greedy(model: Naive, memory: Array, most: int) -> list[int]:
    written: list[int] = []
    while not written or (written[-1] != EOS and len(written) < most):
        scratch = Passed([], [], [])
        x = model.embed("target", [BOS, *written])
        for layer in range(DECODER_LAYERS):
            x = model.decoder_layer(scratch, x, memory, layer)
        scores = model.p["output_proj"] @ x[-1] + model.p["output_bias"]
        scores[0] = scores[BOS] = -math.inf
        written.append(int(np.argmax(scores)))
    return written


def without(model: Naive, text: str, word: int, ids: list[int]) -> float:
    """log p(ids | the source without one word)."""
    source = [token for place, token in enumerate(encode(text)) if place != word]
    return log_probability(model.run(source, ids), ids)


def log_probability(passed: Passed, ids: list[int]) -> float:
    return sum(math.log(passed.probabilities(step)[token]) for step, token in enumerate(ids))
