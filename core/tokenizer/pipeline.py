r"""`tokenizers` pipelines: those this project builds, those it runs in a child process, and what none of them can spell.

An untrusted pattern such as \w+\w+\d takes time cubic in the length of the text, and its run time cannot be predicted
from the pattern. `GuardedPipeline` ends the child when it exceeds its time; the text is refused in one sentence, and the
rest of the server never waits.

Without an unknown token, the library silently drops letters that it cannot spell (BPE) or raises an exception that does
not name them (the other models). `Gaps` computes them from the vocabulary, by the rules of each model.
"""

from __future__ import annotations

import bisect
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

from core.child import Child, ChildError, ChildStoppedError
from core.errors import AtlasError, InputError
from core.language import message, numeral, tr
from core.tokenizer.piece import Family

SECONDS: Final = 5.0
"""Time limit for one text; for a batch it grows with the number of texts."""
ENDLESS: Final = message(
    "the tokenizer’s own pattern takes too long to split this text; give a shorter text or a simpler pattern."
)


MOST_GROWN: Final = 200_000
"""Characters that a text may grow to: each takes 200 bytes of memory while the text is split."""
_ORDINARY_GROWTH: Final = (
    8.0  # four bytes for a letter, with a space before each: a longer text may grow as much
)


class Growth(NamedTuple):
    """The most characters that the parts of a pipeline make of one; 1 for a part without a known bound."""

    normalizer: float = 1.0
    pre_tokenizer: float = 1.0
    decoder: float = 1.0

    def check(self, text: str, normalize: Callable[[str], str]) -> None:
        """Raise InputError where the pipeline makes a very long text of this one. `normalize`: its normaliser."""
        if len(text) * self.normalizer * self.pre_tokenizer <= MOST_GROWN:
            return
        grown = len(normalize(text)) * self.pre_tokenizer
        if grown > max(MOST_GROWN, _ORDINARY_GROWTH * len(text)):
            raise InputError.tr(
                "this tokenizer makes {grown} characters of {count}, and at most {most} are read; give a shorter text.",
                grown=numeral(int(grown), ","),
                count=numeral(len(text), ","),
                most=numeral(MOST_GROWN, ","),
            )


