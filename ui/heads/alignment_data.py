"""The data of the Alignment page: words, word-to-word maps, links and gold of one sentence.

Gold comes from links marked by hand or from a gold file; every head is measured against the file. Links can be joined with
those of a checkpoint for the other direction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from core.analysis import alignment
from core.analysis.alignment import (
    READINGS,
    By,
    Counted,
    Gold,
    GoldFile,
    Link,
    Measured,
    Reading,
    Shares,
    WordAxes,
    by_contribution,
    by_weight,
    counted,
    gold_line,
    grow_diag,
    measure,
    read_gold,
    word_links,
    word_map,
)
from core.analysis.roles import ALIGNMENT
from core.errors import AtlasError, InputError
from core.language import numeral, tr
from core.tokenizer.tokenizer import spaced_words
from ui.session import state
from ui.session.selection import GOLD_LIMIT, MEAN, Selection
from ui.shared import checkpoints, context
from ui.shared import maps as view
from ui.shared.cache import Job
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Decode
from ui.shared.maps import Axis, Maps
from ui.style import screen_text

if TYPE_CHECKING:
    from core.experiments.contributions import GoldSurvey
    from ui.shared.checkpoints import Entry


@dataclass(frozen=True)
class Words:
    """The words of a sentence and its translation. `spaced`: they are what stands between spaces, as in gold files.

    `rows` and `columns` name every word written and of the source, special tokens among them; `target` and `source`
    the words alone, which links count.
    """

    axes: WordAxes
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    spaced: bool

    @property
    def target(self) -> tuple[str, ...]:
        return tuple(self.rows[index] for index in self.axes.target)

    @property
    def source(self) -> tuple[str, ...]:
        return tuple(self.columns[index] for index in self.axes.source)


@dataclass(frozen=True)
class AlignedSentence:
    """One choice of head, reading and measure on one sentence.

    `layer` and `head` are None for all of them together; `reading` is the row a word is aligned in. `maps` holds every head from word to word (L, H, rows,
    columns), `values` (rows, columns) the chosen one; `links` are its links. `gold` has its `origin`, "hand" or "file",
    and `counts` hold every head against it; `problem` says why the file's cannot be used.
    """

    words: Words
    layer: int | None
    head: int | None
    reading: Reading
    maps: Maps
    values: NDArray[np.float64]
    links: frozenset[Link]
    gold: Gold | None
    origin: str
    counts: Counted | None
    problem: str = ""

    @property
    def name(self) -> str:
        """Short: 2.5, layer 2, all layers."""
        if self.layer is None:
            return tr("all layers")
        return tr("layer {layer}", layer=self.layer) if self.head is None else f"{self.layer}.{self.head}"

    @property
    def subject(self) -> str:
        """As the subject of a sentence: head 2.5, layer 2, the mean of all layers."""
        if self.layer is None:
            return tr("the mean of all layers")
        name = f"{self.layer}.{self.head}"
        return tr("layer {layer}", layer=self.layer) if self.head is None else tr("head {name}", name=name)

    def measured(self, links: frozenset[Link]) -> Measured | None:
        """Links against this sentence's gold."""
        return measure(links, self.gold) if self.gold else None


def texts_of(shown: DecodeView) -> tuple[str, str]:
    """The sentence and its translation as they were typed: a tokenizer may spell a translation otherwise."""
    decode, selection = shown.decode, shown.selection
    given = decode.strategy == "given" and selection.target
    return decode.source_text, selection.target if given else decode.text


def words_of(shown: DecodeView, texts: tuple[str, str]) -> Words:
    """The words between spaces; the tokenizer's own where a side has none, or its tokens do not spell them."""
    own = _pieces(shown)
    try:
        words = spaced(shown, texts)
    except InputError:
        return own
    unspaced = any(len(a) < 2 <= len(b) for a, b in ((words.source, own.source), (words.target, own.target)))
    return own if unspaced else words


def spaced(shown: DecodeView, texts: tuple[str, str]) -> Words:
    """The words between spaces. Raises `InputError` where the tokens do not spell them."""
    trace, (source, target) = shown.decode.trace, shown.entry.tokenizers
    read = spaced_words(source, trace.source_ids, texts[0])
    written = spaced_words(target, trace.written_ids, texts[1])
    axes = WordAxes.of(written, read, trace.source_ids, source.eos_id)
    return Words(
        axes,
        _named(axes.rows, written, texts[1], trace.tokens.written),
        _named(axes.columns, read, texts[0], trace.tokens.source),
        spaced=True,
    )


def _named(
    groups: Sequence[Sequence[int]], numbers: Sequence[int], text: str, labels: Sequence[str]
) -> tuple[str, ...]:
    parts = text.split()
    return tuple(parts[numbers[group[0]]] if numbers[group[0]] >= 0 else labels[group[0]] for group in groups)


def _pieces(shown: DecodeView) -> Words:
    decode, (source, target) = shown.decode, shown.entry.tokenizers
    rows, columns = view.axes(decode, "cross", True, source.joined, target.joined)
    axes = WordAxes.of(decode.written_words, decode.source_words, decode.trace.source_ids, source.eos_id)
    return Words(axes, rows.labels, columns.labels, spaced=False)


