"""What the Positions page says and draws: numbers and sentences from a configuration and a sentence. Pure numpy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from core.analysis.maps import ROUNDING
from core.analysis.readout import decimal, how_many, power_of_ten, quoted
from core.language import numeral, plural, tr
from core.model.config import ModelConfig
from core.model.positions import (
    Denominator,
    Layout,
    PositionSummary,
    cosine_by_offset,
    denominators,
    first_rise,
    inner_products,
    rotated,
    rotation_error,
    sinusoid_table,
    toeplitz_deviation,
    wavelengths,
)
from core.model.trace import Trace
from ui.inside.position_figures import PUBLISHED_OFFSETS
from ui.session.selection import Selection
from ui.shared.decode import Decode, Fact

Array = NDArray[np.float64]

RECORD = ("encoder.embed.token_embedding", "encoder.embed.sum")
ROTARY_RECORD = tuple(f"encoder.0.self.{kind}" for kind in ("q", "k", "scores"))
MOVED = 5  # positions by which a sentence is moved
ROWS = 24  # rows of the table drawn at least
SHOWN = 64  # positions computed at least, so that the waves can be seen
SHOWN_MOST = 256
CURVES = 6
FARTHEST = 110  # tokens apart: how far the similarity is drawn, and how far it is told to fall


@dataclass(frozen=True)
class Sinusoids:
    """The sinusoidal encoding around one sentence, and the token, pair and offset in hand."""

    table: Array  # (P, d)
    wavelengths: Array  # (d/2,)
    per_token: Array  # (d/2,) radians a token
    labels: tuple[str, ...]
    token: int
    pair: int
    offset: int
    columns: tuple[int, int]

    @property
    def drawn(self) -> Array:
        """The rows around the sentence with all sines left of all cosines: interleaved, the waves cannot be seen."""
        rows = self.table[: max(ROWS, len(self.labels) + 3)]
        if self.columns[1] - self.columns[0] == 1:
            rows = np.concatenate([rows[:, 0::2], rows[:, 1::2]], axis=1)
        return rows

    @property
    def drawn_columns(self) -> tuple[int, int]:
        """Where the chosen pair stands in `drawn`."""
        return self.pair, self.pair + len(self.wavelengths)

    def wave(self, pair: int) -> Array:
        """The sine of a pair at every position, (P,)."""
        interleaved = self.columns[1] - self.columns[0] == 1
        return self.table[:, 2 * pair if interleaved else pair]

    @property
    def angles(self) -> Array:
        """Angle of the pair at every position, (P,), on a clock that runs counter-clockwise."""
        sine, cosine = self.table[:, self.columns[0]], self.table[:, self.columns[1]]
        return np.asarray(np.arctan2(sine, cosine), dtype=np.float64)


def is_sinusoidal(config: ModelConfig) -> bool:
    """Whether the positions are fixed waves (in either layout)."""
    return config.positions.startswith("sinusoidal")


def layout_of(config: ModelConfig) -> tuple[Layout, Denominator]:
    """Layout and denominator; the paper's where the model has other positions, for comparison."""
    if not is_sinusoidal(config):
        return "sinusoidal", "half"
    return cast(Layout, config.positions), cast(Denominator, config.sinusoid_denominator)


def sinusoids(config: ModelConfig, decode: Decode, selection: Selection) -> Sinusoids:
    """Everything the page draws of sinusoidal positions for this sentence."""
    layout, denominator = layout_of(config)
    labels = decode.trace.tokens.source
    width = config.d_model - config.d_model % 2
    length = int(np.clip(len(labels) + 8, SHOWN, SHOWN_MOST))
    first = config.position_offset if is_sinusoidal(config) else 0
    table = sinusoid_table(length, width, layout, denominator, first)
    pairs = width // 2
    pair = min(selection.pair, pairs - 1) if selection.pair else min(default_pair(pairs), pairs - 1)
    _, token = token_in_hand(selection, len(labels))
    offset = min(selection.offset, length - 1)
    columns = (2 * pair, 2 * pair + 1) if layout == "sinusoidal" else (pair, pairs + pair)
    return Sinusoids(
        table=table,
        wavelengths=wavelengths(width, denominator),
        per_token=1 / denominators(width, denominator),
        labels=tuple(labels),
        token=token,
        pair=pair,
        offset=offset,
        columns=columns,
    )


def turns(config: ModelConfig, decode: Decode, selection: Selection) -> Sinusoids:
    """The same waves as wide as a head: by their angles rotary positions turn its queries and keys."""
    narrow = replace(
        config.of("encoder"),
        positions="sinusoidal",
        d_model=config.d_head,
        heads=1,
        head_dim=None,
        position_offset=0,
    )
    return sinusoids(narrow, decode, selection)


