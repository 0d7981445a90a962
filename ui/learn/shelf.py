"""All lessons, the project's and those of ATLAS_LESSONS, by language, with the words around them; and the measures of a step.

They are reloaded when a file changes. A step's numbers are measured on its own view, whatever the reader looks at.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

from core.analysis.norms import RECORD
from core.errors import AtlasError, InputError
from core.experiments.edits import UNEDITED, Edits
from core.files import parse_toml
from core.language import language, languages, message, tr
from core.learning.lesson import MOST_BYTES, TOUR, Lesson, Step, Value, Vocabulary, filled, read_lesson
from core.learning.measures import Carried, MeasureNames, Scene, measure, written
from core.learning.scene_code import CODE
from ui.app.navigation import PAGES
from ui.session import state
from ui.session.selection import MEAN, Selection
from ui.shared import cache, cards, checkpoints, context, contrasts, maps, what_if
from ui.shared.context import CheckpointView
from ui.shared.decode import Decode, with_pin
from ui.style import screen_text

# -- the words around lessons ---------------------------------------------------------------------------------

LONGEST: Final = 200


@dataclass(frozen=True)
class Words:
    """What is written on the panel and the shelf; a `words.toml` that leaves one out has it in English. `{n}` and the like
    are filled in by `fill`.
    """

    name: str = "English"
    decimal: str = "."
    lesson: str = message("Lesson")
    step_of: str = message("Step {n} of {count}")
    further: str = message("optional")
    further_of: str = message("Optional: {n} of {count}")
    next: str = message("Next")
    back: str = message("Back")
    done: str = message("All lessons")
    close: str = message("Close the lesson")
    fold: str = message("Fold the text")
    unfold: str = message("Show the text")
    again: str = message("Show the view of this step again")
    predict: str = message("Choose an answer to see the result")
    yours: str = message("your answer")
    model: str = message("This model gives {value}.")
    measured: str = message("Measured here: {value}.")
    right: str = message("That was your answer.")
    wrong: str = message("You answered otherwise.")
    neither: str = message("None of the answers holds for this model.")
    waiting: str = message("The model is loading …")
    computed: str = message("Computed just now, by the model in use")
    keys: str = message("Keys: N next, P back, 1 to 5 answer")
    minutes: str = message("{n} minutes")
    steps: str = message("{n} steps")
    begin: str = message("Begin")
    code: str = message("Code")
    show_code: str = message("Show the code of this picture")
    hide_code: str = message("Show the text of this step")
    covered: str = message("Choose an answer first; then each line shows its numbers")
    press: str = message("Press a line to see what it computes")
    links: str = message("Links")
    title: str = message("Lessons")
    about: str = message(
        "Each step shows one picture, computed by the model as you read: you predict, then see"
    )
    handout: str = message("One link per step, to copy and hand out.")
    tour: str = message("New here? Take the three-step tour.")
    offer: str = message("New here? Take the three-step tour.")
    take: str = message("Start the tour")
    no: str = message("No, thanks")
    own: str = message("Files that could not be read")


def in_use() -> Words:
    """The words in the language in use, from the catalogue of the app."""
    from babel.numbers import get_decimal_symbol

    own = {"name": languages()[language()], "decimal": get_decimal_symbol(language())}
    kept = {each.name: tr(str(each.default)) for each in dataclasses.fields(Words) if each.name not in own}
    return Words(**kept, **own)


_PLACEHOLDER: Final = re.compile(r"\{(\w*)\}")


def fill(words: str, **values: object) -> str:
    """Fill placeholders: `fill("Step {n}", n=3)`; one without a value stays as it is."""
    return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), words)


def read_words(table: Mapping[str, Any], file: str) -> Words:
    """The texts of a language. Raises `InputError`, one sentence that names the file, the key and what is allowed."""
    known = {field.name: str(field.default) for field in dataclasses.fields(Words)}
    for key, value in table.items():
        if key not in known:
            raise InputError(f"{file}: the key {key[:60]!r} was found; allowed: {', '.join(known)}.")
        longest = max(LONGEST, 2 * len(known[key]))
        if not isinstance(value, str) or not 1 <= len(value) <= longest or any(sign < " " for sign in value):
            raise InputError(
                f"{file}: {key} = {str(value)[:40]!r} was found; allowed: a line of 1 to {longest} characters."
            )
        if set(_PLACEHOLDER.findall(value)) != set(_PLACEHOLDER.findall(known[key])):
            raise InputError(
                f"{file}: {key} = {value[:60]!r} was found; allowed: the fields of {known[key]!r}."
            )
    return Words(**table)


# -- the shelf ------------------------------------------------------------------------------------------------

_log = logging.getLogger(__name__)
FOLDER: Final = Path(__file__).parents[2] / "lessons"
EXTRA: Final = "ATLAS_LESSONS"
"""Environment variable naming a folder of further lessons (or several, as in PATH), with a folder a language."""
MOST_LANGUAGES: Final = 30
MOST_FILES: Final = 60
# Parameters that belong to the reader, not to a step.
_OWN: Final = ("lesson", "answers", "handout", "solutions", "language", "presenter")
_LANGUAGE: Final = r"[a-z]{2,3}(-[a-z0-9]{2,8})?"


@dataclass(frozen=True)
class Shelf:
    """All lessons. `lessons` by language and name, `words` those of languages that brought their own, `problems` one sentence each."""

    lessons: Mapping[str, Mapping[str, Lesson]]
    words: Mapping[str, Words]
    problems: tuple[str, ...]

    @property
    def languages(self) -> dict[str, str]:
        """The languages that have a lesson, with their own names."""
        own = {code: words.name for code, words in self.words.items()}
        return {code: own.get(code) or languages().get(code) or code for code in self.lessons}

    def words_in(self, language: str) -> Words:
        """The panel's words in a language: those beside its lessons, else those of the app in the language in use."""
        return self.words.get(language) or in_use()

    def find(self, name: str, language: str) -> Lesson | None:
        """A lesson in this language, else in English, else in any; None if there is no lesson of this name."""
        for code in (language, "en", *self.lessons):
            if lesson := self.lessons.get(code, {}).get(name):
                return lesson
        return None

    def listed(self, language: str) -> list[Lesson]:
        """Every lesson except the tour, in the order their files give, each in the best available language."""
        names = {name for lessons in self.lessons.values() for name in lessons} - {TOUR}
        nearest = [lesson for name in names if (lesson := self.find(name, language))]
        return sorted(nearest, key=lambda lesson: (lesson.order, lesson.name))


