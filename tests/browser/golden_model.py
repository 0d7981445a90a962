"""A hand-made model, and what it computes worked out a second time by plain loops in double precision.

No two source words, written words, heads, layers or steps are alike, so a view that shows the wrong one shows wrong
numbers. The expected numbers of the golden tests come from `Naive`, which shares no code with the app.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
SHOWN = {"<pad>": "⟨pad⟩", "<s>": "⟨start⟩", "</s>": "⟨end⟩", "<unk>": "⟨unk⟩"}
BOS, EOS = 1, 2
SOURCE = (*SPECIALS, "rain", "falls", "over", "quiet", "hills", "tonight", "while", "birds", "sleep", "there")
TARGET = (
    *SPECIALS,
    *("pluie", "tombe", "vers", "calme", "colline", "soir", "oiseau", "dort", "doux", "loin", "nuit", "vent"),
    *("lune", "herbe", "givre", "brume"),
)
TEXT = "quiet birds sleep while rain falls"
OTHER_TEXT = "rain falls over hills"
CORPUS = (TEXT, OTHER_TEXT, "birds sleep", "tonight rain falls while quiet birds sleep there", "quiet hills")
"""Sentences that its atlas is of."""
NAME = "golden"
WIDTH, HEADS, ENCODER_LAYERS, DECODER_LAYERS, FEED_FORWARD = 24, 3, 2, 3, 20
KINDS = ("encoder", "causal", "cross")
SEED = 912  # writes six different words for TEXT, each by a clear margin
# What the output projection prefers after each word; without it a random model writes one word again and again.
CHAIN = ("<s>", "colline", "dort", "vent", "pluie", "soir", "loin", "</s>")
ASIDE = ("lune", "givre", "calme", "herbe", "oiseau", "brume", "tombe", "nuit", "doux", "vers", "pluie")

Array = np.ndarray


def write_golden(folder: Path) -> None:
    """The checkpoint `golden` in `folder`: every parameter drawn from NumPy's generator, which is the same everywhere."""
    import torch

    from core.api import load
    from core.checkpoints.bundle import save
    from core.experiments.atlas_file import write_atlas
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer
    from core.tokenizer import Tokenizer

    config = ModelConfig(
        source_vocab_size=len(SOURCE),
        target_vocab_size=len(TARGET),
        d_model=WIDTH,
        heads=HEADS,
        encoder_layers=ENCODER_LAYERS,
        decoder_layers=DECODER_LAYERS,
        d_ff=FEED_FORWARD,
        max_length=32,
        tie_embeddings=False,
        tie_output=False,
        output_bias=True,
    )
    model = Transformer(config)
    drawn = parameters()
    with torch.no_grad():
        assert {name for name, _ in model.named_parameters()} == set(drawn)
        for name, tensor in model.named_parameters():
            tensor.copy_(torch.tensor(drawn[name]))
    source, target = (Tokenizer.from_vocabulary(list(words), "whitespace") for words in (SOURCE, TARGET))
    card = {"name": NAME, "examples": [{"source": TEXT}, {"source": OTHER_TEXT}]}
    save(folder / NAME, model, source, target, card, dtype="float32")
    write_atlas(load(folder / NAME, device="cpu"), [(text, "") for text in CORPUS])