@dataclass(frozen=True)
class Turned:
    """What rotary positions make of one word's own query and key in the first encoder layer.

    `scores` (H, offsets): the score that the word would give to a copy of itself so many positions away. `moved`: how far,
    at most, a score of the sentence moves when all its words stand `MOVED` positions later; `apart`: how far, at most, the
    recorded scores are from those recomputed.
    """

    offsets: NDArray[np.int64]
    scores: Array
    moved: float
    apart: float


def turned(trace: Trace, token: int, farthest: int) -> Turned:
    """The numbers of `ROTARY_RECORD` for the word `token`, in double precision."""
    q, k, recorded = (trace.array(site).astype(np.float64) for site in ROTARY_RECORD)
    scale = {"head": q.shape[-1], "model": trace.config.d_model, "none": 1}[trace.config.score_scale] ** -0.5
    places, offsets = np.arange(q.shape[1]), np.arange(-farthest, farthest + 1)
    plain = [[rotated(head, -places) for head in each] for each in (q, k)]  # before they were turned

    def scores(first: int) -> Array:
        both = zip(*plain, strict=True)
        return np.stack(
            [rotated(one, places + first) @ rotated(two, places + first).T * scale for one, two in both]
        )

    copies = [
        rotated(np.tile(key[token], (len(offsets), 1)), offsets) @ query[token] * scale
        for query, key in zip(*plain, strict=True)
    ]
    here = scores(0)
    return Turned(
        offsets,
        np.stack(copies),
        float(np.abs(scores(MOVED) - here).max()),
        float(np.abs(here - recorded).max()),
    )


def turned_title(turned: Turned, word: str) -> str:
    """Where the head that most prefers a distance would look for a copy of the word."""
    spread = turned.scores.max(axis=1) - turned.scores.min(axis=1)
    head = int(spread.argmax())
    offset = int(turned.offsets[turned.scores[head].argmax()])
    names = {"head": head, "word": quoted(word)}
    if offset == 0:
        return tr("Head {head} scores {word} highest at its own position", **names)
    if offset < 0:
        return plural(
            "Head {head} would score a copy of {word} highest {count} position before it",
            "Head {head} would score a copy of {word} highest {count} positions before it",
            -offset,
            **names,
        )
    return plural(
        "Head {head} would score a copy of {word} highest {count} position after it",
        "Head {head} would score a copy of {word} highest {count} positions after it",
        offset,
        **names,
    )


def _rounding(error: float) -> str:
    """An error of rounding as a digit and a power of ten: “4 × 10⁻¹⁵”."""
    if error == 0:
        return "0"
    digit, _, power = f"{error:.0e}".partition("e")
    return f"{digit} × {power_of_ten(int(power))}"


def turned_sentence(turned: Turned) -> str:
    """What the turning keeps."""
    return tr(
        "Only the distance counts: moving the whole sentence by {count} positions changes no score by more than {change}.",
        count=MOVED,
        change=_rounding(turned.moved),
    )


def turned_ticks(turned: Turned, trace: Trace) -> tuple[Fact, ...]:
    """Checks of the turning against the recorded scores."""
    scores = np.abs(trace.array(ROTARY_RECORD[2])).max(initial=0.0)
    allowed = ROUNDING * max(1.0, float(scores))
    return (
        Fact(tr("the model turns by these angles"), turned.apart <= allowed, turned.apart),
        Fact(tr("only the distance matters"), turned.moved <= allowed, turned.moved),
    )


@dataclass(frozen=True)
class Ticks:
    """What must hold of the vectors that this model really added to this sentence, said under two cards."""

    rotation: tuple[Fact, ...] = ()
    similarity: tuple[Fact, ...] = ()