def shares_of(shown: DecodeView, by: By) -> Shares:
    """What every head gives to every source token, by weight or by contribution (which needs the model)."""
    if by == "weight":
        return by_weight(shown.decode.trace.stacked("decoder", "cross", "weights"))
    from core.experiments.contributions import CROSS_RECORD, layers

    model, trace = shown.load().model, shown.recorded(CROSS_RECORD)
    return shown.memo(
        ("cross contributions",), lambda: by_contribution(layers(model, trace, "cross")), heavy=True
    )


def aligned(shown: DecodeView, file: GoldFile | None) -> AlignedSentence:
    """Everything the page draws of this sentence. Raises `AtlasError` with one sentence."""
    decode, selection = shown.decode, shown.selection
    words, gold, origin, problem = _gold(shown, file)
    shares = shares_of(shown, selection.by)
    layer, head = chosen(decode, selection, shares)
    axes, reading = words.axes, selection.reading or _aligns(decode)[1]
    maps = Maps(
        "cross",
        word_map(shares.heads, axes.rows, axes.columns, reading),
        Axis(words.rows, axes.rows),
        Axis(words.columns, axes.columns),
        hidden=False,
    )
    values = shares.of(layer, head)
    return AlignedSentence(
        words=words,
        layer=layer,
        head=head,
        reading=reading,
        maps=maps,
        values=word_map(values, axes.rows, axes.columns, reading),
        links=frozenset(word_links(values, axes, reading)),
        gold=gold,
        origin=origin,
        counts=counted(shares, axes, gold) if gold else None,
        problem=problem,
    )


def _gold(shown: DecodeView, file: GoldFile | None) -> tuple[Words, Gold | None, str, str]:
    """The words, their gold alignment, where it comes from, and why the file's cannot be used.

    What was marked by hand goes before what the file says.
    """
    texts = texts_of(shown)
    known, problem = file.of(*texts) if file else None, ""
    words = words_of(shown, texts)
    if known is not None:
        try:
            words = spaced(shown, texts)
        except InputError as error:
            known, problem = None, str(error)
    by_hand = marked_by_hand(shown.selection.gold, words.source, words.target)
    if by_hand is not None:
        return words, by_hand, "hand", ""
    return words, known, "file" if known else "", problem


def chosen(decode: Decode, selection: Selection, shares: Shares) -> tuple[int | None, int | None]:
    """Layer and head of the link, as far as this model has them; else the head that aligns best.

    A head of another kind of attention is none of these. None is all of them together; all layers have no single head.
    """
    layers, heads = shares.heads.shape[:2]
    layer, head = selection.layer, selection.head
    if selection.kind not in ("cross", "joint") or (layer is None and head is None):
        return _aligns(decode)[0]
    if layer is None or layer == MEAN or layer >= layers:
        return None, None
    return layer, None if head is None or head == MEAN or head >= heads else head


def _aligns(decode: Decode) -> tuple[tuple[int, int], Reading]:
    """The head that the card says aligns best, and the row it does so in; else the head that opens on every page."""
    stated = decode.default_heads.get(ALIGNMENT) or decode.default_heads.get("cross")
    if stated is None:
        return decode.first_head, "writing"
    return (stated.layer, stated.head), stated.reading or "writing"


Turned = dict[tuple[int, int, Reading], frozenset[Link]]


@dataclass(frozen=True)
class Joined:
    """Links of both directions: the other's `head` in `reading`, its links turned, and what grow-diag makes of both.

    `agreeing` of its links are among those of this direction.
    """

    checkpoint: str
    head: tuple[int, int]
    reading: Reading
    backward: frozenset[Link]
    links: frozenset[Link]
    agreeing: int


def other_direction(entry: Entry) -> tuple[Entry | None, str]:
    """The first checkpoint of the list that translates back, or one sentence why there is none."""
    source, target = _languages(entry)
    if not (source and target):
        return None, tr("Its card names no languages, so no checkpoint for the other direction can be found.")
    for other in checkpoints.entries():
        if not other.problem and other.name != entry.name and _languages(other) == (target, source):
            return other, ""
    return (
        None,
        tr("No checkpoint in the list translates {target} → {source}.", target=target, source=source),
    )


def _languages(entry: Entry) -> tuple[str, str]:
    card = entry.card
    source, target = (
        screen_text.plain(card.get(name), 40) for name in ("source_language", "target_language")
    )
    return source, target


def joined(other: CheckpointView, plate: AlignedSentence, texts: tuple[str, str], by: By) -> Joined:
    """This direction's links joined with those of the best-agreeing head of the other direction's model.

    `texts` are the sentence and its translation. Raises `AtlasError` with one sentence if the other model cannot read
    them or splits them into different words.
    """
    words = plate.words
    sizes = len(words.source), len(words.target)
    every: Turned = other.memo(
        ("back", texts, by, words.spaced, sizes),
        lambda: _every_head(other, texts, by, words.spaced, sizes),
        heavy=True,
    )
    here = Gold(plate.links, plate.links)
    best = min(every, key=lambda head: (measure(every[head], here).aer, READINGS.index(head[2]), head[:2]))
    backward = every[best]
    return Joined(
        other.entry.name,
        best[:2],
        best[2],
        backward,
        frozenset(grow_diag(plate.links, backward)),
        len(backward & plate.links),
    )


