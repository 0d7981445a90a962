"""A `tokenizers` pipeline that runs in a child process, for untrusted patterns.

A pattern such as \\w+\\w+\\d takes time cubic in the length of the text, and its run time cannot be predicted from
the pattern. The child is ended when it exceeds its time; the text is refused in one sentence, and the rest of the
server never waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import tokenizers

from core.child import Child, ChildStoppedError
from core.errors import InputError

SECONDS: Final = 5.0
"""Time limit for one text; for a batch it grows with the number of texts."""
ENDLESS: Final = "this text cannot be split in bounded time by the tokenizer's own pattern; give a shorter text or a simpler pattern."


class Cut(NamedTuple):
    """The fields of `tokenizers.Encoding` that are used."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class GuardedPipeline:
    """The methods of `tokenizers.Tokenizer` that this project uses, with every text sent to a child process.

    Raises ChildError if the pipeline cannot be made, InputError (ENDLESS) for a text that takes too long. Nothing here
    changes after construction.
    """

    def __init__(self, layout: str) -> None:
        """`layout`: the pipeline as JSON."""
        self._child = Child("core.tokenizer.guarded:pipeline_in_child", layout)
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
            raise InputError(ENDLESS) from None

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


def pipeline_in_child(layout: str) -> Callable[..., Any]:
    """Answers the questions of `GuardedPipeline`; runs in the child."""
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