def ticks(trace: Trace, encoding: Sinusoids) -> Ticks:
    """Checks measured on the recorded sum minus the token embedding (`RECORD`), not on the formula drawn.

    Empty for a model without sinusoids; a sentence of one token only checks that the wave is added.
    """
    if not is_sinusoidal(trace.config):
        return Ticks()
    embedded, total = (trace.array(site).astype(np.float64) for site in RECORD)
    added = total - embedded  # (S, d)
    # The difference is exact only to the rounding of the recorded sum.
    allowed = ROUNDING * max(1.0, float(np.abs(total).max(initial=0.0)))
    layout, denominator = layout_of(trace.config)
    expected = sinusoid_table(len(added), added.shape[1], layout, denominator, trace.config.position_offset)
    apart = float(np.abs(added - expected).max(initial=0.0))
    rotation = [Fact(tr("the model adds these waves"), apart <= allowed, apart)]
    if len(added) < 2:
        return Ticks(tuple(rotation))
    turned = rotation_error(added, min(encoding.offset, len(added) - 1), layout, denominator)
    rotation.append(Fact("PE(p+k) = Mₖ·PE(p)", turned <= allowed, turned))
    squared = added.shape[1] / 2  # squared length of a row, the scale of the inner products
    deviation = toeplitz_deviation(inner_products(added)) / squared
    return Ticks(tuple(rotation), (Fact(tr("only the distance matters"), deviation <= allowed, deviation),))


def default_pair(pairs: int) -> int:
    """A pair whose wave is about a sentence long, so that its turn can be seen."""
    return max(1, round(0.16 * pairs))


def token_in_hand(selection: Selection, source: int, target: int = 0) -> tuple[str, int]:
    """Side ("s" or "t") and position of the token in hand; `source` and `target` are the numbers of tokens.

    The link's, else the pinned pair's, else a source token in the middle.
    """
    counts, token, pin = {"s": source, "t": target}, selection.token, selection.pin
    if token and int(token[1:]) < counts[token[0]]:
        return token[0], int(token[1:])
    if pin is not None:
        pinned = {"causal": ("t", pin.query), "encoder": ("s", pin.query), "cross": ("s", pin.key)}[pin.kind]
        if pinned[1] < counts[pinned[0]]:
            return pinned
    return "s", max(0, min(source - 1, round(0.6 * source)))


def curve_pairs(encoding: Sinusoids) -> list[int]:
    """A few pairs, from the shortest wave to the longest that still bends over the drawn positions, and the selected one."""
    bends = np.flatnonzero(encoding.wavelengths < 6 * len(encoding.table))
    spread = np.linspace(0, bends[-1] if len(bends) else 0, CURVES).round().astype(int).tolist()
    nearest = min(range(len(spread)), key=lambda index: abs(spread[index] - encoding.pair))
    spread[nearest] = encoding.pair
    return sorted(set(spread))


def cosines(config: ModelConfig) -> tuple[NDArray[np.int64], Array, dict[int, float]]:
    """Similarity by distance up to `FARTHEST`, and its value at the published distances."""
    _, denominator = layout_of(config)
    width = config.d_model - config.d_model % 2
    offsets = np.arange(0, FARTHEST + 1)
    marks = [mark for mark in PUBLISHED_OFFSETS if mark <= FARTHEST]
    at_marks = cosine_by_offset(width, marks, denominator)
    return (
        offsets,
        cosine_by_offset(width, offsets, denominator),
        {mark: float(value) for mark, value in zip(marks, at_marks, strict=True)},
    )


FAR_APART = 0.1  # a difference by which two rows are told apart in one dimension


def row_title(rows: Array, encoding: Sinusoids) -> str:
    """Which row a token gets, and how many of its numbers tell it from its neighbour's."""
    token = encoding.token
    other = token + 1 if token + 1 < len(rows) else token - 1
    apart = int((np.abs(rows[token] - rows[other]) > FAR_APART).sum())
    return tr(
        "{word} gets row {row}: {count} of its {total} numbers differ from row {other} by more than {least}",
        word=quoted(encoding.labels[token]),
        row=token,
        count=apart,
        total=rows.shape[1],
        other=other,
        least=FAR_APART,
    )


def similarity_title(cosine: float, apart: int) -> str:
    """The cosine of two sinusoidal positions some tokens apart."""
    return plural(
        "Two positions {count} token apart have cosine {cosine}, wherever they are",
        "Two positions {count} tokens apart have cosine {cosine}, wherever they are",
        apart,
        cosine=decimal(cosine, 3),
    )


def learned_title(summary: PositionSummary, apart: int) -> str:
    """The mean cosine of two learned positions some tokens apart."""
    apart = min(apart, len(summary.cosine) - 1)
    return plural(
        "Two positions {count} token apart have cosine {cosine} on average",
        "Two positions {count} tokens apart have cosine {cosine} on average",
        apart,
        cosine=decimal(summary.cosine[apart], 3),
    )


