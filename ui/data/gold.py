"""The gold alignment in force: marked by hand for this sentence, or from a gold file; and every head against the file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from core.analysis import gold_file
from core.analysis.alignment import Gold, gold_line, read_gold
from core.analysis.gold_file import GoldFile
from core.errors import AtlasError
from ui.data import resources
from ui.data.jobs import Job
from ui.session import state
from ui.session.selection import GOLD_LIMIT
from ui.style import screen_text

if TYPE_CHECKING:
    from core.experiments.gold_survey import GoldSurvey
    from ui.data.entry import Entry

FILE: Final = "gold.txt"
"""A checkpoint's folder may hold a gold file of its own, lines of `sentence ||| translation ||| 1-1 2p3`."""
SOON: Final = 40
"""So many sentences are measured at once; more of them behind the page."""


@dataclass(frozen=True)
class InForce:
    """A gold file, whether the visitor brought it, and the sentence about one that cannot be used."""

    file: GoldFile | None
    own: bool = False
    problem: str = ""


def in_force(entry: Entry) -> InForce:
    """The session's gold file, else the one in the checkpoint's folder."""
    own = state.gold_file()
    return InForce(own, own=True) if own else resources.kept(entry, FILE, lambda: _of_folder(entry))


def _of_folder(entry: Entry) -> InForce:
    path = entry.path / FILE
    try:
        if not path.is_file() or path.is_symlink():
            return InForce(None)
        if path.stat().st_size > gold_file.MOST_BYTES:
            raise AtlasError(f"{FILE} is larger than {gold_file.MOST_BYTES:,} bytes.")
        text = path.read_text("utf-8", "replace")
        return InForce(gold_file.from_lines(f"{entry.name}'s own gold", text))
    except (AtlasError, OSError) as error:
        return InForce(None, problem=screen_text.sentence(f"{entry.name}: {error}", entry.path))


# -- marked by hand -----------------------------------------------------------------------------------------


def by_hand(marked: str, source: Sequence[str], target: Sequence[str]) -> Gold | None:
    """What a link says was marked for these words; None where it was for others, or holds nothing."""
    name, _, links = marked.partition(":")
    if not links or name != _digest(source, target):
        return None
    (gold,) = read_gold([links.replace(",", " ")])
    inside = all(s < len(source) and t < len(target) for s, t in gold.possible)
    return gold if inside else None


def marked(gold: Gold, source: Sequence[str], target: Sequence[str]) -> str:
    """The same for a link; "" where it holds more than a link can."""
    if len(gold.possible) > GOLD_LIMIT:
        return ""
    return f"{_digest(source, target)}:{gold_line(gold).replace(' ', ',')}"


def _digest(source: Sequence[str], target: Sequence[str]) -> str:
    words = "\n".join((*source, "", *target))
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:6]


# -- every head against the file ----------------------------------------------------------------------------


def survey_key(file: GoldFile, device: str | None) -> tuple[Any, ...]:
    """What a survey depends on, beside the checkpoint."""
    return (device, "gold", file.digest)


def surveyed(entry: Entry, file: GoldFile, device: str | None) -> GoldSurvey | None:
    """A finished survey, if there is one; a short file is measured now, once its model is there. Raises `AtlasError`."""
    found: GoldSurvey | None = resources.measured(entry, survey_key(file, device))
    if found is None and len(file.pairs) <= SOON and resources.is_loaded(entry, device):
        return resources.experiment(entry, survey_key(file, device), lambda: _last(entry, file, device))
    return found


def _last(entry: Entry, file: GoldFile, device: str | None) -> GoldSurvey:
    *_, last = _stages(entry, file, device)
    return last


def _stages(entry: Entry, file: GoldFile, device: str | None) -> Iterator[GoldSurvey]:
    from core.experiments.gold_survey import gold_survey

    return gold_survey(resources.model(entry, device), file)


def job(entry: Entry, file: GoldFile, device: str | None) -> Job[GoldSurvey] | None:
    """This session's run of that survey; None when it was never started."""
    return state.jobs().get(str((entry.stamp, *survey_key(file, device))))


def start(entry: Entry, file: GoldFile, device: str | None) -> None:
    """Start measuring behind the page; this session's other measurements stop."""
    key = survey_key(file, device)

    def done(found: GoldSurvey) -> None:
        resources.experiment(entry, key, lambda: found)

    def begin(wanted: Callable[[], bool]) -> Job[GoldSurvey]:
        return Job(lambda: _stages(entry, file, device), done, wanted)

    state.start_job(str((entry.stamp, *key)), begin)
