"""The trust report: its checks, its verdict, and what it proves, in words. Needs no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from core.language import message, numeral, tr

if TYPE_CHECKING:
    from rich.table import Table


PROVED: Final = message("The maps agree with what this model computes.")
NOT_PROVED: Final = message(
    "These checks cannot tell whether this is the model that was trained: they also pass with a wrong number "
    "of heads, norm placement, special token or order of the vocabulary."
)


SOURCE_IDS: Final = "source_ids"
"""The entry of a card that says how many texts were compared with the original's tokenizer, and which had other ids."""
_SAME_IDS: Final = message("Texts get the same ids as from the original’s own tokenizer.")


@dataclass(frozen=True)
class InDouble:
    """Why a check was repeated in double precision: the largest score, the deviation before, and what rounding explains of it."""

    largest: float
    before: float
    explained: float


@dataclass(frozen=True)
class Check:
    """One promise that must hold. `value` is the largest deviation, passed if at most `tolerance`."""

    name: str
    passed: bool
    value: float
    tolerance: float
    sentence: str
    in_double: InDouble | None = None

    @property
    def promise(self) -> str:
        """The promise, and how it was judged where that was not by the first run, in the language in use."""
        again = self.in_double
        if again is None:
            return tr(self.sentence)
        note = tr(
            "Checked in double precision, because scores reach {largest}: single precision deviates by {before}, of "
            "which rounding explains up to {explained}.",
            largest=numeral(again.largest, ",.0f"),
            before=numeral(again.before, ".0e"),
            explained=numeral(again.explained, ".0e"),
        )
        return f"{tr(self.sentence)} {note}"


def check_of_ids(card: Mapping[str, Any]) -> list[Check]:
    """The check of the comparison with the original's tokenizer that a card holds; none where it holds none.

    Its deviation is the share of texts with other ids.
    """
    entry = card.get(SOURCE_IDS)
    compared = entry.get("compared") if isinstance(entry, Mapping) else None
    different = entry.get("different") if isinstance(entry, Mapping) else None
    if type(compared) is not int or compared < 1 or not isinstance(different, list):
        return []
    return [Check("ids", not different, min(1.0, len(different) / compared), 0.0, _SAME_IDS)]


@dataclass(frozen=True)
class TrustReport:
    """All checks of one checkpoint, and the sentences they ran on."""

    checkpoint: str
    sources: tuple[str, ...]
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return all(check.passed for check in self.checks)

    @property
    def meaning(self) -> str:
        """What a passing report proves, and what no report can prove."""
        return f"{tr(PROVED)} {tr(NOT_PROVED)}" if self.passed else tr(NOT_PROVED)

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON values; a deviation that is not a number becomes null."""
        checks = [{**asdict(check), "sentence": check.promise} for check in self.checks]
        for check in checks:
            del check["in_double"]
            check["value"] = check["value"] if abs(check["value"]) < float("inf") else None
        return {
            "checkpoint": self.checkpoint,
            "passed": self.passed,
            "sources": list(self.sources),
            "checks": checks,
            "proves": PROVED if self.passed else "",
            "does_not_prove": NOT_PROVED,
        }

    def table(self) -> Table:
        """The report for a terminal, its meaning below."""
        from rich.markup import escape
        from rich.table import Table

        verdict = "all checks pass" if self.passed else "[bold red]not to be trusted[/]"
        table = Table(
            title=f"{escape(self.checkpoint)}: {verdict}",
            title_justify="left",
            caption=self.meaning,
            caption_justify="left",
        )
        for column, justify in (
            ("", "left"),
            ("Check", "left"),
            ("Deviation", "right"),
            ("Allowed", "right"),
        ):
            table.add_column(column, justify=justify)  # type: ignore[arg-type]
        for check in self.checks:
            mark = "[green]✓[/]" if check.passed else "[red]✗[/]"
            table.add_row(mark, escape(check.promise), _short(check.value), _short(check.tolerance))
        return table


def _short(value: float) -> str:
    return f"{value:.0e}" if value else "0"