class Cut(NamedTuple):
    """The fields of `tokenizers.Encoding` that are used."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class GuardedPipeline:
    """The methods of `tokenizers.Tokenizer` that this project uses, with every text sent to a child process.

    Raises ChildError if the pipeline cannot be made, InputError (ENDLESS) for a text that takes too long. Nothing here
    changes after construction.
    """

    def __init__(self, layout: str, growth: Growth | None = None) -> None:
        """`layout`: the pipeline as JSON; `growth`: how much longer it makes a text."""
        self._child = Child("core.tokenizer.pipeline:pipeline_in_child", [layout, growth or Growth()])
        made = self._child.ask("describe", seconds=4 * SECONDS)
        self._json: str = made["json"]
        self._vocabulary: dict[str, int] = made["vocabulary"]
        self._added = {token_id: SimpleNamespace(special=special) for token_id, special in made["added"]}
        self.encode_special_tokens = True
        self.decoder = self._step(made, "decoder", decode=self._decode)
        self.normalizer = self._step(made, "normalizer", normalize_str=self._normalize)
        self.pre_tokenizer = self._step(made, "pre_tokenizer", pre_tokenize_str=self._pre_tokenize)

    @staticmethod
    def _step(made: Any, name: str, **methods: Callable[..., Any]) -> SimpleNamespace | None:
        return SimpleNamespace(**methods) if made[name] else None

    def _ask(self, *question: Any, texts: int = 1) -> Any:
        try:
            return self._child.ask(*question, seconds=SECONDS + texts / 500)
        except ChildStoppedError:
            raise InputError.tr(ENDLESS) from None
        except ChildError as error:
            if error.kind != InputError.__name__:
                raise
            raise InputError(error) from None

    def to_str(self) -> str:
        return self._json

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        return dict(self._vocabulary)

    def get_added_tokens_decoder(self) -> dict[int, SimpleNamespace]:
        return dict(self._added)

    def token_to_id(self, token: str) -> int | None:
        return self._vocabulary.get(token)

    def encode(self, text: str, add_special_tokens: bool = False) -> Cut:
        return _cut(self._ask("encode", [text])[0])

    def encode_batch_fast(self, texts: Sequence[str], add_special_tokens: bool = False) -> list[Cut]:
        return [_cut(row) for row in self._ask("encode", list(texts), texts=len(texts))]

    def _decode(self, tokens: list[str]) -> str:
        return str(self._ask("decode", tokens))

    def _normalize(self, text: str) -> str:
        return str(self._ask("normalize", text))

    def _pre_tokenize(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        return [(piece, (start, end)) for piece, (start, end) in self._ask("pre_tokenize", text)]


Pipeline = tokenizers.Tokenizer | GuardedPipeline


def _cut(row: Any) -> Cut:
    return Cut(row[0], [(start, end) for start, end in row[1]])


def pipeline_in_child(setup: tuple[str, tuple[float, float, float]]) -> Callable[..., Any]:
    """Answers the questions of `GuardedPipeline`; runs in the child."""
    layout, growth = setup[0], Growth(*setup[1])
    backend = tokenizers.Tokenizer.from_str(layout)
    backend.encode_special_tokens = True

    def describe() -> dict[str, Any]:
        return {
            "json": backend.to_str(),
            "vocabulary": backend.get_vocab(with_added_tokens=True),
            "added": [(index, token.special) for index, token in backend.get_added_tokens_decoder().items()],
            **{
                name: getattr(backend, name) is not None
                for name in ("decoder", "normalizer", "pre_tokenizer")
            },
        }

    def encode(texts: list[str]) -> list[Any]:
        for text in texts:
            growth.check(text, lambda text: backend.normalizer.normalize_str(text))
        rows = backend.encode_batch(texts, add_special_tokens=False)
        return [(row.ids, row.offsets) for row in rows]

    answers: dict[str, Callable[..., Any]] = {
        "describe": describe,
        "encode": encode,
        "decode": lambda tokens: backend.decoder.decode(tokens),
        "normalize": lambda text: backend.normalizer.normalize_str(text),
        "pre_tokenize": lambda text: backend.pre_tokenizer.pre_tokenize_str(text),
    }
    return lambda name, *question: answers[name](*question)


METASPACE = "▁"
BPE_SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")

_LETTER = r"[\p{L}\p{M}]"
_CLITIC = rf"'(?:s|t|m|d|re|ve|ll|S|T|M|D|RE|VE|LL)(?!{_LETTER})"
# One alternative per line: the one French word with an apostrophe inside; a word, with its apostrophe if more
# letters follow (l' | homme, qu' | il); an English ending ('s, 't, 'll); one digit; one sign; a lone space.
BPE_PIECES = "|".join(
    (
        rf"▁?[Aa]ujourd'hui(?!{_LETTER})",
        rf"▁?{_LETTER}+(?:(?!{_CLITIC})'(?={_LETTER}))?",
        rf"(?<={_LETTER}){_CLITIC}",
        r"▁?\p{N}",
        r"▁?[^▁\p{L}\p{M}\p{N}]",
        r"▁",
    )
)
_INVISIBLE, _SPACES, _ENDS, _CHARACTER = r"[\u00ad\u200b\ufeff]", r"[\s\p{Z}]+", r"\A | \z", r"[\s\S]"
OWN_NEVER_EMPTY = (BPE_PIECES, _INVISIBLE, _SPACES, _CHARACTER)  # each matches at least one character
END_OF_TEXT = r"\z"
OWN_PATTERNS = (*OWN_NEVER_EMPTY, _ENDS, END_OF_TEXT)
# No letter of English or French is ever unknown, however small the training text.
BASE_ALPHABET = [
    *map(chr, range(0x21, 0x7F)),
    *"ÀÂÆÇÉÈÊËÎÏÔŒÙÛÜŸàâæçéèêëîïôœùûüÿ«»–—…€°",
    METASPACE,
]


def text_normalizer(lowercase: bool = False) -> normalizers.Normalizer:
    """One spelling for texts that look the same: NFC, ’ → ', every kind of space → one space, none at the ends."""
    steps = [
        normalizers.Replace(Regex(_INVISIBLE), ""),
        normalizers.NFC(),
        normalizers.Replace("’", "'"),
        normalizers.Replace(METASPACE, "_"),  # decoding would turn it into a space
        normalizers.Replace(Regex(_SPACES), " "),
        normalizers.Replace(Regex(_ENDS), ""),
    ]
    if lowercase:
        steps += [normalizers.Lowercase(), normalizers.NFC()]
    return normalizers.Sequence(steps)


