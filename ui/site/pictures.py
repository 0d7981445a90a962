"""The pictures of the site: one for each topic of a course, and four experiments, all of the shipped English → French model.

Each is the data of one of the app's own views, which plays it in the page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.norms import RECORD
from core.analysis.readout import decimal, quoted
from core.errors import InputError
from core.experiments.edits import Edits, HeadsStep
from core.language import message, tr
from core.learning import trials
from core.model.hooks import ATTENTION, Site, attention_of
from core.model.positions import sinusoid_table
from ui.export.live.page import AblatedWord, AblationData, decode_data
from ui.inside import positions as positions_page
from ui.inside.position_numbers import layout_of
from ui.learn import watch
from ui.session.selection import Selection
from ui.shared import ablations, checkpoints, maps, what_if
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import pinned_pair
from ui.shared.head_views import HeadData, HeadMap
from ui.shared.map_data import Arranged, WallData
from ui.style.theme import Kind
from ui.web.contract import deflated, pack
from ui.what_if.finding import percent
from ui.what_if.page import breaking_data

MODEL: Final = "en-fr"
_CROSSING: Final = "A white dog is chasing a black cat."
_TOKEN: Final = 3  # “sleeping”
_PATTERN: Final = 64  # numbers of a position that are drawn
_POSITIONS: Final = 24


@dataclass(frozen=True)
class StripsData:
    """Rows of numbers as stripes of colour, each with its name, a note and, where `lengths` has it, a bar (a share of 1).

    `values` are (rows, columns) flat, coloured up to `reach`. `moved`: two rows whose numbers change places.
    """

    kind: Kind
    title: str
    subtitle: str
    readout: str
    names: Sequence[str]
    notes: Sequence[str]
    lengths: Sequence[float]
    columns: int
    reach: float
    moved: tuple[int, int] | None
    values: NDArray[np.float32]


@dataclass(frozen=True)
class Picture:
    """A view with its data, as a page holds it; `moves`: it plays when it comes into view."""

    view: str
    data: Mapping[str, object]
    moves: bool = False

    @property
    def json(self) -> str:
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))


def picture(view: str, data: Any, moves: bool = False) -> Picture:
    """The picture of a view's data."""
    return Picture(view, pack(data, deflated), moves)


@dataclass(frozen=True)
class Exhibit:
    """A picture of the gallery: its name in links, the question it answers, one sentence, and how it is made."""

    name: str
    title: str
    text: str
    make: Callable[[], Picture]


def shipped(name: str = MODEL, **selected: Any) -> CheckpointView:
    """A shipped model, loaded, and what is selected of it. Raises `AtlasError` where it is missing."""
    entry, problem = checkpoints.find(name)
    if problem:
        raise InputError(
            f"The site shows the checkpoint {name}, which is not there; restore checkpoints/{name}."
        )
    shown = CheckpointView(entry, Selection(checkpoint=name, **selected), "cpu")
    shown.load()
    return shown


def view(text: str | None = None, **selected: Any) -> DecodeView:
    """The model of the pictures on a sentence."""
    return shipped(text=text, **selected).decoded


# -- the six topics of a course ---------------------------------------------------------------------------------


def written_out() -> Picture:
    """A sentence that writes itself."""
    shown = view()
    data = decode_data(shown.decode, shown.entry.config, shown.entry.usable.card, MODEL, {"en": ""})
    return picture("stage", data, moves=True)


def causal_mask() -> Picture:
    """The masked scores of one head of the decoder."""
    shown = view(kind="causal")
    trace = shown.recorded(maps.score_sites("causal"))
    every = maps.maps_of(shown.decode, "causal", shown.entry.tokenizers)
    layer, one = every.first or (0, 0)
    scores = maps.raw_scores(trace, "causal", masked=True)[layer, one]
    return picture("head", _head(shown, every, scores, (layer, one), mode="masked"), moves=True)


def alignment() -> Picture:
    """Cross-attention of one head, where the order of words changes."""
    shown = view(_CROSSING)
    every = maps.maps_of(shown.decode, "cross", shown.entry.tokenizers)
    chosen = shown.decode.first_head
    return picture("head", _head(shown, every, every.weights[chosen], chosen), moves=True)


def head_data(shown: DecodeView, kind: Kind, chosen: tuple[int, int], row: int) -> HeadData:
    """One head's weights, about one row."""
    every = maps.maps_of(shown.decode, kind, shown.entry.tokenizers)
    return _head(shown, every, every.weights[chosen], chosen, current=row)