def shelf() -> Shelf:
    """Every readable lesson, and one sentence for each problem. Never raises for the contents of a folder."""
    lessons: dict[str, dict[str, Lesson]] = {}
    words: dict[str, Words] = {}
    problems: list[str] = []
    for root in _roots():
        try:
            folders = _folders(Path(root).expanduser())
        except (OSError, RuntimeError, ValueError) as error:
            name = screen_text.plain(Path(root).name, 60) or "folder"
            problems.append(f"The folder of lessons {name} cannot be read ({type(error).__name__}).")
            continue
        for folder in folders[:MOST_LANGUAGES]:
            for name, content in _contents(folder):
                if isinstance(content, str):
                    problems.append(content)
                elif isinstance(content, Words):
                    words[folder.name] = content
                else:
                    lessons.setdefault(folder.name, {})[name] = content
    ordered = dict(sorted(lessons.items(), key=lambda item: (item[0] != "en", item[0])))
    return Shelf(ordered, words, tuple(problems))


def vocabulary() -> Vocabulary:
    """What lessons may name: this app's pages, its parameters but the reader's own, and the measures."""
    pages = tuple(PAGES)
    parameters = tuple(name for name in state.PARAMETERS if name not in _OWN)
    return Vocabulary(pages, parameters, lambda values: state.parse(values)[1], MeasureNames(), tuple(CODE))


def _roots() -> Iterator[str]:
    yield str(FOLDER)
    for root in os.environ.get(EXTRA, "").split(os.pathsep):
        if root.strip():
            yield root


def _folders(root: Path) -> list[Path]:
    if not root.is_dir():
        return []
    with os.scandir(root) as inside:
        names = [each.name for each in inside if re.fullmatch(_LANGUAGE, each.name) and each.is_dir()]
    return [root / name for name in sorted(names)]