def learned_sentence(summary: PositionSummary, encoding: Sinusoids) -> str:
    """The cosine of two tokens' positions in a learned table, and the average at that distance."""
    first, second, apart = _two(encoding)
    return tr(
        "{first} and {second} are {tokens} apart. Positions that far apart have cosine {mean} on average, with a standard "
        "deviation of {spread}.",
        first=first,
        second=second,
        tokens=how_many(apart, "token"),
        mean=decimal(summary.cosine[apart], 3),
        spread=numeral(summary.cosine_spread[apart], ".3f"),
    )


def turn_title(encoding: Sinusoids) -> str:
    """By how much the chosen pair turns over the chosen distance."""
    return plural(
        "{count} token on, pair {pair} turns by {degrees}°, wherever it starts",
        "{count} tokens on, pair {pair} turns by {degrees}°, wherever it starts",
        encoding.offset,
        pair=encoding.pair,
        degrees=numeral(_degrees(encoding), ".0f"),
    )


def _degrees(encoding: Sinusoids) -> float:
    return float(np.degrees(encoding.offset * encoding.per_token[encoding.pair]))


def turn_sentence(encoding: Sinusoids) -> str:
    """The rotation between two tokens of this sentence, in words."""
    degrees = _degrees(encoding)
    first = quoted(encoding.labels[encoding.token])
    other = encoding.token + encoding.offset
    second = (
        quoted(encoding.labels[other])
        if other < len(encoding.labels)
        else tr("position {number}", number=other)
    )
    names = {
        "first": first,
        "second": second,
        "pair": encoding.pair,
        "degrees": numeral(degrees, ".0f"),
        "rounds": numeral(degrees / 360, ".1f"),
    }
    if degrees > 360:
        return tr(
            "From {first} to {second}, pair {pair} turns by {degrees}° ({rounds} rounds), the same as from any other token.",
            **names,
        )
    return tr(
        "From {first} to {second}, pair {pair} turns by {degrees}°, the same as from any other token.",
        **names,
    )


def similarity_sentence(config: ModelConfig, encoding: Sinusoids) -> str:
    """The cosine of two tokens' positions in this sentence, and how it falls with distance."""
    _, denominator = layout_of(config)
    first, second, apart = _two(encoding)
    value = float(cosine_by_offset(len(encoding.wavelengths) * 2, [apart], denominator)[0])
    rise = first_rise(len(encoding.wavelengths) * 2, FARTHEST, denominator)
    own = tr(
        "{first} and {second}, {tokens} apart, have cosine {cosine}.",
        first=first,
        second=second,
        tokens=how_many(apart, "token"),
        cosine=decimal(value, 3),
    )
    if rise is None:
        falls = tr("The cosine falls up to a distance of {most} tokens, the largest drawn.", most=FARTHEST)
    else:
        falls = tr(
            "The cosine falls up to a distance of {last} tokens, but rises again at {rise}.",
            last=rise - 1,
            rise=rise,
        )
    return f"{own} {falls} {tr('The order of the two does not matter.')}"


def waves_title(encoding: Sinusoids) -> str:
    """The shortest and the longest wave."""
    waves = encoding.wavelengths
    return tr(
        "Pair 0 repeats every {shortest} tokens, pair {last} every {longest}",
        shortest=numeral(waves[0], ".2f"),
        last=len(waves) - 1,
        longest=numeral(waves[-1], ",.0f"),
    )


def _two(encoding: Sinusoids) -> tuple[str, str, int]:
    """The selected token and the one `offset` later (or the last), in words, and their distance."""
    other = min(encoding.token + encoding.offset, len(encoding.labels) - 1)
    return (
        quoted(encoding.labels[encoding.token]),
        quoted(encoding.labels[other]),
        abs(other - encoding.token),
    )


def favourite(bias: Array, offsets: NDArray[np.int64], farthest: int) -> tuple[int, int, float]:
    """Head, distance and number of the largest bias (H, offsets) among other tokens at most `farthest` away."""
    near = (np.abs(offsets) <= farthest) & (offsets != 0)
    values = np.where(near, bias, -np.inf)
    head, column = np.unravel_index(int(values.argmax()), values.shape)
    return int(head), int(offsets[column]), float(bias[head, column])


def favourite_title(head: int, offset: int, value: float) -> str:
    """Which distance a head is given most for."""
    names = {"head": head, "value": decimal(value, 2, plus=True)}
    if offset < 0:
        return plural(
            "Head {head} adds most to the score of the token {count} position before: {value}",
            "Head {head} adds most to the score of the token {count} positions before: {value}",
            -offset,
            **names,
        )
    return plural(
        "Head {head} adds most to the score of the token {count} position after: {value}",
        "Head {head} adds most to the score of the token {count} positions after: {value}",
        offset,
        **names,
    )