def _head(
    shown: DecodeView,
    every: maps.Maps,
    values: NDArray[Any],
    chosen: tuple[int, int],
    current: int | None = None,
    mode: Any = "weights",
) -> HeadData:
    layer, one = chosen
    what = (
        tr("scores before the softmax, −∞ where the mask is")
        if mode == "masked"
        else tr("weights in % of a row")
    )
    return HeadData(
        HeadMap(values, layer, one),
        every.queries.labels,
        every.keys.labels,
        kind=every.kind,
        mode=mode,
        title=tr("Head {name}, row by row", name=f"{layer}.{one}")
        if current is None
        else tr("Head {name}", name=f"{layer}.{one}"),
        subtitle=f"{tr(attention_of(shown.entry.config, every.kind).phrase)} · {what}",
        reads=every.queries.reads,
        current=current,
    )


def positions() -> Picture:
    """The sinusoids of the first positions, sines left of cosines."""
    config = view().entry.config
    layout, denominator = layout_of(config)
    width = config.d_model - config.d_model % 2
    table = sinusoid_table(_POSITIONS, width, layout, denominator)
    halves = [table[:, 0::2], table[:, 1::2]] if layout == "sinusoidal" else np.split(table, 2, axis=1)
    step = max(1, width // _PATTERN)
    drawn = np.concatenate([half[:, ::step] for half in halves], axis=1)
    near = (table @ table[0]) / (np.linalg.norm(table, axis=1) * np.linalg.norm(table[0]))
    data = StripsData(
        kind="encoder",
        title=tr("Every position has a pattern of its own"),
        subtitle=tr("Sines on the left, cosines on the right; each column is a wave with its own wavelength"),
        readout=tr(
            "The number on the right is the cosine with position 0: neighbours are alike, distant positions less."
        ),
        names=[str(n) for n in range(_POSITIONS)],
        notes=[decimal(float(value), 2) for value in near],
        lengths=(),
        columns=drawn.shape[1],
        reach=1.0,
        moved=None,
        values=np.asarray(drawn, dtype=np.float32).ravel(),
    )
    return picture("strips", data, moves=True)


def stream() -> Picture:
    """One token's vector on its way through the encoder."""
    shown = view()
    trace, config = shown.recorded(RECORD), shown.entry.config
    word = quoted(trace.tokens.source[_TOKEN])
    pre = config.norm_placement == "pre"
    sites = [(tr("embedding + position"), Site("encoder", 0, "self", "residual_before"))]
    for layer in range(config.encoder_layers):
        for block, name in (
            ("self", tr("attention {layer}", layer=layer)),
            ("ffn", tr("feed-forward {layer}", layer=layer)),
        ):
            sites.append(
                (f"+ {name}", Site("encoder", layer, block, "residual_after" if pre else "norm_output"))
            )
    vectors = np.array([np.asarray(trace.array(site), dtype=np.float64)[_TOKEN] for _, site in sites])
    lengths = np.linalg.norm(vectors, axis=1)
    first, last = (decimal(float(lengths[n]), 1) for n in (0, -1))
    data = StripsData(
        kind="encoder",
        title=tr(
            "The length of the vector of {word} goes from {first} to {last}",
            word=word,
            first=first,
            last=last,
        ),
        subtitle=tr(
            "Each sub-layer adds to the vector; a stripe is its {count} numbers, the bar its length",
            count=config.d_model,
        ),
        readout=tr(
            "The norm reads the vector at a fixed scale, so every sub-layer can add to it without shrinking it."
        )
        if pre
        else "",
        names=[name for name, _ in sites],
        notes=[decimal(float(value), 1) for value in lengths],
        lengths=[float(value) for value in lengths / lengths.max()],
        columns=config.d_model,
        reach=float(np.quantile(np.abs(vectors), 0.98)),
        moved=None,
        values=np.asarray(vectors, dtype=np.float32).ravel(),
    )
    return picture("strips", data, moves=True)


def heads() -> Picture:
    """All heads of the encoder, those first that look at the word before."""
    from core.analysis.heads import head_scores

    shown = view(kind="encoder")
    every = maps.maps_of(shown.decode, "encoder", shown.entry.tokenizers)
    words = shown.decode.trace.tokens.source
    scores = head_scores(
        every.weights, ATTENTION["encoder"].name, queries=words, keys=words, names=("previous_share",)
    )
    best = int(np.argmax(scores["previous_share"]))
    layer, one = divmod(best, every.weights.shape[1])
    data = WallData(
        every.weights,
        every.queries.labels,
        every.keys.labels,
        kind="encoder",
        scores_of=scores,
        arranged=Arranged(sort="high", badge="previous_share"),
        title=tr(
            "Head {name} gives {share} of its weight to the previous word",
            name=f"{layer}.{one}",
            share=percent(float(scores["previous_share"][layer, one])),
        ),
        subtitle=tr(
            "All {count} heads of the encoder, sorted by the weight on the word before",
            count=every.weights[:, :, 0, 0].size,
        ),
        open=(best,),
        controls=False,
    )
    return picture("wall", data, moves=True)


# -- four experiments -------------------------------------------------------------------------------------------


def no_source() -> Picture:
    """All cross-attention ablated."""
    shown = view()
    outcome = what_if.outcome(shown, Edits((HeadsStep("cross", None, None),)))
    config = shown.entry.config
    names = [
        f"{layer}.{one}"
        for layer in range(config.decoder_layers)
        for one in range(config.of("decoder").heads)
    ]
    labels = shown.decode.trace.tokens.written
    listed = [
        AblatedWord(label, float(before), float(after))
        for label, before, after in zip(labels, outcome.before, outcome.after, strict=True)
    ]
    return picture("ablation", AblationData(names, outcome.unedited, outcome.rewritten, listed), moves=True)


def until_it_breaks() -> Picture:
    """The heads of one pair of words ablated one by one."""
    from core.experiments.importance import pair_survey

    shown = view()
    pair = pinned_pair(shown.decode, shown.selection)
    if pair is None:
        raise InputError(
            f"The example sentence of {MODEL} has no pair to pin; choose another sentence for the site."
        )
    (written,) = what_if.pairs_of(shown, examples=False)
    *_, survey = pair_survey(shown.load().model, written, ablations.ranking(shown, "cross"))
    return picture("breaking", breaking_data(shown, survey, "cross", pair), moves=True)


def swapped() -> Picture:
    """Two words change their positions."""
    shown = view(token=f"s{_TOKEN - 2}")
    change = positions_page.swapped(shown)
    if change is None:
        raise InputError(
            "No two words of the example sentence can change places; choose another sentence for the site."
        )
    config = shown.entry.config
    layout, denominator = layout_of(config)
    table = sinusoid_table(len(change.labels), config.d_model, layout, denominator)[:, :_PATTERN]
    data = StripsData(
        kind="encoder",
        title=change.title,
        subtitle=tr("Each word keeps its embedding; only the position added to it changes"),
        readout=tr(
            "Before: {before} After: {after}",
            before=_text(change.change.before),
            after=_text(change.change.after),
        ),
        names=change.labels,
        notes=[tr("position {n}", n=n) for n in range(len(change.labels))],
        lengths=(),
        columns=table.shape[1],
        reach=1.0,
        moved=(change.first, change.second),
        values=np.asarray(table, dtype=np.float32).ravel(),
    )
    return picture("strips", data, moves=True)


def _text(words: Sequence[Any]) -> str:
    return "".join(f"{' ' if word.spaced else ''}{word.text}" for word in words)


def without_the_mask() -> Picture:
    """Two trainings, one without the causal mask."""
    return picture("two_trainings", watch.mask_data(trials.stored()), moves=True)


TOPICS: Final = (
    Exhibit("attention", message("Where does it look while it writes a word?"), message("The model writes one word at a time. The lines show where one head of cross-attention looks."), written_out),
    Exhibit("mask", message("Why can it not see the future?"), message("The causal mask sets the score of every later word to −∞, so its weight is exactly 0."), causal_mask),
    Exhibit("alignment", message("Does attention align words?"), message("French puts many adjectives after the noun. Watch where the dark cells leave the diagonal."), alignment),
    Exhibit("positions", message("How does it know the order?"), message("Attention alone ignores order. Each position adds a pattern of waves to its word."), positions),
    Exhibit("stream", message("What do the layers do to a word?"), message("Every sub-layer adds a vector to the word’s own. Nothing is overwritten."), stream),
    Exhibit("heads", message("What is each head for?"), message("Some heads do one thing for every sentence. The first ones here look at the word before."), heads),
)  # fmt: skip
EXPERIMENTS: Final = (
    Exhibit("no-source", message("What if the decoder cannot see the source?"), message("All cross-attention is ablated, so the decoder no longer sees the English sentence."), no_source),
    Exhibit("breaking", message("How many heads until it breaks?"), message("The heads that link two words are ablated one by one, until the text changes."), until_it_breaks),
    Exhibit("swap", message("What if two words swap positions?"), message("The words stay, only their positions change places."), swapped),
    Exhibit("no-mask", message("What if it trains without the causal mask?"), message("Two trainings differ in the mask alone."), without_the_mask),
)  # fmt: skip
