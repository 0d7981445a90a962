"""BPE-dropout (Provilkov et al. 2020): a word is segmented differently each time, from a generator of the caller's.

The `tokenizers` library knows BPE-dropout but takes no seed, so a run that draws from it cannot be repeated.

The one tokenizer class of the project, over the `tokenizers` library. Needs no torch.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tokenizers import Encoding as LibraryEncoding

from core.errors import CheckpointError, InputError
from core.tokenizer import build, files
from core.tokenizer.files import Frame, Specials
from core.tokenizer.gaps import Gaps
from core.tokenizer.guarded import ENDLESS, Cut, Pipeline
from core.tokenizer.piece import Family, Surfaces, readable
from core.tokenizer.untrusted import copied, panics_as

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


Encoding = LibraryEncoding | Cut
_NAMED, _LONGEST = 8, 40  # what a sentence names of a text that cannot be read


class Reading(NamedTuple):
    """A text as one tokenizer reads it, made once and handed on."""

    text: str
    ids: tuple[int, ...]  # with what stands around a text, such as the end token
    readable: bool  # whether any id comes from the text itself
    unknown: tuple[str, ...]  # what the vocabulary lacks


def _clean(text: str) -> str:
    """Text without lone surrogates, which have no UTF-8 form. Raises InputError for what is not text."""
    if not isinstance(text, str):
        raise InputError(f"text is expected; a {type(text).__name__} was given.")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _batches(texts: Iterable[str], size: int = 4096) -> Iterator[list[str]]:
    source = iter(texts)
    while lines := [_clean(text) for text in islice(source, size)]:
        yield lines


class Tokenizer:
    """Text ↔ ids, with labels and word boundaries a person can read.

    Nothing changes after construction, so one object serves any number of threads. What people type is always
    text: a typed "<s>" or "<pad>" is spelled out or unknown, never the special token.
    """

    def __init__(
        self,
        backend: Pipeline,
        family: Family,
        specials: Specials,
        counts: Sequence[int] | None = None,
        mark: str = build.METASPACE,
        frame: Frame | None = None,
    ) -> None:
        """`backend` belongs to this object from now on. `counts`: occurrences of each id in the training text.

        `frame`: what stands around a text, and ids other than the backend's own, for an imported model.
        """
        backend.encode_special_tokens = True
        self._backend = backend
        self._gaps = Gaps(backend)
        self._mark = mark
        self.family = family
        self.specials = specials
        self.frame = frame
        self._before = frame.before if frame else ()
        self._after = frame.after if frame and frame.after is not None else (specials.eos,)
        self._ids = frame.ids if frame else None  # backend id → id; None: the same
        vocabulary = backend.get_vocab(with_added_tokens=True)
        added = {place for place, token in backend.get_added_tokens_decoder().items() if token.special}
        if frame and frame.ids is not None and frame.tokens is not None:
            vocabulary = {token: place for place, token in enumerate(frame.tokens)}
            added = {frame.ids[place] for place in added}
        self.vocab_size = max(vocabulary.values()) + 1
        if counts is not None and len(counts) != self.vocab_size:
            raise CheckpointError(f"the tokenizer has {self.vocab_size} tokens but {len(counts)} counts.")
        self._counts = tuple(counts) if counts is not None else None
        self._tokens: list[str | None] = [None] * self.vocab_size
        for token, place in vocabulary.items():
            self._tokens[place] = token
        # Ids that no text may produce; bos is the pad or eos token in some models.
        self._control = frozenset({specials.pad, specials.bos, specials.eos} | added) - {specials.unk}

    # -- making, reading, writing -------------------------------------------------------------------------

    @classmethod
    def train_bpe(
        cls,
        texts: Iterable[str],
        vocab_size: int,
        min_frequency: int = 2,
        lowercase: bool = False,
        alphabet: int = 256,
    ) -> Tokenizer:
        """Learns a BPE vocabulary; pass the texts of both languages for a joint one. Keeps each token's count.

        `alphabet` is how many different characters are kept at most; rarer ones become unknown.
        """
        lines = list(texts)
        backend = build.bpe_backend(lines, vocab_size, min_frequency, lowercase, alphabet)
        return cls(backend, "metaspace", Specials(0, 1, 2, 3)).counted(lines)

    @classmethod
    def from_vocabulary(
        cls,
        tokens: Sequence[str],
        split: str = "chars",
        pattern: str | None = None,
        specials: Mapping[str, int | None] | None = None,
        lowercase: bool = False,
    ) -> Tokenizer:
        """A fixed list, id = place. `split`: 'chars', 'whitespace', or 'regex' with a pattern matching one token.

        `specials` gives ids for pad, bos, eos, unk; those not given are found by name (<pad>, [PAD], <sos>, ...).
        """
        found = files.find_specials({token: place for place, token in enumerate(tokens)}, specials)
        unk = tokens[found.unk] if found.unk is not None else None
        backend, family = build.list_backend(tokens, split, pattern, unk, lowercase)
        return cls(backend, family, found)

    @classmethod
    def load(cls, path: str | Path, specials: Mapping[str, int | None] | None = None) -> Tokenizer:
        """Reads our own file or a bare Hugging Face tokenizer.json. Raises CheckpointError with one sentence."""
        backend, family, mark, found, counts, frame = files.read(Path(path), specials)
        return cls(backend, family, found, counts, mark, frame)

    def save(self, path: str | Path) -> None:
        """One JSON file with the pipeline, the ids of the specials and the counts."""
        files.write(Path(path), self._backend, self.family, self.specials, self._counts, self.frame)

    def counted(self, texts: Iterable[str]) -> Tokenizer:
        """The same tokenizer with each token's number of occurrences in `texts`."""
        counts = [0] * self.vocab_size
        for lines in _batches(texts):
            for encoding in self._encodings(lines):
                for place in encoding.ids:
                    counts[self._id(place)] += 1
        copy = copied(self._backend)
        return Tokenizer(copy, self.family, self.specials, counts, self._mark, self.frame)

    def framed(self, frame: Frame) -> Tokenizer:
        """The same tokenizer that puts `frame` around a text."""
        copy = copied(self._backend)
        return Tokenizer(copy, self.family, self.specials, self._counts, self._mark, frame)

    @property
    def counts(self) -> tuple[int, ...] | None:
        """Occurrences of each id in the training text; None if not counted."""
        return self._counts

    @property
    def vocabulary(self) -> dict[str, int]:
        """Every token as the file spells it, with its id."""
        return {token: place for place, token in enumerate(self._tokens) if token is not None}

    # -- text to ids and back -----------------------------------------------------------------------------

    @property
    def pad_id(self) -> int:
        return self.specials.pad

    @property
    def bos_id(self) -> int:
        return self.specials.bos

    @property
    def eos_id(self) -> int:
        return self.specials.eos

    @property
    def unk_id(self) -> int | None:
        return self.specials.unk

    def encode(self, text: str, eos: bool = True) -> list[int]:
        """Ids of a text, with the end token unless `eos` is False; a start token only where the `frame` has one.

        Raises InputError, naming them, if characters or words are unknown and the vocabulary has no token for that.
        """
        ids = self._text_ids(self._encoding(text))
        return [*self._before, *ids, *self._after] if eos else ids

    def read(self, text: str, most: int | None = None) -> Reading:
        """`encode` and `unknown` of a text that is cut only once. Raises InputError as `encode` does.

        What is unknown is looked for in a text of at most `most` ids alone: it takes longer than all the rest.
        """
        encoding = self._encoding(text)
        inner = self._text_ids(encoding)
        ids = (*self._before, *inner, *self._after)
        unknown = self._unknown(text, encoding) if most is None or len(ids) <= most else ()
        return Reading(text, ids, bool(inner), tuple(unknown))

    def _text_ids(self, encoding: Encoding) -> list[int]:
        return [self._as_text(self._id(place)) for place in encoding.ids]

    def encode_batch(self, texts: Sequence[str], eos: bool = True) -> list[list[int]]:
        """`encode` for many texts at once, on all cores."""
        encodings = self._encodings([_clean(text) for text in texts])
        rows = [[self._as_text(self._id(place)) for place in encoding.ids] for encoding in encodings]
        return [[*self._before, *row, *self._after] for row in rows] if eos else rows

    def bpe_dropout(self, rate: float) -> Callable[[str, random.Random], list[int]]:
        """An `encode` that leaves out merges with probability `rate` (`core.tokenizer.tokenizer`), for training alone.

        Raises InputError for a tokenizer that is no BPE; the `encode` does as `encode` of this class.
        """
        bpe = BpeDropout(self._backend.to_str(), rate, self.unk_id)

        def encode(text: str, rng: random.Random) -> list[int]:
            words = [word for word, _ in self._pre_tokenized(text)]
            return [*self._before, *map(self._as_text, bpe.encode(words, rng)), *self._after]

        return encode

    def decode(self, ids: Iterable[int], unknown: str = "") -> str:
        """Text of ids without their specials; `unknown` is written for each unknown token."""
        tokens = []
        for place in ids:
            if place == self.unk_id:
                tokens.append(unknown)
            elif place not in self._control and 0 <= place < self.vocab_size:
                tokens.append(self._tokens[place] or "")
        decoder = self._backend.decoder
        with panics_as(InputError, ENDLESS):
            text = decoder.decode(tokens) if decoder is not None else " ".join(tokens)
        # What is left out leaves the spaces on both its sides.
        return re.sub(" {2,}", " ", text).strip(" ") if "" in tokens else text

    def normalize(self, text: str) -> str:
        """The spelling the vocabulary works with; `decode(encode(text))` gives it back."""
        steps = self._backend.normalizer
        with panics_as(InputError, ENDLESS):
            return steps.normalize_str(_clean(text)) if steps is not None else _clean(text)

    def unknown(self, text: str) -> list[str]:
        """The characters or words of `text` that the vocabulary lacks, as a reader sees them, each once, in order."""
        if self.unk_id is None and (missing := self._missing(text)):
            return missing
        return self._unknown(text, self._encoding(text))

    def _unknown(self, text: str, encoding: Encoding) -> list[str]:
        spans = [s for s, i in zip(encoding.offsets, encoding.ids, strict=True) if self._lacks(self._id(i))]
        named = list(dict.fromkeys(build.as_seen(_clean(text), spans)))
        return list(dict.fromkeys([*named, *self._missing(text)])) if self._gaps.drops else named

    def _missing(self, text: str) -> list[str]:
        """`unknown` where the pipeline has no token for that, so that it drops such letters or cannot go on."""
        spans = self._gaps.spans(self._pre_tokenized(text))
        return list(dict.fromkeys(build.as_seen(self.normalize(text), spans)))

    def _pre_tokenized(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        steps = self._backend.pre_tokenizer
        normal = self.normalize(text)
        with panics_as(InputError, ENDLESS):
            return steps.pre_tokenize_str(normal) if steps is not None else [(normal, (0, len(normal)))]

    def _encoding(self, text: str) -> Encoding:
        words = _clean(text)
        with panics_as(InputError, ENDLESS):
            try:
                encoding = self._backend.encode(words, add_special_tokens=False)
            except InputError:
                raise
            except Exception as error:
                reason = " ".join(str(error).split())[:120]
                raise self._unreadable(words, reason) from None
        if self.unk_id is None and self._gaps.drops and self._missing(words):
            raise self._unreadable(words)
        return encoding

    def _encodings(self, lines: Sequence[str]) -> list[Encoding]:
        """`_encoding` of many texts, on all cores where nothing can be lacking."""
        with panics_as(InputError, ENDLESS):
            try:
                if self.unk_id is not None or not self._gaps.drops:
                    return list(self._backend.encode_batch_fast(list(lines), add_special_tokens=False))
            except InputError:
                raise
            except Exception:
                pass  # one by one, the text that it is about is named
        return [self._encoding(line) for line in lines]

    def _unreadable(self, text: str, reason: str = "") -> InputError:
        """What to say of a text that cannot be encoded."""
        missing = self._missing(text)
        if not missing:
            return InputError(f"the tokenizer cannot cut this text ({reason}); give another.")
        named = ", ".join(repr(name[:_LONGEST]) for name in missing[:_NAMED])
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        them = "it" if len(missing) == 1 else "them"
        return InputError(f"this vocabulary does not know {named}{more}; leave {them} out.")

    def _id(self, place: int) -> int:
        """The model's id for a piece of the backend."""
        return place if self._ids is None else self._ids[place]

    def _lacks(self, place: int) -> bool:
        return place == self.unk_id or place in self._control

    def _as_text(self, place: int) -> int:
        """A special that came out of typed text is unknown text, not the special."""
        if place not in self._control:
            return place
        if self.unk_id is None:
            raise InputError(
                f"{self._tokens[place]!r} is a special token of the model and cannot be typed; leave it out."
            )
        return self.unk_id

    # -- what a reader sees -------------------------------------------------------------------------------

    @cached_property
    def _surfaces(self) -> Surfaces:
        marked = {role: getattr(self.specials, role) for role in ("unk", "pad", "bos", "eos")}
        return Surfaces(self._tokens, self.family, self._mark, marked, self._control)

    def label(self, place: int) -> str:
        """The readable label of one id, the same wherever it stands (see `surface.piece_label`); never empty."""
        return self._surfaces.label(place)

    def labels(self, ids: Iterable[int]) -> list[str]:
        """Labels of a sequence. For a list of candidates, which is no sequence, take `label` of each."""
        return self._surfaces.labels(ids)

    def joined(self, ids: Iterable[int]) -> str:
        """One label for neighbouring ids, such as the pieces of one word: `hom` + `·me` → `homme`."""
        return self._surfaces.joined(ids)

    def words(self, ids: Iterable[int]) -> list[int]:
        """Word number of each token, counted from 0 and never falling; -1 for start, end and padding.

        Punctuation is a word of its own, a space belongs to the word after it, an unknown token is a word.
        """
        return self._surfaces.words(ids)

    def id_of(self, token: str) -> int:
        """The id for a label, a vocabulary entry, or text that is exactly one token. Raises InputError.

        Specials are named by their labels, such as ⟨end⟩; a typed "</s>" is text like any other.
        """
        if (place := self._surfaces.by_label.get(token)) is not None:
            return place
        if (piece := self._backend.token_to_id(token)) is not None and not self._lacks(self._id(piece)):
            return self._id(piece)
        ids = self.encode(token, eos=False)
        if len(ids) == 1 and ids[0] != self.unk_id:
            return ids[0]
        shown = readable(token[:40])
        if not ids or self.unk_id in ids:
            raise InputError(f"“{shown}” is not in the vocabulary of this model; choose another token.")
        split = " ".join(self.labels(ids[:12]))
        raise InputError(f"“{shown}” is {len(ids)} tokens here ({split}); force them one at a time.")

    def frequency(self, place: int) -> int | None:
        """How often the token occurred in the training text; None if that was not counted."""
        return self._counts[place] if self._counts is not None and 0 <= place < self.vocab_size else None

    # -- identity -----------------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of everything that decides ids and labels (not the counts)."""
        content = f"{self.family}|{self.specials}|{self._backend.to_str()}"
        content += f"|{self.frame}" if self.frame is not None else ""
        return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"Tokenizer({self.family}, {self.vocab_size} tokens)"
