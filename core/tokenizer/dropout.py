"""BPE-dropout (Provilkov et al. 2020): a word is segmented differently each time, from a generator of the caller's.

The `tokenizers` library knows BPE-dropout but takes no seed, so a run that draws from it cannot be repeated.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence

from core.errors import InputError

_RANK = 1 << 24  # merges are told apart from the ids they give by this factor


class BpeDropout:
    """Segments words by the merges of a BPE, each of which is left out with probability `rate` at each step."""

    def __init__(self, pipeline: str, rate: float, unknown: int | None) -> None:
        """`pipeline`: the JSON of a `tokenizers` pipeline; `unknown`: the id of what it cannot spell, if it has one.

        Raises InputError where it is not a plain BPE.
        """
        model = json.loads(pipeline)["model"]
        if model.get("type") != "BPE" or model.get("byte_fallback") or model.get("continuing_subword_prefix"):
            raise InputError("BPE-dropout needs a BPE vocabulary; this tokenizer is another kind.")
        if not 0 <= rate < 1:
            raise InputError(f"BPE-dropout is {rate}; it must be from 0 to below 1.")
        self.rate = rate
        self._ids: dict[str, int] = model["vocab"]
        self._unknown = unknown
        # (left id, right id) → rank × _RANK + the id of both together: the least value is the first merge.
        self._merges: dict[tuple[int, int], int] = {}
        for rank, (left, right) in enumerate(model["merges"]):
            self._merges[self._ids[left], self._ids[right]] = rank * _RANK + self._ids[left + right]

    def segment(self, word: str, draw: Callable[[], float]) -> list[int]:
        """Ids of one word as the pre-tokenizer gives it; `draw` gives numbers in [0, 1).

        At every step each possible merge is left out with probability `rate`; the first of the others by the
        order of training is done. The word is finished when no merge is left, or all were left out. Raises InputError
        for a letter that is not in a vocabulary without an unknown token.
        """
        ids, merges, rate = self._ids, self._merges, self.rate
        pieces = [found for char in word if (found := ids.get(char, self._unknown)) is not None]
        if len(pieces) < len(word):
            lacking = next(char for char in word if char not in ids)
            raise InputError(f"this vocabulary does not know {lacking!r}; leave it out.")
        while len(pieces) > 1:
            best, place = -1, 0
            left = pieces[0]
            for i, right in enumerate(pieces[1:]):
                merge = merges.get((left, right), -1)
                # A merge that could not win need not be drawn for: the outcome is the same.
                if merge >= 0 and (best < 0 or merge < best) and draw() >= rate:
                    best, place = merge, i
                left = right
            if best < 0:
                break
            pieces[place : place + 2] = [best % _RANK]
        return pieces

    def encode(self, words: Sequence[str], rng: random.Random) -> list[int]:
        """Ids of the words one after another."""
        draw = rng.random
        return [piece for word in words for piece in self.segment(word, draw)]