def _every_head(
    other: CheckpointView, texts: tuple[str, str], by: By, spaced: bool, sizes: tuple[int, int]
) -> Turned:
    """The links of every head and reading of the other direction, turned to (source, target) of this one."""
    from core.api import trace_ids
    from core.decoding.inputs import source_ids, target_ids
    from core.experiments import contributions
    from core.experiments.contributions import CROSS_RECORD

    loaded = other.load()
    read, written = source_ids(loaded, texts[1]), target_ids(loaded, texts[0])
    ours, theirs = loaded.source_tokenizer, loaded.target_tokenizer
    if spaced:
        numbers = spaced_words(theirs, written, texts[0]), spaced_words(ours, read, texts[1])
    else:
        numbers = theirs.words(written), ours.words(read)
    axes = WordAxes.of(*numbers, read, ours.eos_id)
    if (len(axes.target), len(axes.source)) != sizes:
        raise InputError.tr(
            "{name} cuts these sentences into {target} and {source} words, this model into {own_target} and "
            "{own_source}, so their links cannot be joined.",
            name=other.entry.name,
            target=len(axes.target),
            source=len(axes.source),
            own_target=sizes[0],
            own_source=sizes[1],
        )
    trace = trace_ids(loaded, read, written, CROSS_RECORD)
    if by == "weight":
        shares = by_weight(trace.stacked("decoder", "cross", "weights"))
    else:
        shares = by_contribution(contributions.layers(loaded.model, trace, "cross"))
    layers, heads = shares.heads.shape[:2]
    return {
        (layer, head, reading): frozenset(
            (s, t) for t, s in word_links(shares.of(layer, head), axes, reading)
        )
        for layer in range(layers)
        for head in range(heads)
        for reading in READINGS
    }


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
    return InForce(own, own=True) if own else context.kept(entry, FILE, lambda: _of_folder(entry))


def _of_folder(entry: Entry) -> InForce:
    path = entry.path / FILE
    try:
        if not path.is_file() or path.is_symlink():
            return InForce(None)
        if path.stat().st_size > alignment.MOST_BYTES:
            raise AtlasError.tr(
                "{file} is larger than {most_bytes} bytes.",
                file=FILE,
                most_bytes=numeral(alignment.MOST_BYTES, ","),
            )
        text = path.read_text("utf-8", "replace")
        return InForce(alignment.from_lines(tr("Gold alignment of {name}", name=entry.name), text))
    except (AtlasError, OSError) as error:
        return InForce(
            None,
            problem=screen_text.sentence(tr("{name}: {words}", name=entry.name, words=error), entry.path),
        )


# -- marked by hand -----------------------------------------------------------------------------------------


def marked_by_hand(marked: str, source: Sequence[str], target: Sequence[str]) -> Gold | None:
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


def _name(file: GoldFile) -> tuple[str, str]:
    return ("gold", file.digest)


def surveyed(shown: CheckpointView, file: GoldFile) -> GoldSurvey | None:
    """A finished survey, if there is one; a short file is measured now, once its model is there. Raises `AtlasError`."""
    checkpoint = shown.checkpoint
    known: GoldSurvey | None = checkpoint.known(_name(file))
    if known is None and len(file.pairs) <= SOON and checkpoint.is_loaded:
        return checkpoint.memo(_name(file), lambda: _last(checkpoint, file), heavy=True)
    return known


def _last(checkpoint: CheckpointView, file: GoldFile) -> GoldSurvey:
    *_, last = _stages(checkpoint, file)
    return last


def _stages(checkpoint: CheckpointView, file: GoldFile) -> Iterator[GoldSurvey]:
    from core.experiments.contributions import gold_survey

    return gold_survey(checkpoint.load(), file)


def job(shown: CheckpointView, file: GoldFile) -> Job[GoldSurvey] | None:
    """This session's run of that survey; None when it was never started."""
    return shown.checkpoint.job(_name(file))


def start(shown: CheckpointView, file: GoldFile) -> None:
    """Start measuring behind the page; this session's other measurements stop."""
    checkpoint = shown.checkpoint
    checkpoint.measure_behind(_name(file), lambda: _stages(checkpoint, file))


def opens(layer: int, head: int) -> None:
    """Open a head of cross-attention, or MEAN of them."""
    state.update(kind="cross", layer=layer, head=MEAN if layer == MEAN else head, overlay=())


def rate(value: float) -> str:
    """An AER in two digits; a dash where nothing was counted."""
    return "–" if value != value else numeral(value, ".2f")


def share(value: float) -> str:
    """A precision or recall in whole percent; a dash where nothing was counted."""
    return "–" if value != value else f"{numeral(100 * value, '.0f')} %"
