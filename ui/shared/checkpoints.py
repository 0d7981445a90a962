"""The checkpoint picker's folders, read without torch: the list, the one that a link names, and what each contains."""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from core.analysis.familiarity import card_features, example_features
from core.checkpoints.files import checkpoint_folders, folder_name
from core.checkpoints.summary import CheckpointSummary, read_summary
from core.decoding.inputs import text_of
from core.errors import AtlasError, CheckpointError, InputError
from core.language import language, numeral, tr
from core.model.config import ModelConfig
from core.tokenizer import Tokenizer
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cache
from ui.style import screen_text

_log = logging.getLogger(__name__)
LONGEST_NAME: Final = 100
MOST_EXAMPLES: Final = 20
"""Example sentences of a card that are shown at most."""
_LONGEST_EXAMPLE: Final = 2000


@dataclass(frozen=True)
class Entry:
    """A checkpoint folder in the list. `problem` is a sentence if it cannot be used; `summary` is then None.

    `stamp` changes whenever a file of the folder changes; it is part of every cache key.
    """

    name: str
    path: Path
    stamp: str
    summary: CheckpointSummary | None = None
    problem: str = ""

    @property
    def usable(self) -> CheckpointSummary:
        """The summary. Raises `AtlasError` with `problem` when there is none."""
        if self.summary is None:
            raise AtlasError(self.problem)
        return self.summary

    @property
    def card(self) -> Mapping[str, Any]:
        """What the card says: untrusted. Empty where the folder cannot be used."""
        return self.summary.card if self.summary else {}

    @property
    def config(self) -> ModelConfig:
        """The model's configuration. Raises `AtlasError` when the folder cannot be used."""
        return self.usable.config

    @property
    def tokenizers(self) -> tuple[Tokenizer, Tokenizer]:
        """Source and target tokenizer. Raises `AtlasError` when one is missing or does not fit."""
        return cache.TOKENIZERS.get(self.stamp, self.usable.read_tokenizers)

    @property
    def size_line(self) -> str:
        """Layers, heads and parameters in one line: `4+4 layers · 8 heads · 11 M`."""
        if self.summary is None:
            return tr("cannot be opened")
        config = self.summary.config
        return tr(
            "{encoder}+{decoder} layers · {heads} heads · {parameters}",
            encoder=config.encoder_layers,
            decoder=config.decoder_layers,
            heads="+".join(map(str, config.layer_heads)),
            parameters=in_words(self.summary.parameters).replace(" ", "\N{NO-BREAK SPACE}"),
        )

    @property
    def languages(self) -> str:
        """`en → fr` where the card says so."""
        pair = (self.card.get("source_language"), self.card.get("target_language"))
        names = [screen_text.plain(name, 40) for name in pair]
        return " → ".join(names) if all(names) else ""

    @cached_property
    def stated_examples(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """Example sentences of the card, as far as it gives any, and what it says of each."""
        listed = self.card.get("examples")
        rows = [
            row if isinstance(row, dict) else {"source": row}
            for row in (listed if isinstance(listed, list) else [])[:MOST_EXAMPLES]
        ]
        sentences = [screen_text.plain(row.get("source"), _LONGEST_EXAMPLE) for row in rows]
        return tuple((text, row) for text, row in zip(sentences, rows, strict=True) if text)

    @property
    def examples(self) -> tuple[str, ...]:
        """The example sentences alone."""
        return tuple(text for text, _ in self.stated_examples)

    @cached_property
    def probes(self) -> tuple[str, ...]:
        """The sentences that the card's heads were chosen on, where it names any of its own."""
        listed = self.card.get("probe_sentences")
        return tuple(
            text.strip() for text in (listed if isinstance(listed, list) else ()) if isinstance(text, str)
        )

    @cached_property
    def featured_examples(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each example and its features (core/analysis/familiarity.py); those whose greedy translation differs come last.

        Features come from the card, else from the texts.
        """
        language = screen_text.plain(self.card.get("source_language"), 40)

        def features(text: str, row: Mapping[str, Any]) -> tuple[str, ...]:
            stated = card_features(row)
            written = screen_text.plain(row.get("translation"), _LONGEST_EXAMPLE)
            return example_features(text, written, language) if stated is None else stated

        def apart(stated: tuple[str, Mapping[str, Any]]) -> bool:
            _, row = stated
            return bool(row.get("greedy", row.get("translation")) != row.get("translation"))

        return tuple((text, features(text, row)) for text, row in sorted(self.stated_examples, key=apart))


def in_words(number: int) -> str:
    """A parameter count as people say it: 1.23 B, 11.5 M, 254 k. What three digits round up to 1,000 k is 1 M."""
    if number >= 999_500_000:
        billions = number / 1e9
        return f"{numeral(billions, '.3g')} B" if billions < 999.5 else f"{numeral(billions, ',.0f')} B"
    if number >= 999_500:
        return f"{numeral(number / 1e6, '.3g')} M"
    return f"{numeral(number / 1e3, '.0f')} k" if number >= 1000 else str(number)


def read_entry(path: Path, stamp: str) -> Entry:
    """The entry of a folder with this stamp. Never raises for what a folder may hold: `problem` says what is wrong."""
    name = screen_text.plain(folder_name(path), LONGEST_NAME)
    try:
        summary = read_summary(path)
        # Read now, so that a broken one is reported here.
        cache.TOKENIZERS.get(stamp, summary.read_tokenizers)
    except AtlasError as error:
        return Entry(name, path, stamp, problem=screen_text.sentence(error, path))
    except Exception as error:  # whatever a damaged folder makes a library raise is said of this folder alone
        _log.warning("checkpoint %r cannot be read", str(path), exc_info=error)
        problem = f"{name} cannot be read ({type(error).__name__}); copy the checkpoint's folder again."
        return Entry(name, path, stamp, problem=problem)
    return Entry(name, path, stamp, summary)


def unreadable(root: str, reason: Exception) -> Entry:
    """What stands in the list for a folder of checkpoints that cannot be looked into."""
    name = screen_text.plain(Path(root).name, LONGEST_NAME) or "folder"
    why = getattr(reason, "strerror", None) or type(reason).__name__
    problem = f"The folder of checkpoints {name} cannot be read ({why}); the operator has to look at its name and rights."
    return Entry(name, Path(root), f"unreadable:{root}", problem=problem)


def folder_stamp(path: Path) -> str:
    """Changes when a file of the folder is replaced: names, sizes and times, without reading them."""
    facts = []
    try:
        with os.scandir(path) as files:  # every run of every visitor asks: half of what Path takes
            for file in sorted(files, key=lambda each: each.name):
                stat = file.stat()
                facts.append(f"{file.name}:{stat.st_size}:{stat.st_mtime_ns}")
    except OSError:
        pass
    return "|".join((str(path), *facts))


ENGLISH: Final = "A man in a red shirt is riding a bike."
SENTENCES: Final = {
    "en": ENGLISH,
    "de": "Ein Mann in einem roten Hemd fährt Fahrrad.",
    "fr": "Un homme en chemise rouge fait du vélo.",
    "es": "Un hombre con camisa roja monta en bicicleta.",
    "it": "Un uomo con una camicia rossa va in bicicletta.",
    "pt": "Um homem de camisa vermelha anda de bicicleta.",
    "nl": "Een man in een rood shirt rijdt op een fiets.",
    "sv": "En man i röd skjorta cyklar.",
    "pl": "Mężczyzna w czerwonej koszuli jedzie na rowerze.",
    "tr": "Kırmızı gömlekli bir adam bisiklet sürüyor.",
    "ru": "Мужчина в красной рубашке едет на велосипеде.",
    "ar": "رجل يرتدي قميصًا أحمر يركب دراجة.",
    "he": "איש בחולצה אדומה רוכב על אופניים.",
    "hi": "लाल कमीज़ पहने एक आदमी साइकिल चला रहा है।",
    "zh": "一个穿红衬衫的男人在骑自行车。",
    "ja": "赤いシャツを着た男性が自転車に乗っています。",
}
"""The same sentence in languages that models are often trained on, by ISO 639-1 code."""

_MUCH_BETTER: Final = 0.8
"""Of the English sentence's tokens: a vocabulary of two languages cuts both about alike."""
_CLEARLY: Final = 0.2
"""By how much fewer tokens must be unknown: letters are shared by many languages."""
_UNKNOWN: Final = 0.5
"""The share of tokens that may be unknown: where less of a sentence is read, English is as good."""

_MADE_UP: Final = 40  # tokens at most of a text that is made up


def first_sentence(tokenizer: Tokenizer, language: str = "") -> str:
    """The sentence in `language` (`de`, `de_DE`), else the one that a source tokenizer knows best.

    That is the one with the smallest share of unknown tokens, of these the one with the fewest tokens; English unless
    another is clearly better, and half of it known. A vocabulary without an unknown token that cannot spell it gives a
    text of its own tokens.
    """
    text = _in_words(tokenizer, language)
    if tokenizer.unk_id is None:
        try:
            tokenizer.encode(text)
        except InputError:
            with contextlib.suppress(CheckpointError):
                return text_of(tokenizer, _MADE_UP)
    return text


def _in_words(tokenizer: Tokenizer, language: str) -> str:
    """The example sentence in the best-fitting language, whether or not the tokenizer knows all its words."""
    code = re.split(r"[_-]", language.strip().lower(), maxsplit=1)[0]
    if code in SENTENCES:
        return SENTENCES[code]
    strangeness = {text: _strangeness(tokenizer, text) for text in SENTENCES.values()}
    best = min(strangeness, key=lambda text: strangeness[text])
    (unknown, tokens), (least, fewest) = strangeness[ENGLISH], strangeness[best]
    better = unknown > least + _CLEARLY or (not least and fewest < _MUCH_BETTER * tokens)
    return best if better and least <= _UNKNOWN else ENGLISH


def _strangeness(tokenizer: Tokenizer, text: str) -> tuple[float, int]:
    """The share of a text's tokens that are unknown, in tenths, and how many tokens it becomes."""
    try:
        around, ids = tokenizer.encode(""), tokenizer.read(text).ids
    except AtlasError:
        return 1.0, len(text)
    inner = [token for token in ids if token not in around]
    unknown = sum(token == tokenizer.unk_id for token in inner)
    return round(unknown / len(inner) if inner else 1.0, 1), len(inner)


FOLDER: Final = Path(__file__).parents[2] / "checkpoints"
TUTORIALS: Final = "tutorials"
"""The folder beside the checkpoints that holds the tutorials' small models; they stand last in every list."""
TWINS: Final = "twins"
"""The folder with the small models that differ from another in one choice; they stand before the tutorials'."""
EXTRA: Final = "ATLAS_CHECKPOINTS"
"""Environment variable naming a folder with further checkpoint folders, the hub's cache or one model's folder (or several, as in PATH)."""


def entries() -> tuple[Entry, ...]:
    """Every checkpoint folder, usable ones first; the server's are looked through once a run, this session's each time."""
    listed: tuple[Entry, ...] = state.once_a_run("checkpoint folders", lambda: _ordered(_of_server()))
    own = [replace(_read(path), name=name) for name, path in state.imported()]
    return _ordered([*listed, *own]) if own else listed


def _ordered(listed: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(listed, key=lambda entry: (bool(entry.problem), _rank(entry), entry.name)))


def _of_server() -> list[Entry]:
    listed: list[Entry] = []
    for root in _roots():
        try:
            listed += [
                _read(path)
                for path in checkpoint_folders(Path(root).expanduser())
                if path not in (FOLDER / TUTORIALS, FOLDER / TWINS)
            ]
        except (OSError, RuntimeError, ValueError) as error:
            listed.append(unreadable(root, error))
    return listed


def _read(path: Path) -> Entry:
    """The entry of a folder, read again when one of its files changes."""
    stamp = folder_stamp(path)
    entry: Entry = cache.ENTRIES.get(stamp, lambda: read_entry(path, stamp))
    return entry


def _rank(entry: Entry) -> int:
    """Where an entry stands in the list: the first model to show, all others, the twins, the tutorials'."""
    if is_tutorial(entry):
        return 3
    return 2 if entry.path.parent == FOLDER / TWINS else int(entry.name != "en-fr")


def is_tutorial(entry: Entry) -> bool:
    """Whether this is one of the small models that the Tutorials page is about."""
    return entry.path.parent == FOLDER / TUTORIALS


def _roots() -> Iterable[str]:
    yield str(FOLDER)
    yield str(FOLDER / TWINS)
    yield str(FOLDER / TUTORIALS)
    yield from (folder for folder in os.environ.get(EXTRA, "").split(os.pathsep) if folder.strip())


def find(name: str) -> tuple[Entry, str]:
    """The entry called `name`, or the first usable one and a sentence saying so.

    Raises `CheckpointError` when there is none to show.
    """
    listed = entries()
    chosen = next((entry for entry in listed if entry.name == name), None)
    if chosen and not chosen.problem:
        return chosen, ""
    usable = next((entry for entry in listed if not entry.problem), None)
    if usable is None:
        reason = (
            listed[0].problem
            if listed
            else tr("{folder} holds no checkpoint; train one or copy one there.", folder=FOLDER)
        )
        raise CheckpointError(reason)
    if chosen:
        wrong = tr("{name}: {words}", name=chosen.name, words=chosen.problem)
        return usable, f"{wrong} {tr('{name} is shown instead.', name=usable.name)}"
    missing = tr(
        "There is no checkpoint called {name}; {other} is shown instead.", name=name, other=usable.name
    )
    return usable, missing if name else ""


def language_in_words(code: object) -> str:
    """A language of a card by its name in the language in use; empty for a code that names none."""
    from babel import Locale, UnknownLocaleError

    try:
        return str(Locale.parse(code).get_display_name(language()) or "") if isinstance(code, str) else ""
    except (ValueError, UnknownLocaleError):
        return ""


FROM_NOTHING: Final = "dates"
"""The checkpoint whose record begins with random weights; Watch it learn replays it where none was chosen."""


def replayed(selection: Selection) -> str:
    """The checkpoint that Watch it learn is about: the one chosen, else `FROM_NOTHING` where it is listed and no lesson is open."""
    if selection.checkpoint or selection.lesson:
        return selection.checkpoint
    return FROM_NOTHING if FROM_NOTHING in {entry.name for entry in entries()} else ""


def partner(name: str, others: Sequence[Entry]) -> tuple[Entry, str]:
    """Of `others`, usable and not empty, the one called `name`, or the first and why it is not that one."""
    chosen = next((entry for entry in others if entry.name == name), None)
    if chosen or not name:
        return chosen or others[0], ""
    listed = next((entry for entry in entries() if entry.name == name), None)
    if listed is None:
        reason = tr("There is no checkpoint called {name};", name=name)
    elif listed.problem:
        reason = listed.problem
    else:
        reason = tr("{name} is the checkpoint in use;", name=name)
    return others[0], f"{reason} {tr('{name} is compared.', name=others[0].name)}"
