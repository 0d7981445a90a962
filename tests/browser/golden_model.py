"""A hand-made model, and what it computes worked out a second time in double precision.

No two source words, written words, heads, layers or steps are alike, so a view that shows the wrong one shows wrong
numbers. The expected numbers of the golden tests come from `Naive`, the numpy model with these
parameters, which shares no code with the app.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tests.numpy_model import SITE, NumpyModel, Pass, Site, softmax

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
CHOICES = {
    **{"d_model": WIDTH, "heads": HEADS, "encoder_layers": ENCODER_LAYERS, "decoder_layers": DECODER_LAYERS},
    **{"norm_placement": "post", "norm_formula": "layer", "norm_eps": 1e-5, "final_norm": False},
    **{"positions": "sinusoidal", "position_offset": 0, "sinusoid_denominator": "half"},
    **{"embedding_scale": True, "embedding_norm": False, "activation": "relu", "gated": False},
    **{"score_scale": "head", "shared_head_projection": False},
    **{"tie_output": False, "output_bias": True, "output_scale": "none"},
}
"""What `write_golden` chooses and what it leaves as it is in the paper, written here a second time."""
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
    from core.experiments.corpus_run import write_atlas
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


class Passed(Pass):
    """A pass with its words. Maps and scores by kind are (layers, heads, queries, keys) in lists, `logits` (T, V)."""

    def __init__(self, source: list[str], read: list[str], written: list[str]) -> None:
        super().__init__()
        self.source, self.read, self.written = source, read, written

    @cached_property
    def maps(self) -> dict[str, list[Any]]:
        """Attention weights."""
        return self._of_heads("weights")

    @cached_property
    def scores(self) -> dict[str, list[Any]]:
        """Scores before the mask."""
        return self._of_heads("scaled")

    def _of_heads(self, name: str) -> dict[str, list[Any]]:
        return {
            kind: [
                [made[f"{name}.{head}"].tolist() for head in range(HEADS)]
                for site, made in self.sites.items()
                if (site[0], site[2]) == of
            ]
            for kind, of in SITE.items()
        }

    @property
    def logits(self) -> Array:
        return self.stacks["decoder"]["logits"]

    @property
    def norms(self) -> dict[Site, tuple[Array, Array]]:
        """(input, output) of every norm, (tokens, width) each, in the order the tokens pass them."""
        return {site: (made["added"], made["after"]) for site, made in self.sites.items()}

    @property
    def sublayers(self) -> dict[Site, tuple[Array, Array]]:
        """(stream, added) of every sub-layer, likewise."""
        return {site: (made["entered"], made["output"]) for site, made in self.sites.items()}

    @property
    def embedded(self) -> dict[str, Array]:
        """The stream of each stack where it begins."""
        return {stack: made["embedded"] for stack, made in self.stacks.items()}

    def probabilities(self, step: int) -> list[float]:
        """What token `step` (from 0) was chosen from, by id."""
        return softmax(list(self.logits[step]))

    def queries(self, kind: str) -> list[str]:
        """The words that the rows of a kind's maps stand for."""
        return {"encoder": self.source, "causal": self.read, "cross": self.written}[kind]

    def keys(self, kind: str) -> list[str]:
        """The words that the columns stand for."""
        return self.read if kind == "causal" else self.source


class Naive(NumpyModel):
    """The model of `parameters()`: post-norm, ReLU, sinusoids (Vaswani et al. 2017, section 3)."""

    def __init__(self) -> None:
        super().__init__(CHOICES, parameters())

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
        self.computed(source, read, found)
        return found


def encode(text: str) -> list[int]:
    """The ids of a source text, its end token included."""
    return [*(SOURCE.index(word) for word in text.split()), EOS]


def place_vector(position: int) -> list[float]:
    """The vector added at a position: a sine and a cosine for each of WIDTH/2 wavelengths."""
    return NumpyModel(CHOICES, {}).positions("target", position + 1)[position].tolist()
