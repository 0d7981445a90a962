"""One trial of an import, the report of it, and `write_import`, which writes both with the checkpoint's folder.

A trial says what the model writes, whether it was trained with a causal mask, and what nothing has checked. No file tells
whether a model was trained with a causal mask, and an import assumes it. A decoder that saw the whole translation in
training reads the next word from its own future. Given that future it is almost certain of a known translation, and with
the mask, which generation needs, it is not (Vaswani et al. 2017, section 3.2.3). So the two are compared on translations
that the trained model is known to give.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import torch

from core.analysis.readout import how_many
from core.api import Checkpoint
from core.checkpoints.bundle import save
from core.checkpoints.files import IMPORT_REPORTS
from core.decoding.inputs import choices, sample_text, source_ids, target_ids
from core.errors import InputError
from core.importing.assign import parameters_of
from core.importing.plan import CAUSAL, ImportPlan
from core.importing.settings_trial import (
    Comparison,
    SettingsTried,
    Written,
    compare,
    in_words,
    try_settings,
    write,
)
from core.model.hooks import Hooks
from core.verify.report import NOT_PROVED, PROVED, TrustReport

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.transformer import Transformer

# The mean without the mask must be at most this share of the mean with it (measured; see docs).
_CLEARLY: Final = 0.5
# Log-probability per token above which a model has seen the next word; below it the translation is just another one.
_SURE: Final = -0.5


@dataclass(frozen=True)
class Causality:
    """The mean log-probability per token of known translations, with the causal mask and without it."""

    masked: float
    unmasked: float
    sentences: int

    @property
    def doubtful(self) -> bool:
        """Whether the model is clearly surer when it sees the future."""
        return self.unmasked > max(self.masked * _CLEARLY, _SURE)

    @property
    def warning(self) -> str | None:
        """One sentence, if it is doubtful that the model was trained with a causal mask."""
        if not self.doubtful:
            return None
        return (
            "this model seems to have been trained without a causal mask, and it is imported with one: its mean "
            f"log-probability per token of {how_many(self.sentences, 'expected translation')} is {self.masked:.3f} with "
            f"the mask and {self.unmasked:.3f} without, so what it writes word by word is not what its training "
            "measured; train it with a mask, or import it as it was trained with --set causal=false."
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "masked": self.masked,
            "unmasked": self.unmasked,
            "sentences": self.sentences,
            "doubtful": self.doubtful,
        }


def try_causality(checkpoint: Checkpoint, texts: Sequence[str], expected: Sequence[str]) -> Causality | None:
    """Rate the translations `expected` of the first `texts` with and without the mask.

    None without any, or where positions are causal.
    """
    model = checkpoint.model
    if not expected or not model.config.causal or model.config.positions == "relative_buckets":
        return None
    sums, tokens = [0.0, 0.0], 0
    for text, wanted in zip(texts, expected, strict=False):
        source, target = source_ids(checkpoint, text), target_ids(checkpoint, wanted)
        # Without the last token, after which there is nothing to read without a mask.
        chosen = [step for step in choices(model.config, target) if step < len(target) - 1]
        tokens += len(chosen)
        for index, hooks in enumerate((None, _unmasked())):
            rated = _rated(model, source, target, hooks)
            sums[index] += float(sum(rated[step] for step in chosen))
    return Causality(sums[0] / tokens, sums[1] / tokens, len(expected)) if tokens else None


def _rated(
    model: Transformer, source: Sequence[int], target: Sequence[int], hooks: Hooks | None
) -> list[float]:
    """The log-probability of each token of `target` given those before it, in one pass."""
    device = next(model.parameters()).device
    with torch.inference_mode():
        rows = torch.tensor([list(source)], device=device)
        read = torch.tensor([[model.config.bos_id, *target[:-1]]], device=device)
        logs = model(rows, read, hooks)[0].double().log_softmax(dim=-1)  # (T, V)
        wanted = torch.tensor(list(target), device=device)
        rated: list[float] = logs.gather(1, wanted[:, None])[:, 0].tolist()
    return rated


def _unmasked() -> Hooks:
    """Hooks under which the decoder's self-attention sees every token of one sentence without padding."""
    seen: list[Tensor] = []

    def keep(scores: Tensor) -> Tensor:
        seen[:] = [scores]
        return scores

    return Hooks(edit={"decoder.*.self.scores": keep, "decoder.*.self.masked_scores": lambda _: seen[0]})


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
    values = [f"{each.name} = {in_words(each.value)} ({each.how})" for each in doubted]
    wishes = plan.wishes
    if wishes.source is not None or wishes.tokenizer not in (None, "numbers"):
        values.append("the order of the vocabulary and how text is cut (told)")
    return values


def import_report(
    plan: ImportPlan, checkpoint: Checkpoint, trust: TrustReport, trial: Trial
) -> dict[str, Any]:
    """Everything about one import as JSON values."""
    vocabularies = plan.vocabularies
    return {
        "layout": plan.layout.name,
        "title": plan.layout.title,
        "layout_reason": plan.layout_reason,
        "container": plan.weights.container,
        "notes": list(plan.weights.notes),
        "parameters": parameters_of(checkpoint.model),
        "not_finite": 0,  # a file with NaN or infinity is refused earlier
        "told": {name: value for name, value in plan.answers.items() if value is not None},
        "findings": [
            {"name": f.name, "value": f.value, "how": f.how, "reason": f.reason, "checked": not f.unsure}
            for f in plan.findings
        ],
        "vocabularies": [vocabulary.title for vocabulary in vocabularies] if vocabularies else [],
        "keys": [
            {"key": d.key, "shape": list(d.shape), "dtype": d.dtype, "to": list(d.to), "note": d.note}
            for d in plan.destinations
        ],
        "ignored": [d.key for d in plan.destinations if d.note.startswith("ignored")],
        "constants": dict(plan.assignment.constants) if plan.assignment else {},
        "config": checkpoint.config.to_json(),
        "trust": trust.to_json() | {"proves": PROVED, "does_not_prove": NOT_PROVED},
        "trial": trial.to_json(),
    }