def parameters() -> dict[str, Array]:
    """Every parameter by its name in the file, float32 values; queries and keys are large, so that maps have peaks."""
    random = np.random.default_rng(SEED)
    drawn: dict[str, Array] = {}

    def matrix(name: str, rows: int, columns: int, scale: float) -> None:
        drawn[name] = (random.standard_normal((rows, columns)) * scale / math.sqrt(columns)).astype(
            np.float32
        )

    def vector(name: str, size: int, around: float, spread: float) -> None:
        drawn[name] = (around + spread * random.standard_normal(size)).astype(np.float32)

    for side, words in (("source", SOURCE), ("target", TARGET)):
        matrix(f"{side}_embedding.table", len(words), WIDTH, 1.0)
    for stack, layers, blocks in (
        ("encoder", ENCODER_LAYERS, ("self",)),
        ("decoder", DECODER_LAYERS, ("self", "cross")),
    ):
        for layer in range(layers):
            prefix = f"{stack}_layers.{layer}"
            for block in blocks:
                for part, scale in (("q", 1.9), ("k", 1.9), ("v", 0.8), ("output", 0.6)):
                    matrix(f"{prefix}.{block}_attention.{part}_proj.weight", WIDTH, WIDTH, scale)
                    vector(f"{prefix}.{block}_attention.{part}_proj.bias", WIDTH, 0.0, 0.1)
            matrix(f"{prefix}.feed_forward.up_proj.weight", FEED_FORWARD, WIDTH, 1.0)
            vector(f"{prefix}.feed_forward.up_proj.bias", FEED_FORWARD, 0.0, 0.1)
            matrix(f"{prefix}.feed_forward.down_proj.weight", WIDTH, FEED_FORWARD, 0.6)
            vector(f"{prefix}.feed_forward.down_proj.bias", WIDTH, 0.0, 0.1)
            for block in (*blocks, "ffn"):
                vector(f"{prefix}.{block}_residual.norm.weight", WIDTH, 1.0, 0.2)
                vector(f"{prefix}.{block}_residual.norm.bias", WIDTH, 0.0, 0.15)
    matrix("output_proj", len(TARGET), WIDTH, 2.0)
    vector("output_bias", len(TARGET), 0.0, 0.3)
    for words in (CHAIN, ASIDE):
        for before, after in pairwise(words):
            drawn["output_proj"][TARGET.index(after)] += (
                2 * drawn["target_embedding.table"][TARGET.index(before)]
            )
    return drawn


