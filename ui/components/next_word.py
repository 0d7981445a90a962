"""A next-word distribution as the plain data that `next_word.ts` draws."""

from __future__ import annotations

from ui.data.next_word import NextWord


def step_data(step: NextWord) -> dict[str, object]:
    """A distribution as the plain data next_word.ts reads. Raises ValueError when its lists differ in length."""
    if not len(step.ids) == len(step.labels) == len(step.probabilities):
        raise ValueError(
            f"a distribution needs as many ids, labels and probabilities, got {len(step.ids)},"
            f" {len(step.labels)} and {len(step.probabilities)}"
        )
    return {
        "ids": list(step.ids),
        "labels": list(step.labels),
        "probabilities": [round(p, 6) for p in step.probabilities],
        "rest": [step.others[0], round(step.others[1], 6)],
        "chosen": step.chosen,
        "forced": step.forced,
        "barred": list(step.barred),
        "fixed": step.fixed,
        "cut": {"count": step.cut[0], "label": step.cut[1]} if step.cut else None,
        "extra": dict(zip(("label", "probability", "rank"), step.extra, strict=True)) if step.extra else None,
    }
