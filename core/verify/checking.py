"""Makes the trust report: runs a checkpoint on a few of its sentences and checks what every view relies on.

Four kinds of checks. Maps: row sums, future keys, padding. Links: each recorded number against the one before it,
recomputed in float64 from parameters and configuration, from the token table to the logits; a link is one operation,
so its rounding is small however wide its numbers are. Two ways to the same predictions: in a batch and alone, by
steps and at once, with steps undone, in a beam, recorded and fast. Pages: the tokens of a strategy against its rule,
and the drawn numbers against the recorded ones.

Two ways may differ by rounding, `ROUNDING` at most. Where a model's scores are wide, single precision alone differs by
more, since a softmax propagates the rounding of its largest score. Such a check is repeated in double precision, where
rounding is negligible and an error of the decoding is not, and must hold there to the same tolerance; in single
precision it must stay within the measured effect of rounding on this model (`core.verify.runs`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import torch

from core.analysis.maps import ROUNDING
from core.decoding.inputs import read_source, sample_text
from core.errors import AtlasError, InputError
from core.language import message
from core.verify import beams, decodes, links, runs
from core.verify.report import Check, InDouble, TrustReport, check_of_ids
from core.verify.runs import Edits, Run, relative_gap, rounding_bound, worst

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer
    from core.tokenizer import Reading

SENTENCES: Final = 3
_EXACT: Final = 0.0
_COMPARED: Final = {"stepwise": "maps", "back": "maps", "drawn": "records"}  # compared beside predictions
_WORDS: Final = 8  # words written for the check "drawn"
_MOST_ROUNDING: Final = 0.05  # beyond this, single precision cannot tell rounding from an error

# Name, allowed deviation, and the promise in words.
PROMISES: Final = (
    ("rows", ROUNDING, message("Every row of weights sums to 1, or to 0 where the mask leaves no key.")),
    ("causal", _EXACT, message("No decoder position gives any weight to a later one.")),
    ("padding", _EXACT, message("Padding gets no weight.")),
    ("positions", ROUNDING, message("The positions added are those that the configuration names.")),
    ("embedding", ROUNDING, message("Embedding × scale + position is what enters the first layer.")),
    (
        "projections",
        ROUNDING,
        message("Queries, keys and values are the stream times each head’s projections."),
    ),
    (
        "scores",
        ROUNDING,
        message(
            "Scale · q · k, and the bias of relative positions, give the scores, with the configuration’s scale."
        ),
    ),
    (
        "softmax",
        ROUNDING,
        message("The softmax of the scores, over the keys that the mask allows, gives the weights."),
    ),
    ("mixing", ROUNDING, message("The weights times the values give each head’s output.")),
    (
        "fast",
        ROUNDING,
        message("The fast kernel, which shows no weights, gives the same output as weights times values."),
    ),
    ("heads", ROUNDING, message("The heads through the output projection sum to the attention’s output.")),
    (
        "stream",
        ROUNDING,
        message("Every sub-layer’s output joins the stream as it is, and nothing else does."),
    ),
    (
        "norms",
        ROUNDING,
        message("The recorded means and variances are those of each norm’s input, and rebuild its output."),
    ),
    ("logits", ROUNDING, message("The last vectors times the output table give the predictions.")),
    ("future", ROUNDING, message("Changing later target tokens changes no earlier prediction.")),
    (
        "batch",
        ROUNDING,
        message("A sentence in a padded batch is decoded as it is alone, by greedy and by beam search."),
    ),
    (
        "stepwise",
        ROUNDING,
        message("Decoding step by step gives the predictions and maps of one full forward pass."),
    ),
    (
        "back",
        ROUNDING,
        message("After steps are undone, decoding goes on as if they had never been taken."),
    ),
    (
        "beam",
        ROUNDING,
        message(
            "Every hypothesis of a beam is scored, ranked and kept as full passes and the length penalty require."
        ),
    ),
    (
        "chosen",
        ROUNDING,
        message("Greedy search writes the most probable token; sampling writes the token that was drawn."),
    ),
    ("recorded", ROUNDING, message("The pass that records the maps predicts what the fast pass predicts.")),
    (
        "drawn",
        ROUNDING,
        message("What is drawn is what was recorded: labels, every head’s weights, rows, batches and steps."),
    ),
    ("saved", _EXACT, message("Saved and loaded again, the model is the same, bit for bit.")),
)

# In place of "causal", "future" and "stepwise", for a decoder without causal mask.
UNMASKED: Final = {
    "causal": (
        "open",
        _EXACT,
        message("The decoder has no causal mask and hides no later token, so nothing is claimed about them."),
    ),
    "future": None,
    "stepwise": (
        "stepwise",
        ROUNDING,
        message("Each step gives the predictions and maps of one full pass over the tokens read so far."),
    ),
}

_LINKS: Final[dict[str, Callable[[Transformer, Run], float]]] = {
    "positions": links.positions_gap,
    "embedding": links.embedding_gap,
    "projections": links.projections_gap,
    "scores": links.scores_gap,
    "softmax": links.softmax_gap,
    "mixing": links.mixing_gap,
    "fast": links.fast_gap,
    "heads": links.heads_gap,
    "stream": links.stream_gap,
    "norms": links.norms_gap,
    "logits": links.logits_gap,
}


def verify(
    checkpoint: Bundle, sources: Sequence[str] | None = None, edit: Edits | None = None
) -> TrustReport:
    """Check `checkpoint` on `sources` (default: the first examples of its card, else a text of its own vocabulary).

    `edit` edits the recorded pass, as `Hooks` does: the report then shows which promises the edited model breaks.
    Raises `InputError` if there is no sentence to run, or one that the model cannot read.
    """
    texts = _sources(checkpoint, sources)
    model = checkpoint.model
    readings = [read_source(checkpoint, text) for text in texts]
    with torch.inference_mode():
        run, ways = _two_ways(checkpoint, readings, edit)
        measured = {
            "rows": links.row_sums(run),
            "causal": links.causal_leak(run),
            "open": links.hidden_ahead(run),
            "padding": links.padding_leak(run),
            **{name: _linked(link, model, run) for name, link in _LINKS.items()},
            **ways,
            "saved": links.round_trip(checkpoint, run),
        }
        checks = [
            Check(name, measured[name] <= allowed, measured[name], allowed, sentence)  # NaN is never <=
            for name, allowed, sentence in promises(model.config)
        ]
        doubtful = {check.name for check in checks if check.name in ways and _may_be_rounding(check)}
        if doubtful and edit is None:
            checks = _repeated(checks, doubtful, checkpoint, readings)
    checks += check_of_ids(checkpoint.card)
    return TrustReport(str(checkpoint.path or "the model in memory"), tuple(texts), tuple(checks))


def promises(config: ModelConfig) -> list[tuple[str, float, str]]:
    """What must hold for a model with these options."""
    if config.causal:
        return list(PROMISES)
    return [chosen for each in PROMISES if (chosen := UNMASKED.get(each[0], each)) is not None]


def _linked(link: Callable[[Transformer, Run], float], model: Transformer, run: Run) -> float:
    try:
        return link(model, run)
    except (KeyError, AttributeError):
        return math.inf  # a site or parameter is missing that the configuration requires


def _two_ways(
    checkpoint: Bundle, readings: Sequence[Reading], edit: Edits | None
) -> tuple[Run, dict[str, float]]:
    """One recorded batch, and the differences between two ways to the same numbers, by the name of the check."""
    model = checkpoint.model
    ids = [list(reading.ids) for reading in readings]
    decoded = [runs.decode_stepwise(model, row) for row in ids]
    run = runs.run_batch(model, ids, [step.inputs for step in decoded], edit)
    words = [_words(model, step.inputs)[1:] for step in decoded]
    return run, {
        "future": links.future_leak(model, run, edit),
        "batch": _decoded(
            lambda: worst([links.batch_gap(run, decoded), beams.batch_gap(model, ids, words[0])])
        ),
        "stepwise": worst(step.gap for step in decoded),
        "back": _decoded(lambda: decodes.back_gap(model, ids[0], words[0])),
        "beam": _decoded(lambda: beams.beam_gap(checkpoint, ids[0])),
        "chosen": _decoded(lambda: decodes.chosen_gap(checkpoint, readings[0])),
        "recorded": relative_gap(run.recorded, run.fused),
        "drawn": _decoded(lambda: decodes.drawn_gap(checkpoint, readings, words)),
    }


def _words(model: Transformer, inputs: Sequence[int]) -> list[int]:
    """The start token and a few different words to write: those of `inputs`, then others."""
    config = model.config
    return [config.bos_id, *runs.plain_words(config, inputs[1:], min(_WORDS, config.max_length - 1))]


def _decoded(measure: Callable[[], float]) -> float:
    """The result of `measure`; infinite where decoding raises an error."""
    try:
        return measure()
    except (LookupError, ValueError, RuntimeError, TypeError, AttributeError, AssertionError, AtlasError):
        return math.inf


def _may_be_rounding(check: Check) -> bool:
    return not check.passed and math.isfinite(check.value)


def _repeated(
    checks: Sequence[Check], doubtful: set[str], checkpoint: Bundle, readings: Sequence[Reading]
) -> list[Check]:
    """The checks, with the doubtful ones repeated in double precision."""
    exact = runs.in_double(checkpoint.model)
    run, again = _two_ways(replace(checkpoint, model=exact), readings, None)
    sources = [reading.ids for reading in readings]
    words = runs.run_batch(exact, sources, [_words(exact, step) for step in run.target.tolist()[:-1]], None)
    widest = links.largest_score(run)
    bound = rounding_bound(exact, [(each.source, each.target) for each in (run, words)])
    judged = []
    for check in checks:
        # NaN is never <=.
        explained = min(getattr(bound, _COMPARED.get(check.name, "logits")), _MOST_ROUNDING)
        if check.name in doubtful and check.value <= explained:
            value = again[check.name]
            why = InDouble(widest, check.value, explained)
            check = replace(check, passed=value <= check.tolerance, value=value, in_double=why)
        judged.append(check)
    return judged


def _sources(checkpoint: Bundle, sources: Sequence[str] | None) -> list[str]:
    if sources is None:
        examples = checkpoint.card.get("examples")
        listed = examples if isinstance(examples, list) else []
        texts = [str(each["source"]) for each in listed if isinstance(each, dict) and each.get("source")]
        sources = texts[:SENTENCES] or [sample_text(checkpoint)]
    if not sources:
        raise InputError("There is nothing to verify the checkpoint on; give a sentence.")
    return list(sources)
