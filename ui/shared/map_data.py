"""What the wall of heads and the joint view send to the browser; needs no Streamlit, so that notebooks can use it too."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from typing import Annotated, Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.alignment import RATE_ENTRIES
from core.analysis.contributions import READINGS
from core.analysis.glossary import SCORES
from core.analysis.maps import hides_later, reduce_map
from core.errors import InputError
from core.language import tr
from core.model.hooks import ATTENTION
from ui.session.selection import How, Sort, Tone
from ui.style.theme import Kind
from ui.web.contract import Between, axis_labels, derive, file_stem, kind_name, pack, read_labels


@dataclass(frozen=True)
class Quantity:
    """`name` stands in titles and legends ("ALTI+"); `top` is the largest number of all maps of the kind, drawn in full
    colour: 1 for shares.

    `pictures` name the small pictures where they are layers, not heads, and `rows` the lines they stand in. `aside`: the
    last column is no token but the rest that a row came from, and no causal mask hides it.
    """

    name: str
    unit: Literal["share", "length"] = "share"
    top: float = 1.0
    pictures: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    aside: bool = False

    def __post_init__(self) -> None:
        """Raise `InputError` for a `top` that colours cannot be measured by."""
        if not self.top > 0 or (self.unit == "share" and self.top != 1.0):
            raise InputError(
                f"{self.name}: its largest number is {self.top:g}; give 1 for shares, else more than 0."
            )


LEVELS = 255
"""The largest byte. A byte b stands for the weight (b / 255)², so tiny weights keep their differences."""


def to_bytes(weights: ArrayLike) -> NDArray[np.uint8]:
    """Weights in 0..1 as bytes of the same shape, b = round(255·√w); the error is at most 1/255.

    The square root spends the bytes where eyes need them: next to 0 the steps are 4·10⁻⁶, so an even
    row over 512 tokens is not rounded to nothing. Values outside 0..1 by rounding alone are clipped.
    Raises InputError for NaN, infinities and anything further outside.
    """
    full = np.asarray(weights, dtype=np.float32)
    if not np.isfinite(full).all() or (full.size and (full.min() < -1e-4 or full.max() > 1 + 1e-4)):
        raise InputError("Weights to draw must be finite numbers from 0 to 1; pass them after the softmax.")
    return np.asarray(np.rint(LEVELS * np.sqrt(np.clip(full, 0.0, 1.0))), dtype=np.uint8)


def from_bytes(levels: ArrayLike) -> NDArray[np.float32]:
    """The weights that `to_bytes` bytes stand for, as the browser reads them."""
    return np.asarray((np.asarray(levels, dtype=np.float32) / LEVELS) ** 2, dtype=np.float32)


FULL_SIDE = 128
"""Up to this many tokens a side every cell is sent; longer maps are reduced to REDUCED_SIDE."""
REDUCED_SIDE = 96
STRONG = 0.8
"""A share at least this large is highlighted; a score without an upper end marks its top tenth instead."""


@dataclass(frozen=True)
class Arranged:
    """How the reader arranged the wall: order of the heads, score under each, least score kept, colours.

    `badge` "" shows no score; `tone` None goes by the number of tokens: logarithmic for long maps, whose weights are small.
    """

    sort: Sort = "model"
    badge: str = ""
    least: Annotated[float, Between(-(10**9), 10**9)] | None = None
    tone: Tone | None = None


@dataclass(frozen=True)
class ScoreData:
    """A score of every head, to four digits, None where unknown, and from where on it is highlighted.

    `down`: the lower, the better. `explained` are lines of (word, what it means).
    """

    label: str
    units: str
    mark: float | None
    down: bool
    values: tuple[float | None, ...]
    definition: str
    percent: bool
    explained: tuple[tuple[str, str], ...]


PAIR: Final = "pair"
"""The score of a wall with a pinned pair: the weight that each head gives it."""


@dataclass(frozen=True)
class PinnedCell:
    """The pinned pair on a wall: its cell, outlined in every picture, and how its heads are ordered.

    `name` is “canapé · sofa”, `score` what the score under the heads is called. `order` lists all heads, counted over the
    layers, from the one that gives the pair most; the first three are outlined.
    """

    row: int
    column: int
    name: str
    score: str
    order: tuple[int, ...]


@dataclass(frozen=True)
class AllHeads:
    """What stands open when no head does: all of them, by their mean or maximum, and how a sentence calls that."""

    how: How = "mean"
    subject: str = "the mean of all heads"


@dataclass(frozen=True)
class WallData:
    """All heads of one kind as small pictures, one byte a cell; `wall_data` makes it."""

    rows: Sequence[str]
    cols: Sequence[str]
    kind: Kind
    reads: Sequence[str]  # the words that rows of the decoder read
    arranged: Arranged
    all_heads: AllHeads
    title: str
    subtitle: str
    how: str  # what a press does, where it is not to open a head or overlay it
    hidden: bool  # tokens were taken out; rows of zeros had too little left to draw
    tall: int  # the height aimed at, in CSS pixels
    file: str
    about: str  # what the scores are of
    quantity: Quantity | None  # what stands in place of weights; where it names the pictures, they are layers
    open: tuple[int, ...] | None  # heads that are open where no page says so
    pair: PinnedCell | None
    controls: bool  # False: the page has those of order and score
    words: str  # the name of the kind
    one_label: bool  # rows have one label each, and what they write is not known
    distribution: bool  # rows sum to 1
    layers: int
    heads: int
    # The pictures: `levels` has `size` bytes a head, a row and column each of `shape`, of which `written` rows are there.
    # Each cell is the strongest of `block` of the map's.
    shape: tuple[int, int]
    keys: int
    size: int
    block: tuple[int, int]
    labelled: bool
    causal: bool
    square: bool
    written: int
    scores: Mapping[str, ScoreData]
    levels: NDArray[np.uint8]
    digest: (
        str  # changes with what is drawn: the browser keeps its pictures when only the arrangement is news
    )


def wall_data(
    weights: ArrayLike,
    rows: Sequence[str],
    cols: Sequence[str],
    *,
    kind: Kind,
    reads: Sequence[str] = (),
    scores_of: Mapping[str, ArrayLike] | None = None,
    arranged: Arranged = Arranged(),
    all_heads: AllHeads = AllHeads(),
    title: str = "All heads",
    subtitle: str = "",
    how: str = "",
    total: int | None = None,
    hidden: bool = False,
    tall: int = 620,
    file: str = "heads",
    about: str = "of this sentence only",
    quantity: Quantity | None = None,
    open: tuple[int, ...] | None = None,
    pair: PinnedCell | None = None,
    controls: bool = True,
    words: str = "",
    one_label: bool = False,
    distribution: bool = True,
) -> WallData:
    """The wall of all heads of `weights` (L, H, T, S); what is not explained here is in `WallData`.

    `scores_of` maps names (those of core.analysis.glossary get its words) to (L, H) arrays, NaN where unknown. `total` is
    the number of rows to draw when the decode has not written them all yet. Above 128 tokens a side the pictures are
    reduced and each cell shows its strongest weight. Raises `InputError` for weights, labels or scores that do not fit each
    other.
    """
    full = np.asarray(weights) if quantity is None else np.asarray(weights) / quantity.top
    if full.ndim != 4 or 0 in full.shape:
        raise InputError(f"Weights have shape {full.shape}; the wall needs (layers, heads, queries, keys).")
    layers, heads, queries, keys = full.shape
    row_labels, column_labels = axis_labels(rows, queries, "query"), axis_labels(cols, keys, "key")
    levels, block = head_pictures(full)
    drawn_rows = max(queries, total or 0)
    blank = -(-drawn_rows // block[0]) - levels.shape[2]
    if blank:
        levels = np.pad(levels, ((0, 0), (0, 0), (0, blank), (0, 0)))
    height, width = levels.shape[2:]
    labelled = block == (1, 1)
    scores = {name: _score(name, values, (layers, heads)) for name, values in (scores_of or {}).items()}
    if pair is not None and PAIR in scores:
        scores[PAIR] = replace(scores[PAIR], label=pair.score, percent=True)
    badge = arranged.badge if arranged.badge in scores else next(iter(scores), "")
    wall = WallData(
        rows=row_labels + ["·"] * (drawn_rows - queries) if labelled else [""] * height,
        cols=column_labels if labelled else [""] * width,
        kind=kind_name(kind),
        reads=read_labels(reads, queries) if labelled else [],
        arranged=replace(arranged, badge=badge),
        all_heads=all_heads,
        title=title,
        subtitle=subtitle,
        how=how,
        hidden=hidden,
        tall=tall,
        file=file_stem(file),
        about=about,
        quantity=quantity,
        open=open,
        pair=pair,
        controls=controls,
        words=words or tr(ATTENTION[kind].title),
        one_label=one_label,
        distribution=distribution,
        layers=layers,
        heads=heads,
        shape=(height, width),
        keys=keys,
        size=height * width,
        block=block,
        labelled=labelled,
        causal=hides_later(kind, full),
        square=kind != "cross",
        written=-(-queries // block[0]),
        scores=scores,
        levels=levels.ravel(),
        digest="",
    )
    return replace(wall, digest=_digest(wall))


def head_pictures(full: NDArray[Any]) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """Bytes `(L, H, T', S')` and the cells each one stands for; layer by layer to keep memory small."""
    if max(full.shape[2:]) <= FULL_SIDE:
        return to_bytes(full), (1, 1)
    reduced = [reduce_map(layer, REDUCED_SIDE) for layer in full]
    return np.stack([to_bytes(picture) for picture, _ in reduced]), reduced[0][1]


def _digest(wall: WallData) -> str:
    """A name for what is drawn: all fields but the arrangement, and the bytes."""
    fields = pack(wall, lambda values: None)["fields"]
    drawn = {name: value for name, value in fields.items() if name != "arranged"}
    digest = hashlib.blake2b(json.dumps(drawn).encode(), digest_size=8)
    digest.update(wall.levels.tobytes())
    return digest.hexdigest()


def _score(name: str, values: ArrayLike, shape: tuple[int, int]) -> ScoreData:
    """One score for the browser: words, numbers to four digits, and from where on it is highlighted."""
    table = np.asarray(values, dtype=np.float64)
    if table.shape != shape:
        raise InputError(f"Score {name!r} has shape {table.shape} but the wall has {shape} layers and heads.")
    known = table[np.isfinite(table)]
    entry = SCORES.get(name) or READINGS.get(name) or RATE_ENTRIES.get(name)
    down = entry is not None and entry.down
    share = entry.high == 1.0 if entry else bool(known.size and known.min() >= 0 and known.max() <= 1)
    tenth = float(np.quantile(known, 0.1 if down else 0.9)) if known.size else None
    mark = STRONG if share and not down else tenth
    return ScoreData(
        label=tr(entry.label) if entry else name.replace("_", " "),
        units=tr(entry.units.split(" (")[0]) if entry and name != "distance" else "",
        mark=mark,
        down=down,
        values=tuple(round(float(v), 4) if np.isfinite(v) else None for v in table.ravel()),
        definition=tr(entry.definition) if entry else "",
        percent=False,
        explained=tuple((word, means) for word, means in entry.details) if entry else (),
    )


@dataclass(frozen=True)
class JointData:
    """The three kinds together, one head (or a mean) of each.

    Raises `InputError` for maps whose shapes do not fit each other or their labels, or that hold no weights.
    """

    # Weights (S, S), (T, S) and (T, T).
    encoder: NDArray[np.float32]
    cross: NDArray[np.float32]
    causal: NDArray[np.float32]
    source: Sequence[str]
    inputs: InitVar[Sequence[str]]  # what each row of the decoder read
    written: InitVar[Sequence[str]]  # what it wrote; empty: rows have one label each, the one in `inputs`
    _: KW_ONLY
    subject: str = "the decoder"
    title: str = ""
    subtitle: str = ""
    at: InitVar[int | None] = None  # the step shown first, 1…T; None: the last one, 0: nothing is written
    keys: bool = True  # arrows step and space plays anywhere on the page
    report: bool = False  # a step chosen by hand is sent to Python
    file: str = "joint"
    measure: str = "weight"  # what stands in place of weights
    # The number by kind that 1 stands for, where they are lengths.
    tops: Mapping[Kind, float] = field(default_factory=dict)
    # The start token, then the token written by each step; the first one is empty where `one_label`.
    target: Sequence[str] = field(init=False)
    steps: int = field(init=False)
    step: int = field(init=False)
    labels: Mapping[Kind, str] = field(default_factory=dict)  # the names of the kinds
    mode: Literal["weights", "contribution", "length"] = field(init=False)
    one_label: bool = field(init=False)

    def __post_init__(self, inputs: Sequence[str], written: Sequence[str], at: int | None) -> None:
        encoder, cross, causal = (_map(getattr(self, kind), kind) for kind in ("encoder", "cross", "causal"))
        source, steps = encoder.shape[1], cross.shape[0]
        if (
            encoder.shape != (source, source)
            or cross.shape != (steps, source)
            or causal.shape != (steps, steps)
        ):
            raise InputError(
                f"The maps have shapes {encoder.shape}, {cross.shape} and {causal.shape}; "
                "the joint view needs encoder (S, S), cross (T, S) and causal (T, T)."
            )
        read = axis_labels(inputs, steps, "decoder input")
        derive(
            self,
            encoder=encoder,
            cross=cross,
            causal=causal,
            source=axis_labels(self.source, source, "source"),
            target=[read[0] if read else "⟨start⟩", *axis_labels(written, steps, "written token")]
            if written or not read
            else ["", *read],
            one_label=bool(read and not written),
            steps=steps,
            step=steps if at is None else max(0, min(steps, at)),
            labels=dict(self.labels) or {key: kind.label for key, kind in ATTENTION.items()},
            file=file_stem(self.file),
            mode="length" if self.tops else "weights" if self.measure == "weight" else "contribution",
            tops=dict(self.tops) if self.tops else dict.fromkeys(ATTENTION, 1.0),
        )


def _map(values: ArrayLike, name: str) -> NDArray[np.float32]:
    full = np.asarray(values, dtype=np.float32)
    if full.ndim != 2:
        raise InputError(
            f"The {name} map has shape {full.shape}; the joint view needs one (queries, keys) map."
        )
    if full.size and not (np.isfinite(full).all() and full.min() >= -1e-3 and full.max() <= 1 + 1e-3):
        raise InputError(f"The {name} map must hold weights from 0 to 1; pass them after the softmax.")
    return full
