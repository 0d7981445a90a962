"""Copy, reverse and sort: the smallest tasks that need attention, learnt in a minute."""

from __future__ import annotations

import hashlib
import random
import string


def hashed_split(text: str, valid_percent: int = 5, test_percent: int = 5) -> str:
    """'train', 'valid' or 'test' by a hash of `text`: never changes, and is the same on every machine."""
    bucket = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") % 100
    if bucket < valid_percent:
        return "valid"
    return "test" if bucket < valid_percent + test_percent else "train"


class Copy:
    """Letters in, the same letters out."""

    name = "copy"
    source_alphabet = target_alphabet = string.ascii_lowercase[:10]
    longest = 8

    def generate(self, rng: random.Random) -> tuple[str, str]:
        letters = "".join(rng.choices(self.source_alphabet, k=rng.randint(2, self.longest)))
        return letters, self.answer(letters)

    def answer(self, letters: str) -> str:
        return letters

    def split(self, target: str) -> str:
        return hashed_split(target)


class Reverse(Copy):
    """Letters in, the same letters backwards out: the cross-attention must run against the diagonal."""

    name = "reverse"

    def answer(self, letters: str) -> str:
        return letters[::-1]


class Sort(Copy):
    """Letters in, the same letters from a to j out: where to attend depends on the letters."""

    name = "sort"

    def answer(self, letters: str) -> str:
        return "".join(sorted(letters))