def report_files(report: dict[str, Any]) -> dict[str, str]:
    """The text of both files, by file name in the new checkpoint's folder."""
    text = json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return dict(zip(IMPORT_REPORTS, (text, markdown(report)), strict=True))


def markdown(report: dict[str, Any]) -> str:
    """The report as Markdown; names from the file are shown as code, never as markup."""
    trust = report["trust"]
    lines = [
        "# Import report",
        "",
        f"Layout: {report['title']} ({report['layout_reason']}). Read from: {report['container']}.",
        f"Parameters: {report['parameters']:,}. No NaN and no infinity.",
        *(f"Note: {note}." for note in report["notes"]),
        "",
        "## Configuration",
        "",
        *_table(
            ("option", "value", "from", "why", ""),
            [
                [f["name"], f["value"], f["how"], f["reason"], "" if f["checked"] else "not checked"]
                for f in report["findings"]
            ],
        ),
        "",
        f"Vocabulary: {', '.join(dict.fromkeys(report['vocabularies'])) or 'none'}.",
        "",
        "## What it writes",
        "",
        *_trial(report["trial"]),
        "",
        "## Trust report",
        "",
        f"All checks pass. {PROVED} {NOT_PROVED}" if trust["passed"] else "**Some checks fail.**",
        "",
        *_table(
            ("check", "passed", "deviation", "allowed"),
            [
                [c["sentence"], "yes" if c["passed"] else "no", c["value"], c["tolerance"]]
                for c in trust["checks"]
            ],
        ),
        "",
        "## Keys",
        "",
        *_table(
            ("key", "shape", "dtype", "fills", "how"),
            [[k["key"], k["shape"], k["dtype"], ", ".join(k["to"]), k["note"]] for k in report["keys"]],
        ),
    ]
    return "\n".join(lines) + "\n"


def _trial(trial: dict[str, Any]) -> list[str]:
    lines = [
        "A text made of the vocabulary's own tokens; give sentences to see more."
        if trial["made_up"]
        else "Greedy search, with the mean log-probability of a token it writes."
    ]
    lines += [
        "",
        *_table(
            ("reads", "writes", "log-probability", "tokens", "unknown pieces"),
            [
                [
                    w["source"],
                    w["written"],
                    f"{w['mean_log_probability']:.3f}",
                    w["tokens"],
                    w["unknown_pieces"],
                ]
                for w in trial["written"]
            ],
        ),
    ]
    if trial["expected"]:
        rows = [[e["source"], e["matched"] or "no", e["difference"]] for e in trial["expected"]]
        lines += ["", *_table(("reads", "as expected", "[-expected-] {+written+}"), rows)]
    if tried := trial["settings"]:
        rows = [["as imported", f"{tried['mean']:.3f}"]]
        rows += [[f"{o['name']} = {in_words(o['value'])}", f"{o['mean']:.3f}"] for o in tried["others"]]
        of = "what is expected" if tried["measured_on"] == "expected" else "what it writes"
        lines += ["", *_table(("with", f"log-probability of {of}"), rows)]
    if causality := trial["causality"]:
        rows = [[name, f"{causality[name]:.3f}"] for name in ("masked", "unmasked")]
        lines += ["", *_table(("decoder's self-attention", "log-probability of what is expected"), rows)]
    lines += [line for warning in trial["warnings"] for line in ("", f"**Warning:** {_cell(warning, 1000)}")]
    return lines


def _table(heads: tuple[str, ...], rows: list[list[Any]]) -> list[str]:
    return [
        f"| {' | '.join(heads)} |",
        f"|{'---|' * len(heads)}",
        *(f"| {' | '.join(_cell(value) for value in row)} |" for row in rows),
    ]


def _cell(value: Any, longest: int = 200) -> str:
    text = str(value).replace("|", "¦").replace("`", "'").replace("<", "‹").replace(">", "›")
    return " ".join(text.split())[:longest]


def write_import(
    plan: ImportPlan,
    out: str | Path,
    sources: list[str] | None = None,
    card: Mapping[str, Any] | None = None,
    expected: Sequence[str] = (),
) -> dict[str, Any]:
    """Write the checkpoint folder `out` with import-report.json and .md; returns the report.

    `sources` are the sentences of the trust report (see `ImportPlan.verify`) and the examples of the checkpoint's card,
    which has none without them; `card` adds to it. Raises CheckpointError for a plan that is not ready, or a folder
    that cannot be written.
    """
    checkpoint = plan.checkpoint
    trial = try_import(plan, sources, expected)
    trust, ids = plan.verify(sources), plan.source_ids
    report = import_report(plan, checkpoint, trust, trial)
    examples = {} if trial.made_up else {"examples": trial.examples}
    save(
        out,
        checkpoint.model,
        checkpoint.source_tokenizer,
        checkpoint.target_tokenizer,
        {**checkpoint.card, **(ids.card if ids is not None else {}), **examples, **(card or {})},
        str(checkpoint.card["weights"]),
        beside=report_files(report),
    )
    return report
