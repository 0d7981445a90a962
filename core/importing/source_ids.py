"""Whether texts have the ids that the original's own tokenizer gives them, and what that tokenizer puts around a text.

The original's tokenizer is an object in memory, or what `transformers` makes of a folder. The second runs in a
limited child process, since the folder's files are untrusted.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.child import Child
from core.errors import AtlasError
from core.importing.tokenizer_files import Around
from core.verify.report import SOURCE_IDS

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

SECONDS: Final = 60.0
MEGABYTES: Final = 4096
_COUNT: Final = 10
# Spelled alike before and after NFKC, and with single spaces: what the libraries do with others is not the vocabulary's.
_TEXTS: Final = (
    "A man rides a bike.",
    "Where is the station? It is 3 o'clock.",
    "Don't stop: it's 5 % off!",
    "ALL CAPITALS and MixedCase words",
    "Où est l'hôtel ? Über naïve cafés.",
    "你好，世界。我们喜欢公园。",
    "Привет, мир! 1,234.56 €",
)
_SIGNS: Final = re.compile(r"<[^>]*>|\[[A-Z]+\]|__\w+__")


@dataclass(frozen=True)
class SameIds:
    """Texts compared with the original's tokenizer, and those that it reads otherwise."""

    compared: int
    different: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether every text has the same ids."""
        return not self.different

    @property
    def warning(self) -> str | None:
        """One sentence that names a text with other ids; None where there is none."""
        if self.same:
            return None
        return (
            f"{len(self.different)} of {self.compared} texts have other ids here than the original's own tokenizer gives "
            f"them, such as {self.different[0][:60]!r}: the maps of such a text belong to another sentence than the original reads."
        )

    @property
    def card(self) -> dict[str, Any]:
        """The entry of a checkpoint's card, from which the trust report makes a check."""
        return {SOURCE_IDS: {"compared": self.compared, "different": [text[:200] for text in self.different]}}

    def warn(self) -> None:
        """Say a difference as a Python warning."""
        if self.warning is not None:
            warnings.warn(self.warning[0].upper() + self.warning[1:], stacklevel=3)


Speaker = Callable[[Sequence[str]], Sequence[Sequence[int]]]
"""Texts → the ids that the original's tokenizer gives each."""


def compare_ids(checkpoint: Bundle, speaker: Speaker) -> SameIds | None:
    """Compare ten texts with `speaker`; None where it cannot read them, or nothing can be compared."""
    texts = _texts(checkpoint)
    ours: dict[str, list[int]] = {}
    for text in texts:
        try:
            ours[text] = checkpoint.source_tokenizer.encode(text)
        except AtlasError:
            continue  # a letter that this vocabulary lacks, which the other tokenizer may drop without a word
    try:
        theirs = [list(row) for row in speaker(list(ours))]
    except Exception:  # of a library, on untrusted files; then nothing was compared
        return None
    pairs = list(zip(ours, theirs, strict=False))
    return SameIds(len(pairs), tuple(text for text, ids in pairs if ids != ours[text])) if pairs else None


def _texts(checkpoint: Bundle) -> list[str]:
    """Sentences, then texts of the vocabulary's own tokens from several places of it; ten where so many can be made."""
    tokenizer = checkpoint.source_tokenizer
    size, texts = tokenizer.vocab_size, list(_TEXTS)
    for start in (size // 2, size // 4, 3 * size // 4, size // 8, 7 * size // 8):
        # Without what looks like a special token: typed, it is one there and text here.
        decoded = tokenizer.decode([(start + 7 * step) % size for step in range(8)])
        text = " ".join(_SIGNS.sub(" ", decoded).split())[:200]
        if text and text.isprintable() and "\N{REPLACEMENT CHARACTER}" not in text and text not in texts:
            texts.append(text)
    return texts[:_COUNT]


def in_memory(tokenizer: Any) -> Speaker | None:
    """The ids that a tokenizer of Hugging Face gives; None for another object."""
    if not callable(tokenizer) or not hasattr(tokenizer, "save_pretrained"):
        return None
    return lambda texts: [list(tokenizer(text).input_ids) for text in texts]


def around_in_memory(tokenizer: Any) -> Around | None:
    """What a tokenizer of Hugging Face puts around a text now; None where it cannot be asked."""
    try:
        for text in ("a", "1", "."):
            inner = list(tokenizer(text, add_special_tokens=False).input_ids)
            ids = list(tokenizer(text).input_ids)
            if not inner:
                continue
            at = next((n for n in range(len(ids)) if ids[n : n + len(inner)] == inner), None)
            if at is not None:
                reason = f"the {type(tokenizer).__name__} in memory puts them there"
                return Around(tuple(ids[:at]), tuple(ids[at + len(inner) :]), reason)
    except Exception:  # untrusted code
        return None
    return None


def is_installed() -> bool:
    """Whether `transformers` is there to compare with."""
    return importlib.util.find_spec("transformers") is not None


def of_folder(files: Mapping[str, Path], trusted: bool = False) -> Speaker | None:
    """The ids that `transformers` gives by the tokenizer of a folder; None where it is not installed, or no folder has one.

    `trusted`: the folder is the user's own, so a library that is imported already runs in this process.
    """
    folders = {path.parent for name, path in files.items() if name in _TOKENIZER_FILES}
    if len(folders) != 1 or not is_installed():
        return None
    folder = str(next(iter(folders)))
    if trusted and "transformers" in sys.modules:
        return lambda texts: speaking(folder)(list(texts))
    child = Child("core.importing.source_ids:speaking", folder, MEGABYTES)

    def speak(texts: Sequence[str]) -> Sequence[Sequence[int]]:
        try:
            rows: list[list[int]] = child.ask(list(texts), seconds=SECONDS)
            return rows
        finally:
            child.close()

    return speak


_TOKENIZER_FILES: Final = (
    "tokenizer.json",
    "tokenizer_config.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "source.spm",
    "vocab.json",
    "vocab.txt",
)


def speaking(folder: str) -> Callable[[list[str]], list[list[int]]]:
    """The tokenizer of `folder` as `transformers` opens it; runs in the child."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    return lambda texts: [list(tokenizer(text).input_ids) for text in texts]
