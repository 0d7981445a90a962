"""What an encoding of fixed size loses: two small models write words backwards, one of them reads the encoder through one vector.

Both are trained alike, on words of 3 to 12 letters. The one attends to the encoder output of every letter, the other only
to that of the end token: whatever it is to write must be in those numbers, as in the translators before attention (Sutskever
et al. 2014; Bahdanau et al. 2015, section 1). Then each writes new words of every length.
`python -m core.learning.one_vector [FILE]` trains both again, in about two minutes of processor, and writes
`one_vector.json` beside this file. torch is imported by what runs a model, not by this module.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.learning.stored import read_stored, write_stored
from core.learning.trials import ALPHABET, BATCH, BOS, CONFIG, EOS, FIRST, LEARNING_RATE
from core.training.tasks import hashed_split

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.transformer import Transformer

STORED: Final = Path(__file__).with_name("one_vector.json")
LENGTHS: Final = tuple(range(3, 13))
"""Letters of a word."""
TESTED: Final = 100
"""New words of each length."""
STEPS: Final = 2000
WIDTH: Final = CONFIG.d_model
"""Numbers of the one vector."""


@dataclass(frozen=True)
class OneVector:
    """Of `tested` new words of each of `lengths`, how many each model writes right, both trained for `steps` batches."""

    seed: int
    steps: int
    tested: int
    lengths: list[int]
    attention: list[int]
    one: list[int]

    def right(self, length: int, one: bool) -> int:
        """How many words of a length are right, with attention or through one vector."""
        return (self.one if one else self.attention)[self.lengths.index(length)]


@cache
def stored() -> OneVector:
    """What was measured for the app. Raises CheckpointError where the file is missing or damaged."""
    return read_stored(OneVector, STORED, "python -m core.learning.one_vector")


def draw(rng: random.Random, split: str, length: int, count: int) -> list[str]:
    """Random words of one length and split, which is by a hash of the word: no held-out word is trained on."""
    drawn: list[str] = []
    while len(drawn) < count:
        word = "".join(rng.choices(ALPHABET, k=length))
        if hashed_split(word, valid_percent=0, test_percent=10) == split:
            drawn.append(word)
    return drawn


def _ids(words: list[str]) -> Tensor:
    import torch

    return torch.tensor([[FIRST + ALPHABET.index(letter) for letter in word] for word in words])


def _framed(words: list[str]) -> tuple[Tensor, Tensor]:
    """Source ids with the end token, and those of the words backwards, (B, T) each."""
    import torch

    letters = _ids(words)
    return torch.cat([letters, torch.full((len(words), 1), EOS)], 1), letters.flip(1)


def _read(model: Transformer, source: Tensor, one: bool) -> tuple[Tensor, Tensor]:
    """The encoder output that the decoder gets, and the source tokens that it belongs to: all, or the end token's alone."""
    memory = model.encode(source)
    return (memory[:, -1:], source[:, -1:]) if one else (memory, source)


def train(one: bool, seed: int, steps: int = STEPS) -> Transformer:
    """A trained model; both kinds begin with the same weights and see the same words."""
    import torch
    from torch.nn import functional as F

    from core.model.transformer import Transformer

    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = Transformer(CONFIG).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.98))
    for _ in range(steps):
        source, answer = _framed(draw(rng, "train", rng.choice(LENGTHS), BATCH))
        edge = torch.full((BATCH, 1), BOS)
        memory, read = _read(model, source, one)
        logits = model.decode(torch.cat([edge, answer], 1), memory, read)
        labels = torch.cat([answer, torch.full((BATCH, 1), EOS)], 1)
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def count_right(model: Transformer, one: bool, words: list[str]) -> int:
    """How many words of one length the model writes backwards without a mistake, and ends there."""
    import torch

    source, answer = _framed(words)
    written = torch.full((len(words), 1), BOS)
    with torch.inference_mode():
        memory, read = _read(model, source, one)
        for _ in range(answer.shape[1] + 1):
            logits = model.decode(written, memory, read)
            written = torch.cat([written, logits[:, -1:].argmax(-1)], 1)
    wanted = torch.cat([answer, torch.full((len(words), 1), EOS)], 1)
    return int((written[:, 1:] == wanted).all(1).sum())


def measure(seed: int = 0, steps: int = STEPS) -> OneVector:
    """Train both and count."""
    words = {length: draw(random.Random(seed + length), "test", length, TESTED) for length in LENGTHS}
    right = []
    for one in (False, True):
        model = train(one, seed, steps)
        right.append([count_right(model, one, words[length]) for length in LENGTHS])
    return OneVector(seed, steps, TESTED, list(LENGTHS), *right)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else STORED
    write_stored(measure(), target)