def bpe_backend(
    texts: Iterable[str], vocab_size: int, min_frequency: int, lowercase: bool, alphabet: int
) -> tokenizers.Tokenizer:
    """Byte-pair encoding (Sennrich et al. 2016) with ids 0-3 for the specials. Raises InputError if too small."""
    least = len(BPE_SPECIALS) + len(BASE_ALPHABET)
    if vocab_size < least:
        raise InputError(
            f"a BPE vocabulary needs at least {least} entries for its characters; {vocab_size} given."
        )
    backend = tokenizers.Tokenizer(models.BPE(unk_token="<unk>"))
    backend.normalizer = text_normalizer(lowercase)
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(replacement=METASPACE, prepend_scheme="always", split=False),
            pre_tokenizers.Split(Regex(BPE_PIECES), "isolated"),
        ]
    )
    backend.decoder = decoders.Metaspace(replacement=METASPACE, prepend_scheme="always", split=False)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=list(BPE_SPECIALS),
        initial_alphabet=BASE_ALPHABET,
        limit_alphabet=max(alphabet, len(BASE_ALPHABET)),
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    return _without_added_tokens(backend)


def _without_added_tokens(backend: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """The same vocabulary without added tokens, the only ones that the library looks for in a typed text: "<s>" stays text."""
    layout = json.loads(backend.to_str())
    layout["added_tokens"] = []
    return tokenizers.Tokenizer.from_str(json.dumps(layout))


def list_backend(
    tokens: Sequence[str], split: str, pattern: str | None, unk: str | None, lowercase: bool
) -> tuple[Pipeline, Family]:
    """A fixed list of tokens; the id is the index in the list. Raises InputError naming what is wrong."""
    if not tokens or not all(isinstance(token, str) for token in tokens):
        raise InputError.tr("a vocabulary is a list of at least one token, each of them text.")
    vocabulary = {token: index for index, token in enumerate(tokens)}
    if len(vocabulary) < len(tokens):
        twice = next(token for index, token in enumerate(tokens) if vocabulary[token] != index)
        raise InputError.tr(
            "the vocabulary lists {token!r} more than once; remove one, because a token has one id.",
            token=twice,
        )
    backend = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token=unk if unk is not None else ""))
    steps: list[normalizers.Normalizer] = [normalizers.NFC()]
    if lowercase:
        steps.append(normalizers.Lowercase())
    backend.normalizer = normalizers.Sequence(steps)
    if split == "chars":
        backend.pre_tokenizer = pre_tokenizers.Split(Regex(_CHARACTER), "isolated")
        backend.decoder = decoders.Fuse()
        return backend, "chars"
    if split == "whitespace":
        backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        return backend, "words"
    if split != "regex":
        raise InputError(f"split is {split!r}; choose 'chars', 'whitespace' or 'regex'.")
    if not pattern:
        raise InputError.tr(
            "split='regex' needs a pattern that matches one token, such as {example}.",
            example=r"r'\w+|[^\w\s]'",
        )
    return _split_by(pattern, json.loads(backend.to_str()))