@dataclass
class Passed:
    """What one pass computed. Maps and scores by kind are (layers, heads, queries, keys), `logits` (T, V).

    `norms[place]` is (input, output) and `sublayers[place]` (stream, added), each (tokens, width), for a place such as
    ("decoder", 1, "cross"), in the order the tokens pass them.
    """

    source: list[str]
    read: list[str]
    written: list[str]
    maps: dict[str, list[Any]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    scores: dict[str, list[Any]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    logits: Array = field(default_factory=lambda: np.zeros((0, len(TARGET))))
    norms: dict[tuple[str, int, str], tuple[Array, Array]] = field(default_factory=dict)
    sublayers: dict[tuple[str, int, str], tuple[Array, Array]] = field(default_factory=dict)
    embedded: dict[str, Array] = field(default_factory=dict)

    def probabilities(self, step: int) -> list[float]:
        """What token `step` (from 0) was chosen from, by id."""
        return softmax(list(self.logits[step]))

    def queries(self, kind: str) -> list[str]:
        """The words that the rows of a kind's maps stand for."""
        return {"encoder": self.source, "causal": self.read, "cross": self.written}[kind]

    def keys(self, kind: str) -> list[str]:
        """The words that the columns stand for."""
        return self.read if kind == "causal" else self.source


class Naive:
    """The model of `parameters()`, a number at a time: post-norm, ReLU, sinusoids (Vaswani et al. 2017, section 3)."""

    def __init__(self) -> None:
        self.p = {name: values.astype(np.float64) for name, values in parameters().items()}

    def translate(self, text: str, forced: dict[int, int] | None = None) -> Passed:
        """What the model writes by itself for `text`: the most probable token each time, apart from `forced` ones."""
        source, written = encode(text), []
        while not written or (written[-1] != EOS and len(written) < 2 * len(source) + 20):
            scores = list(self.run(source, [*written, EOS]).logits[-1])
            scores[0] = scores[BOS] = -math.inf  # padding and the start token are never written
            best = max(range(len(scores)), key=scores.__getitem__)
            written.append((forced or {}).get(len(written), best))
        return self.run(source, written)

    def run(self, source: list[int], written: list[int]) -> Passed:
        """A full pass in which the decoder wrote `written`: it read the start token and all but the last."""
        read = [BOS, *written[:-1]]
        labels = [
            [SHOWN.get(words[i], words[i]) for i in ids]
            for words, ids in ((SOURCE, source), (TARGET, read), (TARGET, written))
        ]
        found = Passed(*labels)
        memory = found.embedded["encoder"] = self.embed("source", source)
        for layer in range(ENCODER_LAYERS):
            memory = self.attention(found, memory, memory, "encoder", layer, "self")
            memory = self.feed_forward(found, memory, "encoder", layer)
        x = found.embedded["decoder"] = self.embed("target", read)
        for layer in range(DECODER_LAYERS):
            x = self.attention(found, x, x, "decoder", layer, "self")
            x = self.attention(found, x, memory, "decoder", layer, "cross")
            x = self.feed_forward(found, x, "decoder", layer)
        found.logits = np.array([self.p["output_proj"] @ row + self.p["output_bias"] for row in x])
        return found

    def embed(self, side: str, ids: list[int]) -> Array:
        rows = []
        for position, token in enumerate(ids):
            vector = self.p[f"{side}_embedding.table"][token] * math.sqrt(WIDTH)
            rows.append(vector + np.array(place_vector(position)))
        return np.array(rows)

    def attention(self, found: Passed, x: Array, memory: Array, stack: str, layer: int, block: str) -> Array:
        name = f"{stack}_layers.{layer}.{block}_attention"
        size = WIDTH // HEADS
        q, k, v = (
            np.array(
                [
                    self.p[f"{name}.{part}_proj.weight"] @ row + self.p[f"{name}.{part}_proj.bias"]
                    for row in rows
                ]
            )
            for part, rows in (("q", x), ("k", memory), ("v", memory))
        )
        kind = "cross" if block == "cross" else "encoder" if stack == "encoder" else "causal"
        maps, every = [], []
        mixed = np.zeros_like(q)
        for head in range(HEADS):
            part = slice(head * size, (head + 1) * size)
            rows, scores = [], []
            for t in range(len(x)):
                seen = t + 1 if kind == "causal" else len(memory)
                scores.append([float(q[t, part] @ row[part]) / math.sqrt(size) for row in k])
                row = self.reweighted((kind, layer, head, t), softmax(scores[t][:seen]))
                rows.append(row + [0.0] * (len(memory) - seen))
                for j in range(seen):
                    mixed[t, part] += rows[t][j] * v[j, part]
            maps.append(rows)
            every.append(scores)
        found.maps[kind].append(maps)
        found.scores[kind].append(every)
        added = np.array(
            [self.p[f"{name}.output_proj.weight"] @ row + self.p[f"{name}.output_proj.bias"] for row in mixed]
        )
        return self.add(found, x, added, (stack, layer, block))

    def reweighted(self, place: tuple[str, int, int, int], row: list[float]) -> list[float]:
        """What row (kind, layer, head, query) mixes with, over the keys it may see: its own weights."""
        return row

    def feed_forward(self, found: Passed, x: Array, stack: str, layer: int) -> Array:
        name = f"{stack}_layers.{layer}.feed_forward"
        added = []
        for row in x:
            hidden = np.maximum(self.p[f"{name}.up_proj.weight"] @ row + self.p[f"{name}.up_proj.bias"], 0)
            added.append(self.p[f"{name}.down_proj.weight"] @ hidden + self.p[f"{name}.down_proj.bias"])
        return self.add(found, x, np.array(added), (stack, layer, "ffn"))

    def add(self, found: Passed, x: Array, added: Array, place: tuple[str, int, str]) -> Array:
        stack, layer, block = place
        name = f"{stack}_layers.{layer}.{block}_residual.norm"
        total = x + added
        rows = []
        for row in total:
            mean = sum(row) / WIDTH
            variance = sum((value - mean) ** 2 for value in row) / WIDTH
            rows.append(
                (row - mean) / math.sqrt(variance + 1e-5) * self.p[f"{name}.weight"] + self.p[f"{name}.bias"]
            )
        found.sublayers[place] = (x, added)
        found.norms[place] = (total, np.array(rows))
        return np.array(rows)


def encode(text: str) -> list[int]:
    """The ids of a source text, its end token included."""
    return [*(SOURCE.index(word) for word in text.split()), EOS]


def place_vector(position: int) -> list[float]:
    """The vector added at a position: a sine and a cosine for each of WIDTH/2 wavelengths."""
    values = []
    for pair in range(WIDTH // 2):
        angle = position / 10_000 ** (2 * pair / WIDTH)
        values += [math.sin(angle), math.cos(angle)]
    return values


def softmax(scores: list[float]) -> list[float]:
    """exp of each over the sum of all."""
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / sum(powers) for power in powers]