def _contents(folder: Path) -> Iterator[tuple[str, Lesson | Words | str]]:
    """(name, what its file holds or the sentence about it) of every file of one language."""
    try:
        files = sorted(
            path for path in folder.iterdir() if path.suffix in (".md", ".toml") and path.is_file()
        )
    except OSError as error:
        yield "", f"The lessons of {folder.name} cannot be read ({type(error).__name__})."
        return
    if len(files) > MOST_FILES:
        yield "", f"The folder {folder.name} has {len(files)} files; the first {MOST_FILES} are read."
    for path in files[:MOST_FILES]:
        if path.suffix == ".md":
            yield path.stem, cache.LESSONS.get(_stamp(path), partial(_lesson, path))
        elif path.name == "words.toml":
            yield path.stem, cache.LESSON_WORDS.get(_stamp(path), partial(_panel_words, path))


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        stat = path.stat()
    except OSError:
        return str(path), 0, 0
    return str(path), stat.st_size, stat.st_mtime_ns


def _text(path: Path) -> str:
    """A file's text. Raises `InputError` for one that is too large, no UTF-8 text, or a link out of the folder of lessons."""
    name = f"{path.parent.name}/{path.name}"
    try:
        if not path.resolve().is_relative_to(path.parents[1].resolve()):
            # A sentence about it would quote a file that is none of the lessons'.
            raise InputError(
                f"{name}, line 1: a link that leads out of the folder of lessons was found; allowed: the file itself."
            )
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InputError(
                f"{name}, line 1: a file of more than {MOST_BYTES:,} bytes was found; allowed: at most that."
            )
        return content.decode("utf-8-sig")
    except OSError as error:
        raise InputError(
            f"{name}, line 1: a file that cannot be opened ({type(error).__name__}) was found."
        ) from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(
            f"{name}, line {line}: a byte that is not UTF-8 text was found; allowed: UTF-8."
        ) from None


def _lesson(path: Path) -> Lesson | str:
    try:
        return read_lesson(_text(path), path.stem, path.parent.name, vocabulary())
    except AtlasError as error:
        return screen_text.sentence(error)
    except Exception as error:  # whatever a file makes a library raise is said of this file alone
        _log.warning("lesson %r cannot be read", str(path), exc_info=error)
        return f"{path.parent.name}/{path.name} cannot be read ({type(error).__name__})."


def _panel_words(path: Path) -> Words | str:
    try:
        return read_words(parse_toml(_text(path)), f"{path.parent.name}/{path.name}")
    except ValueError as error:
        message = str(error)
        return screen_text.sentence(
            message if message.startswith(path.parent.name) else f"{path.parent.name}/{path.name}: {message}"
        )


# -- the measures of a step -------------------------------------------------------------------------------------

_KEPT: Final = ("answers", "language", "presenter")  # what stays the reader's own from step to step


@dataclass(frozen=True)
class Numbers:
    """The measures of one step. `shown.selection` is the step's own view: not what the reader made of it since."""

    shown: CheckpointView

    def value(self, name: str) -> Value:
        """Raises `AtlasError` where this model, or this sentence, has no such number."""
        return measure(name, self.scene)

    def written(self, name: str, decimal: str = ".") -> str:
        """The same for a reader; “–” where there is none."""
        try:
            return written(name, self.value(name), decimal)
        except (AtlasError, IndexError):
            return "–"

    @cached_property
    def scene(self) -> Scene:
        """What the step shows, as the page that it opens shows it."""
        shown = self.shown.decoded
        decode = shown.decode
        selection = with_pin(self.shown.selection, decode)
        kind = cards.kind_of(selection.kind)
        every = maps.maps_of(decode, kind, shown.entry.tokenizers)
        layer, head = maps.chosen(selection, every)
        if MEAN in (layer, head):
            layer, head = every.first or (0, 0)
        return Scene(
            trace=decode.trace,
            translation=decode.text,
            kind=kind,
            head=(layer, head),
            row=_row(selection, every),
            token=_token(selection, decode),
            stream=lambda: shown.recorded(RECORD),
            table=lambda length: context.position_table(
                shown.entry, min(length, shown.entry.config.max_length), shown.device
            ),
            edited=lambda: what_if.outcome(shown, selection.edits or UNEDITED),
            zeroed=lambda: what_if.outcome(shown, (selection.edits or UNEDITED).zeroed()),
            order=_order(selection.edits, len(decode.trace.tokens.source)),
            carried=lambda: _carried(shown, 0),
            carried_second=lambda: _carried(shown, 1),
        )


