"""The training pairs as one epoch sees them: other names and numbers, other segmentations."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from core.training.batches import Example
from core.training.data import Pair, Sentences
from core.training.noise import with_typo
from core.training.substitution import Substitution

Encode = Callable[[str, random.Random], list[int]]


class TrainingSet:
    """Training pairs with their plain `examples`, from which batches are planned, and what an epoch makes of them.

    What is drawn is a pure function of (seed, epoch, index), and drawn when it is needed: a resumed run repeats
    the straight one, and no epoch has to be prepared before it begins.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        examples: Sequence[Example],
        seed: int,
        *,
        encoders: tuple[Encode, Encode] | None = None,
        substitution: Substitution | None = None,
        unseen: Sentences | None = None,
        max_tokens: int = 0,
        typos: float = 0.0,
    ) -> None:
        """`encoders` segment the two sides of a pair; where one gives more than `max_tokens`, the plain example stands.

        A substitution that makes a sentence of `unseen` is not done. `typos` is the share of source sentences with a
        typing mistake.
        """
        self.pairs, self.examples, self.seed = pairs, examples, seed
        self.encoders, self.max_tokens = encoders, max_tokens
        self.substitution, self.unseen, self.typos = substitution, unseen or Sentences(), typos

    def __len__(self) -> int:
        return len(self.examples)

    def draw(self, epoch: int, index: int) -> Example:
        """The pair `index` in epoch `epoch`."""
        if self.encoders is None:
            return self.examples[index]
        rng = random.Random(f"{self.seed}/{epoch}/{index}")
        pair = self.pairs[index]
        if self.substitution is not None:
            other = self.substitution(pair, rng)
            pair = pair if other != pair and other in self.unseen else other
        if self.typos and rng.random() < self.typos:
            pair = Pair(with_typo(pair.source, rng, keep=pair.target), pair.target)
        source, target = self.encoders
        example = Example(source(pair.source, rng), target(pair.target, rng))
        if max(len(example.source), len(example.target)) > self.max_tokens:
            return self.examples[index]
        return example