def _split_by(pattern: str, layout: dict[str, Any]) -> tuple[Pipeline, Family]:
    """The pipeline whose tokens are the matches of `pattern`, in a child process: a pattern may take any time."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
    try:
        words = GuardedPipeline(json.dumps({**layout, "pre_tokenizer": split}))
        steps = words.pre_tokenizer
        if steps is None or not steps.pre_tokenize_str(" "):
            return words, "words"
        # Spaces match too, so a text is the concatenation of its tokens.
        return GuardedPipeline(
            json.dumps({**layout, "pre_tokenizer": split, "decoder": {"type": "Fuse"}})
        ), "plain"
    except ChildError as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError.tr(
            "the pattern {pattern!r} is not a regular expression: {reason}.",
            pattern=pattern[:200],
            reason=reason,
        ) from None


_CHARACTERS = pre_tokenizers.Split(Regex(r"\X"), "isolated")


def as_seen(text: str, spans: Iterable[tuple[int, int]]) -> list[str]:
    """The visible characters of `text` at `spans`: widened to whole characters, an accent with its letter.

    Extended grapheme clusters of Unicode Standard Annex 29. Blanks at the ends are stripped unless there is nothing
    else.
    """
    wanted = sorted(spans)
    if not wanted:
        return []
    starts, ends = zip(*(span for _, span in _CHARACTERS.pre_tokenize_str(text)), strict=True)
    visible = []
    for start, end in wanted:
        first = bisect.bisect_right(starts, start) - 1
        last = bisect.bisect_left(ends, max(end, start + 1))
        characters = text[starts[first] : ends[last]]
        visible.append(characters.strip() or characters)
    return visible


Span = tuple[int, int]


class Gaps:
    """Finds the parts of a text that one pipeline's vocabulary cannot spell."""

    def __init__(self, backend: Pipeline) -> None:
        self._backend = backend

    @cached_property
    def _model(self) -> dict[str, Any]:
        """The model's kind and options, without its vocabulary."""
        if isinstance(self._backend, GuardedPipeline):
            return dict(json.loads(self._backend.to_str())["model"])
        model: Any = self._backend.model
        names = (
            "unk_token",
            "byte_fallback",
            "continuing_subword_prefix",
            "end_of_word_suffix",
            "max_input_chars_per_word",
            "ignore_merges",
        )
        return {"type": type(model).__name__, **{name: getattr(model, name, None) for name in names}}

    @cached_property
    def drops(self) -> bool:
        """Whether letters that the vocabulary lacks are silently dropped."""
        model = self._model
        if model["type"] != "BPE" or self._knows(model.get("unk_token") or ""):
            return False
        bytes_ = [f"<0x{number:02X}>" for number in range(256)] if model.get("byte_fallback") else None
        return not all(map(self._knows, bytes_ or pre_tokenizers.ByteLevel.alphabet()))

    def _knows(self, token: str) -> bool:
        return self._backend.token_to_id(token) is not None

    def spans(self, pieces: Sequence[tuple[str, Span]]) -> list[Span]:
        """The spans of a text, given as pre-tokenized `pieces`, that no token spells."""
        find = {"BPE": self._letters, "WordPiece": self._word, "Unigram": self._characters}.get(
            self._model["type"], self._entry
        )
        return [_within(piece, span, gap) for piece, span in pieces for gap in find(piece)]

    def _entry(self, piece: str) -> Iterator[Span]:
        if not self._knows(piece):
            yield 0, len(piece)

    def _letters(self, piece: str) -> Iterator[Span]:
        if self._model.get("ignore_merges") and self._knows(piece):
            return
        before = self._model.get("continuing_subword_prefix") or ""
        after = self._model.get("end_of_word_suffix") or ""
        for index, letter in enumerate(piece):
            form = f"{before if index else ''}{letter}{after if index == len(piece) - 1 else ''}"
            if not self._knows(form) and not self._has_bytes(letter):
                yield index, index + 1

    def _has_bytes(self, letter: str) -> bool:
        if not self._model.get("byte_fallback"):
            return False
        return all(self._knows(f"<0x{number:02X}>") for number in letter.encode())

    def _word(self, piece: str) -> Iterator[Span]:
        """WordPiece takes the longest token that fits, repeatedly; where none fits, the whole word is unknown."""
        before = self._model.get("continuing_subword_prefix") or ""
        start, longest = 0, self._model.get("max_input_chars_per_word") or len(piece)
        while start < len(piece) <= longest:
            head = before if start else ""
            end = next((n for n in range(len(piece), start, -1) if self._knows(head + piece[start:n])), None)
            if end is None:
                break
            start = end
        if start < len(piece):
            yield 0, len(piece)

    def _characters(self, piece: str) -> Iterator[Span]:
        lacking = [
            n for n, letter in enumerate(piece) if not self._knows(letter) and not self._has_bytes(letter)
        ]
        yield from ((n, n + 1) for n in lacking)


def _within(piece: str, span: Span, gap: Span) -> Span:
    """`gap` of a piece as a span of the text, where the piece is at `span`; the whole span where the piece is respelled."""
    start, end = span
    more = len(piece) - (end - start)  # a sign for the space that is put before a first word
    if more not in (0, 1) or gap[1] <= more:
        return span
    return start + max(0, gap[0] - more), start + gap[1] - more


@contextmanager
def rust_panic_as(kind: type[AtlasError], sentence: str) -> Iterator[None]:
    """Raise `kind(tr(sentence))` for a panic of the library's Rust core, which is no Exception and would pass every handler.

    A pattern such as (a+)+$ panics when its engine has tried a bounded number of ways to match (a damaged table
    of characters panics too); the library writes the panic itself to stderr.
    """
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise kind(tr(sentence)) from None
