"""One trial of an import: what the model writes, and every value that nothing has checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.decoding.inputs import sample_text
from core.errors import InputError
from core.importing.causality import Causality, try_causality
from core.importing.plan import CAUSAL, ImportPlan
from core.importing.settings_trial import SettingsTried, try_settings
from core.importing.written import Comparison, Written, compare, write

# The values that are most often wrong where a model writes something unexpected, first.
_DOUBTS: Final = (
    "heads",
    "score_scale",
    "norm_placement",
    "embedding_scale",
    "source_before",
    "source_after",
    "bos_id",
    CAUSAL,
)


@dataclass(frozen=True)
class Trial:
    """The translations of a few texts. `made_up`: the texts are no sentences, but tokens of the vocabulary."""

    written: tuple[Written, ...]
    made_up: bool
    comparisons: tuple[Comparison, ...]
    settings: SettingsTried | None
    causality: Causality | None
    unchecked: tuple[str, ...]

    @property
    def matched(self) -> bool | None:
        """Whether all expected translations are written; None if none was expected."""
        return all(each.matched for each in self.comparisons) if self.comparisons else None

    @property
    def examples(self) -> list[dict[str, str]]:
        """The sentences with their translations, as examples of a checkpoint's card."""
        return [{"source": each.text, "translation": each.written} for each in self.written]

    @property
    def warnings(self) -> list[str]:
        """A sentence for each thing that looks wrong."""
        warnings = [
            f"{each.lacking} of {each.pieces} pieces of “{each.text[:60]}” are unknown to the source vocabulary; look "
            "at its file, at how text is cut, and at whether it is lower case."
            for each in self.written
            if each.mostly_unknown
        ]
        warnings += [
            each.warning for each in (self.settings, self.causality) if each is not None and each.warning
        ]
        if self.matched is False:
            warnings.append(
                f"the model does not write what you expect; nothing has checked {', '.join(self.unchecked)}."
                if self.unchecked
                else "the model does not write what you expect, although nothing was told or assumed."
            )
        return warnings

    def to_json(self) -> dict[str, Any]:
        return {
            "made_up": self.made_up,
            "written": [each.to_json() for each in self.written],
            "expected": [each.to_json() for each in self.comparisons],
            "matched": self.matched,
            "settings": self.settings.to_json() if self.settings else None,
            "causality": self.causality.to_json() if self.causality else None,
            "not_checked": list(self.unchecked),
            "warnings": self.warnings,
        }


def try_import(plan: ImportPlan, sources: Sequence[str] | None = None, expected: Sequence[str] = ()) -> Trial:
    """Translations of `sources`, or of one text made of the vocabulary, compared with the expected ones.

    `expected` are the translations that the trained model is known to give for the first of `sources`. Raises
    InputError for a text that it cannot read, and for more expected translations than sources.
    """
    given = len(sources or ())
    if len(expected) > given:
        raise InputError(
            f"{len(expected)} expected translations are given for {given} sentences; give "
            "--sentence before each --expect."
        )
    checkpoint, made_up = plan.checkpoint, not sources
    texts = sources or [sample_text(checkpoint)]
    written = write(checkpoint, texts)
    comparisons = [compare(checkpoint, each, wanted) for each, wanted in zip(written, expected, strict=False)]
    readable = [each.text for each in written if not made_up and not each.mostly_unknown]
    doubted = {finding.name for finding in plan.findings if finding.unsure}
    # Otherwise a translation would be rated for another text.
    aligned = readable[: len(expected)] == list(texts[: len(expected)])
    settings = try_settings(checkpoint, readable, doubted, expected if aligned else ())
    causality = try_causality(checkpoint, texts, expected) if CAUSAL in doubted else None
    return Trial(tuple(written), made_up, tuple(comparisons), settings, causality, tuple(not_checked(plan)))


def not_checked(plan: ImportPlan) -> list[str]:
    """`heads = 8 (told)` and the like, those most often wrong first, and the vocabulary if it was given."""
    doubted = [finding for finding in plan.findings if finding.unsure]
    doubted.sort(key=lambda each: _DOUBTS.index(each.name) if each.name in _DOUBTS else len(_DOUBTS))
    values = [f"{each.name} = {_in_words(each.value)} ({each.how})" for each in doubted]
    wishes = plan.wishes
    if wishes.source is not None or wishes.tokenizer not in (None, "numbers"):
        values.append("the order of the vocabulary and how text is cut (told)")
    return values


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value in (None, "") else str(value)[:40]
