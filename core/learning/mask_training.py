"""Two trainings that differ in one thing: with the decoder's causal mask and without it; what they showed, and how to repeat them.

Both write short words backwards, from the same first weights and the same batches. Without the mask each position sees the
letter that it has to write, so the loss falls faster, and the model cannot write: by itself it has nothing to copy.
`python -m core.learning.mask_training [FILE]` trains both again and writes `mask_training.json` beside this file.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.errors import CheckpointError
from core.model.config import ModelConfig
from core.model.hooks import Edit, Hooks, Site
from core.training.tasks import hashed_split

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.transformer import Transformer

STORED: Final = Path(__file__).with_suffix(".json")
SHOWN_STEPS: Final = (0, 50, 200, 500)
EVERY: Final = 5  # batches of one loss
ALMOST: Final = 0.1  # nats per token: nearly everything is right

Rows = list[list[float]]


@dataclass(frozen=True)
class Moment:
    """Attention at one step of a training, on the word of the story with its answer as input.

    `causal` (T, T) and `cross` (T, S): rows are the tokens read, in order ⟨start⟩ and the answer's letters.
    """

    step: int
    causal: Rows
    cross: Rows


@dataclass(frozen=True)
class Training:
    """One training: its losses (nats per token, the mean of the EVERY batches before) at each of `steps`, its attention,
    and what it writes by itself.

    `written` are letters and at their end, where it ended, "⟨end⟩"; `right` counts the held-out words written right.
    """

    masked: bool
    steps: list[int]
    losses: list[float]
    moments: list[Moment]
    written: list[str]
    right: int


@dataclass(frozen=True)
class TwoTrainings:
    """Both trainings, with the mask and without, and the held-out word whose attention they show."""

    seed: int
    word: str
    tested: int
    trainings: list[Training]

    @property
    def faster(self) -> int:
        """How many steps earlier the loss without the mask falls below ALMOST; negative where it is later."""
        first = [
            next(
                (step for step, loss in zip(each.steps, each.losses, strict=True) if loss < ALMOST),
                each.steps[-1],
            )
            for each in self.trainings
        ]
        return first[0] - first[1]

    @property
    def answer(self) -> str:
        """The word backwards."""
        return self.word[::-1]


@cache
def stored() -> TwoTrainings:
    """What was measured for the app. Raises CheckpointError where the file is missing or damaged."""
    try:
        data = json.loads(STORED.read_text("utf-8"))
        trainings = [
            Training(**{**each, "moments": [Moment(**moment) for moment in each["moments"]]})
            for each in data["trainings"]
        ]
        return TwoTrainings(**{**data, "trainings": trainings})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CheckpointError(
            f"{STORED.name} cannot be read; run python -m core.learning.mask_training."
        ) from error


# -- the trainings themselves ---------------------------------------------------------------------------------

ALPHABET: Final = "abcdefghij"
PAD, BOS, EOS, FIRST = 0, 1, 2, 3
SHORTEST, LONGEST = 4, 7  # letters of a word
BATCH, LEARNING_RATE = 64, 1.5e-3
TESTED: Final = 100  # held-out words
CONFIG: Final = ModelConfig(
    source_vocab_size=FIRST + len(ALPHABET),
    target_vocab_size=FIRST + len(ALPHABET),
    d_model=48,
    heads=1,
    encoder_layers=1,
    decoder_layers=1,
    d_ff=96,
    dropout=0.0,
    max_length=16,
    embedding_scale=False,
    norm_placement="pre",
    final_norm=True,
    tie_embeddings=False,
    tie_output=False,
    pad_id=PAD,
    bos_id=BOS,
    eos_id=EOS,
)


class _Unmasked:
    """Edits that let every decoder position see every other: the scores before the mask stand in for those after it."""

    def __init__(self) -> None:
        self._scores: Tensor | None = None

    def _keep(self, scores: Tensor) -> Tensor:
        self._scores = scores
        return scores

    def _put(self, masked: Tensor) -> Tensor:
        assert self._scores is not None
        return self._scores

    @property
    def edits(self) -> dict[str, Edit]:
        """For words of one length in a batch, which need no padding."""
        return {"decoder.*.self.scores": self._keep, "decoder.*.self.masked_scores": self._put}


def _hooks(masked: bool, record: Sequence[str] = ()) -> Hooks:
    return Hooks(record=tuple(record), edit={} if masked else _Unmasked().edits)


def _ids(word: str) -> list[int]:
    return [FIRST + ALPHABET.index(letter) for letter in word]


def words(rng: random.Random, split: str, count: int, length: int | None = None) -> list[str]:
    """Random words of one split, which is by a hash of the word: no held-out word is trained on."""
    drawn: list[str] = []
    while len(drawn) < count:
        size = length or rng.randint(SHORTEST, LONGEST)
        word = "".join(rng.choices(ALPHABET, k=size))
        if hashed_split(word, valid_percent=0, test_percent=10) == split:
            drawn.append(word)
    return drawn


def _batch(rng: random.Random) -> tuple[Tensor, Tensor, Tensor]:
    """Source, decoder input and labels (B, T) of words of one length."""
    import torch

    drawn = words(rng, "train", BATCH, rng.randint(SHORTEST, LONGEST))
    source = torch.tensor([[*_ids(word), EOS] for word in drawn])
    answers = torch.tensor([_ids(word[::-1]) for word in drawn])
    start = torch.full((BATCH, 1), BOS)
    return source, torch.cat([start, answers], 1), torch.cat([answers, torch.full((BATCH, 1), EOS)], 1)


def train(masked: bool, seed: int, word: str, steps: int = SHOWN_STEPS[-1]) -> Training:
    """One training of `steps` batches; both kinds begin with the same weights and see the same words."""
    import torch
    from torch.nn import functional as F

    from core.model.transformer import Transformer

    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = Transformer(CONFIG).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.98))
    losses: list[float] = []
    moments: list[Moment] = []
    recent = 0.0
    for step in range(steps + 1):
        if step in SHOWN_STEPS:
            moments.append(_moment(model, masked, step, word))
        source, given, labels = _batch(rng)
        logits = model(source, given, _hooks(masked))
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        recent += loss.item()
        if step % EVERY == 0:
            losses.append(round(recent / (EVERY if step else 1), 5))
            recent = 0.0
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    held_out = words(random.Random(seed + 1), "test", TESTED)
    right = sum(write(model, masked, each) == [*each[::-1], "⟨end⟩"] for each in held_out)
    return Training(
        masked, list(range(0, steps + 1, EVERY)), losses, moments, write(model, masked, word), right
    )


def _moment(model: Transformer, masked: bool, step: int, word: str) -> Moment:
    import torch

    hooks = _hooks(masked, ("decoder.0.self.weights", "decoder.0.cross.weights"))
    with torch.inference_mode():
        model(torch.tensor([[*_ids(word), EOS]]), torch.tensor([[BOS, *_ids(word[::-1])]]), hooks)
    maps = [hooks.records[Site("decoder", 0, block, "weights")][0, 0] for block in ("self", "cross")]
    causal, cross = ([[round(float(each), 4) for each in row] for row in one] for one in maps)
    return Moment(step, causal, cross)


def write(model: Transformer, masked: bool, word: str) -> list[str]:
    """What the model writes by itself, greedily: every step reads again all that is written, with the mask it was trained with."""
    import torch

    source = torch.tensor([[*_ids(word), EOS]])
    given = [BOS]
    with torch.inference_mode():
        memory = model.encode(source)
        while len(given) <= LONGEST + 1:
            logits = model.decode(torch.tensor([given]), memory, source, _hooks(masked))
            token = int(logits[0, -1].argmax())
            given.append(token)
            if token == EOS:
                break
    return [ALPHABET[each - FIRST] if each >= FIRST else {EOS: "⟨end⟩"}.get(each, "·") for each in given[1:]]


def measure(seed: int = 0, word: str = "gfehbac") -> TwoTrainings:
    """Train both, which takes some seconds on one core."""
    if hashed_split(word, valid_percent=0, test_percent=10) != "test":
        raise ValueError(f"{word} is trained on; choose a held-out word")
    return TwoTrainings(seed, word, TESTED, [train(masked, seed, word) for masked in (True, False)])


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else STORED
    target.write_text(
        json.dumps(asdict(measure()), ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8"
    )