def _carried(shown: CheckpointView, number: int) -> Carried:
    """What was measured on one of the model's sets of sentence pairs, from 0, of the kind of attention that carries it."""
    from core.experiments.contrast_sets import clearest

    sets = list(contrasts.results(shown.checkpoint).values())
    if number >= len(sets):
        raise InputError("Nothing was measured on sentence pairs of this model.")
    return clearest(sets[number])


def _row(selection: Selection, every: maps.Maps) -> int:
    """The row a step speaks of: the pinned one, or that of its token, or of its last written word, or the last."""
    rows, _ = maps.pinned(every.kind, every.queries, every.keys, selection)
    last = len(every.queries.labels) - 1
    if rows:
        return min(rows[0], last)
    if every.kind != "encoder" and selection.step:
        return min(selection.step - 1, last)
    return last


def _token(selection: Selection, decode: Decode) -> int:
    """The source token a step speaks of; the first word where it names none."""
    last = len(decode.trace.source_ids) - 1
    return min(int(selection.token[1:]), last) if selection.token.startswith("s") else 0


def opened_by_step(step: Step, name: str, now: Selection, shown: CheckpointView) -> Selection:
    """The selection of a step's own view. `name` is the step's in links, "attention.3".

    A step that names no checkpoint keeps the one in use. Measures in its link are those of its model and sentence; where
    they cannot be found, or make no sense there, the page chooses.
    """
    return _opened(step, name, now, shown, {"checkpoint": now.checkpoint, **step.link})


def of_step(step: Step, name: str, now: Selection, shown: CheckpointView) -> Numbers:
    """The measures of a step's own view, but of the model and the sentence that are in use now."""
    used = {"checkpoint": now.checkpoint} | ({} if now.text is None else {"text": now.text})
    own = {key: value for key, value in step.link.items() if key != "text"}
    return Numbers(replace(shown.checkpoint, selection=_opened(step, name, now, shown, {**own, **used})))


def _opened(
    step: Step, name: str, now: Selection, shown: CheckpointView, params: Mapping[str, str]
) -> Selection:
    kept = {field: getattr(now, field) for field in _KEPT}
    plain = {key: value for key, value in params.items() if "{" not in value}
    selection = replace(state.parse(plain)[0], lesson=name, **kept)
    if len(plain) == len(params):
        return selection
    entry, _ = checkpoints.find(selection.checkpoint)
    whole = filled(params, Numbers(CheckpointView(entry, selection, shown.device)).written)
    return replace(state.parse(whole)[0], lesson=name, **kept)


def _order(edits: Edits | None, source: int) -> dict[int, int]:
    """The positions that the source tokens get, where they are not their own; torch draws them only where one edits."""
    if edits is None:
        return {}
    from core.experiments.intervention import order_of_positions

    return order_of_positions(edits, "source", source)


def step_name(lesson: Lesson, step: int) -> str:
    """`attention.3` for the third step, which is number 2."""
    return f"{lesson.name}.{step + 1}"


def numbers_of(
    lesson: Lesson, number: int, shown: CheckpointView, checkpoint: str | None = None
) -> Numbers | None:
    """The measures of a step's own view, whatever the reader looks at; None where it cannot be opened here.

    They are those of the model in use, or of `checkpoint`.
    """
    step = lesson.steps[number]
    chosen = shown.selection.checkpoint if checkpoint is None else checkpoint
    now = Selection(checkpoint=chosen, language=shown.selection.language)
    try:
        return numbers_in(opened_by_step(step, step_name(lesson, number), now, shown), shown)
    except AtlasError:
        return None


def numbers_in(selection: Selection, shown: CheckpointView) -> Numbers | None:
    """The measures of what a selection looks at; None where its model or its sentence cannot be opened here."""
    try:
        entry, problem = checkpoints.find(selection.checkpoint)
        if problem:
            return None
        view = CheckpointView(entry, replace(selection, handout=""), shown.device)
        view.load()
        return Numbers(view)
    except AtlasError:
        return None


def holding(step: Step, numbers: Numbers | None) -> tuple[int | None, Value | None]:
    """The choice of the step's question that holds for the model, from 0, and the measured value."""
    if step.predict is None or numbers is None:
        return None, None
    try:
        value = numbers.value(step.predict.measure)
    except (AtlasError, IndexError):
        return None, None
    return step.predict.holding(value), value
