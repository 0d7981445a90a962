"""What a finished model is worth on one set of pairs, and what its figures mean, in words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from core.training.data import Pair, sentence_key
from core.training.quality import quick_bleu, score, score_of_sources

Translate = Callable[[Sequence[str], int], list[str]]  # (sources, beam size) → translations


def appraise(
    translate: Translate,
    pairs: Sequence[Pair],
    *,
    beam: int,
    language: str,
    trained_targets: Collection[str] | None = None,
) -> dict[str, Any]:
    """All scores of one set, as the card gives them. Every source is translated once by each search.

    Beside the scores against one reference a pair: `greedy`, the same by greedy search where `beam` is above 1;
    `multi_reference`, where a source has several different references; `distinct_targets`, where targets repeat; and with
    `trained_targets` (`sentence_key`s of what was trained on) `targets_in_training`: their share in percent, their
    sacreBLEU and that of the others.
    """
    sources = [pair.source for pair in pairs]
    references = [pair.target for pair in pairs]
    distinct = list(dict.fromkeys(sources))

    def written_by(size: int) -> list[str]:
        found = dict(zip(distinct, translate(distinct, size), strict=True))
        return [found[text] for text in sources]

    written = written_by(beam)
    found: dict[str, Any] = {"beam": beam, **_rounded(score(written, references, language).to_json())}
    several = score_of_sources(sources, written, references, language)
    if several is not None:
        found["multi_reference"] = _rounded(several.to_json())
    if beam > 1:
        greedy = written_by(1)
        scores = _rounded(score(greedy, references, language).to_json())
        found["greedy"] = {name: scores[name] for name in ("bleu", "bleu_tokenised", "chrf", "exact")}
        several = score_of_sources(sources, greedy, references, language)
        if several is not None:
            found["multi_reference"]["greedy_bleu"] = round(several.bleu, 2)
    if len(answers := set(references)) < len(pairs):
        found["distinct_targets"] = len(answers)
    if trained_targets is not None:
        found["targets_in_training"] = _halves(written, references, trained_targets, language)
    return found


def _halves(
    written: Sequence[str], references: Sequence[str], trained: Collection[str], language: str
) -> dict[str, Any]:
    """Share and score of the references that were trained on, and the score of those that were not."""
    seen = [sentence_key(text) in trained for text in references]

    def bleu(wanted: bool) -> float | None:
        half = [i for i, known in enumerate(seen) if known is wanted]
        return (
            round(quick_bleu([written[i] for i in half], [references[i] for i in half]), 2) if half else None
        )

    return {
        "pairs": sum(seen),
        "share": round(100 * sum(seen) / len(seen), 2),
        "bleu": bleu(True),
        "bleu_of_the_others": bleu(False),
    }


def in_words(quality: Mapping[str, Mapping[str, Any]], *, generated: bool) -> list[str]:
    """What a reader of the figures has to know, a sentence for each matter, from the figures themselves."""
    lines = []
    losses = [
        f"{each['greedy']['bleu']:.2f} against {each['bleu']:.2f} on {name}"
        for name, each in quality.items()
        if "greedy" in each
    ]
    if losses:
        lines.append(
            "Stepping writes by greedy search, which is not what the scores are of: in sacreBLEU greedy against beam "
            f"search {', '.join(losses)}."
        )
    for name, each in quality.items():
        if several := each.get("multi_reference"):
            lines.append(
                f"{name}: {each['sentences']:,} pairs of {several['sources']:,} sources. Against one reference a pair "
                f"{each['bleu']:.1f} sacreBLEU; one translation a source against all its references "
                f"{several['bleu']:.1f}. The two are not comparable."
            )
        if known := each.get("targets_in_training"):
            parts = [f"{name}: {known['share']:.1f} % of the target sentences are also a training target"]
            if known["bleu"] is not None and known["bleu_of_the_others"] is not None:
                parts.append(f"these score {known['bleu']:.1f}, the others {known['bleu_of_the_others']:.1f}")
            lines.append("; ".join(parts) + ".")
        if generated and "distinct_targets" in each:
            lines.append(
                f"{name}: {each['sentences']:,} pairs with {each['distinct_targets']:,} distinct answers."
            )
    return lines


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {k: round(v, 2) if isinstance(v, float) else v for k, v in values.items()}
