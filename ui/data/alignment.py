"""What the Alignment page shows of one sentence: its words, what each head gives from word to word, links and gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.alignment import Gold, Link, Measured, Reading, measure, word_map
from core.analysis.head_choice import ALIGNMENT
from core.analysis.word_links import By, Counted, Shares, WordAxes, by_weight, counted, word_links
from core.errors import InputError
from core.tokenizer.spaced import spaced_words
from ui.data import gold as golds
from ui.data import maps as view
from ui.data import resources
from ui.data.decode import Decode
from ui.data.maps import Axis, Maps
from ui.session.selection import MEAN, Selection

if TYPE_CHECKING:
    from core.analysis.gold_file import GoldFile
    from ui.data.entry import Entry


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
        return tuple(self.rows[place] for place in self.axes.target)

    @property
    def source(self) -> tuple[str, ...]:
        return tuple(self.columns[place] for place in self.axes.source)


@dataclass(frozen=True)
class Plate:
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
            return "all layers"
        return f"layer {self.layer}" if self.head is None else f"{self.layer}.{self.head}"

    @property
    def subject(self) -> str:
        """As the subject of a sentence: head 2.5, layer 2, the mean of all layers."""
        if self.layer is None:
            return "the mean of all layers"
        return f"layer {self.layer}" if self.head is None else f"head {self.layer}.{self.head}"

    def measured(self, links: frozenset[Link]) -> Measured | None:
        """Links against this sentence's gold."""
        return measure(links, self.gold) if self.gold else None


def texts_of(decode: Decode, selection: Selection) -> tuple[str, str]:
    """The sentence and its translation as they were typed: a tokenizer may spell a translation otherwise."""
    given = decode.strategy == "given" and selection.target
    return decode.source_text, selection.target if given else decode.text


def words_of(entry: Entry, decode: Decode, texts: tuple[str, str]) -> Words:
    """The words between spaces; the tokenizer's own where a side has none, or its tokens do not spell them."""
    own = _pieces(entry, decode)
    try:
        words = spaced(entry, decode, texts)
    except InputError:
        return own
    unspaced = any(len(a) < 2 <= len(b) for a, b in ((words.source, own.source), (words.target, own.target)))
    return own if unspaced else words


def spaced(entry: Entry, decode: Decode, texts: tuple[str, str]) -> Words:
    """The words between spaces. Raises `InputError` where the tokens do not spell them."""
    trace, (source, target) = decode.trace, entry.tokenizers
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


def _pieces(entry: Entry, decode: Decode) -> Words:
    source, target = entry.tokenizers
    rows, columns = view.axes(decode, "cross", True, source.joined, target.joined)
    axes = WordAxes.of(decode.written_words, decode.source_words, decode.trace.source_ids, source.eos_id)
    return Words(axes, rows.labels, columns.labels, spaced=False)


def shares_of(entry: Entry, decode: Decode, by: By, device: str | None) -> Shares:
    """What every head gives to every source token, by weight or by contribution (which needs the model)."""
    trace = decode.trace
    if by == "weight":
        return by_weight(trace.stacked("decoder", "cross", "weights"))
    from core.analysis.word_links import by_contribution
    from core.experiments.contributions import layers
    from core.experiments.gold_survey import RECORD

    loaded = resources.model(entry, device).model
    full = resources.recorded(entry, decode, RECORD, device)
    name = (device, "cross contributions", trace.source_ids, trace.written_ids)
    return resources.experiment(entry, name, lambda: by_contribution(layers(loaded, full, "cross")))


def plate(
    entry: Entry, decode: Decode, selection: Selection, device: str | None, file: GoldFile | None
) -> Plate:
    """Everything the page draws of this sentence. Raises `AtlasError` with one sentence."""
    words, found, origin, problem = _gold(entry, decode, selection, file)
    shares = shares_of(entry, decode, selection.by, device)
    layer, head = chosen(decode, selection, shares)
    axes, reading = words.axes, selection.reading or _aligns(decode)[1]
    maps = Maps(
        "cross",
        word_map(shares.heads, axes.rows, axes.columns, reading),
        Axis(words.rows, axes.rows),
        Axis(words.columns, axes.columns),
        hidden=False,
        writing=True,
    )
    values = shares.of(layer, head)
    return Plate(
        words=words,
        layer=layer,
        head=head,
        reading=reading,
        maps=maps,
        values=word_map(values, axes.rows, axes.columns, reading),
        links=frozenset(word_links(values, axes, reading)),
        gold=found,
        origin=origin,
        counts=counted(shares, axes, found) if found else None,
        problem=problem,
    )


def _gold(
    entry: Entry, decode: Decode, selection: Selection, file: GoldFile | None
) -> tuple[Words, Gold | None, str, str]:
    """The words, their gold alignment, where it comes from, and why the file's cannot be used.

    What was marked by hand goes before what the file says.
    """
    texts = texts_of(decode, selection)
    known, problem = file.of(*texts) if file else None, ""
    words = words_of(entry, decode, texts)
    if known is not None:
        try:
            words = spaced(entry, decode, texts)
        except InputError as error:
            known, problem = None, str(error)
    by_hand = golds.by_hand(selection.gold, words.source, words.target)
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
