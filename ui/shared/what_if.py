"""The data of the What if page: a translation before and after edits, its words for each edit, and its measurements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.readout import isolated, quoted
from core.decoding.inputs import forced_token
from core.decoding.strategies import greedy_token
from core.errors import AtlasError
from core.experiments.edits import (
    UNEDITED,
    DragWeight,
    Edits,
    HeadsStep,
    HideSource,
    NoCausalMask,
    OpenPadding,
    ShufflePositions,
    Step,
    SwapPositions,
)
from core.language import message, numeral, plural, tr
from core.model.hooks import ATTENTION, attention_of
from core.tokenizer.piece import PADDING_LABEL
from ui.session import state
from ui.session.selection import Selection
from ui.shared import maps as view
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Decode, StepData
from ui.style.theme import Kind

if TYPE_CHECKING:
    from core.experiments.attribution import Direct
    from core.experiments.faithfulness import SourceMeasures
    from core.experiments.what_if import Pair, WhatIf, Why
    from core.model.config import ModelConfig
    from ui.shared.checkpoints import Entry

HOWS: Final = {
    "zero": message("Zero"),
    "mean": message("Mean"),
    "uniform": message("Uniform"),
    "frozen": message("Freeze"),
}
"""What takes the place of an ablated head."""
PIN_HEADS: Final = 3
"""The heads of a pinned pair that are ablated together by one click."""
Array = NDArray[np.floating]


@dataclass(frozen=True)
class Outcome:
    """Before and after some edits, over the words that were written.

    `before` and `after` (T,): the probability of each written token, those before it given; 1 for one that is always
    written there, which is none of the `choices`. `chosen`: label and probability of what greedy search would write there
    after the edits.
    `maps_before` and `maps_after`: weights (L, H, T, S) by kind. `unedited` and `rewritten` are what greedy search
    writes without the edits and with them, `labels` the tokens of the latter but the end token.
    """

    edits: Edits
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    choices: tuple[int, ...]
    chosen: tuple[tuple[str, float], ...]
    maps_before: Mapping[str, Array]
    maps_after: Mapping[str, Array]
    unedited: str
    rewritten: str
    labels: tuple[str, ...] = ()

    @property
    def change(self) -> float:
        """log p(translation) after − before, in nats."""
        return float(np.log(self.after).sum() - np.log(self.before).sum())

    @property
    def hardest(self) -> int:
        """The token whose log-probability fell most."""
        return int(np.argmin(np.log(self.after) - np.log(self.before)))

    def moved(self, kind: str) -> NDArray[np.float64]:
        """How far each head's map moved, (L, H) in 0..1: half the absolute change of a row, averaged over rows."""
        before, after = self.pair(kind)
        return np.asarray(0.5 * np.abs(after - before).sum(-1).mean(-1), dtype=np.float64)

    def pair(self, kind: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """All heads of one kind before and after; padding that nobody could see before has weight 0 there."""
        before, after = (
            np.asarray(maps[kind], dtype=np.float64) for maps in (self.maps_before, self.maps_after)
        )
        more = [(0, b - a) for a, b in zip(before.shape, after.shape, strict=True)]
        if kind == "encoder":  # padding reads too, but nobody asked what
            after = after[:, :, : before.shape[2]]
            more[2] = (0, 0)
        return np.pad(before, more), after


def outcome(shown: DecodeView, edits: Edits) -> Outcome:
    """The outcome of a decode under `edits`, cached. A stored example without edits needs no model.

    Raises `AtlasError` with one sentence for edits that do not fit.
    """
    decode, trace = shown.decode, shown.decode.trace
    if decode.stored and not edits:
        return _stored(decode)
    edits.check(trace.config, len(trace.source_ids), len(trace.written_ids))
    reference = _reference(shown, edits)

    def make() -> WhatIf:
        from core.experiments.intervention import Reference
        from core.experiments.what_if import what_if

        return what_if(shown.load(), trace.source_ids, trace.written_ids, edits, Reference(reference))

    computed = shown.memo(("what if", str(edits)), make, heavy=True)
    spell = shown.entry.tokenizers[1].decode
    return Outcome(
        edits,
        before=np.exp(computed.next_word("before")),
        after=np.exp(computed.next_word("after")),
        choices=computed.choices,
        chosen=_first_choices(shown.entry, computed),
        maps_before=computed.before.maps,
        maps_after=computed.after.maps,
        unedited=spell(computed.unedited),
        rewritten=spell(computed.rewritten),
        labels=_written_labels(shown, computed.rewritten),
    )


def _written_labels(shown: DecodeView, written: Sequence[int]) -> tuple[str, ...]:
    end = shown.entry.config.eos_id
    return tuple(shown.entry.tokenizers[1].labels([token for token in written if token != end]))


def edits_in_force(shown: CheckpointView) -> Edits:
    """The edits of the view, as `edits_of` says."""
    return edits_of(shown.selection, shown.entry.config)


def edits_of(selection: Selection, config: ModelConfig) -> Edits:
    """The edits of a link; where it says nothing of any, all heads of the kind in view are ablated."""
    if selection.edits is not None:
        return selection.edits
    kind: Kind = selection.kind if selection.kind in ("encoder", "causal") else "cross"
    if not config.layers(ATTENTION[kind].stack):
        return UNEDITED
    return Edits((HeadsStep(kind, None, None, "zero" if selection.off == "frozen" else selection.off),))


def _stored(decode: Decode) -> Outcome:
    """The outcome of the stored example without edits, available before its model is loaded."""
    trace = decode.trace
    maps = {
        key: trace.stacked(kind.stack, kind.block, "weights")
        for key, kind in ATTENTION.items()
        if trace.config.layers(kind.stack)
    }
    shares = np.ones(len(decode.steps))
    chosen = [(label, 1.0) for label in trace.tokens.written]
    for position in decode.choices:
        step = decode.steps[position]
        shares[position], chosen[position] = _share(step, trace.written_ids[position]), _first_choice(step)
    return Outcome(
        UNEDITED, shares, shares, decode.choices, tuple(chosen), maps, maps, decode.text, decode.text
    )


def _share(step: StepData, token: int) -> float:
    """The probability of the written token at its step."""
    if step.extra is not None:
        return step.extra.probability
    return step.probabilities[step.ids.index(token)]


def _first_choice(step: StepData) -> tuple[str, float]:
    """The most probable token that may be written, and its probability."""
    index = next(index for index, token in enumerate(step.ids) if token not in step.barred)
    return step.labels[index], step.probabilities[index]


def _first_choices(entry: Entry, computed: WhatIf) -> tuple[tuple[str, float], ...]:
    """The greedy choice at each position after the edits, given the tokens before it."""
    label = entry.tokenizers[1].label
    chosen = []
    for step, row in enumerate(computed.after.log_probabilities):
        token = greedy_token(row, entry.config, step)
        always = forced_token(entry.config, step) is not None
        chosen.append((label(token), 1.0 if always else float(np.exp(row[token]))))
    return tuple(chosen)


def _pair(decode: Decode) -> tuple[Any, Any]:
    return decode.trace.source_ids, decode.trace.written_ids


def _reference(shown: DecodeView, edits: Edits) -> Mapping[Any, Any]:
    """Mean head outputs over the checkpoint's own sentences, where an edit asks for them."""
    if not any(isinstance(step, HeadsStep) and step.how == "mean" for step in edits.steps):
        return {}
    sentences = reference_sentences(shown)

    def make() -> Mapping[Any, Any]:
        from core.experiments.what_if import mean_outputs

        return mean_outputs(shown.load(), sentences)

    return shown.checkpoint.memo(("means", sentences), make, heavy=True)


def reference_sentences(shown: DecodeView) -> tuple[str, ...]:
    """The sentences that means and surveys are taken over: the card's, or this one where it gives none."""
    return shown.entry.examples or (shown.decode.source_text,)


def put(edits: Edits) -> None:
    """Make these the edits in force."""
    state.update(edits=edits)


def attempt(shown: CheckpointView, make: Callable[[Edits], Edits]) -> None:
    """Make of the edits in force what `make` says; where that cannot be, one sentence says why."""
    now = edits_of(state.selection(), shown.entry.config)
    try:
        put(make(now))
    except AtlasError as error:
        st.toast(str(error))


# -- words --------------------------------------------------------------------------------------------------


def step_words(step: Step, decode: Decode) -> str:
    """One edit in a few words."""
    source, written = decode.trace.tokens.source, decode.trace.tokens.written
    match step:
        case HeadsStep(kind, layer, heads, how):
            name = tr(attention_of(decode.trace.config, kind).label)
            return tr("{heads}: {how}", heads=_heads_words(name, layer, heads), how=tr(HOWS[how]))
        case NoCausalMask():
            return tr("No causal mask")
        case HideSource(token):
            return tr("{word} hidden", word=_word(source, token))
        case OpenPadding(tokens):
            return plural("{count} padding token visible", "{count} padding tokens visible", tokens)
        case DragWeight(kind, layer, head, query, key, thousandths):
            rows = {"encoder": source, "causal": decode.trace.tokens.target, "cross": written}[kind]
            keys = decode.trace.tokens.target if kind == "causal" else source
            return tr(
                "Head {head}: {row} looks {share} at {key}",
                head=f"{layer}.{head}",
                row=_word(rows, query),
                share=f"{numeral(thousandths / 10, 'g')} %",
                key=_word(keys, key),
            )
        case SwapPositions(side, first, second):
            words = source if side == "source" else decode.trace.tokens.target
            return tr(
                "{first} and {second} swap positions", first=_word(words, first), second=_word(words, second)
            )
        case ShufflePositions(seed):
            return tr(SHUFFLED[step.side], seed=seed)


SHUFFLED: Final = {
    "source": message("Source positions shuffled ({seed})"),
    "target": message("Decoder positions shuffled ({seed})"),
}


def _heads_words(name: str, layer: int | None, heads: Sequence[int] | None) -> str:
    if layer is None:
        return tr("All heads, {kind}", kind=name)
    if heads is None:
        return tr("Layer {layer}, {kind}", layer=layer, kind=name)
    return tr("{heads}, {kind}", heads=", ".join(f"{layer}.{head}" for head in heads), kind=name)


def _word(labels: Sequence[str], position: int) -> str:
    return quoted(labels[position]) if position < len(labels) else tr("token {position}", position=position)


def axes(decode: Decode, kind: Kind, padding: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels of rows and columns of one kind's maps, padding that can be seen among the columns."""
    queries, keys = view.axes(decode, kind, False, str, str)
    return queries.labels, (*keys.labels, *([PADDING_LABEL] * padding if kind != "causal" else []))


def reads(decode: Decode, kind: Kind) -> tuple[str, ...]:
    """What the rows of one kind's maps read; empty for the encoder, whose labels say it."""
    return view.axes(decode, kind, False, str, str)[0].reads


def masks_later(edits: Edits, config: ModelConfig) -> bool:
    """Whether the decoder's causal mask is in force: the model has one, and no edit takes it away."""
    return config.causal and not edits.opens_future


def movable(edits: Edits, config: ModelConfig, kind: Kind, row: int, column: int, columns: int) -> bool:
    """Whether a weight can be moved there: a cell of the sentence's own, before the mask, in a row that sees another too.

    `columns`: the keys that the sentence has, padding aside.
    """
    ahead = kind == "causal" and masks_later(edits, config)
    sees = [
        key
        for key in range(row + 1 if ahead else columns)
        if kind == "causal" or key not in edits.hidden or (kind == "encoder" and key == row)
    ]
    return column in sees and len(sees) > 1


def movable_columns(edits: Edits, kind: Kind, columns: int) -> list[int]:
    """The keys to which a weight can be given in some row; `columns` as above."""
    return [key for key in range(columns) if kind == "causal" or key not in edits.hidden]


def off_heads(edits: Edits, kind: Kind, shape: tuple[int, int]) -> list[list[str | None]]:
    """What becomes of each head of a kind, (L, H); None where it computes as trained."""
    return [[edits.head(kind, layer, head) for head in range(shape[1])] for layer in range(shape[0])]


def reconciled(
    edits: Edits, kind: Kind, wanted: frozenset[tuple[int, int]], how: Any, shape: tuple[int, int]
) -> Edits:
    """The edits with exactly the heads `wanted` (layer, head) of a kind off; newly switched ones in the way `how`."""
    layers, heads = shape
    for layer in range(layers):
        row = [edits.head(kind, layer, head) is not None for head in range(heads)]
        turned = [head for head in range(heads) if row[head] != ((layer, head) in wanted)]
        if len(turned) == heads and heads > 1 and len(set(row)) == 1:
            edits = edits.switched(kind, layer, None, how, shape)
            continue
        for head in turned:
            edits = edits.switched(kind, layer, head, how, shape)
    return edits


def kept_only(edits: Edits, ranking: Sequence[tuple[str, int, int]], count: int) -> Edits:
    """The edits with the first `count` heads of a ranking, which names all, at work and all others off, a step a layer.

    Raises `InputError` where a link cannot hold so many steps.
    """
    others = tuple(step for step in edits.steps if not isinstance(step, HeadsStep))
    layers: dict[tuple[Any, int], list[int]] = {}
    for kind, layer, head in ranking[count:]:
        layers.setdefault((kind, layer), []).append(head)
    at_work = {(kind, layer) for kind, layer, _ in ranking[:count]}
    off = tuple(
        HeadsStep(kind, layer, tuple(sorted(heads)) if (kind, layer) in at_work else None)
        for (kind, layer), heads in sorted(layers.items())
    )
    return Edits((*others, *off))


def kept_count(edits: Edits, ranking: Sequence[tuple[str, int, int]], config: ModelConfig) -> int | None:
    """How many of the first heads of a ranking, and no others, are at work while all others give zeros; None: it is not so."""
    off = edits.heads(config)
    at_work = len(ranking) - len(off)
    least = off.keys() == set(ranking[at_work:]) and all(how == "zero" for how in off.values())
    return at_work if least else None


# -- measurements -------------------------------------------------------------------------------------------


def pairs_of(shown: DecodeView, examples: bool) -> list[Pair]:
    """This sentence, or the checkpoint's example sentences, each with its translation."""
    from core.experiments.importance import written_pairs
    from core.experiments.what_if import Pair

    if not examples:
        return [Pair(*_pair(shown.decode))]
    return written_pairs(shown.load(), reference_sentences(shown))


def reasons(shown: DecodeView, step: int, other: int) -> Why:
    """Why token `step` was written and not `other`, kept. Raises `AtlasError` with one sentence."""

    def make() -> Why:
        from core.experiments.what_if import Pair, why

        return why(shown.load().model, Pair(*_pair(shown.decode)), step, other)

    return shown.memo(("why", step, other), make, heavy=True)


def direct_parts(shown: DecodeView, step: int, other: int) -> Direct:
    """What each part adds to the log-odds of the written word and `other`, kept. Raises `AtlasError` with one sentence."""

    def make() -> Direct:
        from core.experiments.attribution import direct

        source, written = _pair(shown.decode)
        return direct(shown.load(), source, written, step, written[step], other)

    return shown.memo(("direct", step, other), make, heavy=True)


SOURCE_MEASURES: Final = "source measures"


def source_measures(shown: DecodeView, step: int) -> SourceMeasures:
    """What every measure says of the source words of a step, kept. Raises `AtlasError` with one sentence."""

    def make() -> SourceMeasures:
        from core.experiments.faithfulness import measure_step
        from core.experiments.what_if import Pair

        return measure_step(shown.load(), Pair(*_pair(shown.decode)), step, shown.decode.first_head)

    return shown.memo((SOURCE_MEASURES, step), make, heavy=True)


def alternatives(decode: Decode, step: int) -> dict[int, str]:
    """The most probable tokens at a step but the written one: id → label with its probability."""
    next_word = decode.steps[step]
    written = decode.trace.written_ids[step]
    return {
        token: f"{isolated(label)}  {numeral(100 * share, '.2g')} %"
        for token, label, share in zip(next_word.ids, next_word.labels, next_word.probabilities, strict=True)
        if token != written and token not in next_word.barred
    }
