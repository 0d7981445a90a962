"""`Tokenizer`, the one tokenizer class of the project, over the `tokenizers` library; and BPE-dropout. Needs no torch."""

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

from core.errors import CheckpointError, InputError, listed
from core.language import numeral
from core.tokenizer import files, pipeline
from core.tokenizer.files import Frame, Specials
from core.tokenizer.piece import Family, Surfaces, is_byte_token, readable
from core.tokenizer.pipeline import ENDLESS, MOST_GROWN, Cut, Gaps, Growth, Pipeline, rust_panic_as
from core.tokenizer.untrusted import copied, growth_of_parts

_RANK = 1 << 24  # packs the rank of a merge and the id of its result into one integer


class BpeDropout:
    """BPE-dropout (Provilkov et al. 2020): each possible merge is skipped with probability `rate` at each step.

    The `tokenizers` library has BPE-dropout without a seed, so a training run that uses it could not be repeated.
    """

    def __init__(self, pipeline: str, rate: float, unknown: int | None) -> None:
        """`pipeline`: the JSON of a `tokenizers` pipeline; `unknown`: the id of the unknown token, if it has one.

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
        # (left id, right id) → rank × _RANK + the id of the merged token: the least value is the first merge.
        self._merges: dict[tuple[int, int], int] = {}
        for rank, (left, right) in enumerate(model["merges"]):
            self._merges[self._ids[left], self._ids[right]] = rank * _RANK + self._ids[left + right]

    def segment(self, word: str, draw: Callable[[], float]) -> list[int]:
        """Ids of one word as the pre-tokenizer returns it; `draw` returns random numbers in [0, 1).

        At every step each possible merge is skipped with probability `rate`; of the others, the first in training
        order is applied. The word is finished when no merge is possible, or all were skipped. Raises InputError for a
        letter that is not in a vocabulary without an unknown token.
        """
        ids, merges, rate = self._ids, self._merges, self.rate
        pieces = [piece for char in word if (piece := ids.get(char, self._unknown)) is not None]
        if len(pieces) < len(word):
            lacking = next(char for char in word if char not in ids)
            raise InputError.tr("this vocabulary does not know {lacking!r}; leave it out.", lacking=lacking)
        while len(pieces) > 1:
            best, index = -1, 0
            left = pieces[0]
            for i, right in enumerate(pieces[1:]):
                merge = merges.get((left, right), -1)
                # No draw for a merge that could not be the first: the outcome is the same.
                if merge >= 0 and (best < 0 or merge < best) and draw() >= rate:
                    best, index = merge, i
                left = right
            if best < 0:
                break
            pieces[index : index + 2] = [best % _RANK]
        return pieces

    def encode(self, words: Sequence[str], rng: random.Random) -> list[int]:
        """Ids of the words one after another."""
        draw = rng.random
        return [piece for word in words for piece in self.segment(word, draw)]


Encoding = LibraryEncoding | Cut
_NAMED, _LONGEST = 8, 40  # unknown characters that an error names, and the length of each


class Reading(NamedTuple):
    """A text as one tokenizer reads it."""

    text: str
    ids: tuple[int, ...]  # with the frame around the text, such as the end token
    readable: bool  # whether any id comes from the text itself
    unknown: tuple[str, ...]  # characters or words that the vocabulary lacks


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
    """Text ↔ ids, with readable labels and word boundaries.

    Nothing changes after construction, so one object serves any number of threads. Typed text is always text:
    "<s>" or "<pad>" is spelled out or unknown, never the special token.
    """

    def __init__(
        self,
        backend: Pipeline,
        family: Family,
        specials: Specials,
        counts: Sequence[int] | None = None,
        mark: str = pipeline.METASPACE,
        frame: Frame | None = None,
    ) -> None:
        """`backend` must not be shared with another tokenizer. `counts`: occurrences of each id in the training text.

        `frame`: the tokens around a text, and ids other than the backend's own, for an imported model.
        """
        backend.encode_special_tokens = True
        self._backend = backend
        self._gaps = Gaps(backend)
        self._mark = mark
        self.family = family
        self.specials = specials
        self.frame = frame
        self._before = frame.before if frame else ()
        end = () if specials.eos is None else (specials.eos,)
        self._after = frame.after if frame and frame.after is not None else end
        self._ids = frame.ids if frame else None  # backend id → id; None: the same
        vocabulary = backend.get_vocab(with_added_tokens=True)
        every_added = backend.get_added_tokens_decoder()
        # Who trains a BPE with bytes to fall back on declares those special; they are text all the same.
        added = {
            token_id
            for token_id, token in every_added.items()
            if token.special and not is_byte_token(token.content)
        }
        self._added = frozenset(every_added)  # found in texts before all else, and special ones never
        if frame and frame.ids is not None and frame.tokens is not None:
            vocabulary = {token: token_id for token_id, token in enumerate(frame.tokens)}
            added = {frame.ids[token_id] for token_id in added}
            self._added = frozenset(frame.ids[token_id] for token_id in every_added)
        self.vocab_size = max(vocabulary.values()) + 1
        if counts is not None and len(counts) != self.vocab_size:
            raise CheckpointError(f"the tokenizer has {self.vocab_size} tokens but {len(counts)} counts.")
        self._counts = tuple(counts) if counts is not None else None
        # MarianMT looks up by its spelling what SentencePiece calls unknown: the other language's letters have ids too.
        self._spelled_out = vocabulary if frame and frame.tokens is not None else {}
        self._tokens: list[str | None] = [None] * self.vocab_size
        for token, token_id in vocabulary.items():
            self._tokens[token_id] = token
        # Ids that no text may produce; bos is the pad or eos token in some models.
        self._control = frozenset({specials.pad, specials.bos, *end} | added) - {specials.unk}

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
        """Learn a BPE vocabulary from `texts`, those of both languages for a joint one, and count each token.

        `alphabet` is the largest number of different characters; rarer ones become unknown.
        """
        lines = list(texts)
        backend = pipeline.bpe_backend(lines, vocab_size, min_frequency, lowercase, alphabet)
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
        """A fixed list, id = index. `split`: 'chars', 'whitespace', or 'regex' with a pattern matching one token.

        `specials` gives ids for pad, bos, eos, unk; the others are looked up by name (<pad>, [PAD], <sos>, ...).
        """
        special_ids = files.find_specials({token: index for index, token in enumerate(tokens)}, specials)
        unk = tokens[special_ids.unk] if special_ids.unk is not None else None
        backend, family = pipeline.list_backend(tokens, split, pattern, unk, lowercase)
        return cls(backend, family, special_ids)

    @classmethod
    def load(cls, path: str | Path, specials: Mapping[str, int | None] | None = None) -> Tokenizer:
        """Read our own file or a bare Hugging Face tokenizer.json. Raises CheckpointError with one sentence."""
        backend, family, mark, special_ids, counts, frame = files.read(Path(path), specials)
        return cls(backend, family, special_ids, counts, mark, frame)

    def save(self, path: str | Path) -> None:
        """Write one JSON file with the pipeline, the ids of the specials and the counts."""
        files.write(Path(path), self._backend, self.family, self.specials, self._counts, self.frame)

    def counted(self, texts: Iterable[str]) -> Tokenizer:
        """The same tokenizer with each token's number of occurrences in `texts`."""
        counts = [0] * self.vocab_size
        for lines in _batches(texts):
            for encoding in self._encodings(lines):
                for token_id in self._all_ids(encoding):
                    counts[token_id] += 1
        copy = copied(self._backend)
        return Tokenizer(copy, self.family, self.specials, counts, self._mark, self.frame)

    def framed(self, frame: Frame) -> Tokenizer:
        """The same tokenizer with `frame` around every text; ids of its own are kept where `frame` has none."""
        copy = copied(self._backend)
        if frame.ids is None and self.frame is not None:
            frame = Frame(frame.before, frame.after, self.frame.ids, self.frame.tokens)
        return Tokenizer(copy, self.family, self.specials, self._counts, self._mark, frame)

    @property
    def counts(self) -> tuple[int, ...] | None:
        """Occurrences of each id in the training text; None if not counted."""
        return self._counts

    @property
    def vocabulary(self) -> dict[str, int]:
        """Every token as spelled in the file, with its id."""
        return {token: token_id for token_id, token in enumerate(self._tokens) if token is not None}

    def spells_beyond(self, rows: int) -> bool:
        """Whether a token of the vocabulary itself, neither special nor added, has an id of `rows` or more."""
        apart = self._control | self._added
        return any(
            self._tokens[token_id] is not None and token_id not in apart
            for token_id in range(rows, self.vocab_size)
        )

    # -- text to ids and back -----------------------------------------------------------------------------

    @property
    def pad_id(self) -> int:
        return self.specials.pad

    @property
    def bos_id(self) -> int:
        return self.specials.bos

    @property
    def eos_id(self) -> int | None:
        return self.specials.eos

    @property
    def unk_id(self) -> int | None:
        return self.specials.unk

    @property
    def around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The ids before and after every text."""
        return self._before, self._after

    def encode(self, text: str, eos: bool = True) -> list[int]:
        """Ids of a text, with the end token, if there is one, unless `eos` is False; a start token only where the `frame` has one.

        Raises InputError that names the unknown characters or words, if the vocabulary has no unknown token.
        """
        ids = self._text_ids(self._encoding(text))
        return [*self._before, *ids, *self._after] if eos else ids

    def read(self, text: str, most: int | None = None) -> Reading:
        """`encode` and `unknown` of a text, tokenized once. Raises InputError as `encode` does.

        `unknown` is computed only for a text of at most `most` ids, since it takes longer than all the rest.
        """
        encoding = self._encoding(text)
        inner = self._text_ids(encoding)
        ids = (*self._before, *inner, *self._after)
        unknown = self._unknown(text, encoding) if most is None or len(ids) <= most else ()
        return Reading(text, ids, bool(inner), tuple(unknown))

    @cached_property
    def _growth(self) -> Growth:
        """How much longer a text gets in this process; a guarded pipeline checks its texts in the child."""
        backend = self._backend
        return Growth() if isinstance(backend, pipeline.GuardedPipeline) else growth_of_parts(backend)

    def _text_ids(self, encoding: Encoding) -> list[int]:
        return [self._as_text(token_id) for token_id in self._all_ids(encoding)]

    def _all_ids(self, encoding: Encoding) -> list[int]:
        """The model's ids of an encoding, special tokens as they are."""
        ids = [self._id(piece) for piece in encoding.ids]
        if self._spelled_out and self.unk_id in ids and not isinstance(encoding, Cut):
            spellings = zip(ids, encoding.tokens, strict=True)
            return [self._spelled_out.get(text, i) if i == self.unk_id else i for i, text in spellings]
        return ids

    def encode_batch(self, texts: Sequence[str], eos: bool = True) -> list[list[int]]:
        """`encode` for many texts at once, on all cores."""
        encodings = self._encodings([_clean(text) for text in texts])
        rows = [self._text_ids(encoding) for encoding in encodings]
        return [[*self._before, *row, *self._after] for row in rows] if eos else rows

    def bpe_dropout(self, rate: float) -> Callable[[str, random.Random], list[int]]:
        """An `encode` with BPE-dropout at probability `rate`, for training alone.

        Raises InputError for a tokenizer that is no BPE; the returned function raises the errors of `encode`.
        """
        bpe = BpeDropout(self._backend.to_str(), rate, self.unk_id)

        def encode(text: str, rng: random.Random) -> list[int]:
            words = [word for word, _ in self._pre_tokenized(text)]
            return [*self._before, *map(self._as_text, bpe.encode(words, rng)), *self._after]

        return encode

    def decode(self, ids: Iterable[int], unknown: str = "") -> str:
        """Text of ids without their specials; `unknown` is written for each unknown token."""
        tokens = []
        for token_id in ids:
            if token_id == self.unk_id:
                tokens.append(unknown)
            elif token_id not in self._control and 0 <= token_id < self.vocab_size:
                tokens.append(self._tokens[token_id] or "")
        if not any(tokens):
            return ""  # which some decoders of the library cannot take
        decoder = self._backend.decoder
        if (grown := sum(map(len, tokens)) * self._growth.decoder) > MOST_GROWN * 10:
            raise InputError.tr(
                "this tokenizer writes up to {grown} characters for {count} tokens; give fewer tokens.",
                grown=numeral(int(grown), ","),
                count=numeral(len(tokens), ","),
            )
        with rust_panic_as(InputError, ENDLESS):
            text = decoder.decode(tokens) if decoder is not None else " ".join(tokens)
        # A token that is left out leaves the spaces on both its sides.
        return re.sub(" {2,}", " ", text).strip(" ") if "" in tokens else text

    def normalize(self, text: str) -> str:
        """The spelling that the vocabulary works with, equal to `decode(encode(text))`."""
        steps = self._backend.normalizer
        with rust_panic_as(InputError, ENDLESS):
            return steps.normalize_str(_clean(text)) if steps is not None else _clean(text)

    def unknown(self, text: str) -> list[str]:
        """The visible characters or words of `text` that the vocabulary lacks, each once, in order."""
        if self.unk_id is None and (missing := self._missing(text)):
            return missing
        return self._unknown(text, self._encoding(text))

    def _unknown(self, text: str, encoding: Encoding) -> list[str]:
        spans = [s for s, i in zip(encoding.offsets, self._all_ids(encoding), strict=True) if self._lacks(i)]
        named = list(dict.fromkeys(pipeline.as_seen(_clean(text), spans)))
        return list(dict.fromkeys([*named, *self._missing(text)])) if self._gaps.drops else named

    def _missing(self, text: str) -> list[str]:
        """`unknown` where the pipeline has no unknown token, so that it drops such letters or raises an exception."""
        spans = self._gaps.spans(self._pre_tokenized(text))
        return list(dict.fromkeys(pipeline.as_seen(self.normalize(text), spans)))

    def _pre_tokenized(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        steps = self._backend.pre_tokenizer
        normal = self.normalize(text)
        with rust_panic_as(InputError, ENDLESS):
            return steps.pre_tokenize_str(normal) if steps is not None else [(normal, (0, len(normal)))]

    def _encoding(self, text: str) -> Encoding:
        words = _clean(text)
        with rust_panic_as(InputError, ENDLESS):
            self._growth.check(words, self.normalize)
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
        """`_encoding` of many texts, on all cores where nothing can be missing."""
        with rust_panic_as(InputError, ENDLESS):
            for line in lines:
                self._growth.check(line, self.normalize)
            try:
                if self.unk_id is not None or not self._gaps.drops:
                    return list(self._backend.encode_batch_fast(list(lines), add_special_tokens=False))
            except InputError:
                raise
            except Exception:
                pass  # encoded one by one, the failing text raises an error that names it
        return [self._encoding(line) for line in lines]

    def _unreadable(self, text: str, reason: str = "") -> InputError:
        """The error for a text that cannot be encoded."""
        missing = self._missing(text)
        if not missing:
            return InputError(f"the tokenizer cannot cut this text ({reason}); give another.")
        named = listed([repr(name[:_LONGEST]) for name in missing], _NAMED, longest=None)
        them = "it" if len(missing) == 1 else "them"
        return InputError(f"this vocabulary does not know {named}; leave {them} out.")

    def _id(self, piece: int) -> int:
        """The model's id for an id of the backend."""
        return piece if self._ids is None else self._ids[piece]

    def is_special(self, token_id: int) -> bool:
        """Whether a token stands for no text, as the end token or a language code."""
        return token_id in self._control

    def _lacks(self, token_id: int) -> bool:
        return token_id == self.unk_id or token_id in self._control

    def _as_text(self, token_id: int) -> int:
        """The id itself, or that of the unknown token for a special token: typed text is never a special."""
        if token_id not in self._control:
            return token_id
        if self.unk_id is None:
            raise InputError.tr(
                "{tokens!r} is a special token of the model and cannot be typed; leave it out.",
                tokens=self._tokens[token_id],
            )
        return self.unk_id

    # -- labels -------------------------------------------------------------------------------------------

    @cached_property
    def _surfaces(self) -> Surfaces:
        marked = {role: getattr(self.specials, role) for role in ("unk", "pad", "bos", "eos")}
        return Surfaces(self._tokens, self.family, self._mark, marked, self._control)

    def label(self, token_id: int) -> str:
        """The readable label of one id, the same in every context (see `piece.piece_label`); never empty."""
        return self._surfaces.label(token_id)

    def labels(self, ids: Iterable[int]) -> list[str]:
        """Labels of a sequence. Use `label` for each item of a list of candidates, which is no sequence."""
        return self._surfaces.labels(ids)

    def joined(self, ids: Iterable[int]) -> str:
        """One label for neighbouring ids, such as the pieces of one word: `hom` + `·me` → `homme`."""
        return self._surfaces.joined(ids)

    def words(self, ids: Iterable[int]) -> list[int]:
        """The word number of each token, from 0 and non-decreasing; -1 for start, end and padding.

        Punctuation is a word of its own, a space belongs to the word after it, an unknown token is a word.
        """
        return self._surfaces.words(ids)

    def id_of(self, token: str) -> int:
        """The id for a label, a vocabulary entry, or text that is exactly one token. Raises InputError.

        Specials are named by their labels, such as ⟨end⟩; a typed "</s>" is text like any other.
        """
        if (token_id := self._surfaces.by_label.get(token)) is not None:
            return token_id
        if (piece := self._backend.token_to_id(token)) is not None and not self._lacks(self._id(piece)):
            return self._id(piece)
        ids = self.encode(token, eos=False)
        if len(ids) == 1 and ids[0] != self.unk_id:
            return ids[0]
        quoted = readable(token[:40])
        if not ids or self.unk_id in ids:
            raise InputError.tr(
                "“{quoted}” is not in the vocabulary of this model; choose another token.", quoted=quoted
            )
        split = " ".join(self.labels(ids[:12]))
        raise InputError.tr(
            "“{quoted}” is {count} tokens here ({split}); force them one at a time.",
            quoted=quoted,
            count=len(ids),
            split=split,
        )

    def frequency(self, token_id: int) -> int | None:
        """The number of occurrences of the token in the training text; None if not counted."""
        return (
            self._counts[token_id] if self._counts is not None and 0 <= token_id < self.vocab_size else None
        )

    # -- identity -----------------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of everything that determines ids and labels (not the counts)."""
        content = f"{self.family}|{self.specials}|{self._backend.to_str()}"
        content += f"|{self.frame}" if self.frame is not None else ""
        return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"Tokenizer({self.family}, {self.vocab_size} tokens)"


def spaced_words(tokenizer: Tokenizer, ids: Sequence[int], text: str) -> list[int]:
    """The index, from 0, of the space-separated word that each token belongs to; −1 for tokens that are no text.

    Gold files count words this way, whatever a tokenizer calls a word: `T-shirt` is one. Raises `InputError` where the
    tokens do not spell the words of the text.
    """
    words = text.split()
    numbers = tokenizer.words(ids)
    word_of: dict[int, int] = {-1: -1}  # the tokenizer's word → the word between spaces
    word, left = -1, 0
    for number in sorted(set(numbers) - {-1}):
        if left == 0:
            word += 1
            left = len(words[word]) if word < len(words) else 0
        members = [token for token, own in zip(ids, numbers, strict=True) if own == number]
        left -= len(tokenizer.joined(members).replace("␣", "").replace(" ", ""))
        word_of[number] = word
        if left < 0:
            break
    if word != len(words) - 1 or left != 0:
        raise InputError.tr(
            "The tokens of “{given}” do not spell its words one by one, so its links cannot be counted; write it in letters that the model knows.",
            given=text[:60],
        )
    return [word_of[number] for number in numbers]
