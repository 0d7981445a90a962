"""One decode as the pages need it: the trace, every step's distribution, the text, its checks, and the pinned pair."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from core.analysis.familiarity import Scored, total
from core.analysis.maps import crossing_pair
from core.analysis.readout import isolated, row_name
from core.analysis.roles import DefaultHead
from core.analysis.scores import AxisTokens
from core.decoding.inputs import choices
from core.decoding.strategies import CutOff, by_probability
from core.language import numeral, tr
from core.model.hooks import ATTENTION
from core.model.trace import Trace
from ui.session.codec import UNPINNED, Pin
from ui.session.selection import Selection
from ui.style.theme import Kind

TOP = 12
NAMED = 3  # pinned words that are named where there is little room


@dataclass(frozen=True)
class Cut:
    """The limit of what may be written: how many words it keeps, and its name, such as "nucleus p = 0.90"."""

    count: int
    label: str


@dataclass(frozen=True)
class Extra:
    """The chosen word where it is below the top; its rank counts from 1."""

    label: str
    probability: float
    rank: int


@dataclass(frozen=True)
class StepData:
    """One step's next-word distribution, cut to what is drawn.

    `rest` is how many further words there are, and their probability together. `chosen` is the id written at this step
    (None: nothing written yet), `forced` whether by the reader's hand, `cut` the limit in force, `barred` the drawn ids
    that can never be written, such as padding, which the limit does not count, `fixed` the id that the model's
    configuration always writes at this step. Raises ValueError when the lists differ in length.
    """

    ids: tuple[int, ...]
    labels: tuple[str, ...]
    probabilities: tuple[float, ...]
    rest: tuple[int, float]
    chosen: int | None = None
    forced: bool = False
    barred: tuple[int, ...] = ()
    fixed: int | None = None
    cut: Cut | None = None
    extra: Extra | None = None

    def __post_init__(self) -> None:
        if not len(self.ids) == len(self.labels) == len(self.probabilities):
            raise ValueError(
                f"a distribution needs as many ids, labels and probabilities, got {len(self.ids)},"
                f" {len(self.labels)} and {len(self.probabilities)}"
            )

    @classmethod
    def from_probabilities(
        cls,
        probabilities: npt.NDArray[np.floating],
        label: Callable[[int], str],
        *,
        chosen: int | None = None,
        forced: bool = False,
        kept: CutOff | None = None,
        limit: str = "",
        banned: Sequence[int] = (),
        fixed: int | None = None,
    ) -> StepData:
        """Cut a full distribution (V,) to its TOP; `label` names a token id.

        `kept` are the words that may be written (`core.decoding.strategies.writable`; None: all). Where `limit`
        names what limits them, a line is drawn after the last of them. `banned` words can never be written.
        """
        values = np.asarray(probabilities, dtype=np.float64)
        order = by_probability(values)
        shown = order[:TOP]
        extra = None
        if chosen is not None and chosen not in shown:
            rank = int(np.flatnonzero(order == chosen)[0]) + 1
            extra = Extra(label(chosen), float(values[chosen]), rank)
        rest = len(values) - len(shown) - (extra is not None)
        rest_mass = max(0.0, 1.0 - float(values[shown].sum()) - (extra.probability if extra else 0.0))
        return cls(
            ids=tuple(int(i) for i in shown),
            labels=tuple(label(int(i)) for i in shown),
            probabilities=tuple(float(values[i]) for i in shown),
            rest=(rest, rest_mass),
            chosen=chosen,
            forced=forced,
            barred=tuple(int(i) for i in shown if i in banned),
            fixed=fixed,
            cut=Cut(len(kept), limit) if kept is not None and limit else None,
            extra=extra,
        )

    def rounded(self) -> StepData:
        """The same with six digits, as the browser gets it."""
        return replace(
            self,
            probabilities=tuple(round(p, 6) for p in self.probabilities),
            rest=(self.rest[0], round(self.rest[1], 6)),
        )


@dataclass(frozen=True)
class BeamNode:
    """One token of one hypothesis.

    `logprob` is summed from the start, `score` what the beam ranks by (length-normalised, say); `kept` is False
    when the hypothesis was pruned at this step, `best` True along the path of the final answer. The root has
    parent None and step 0.
    """

    id: int
    parent: int | None
    step: int
    label: str
    logprob: float
    score: float
    kept: bool
    finished: bool
    best: bool


@dataclass(frozen=True)
class Fact:
    """One thing that must hold in every map, checked on this very sentence."""

    name: str
    holds: bool
    value: float

    def __str__(self) -> str:
        return (
            f"{tr(self.name)}\u00a0✓"
            if self.holds
            else f"{tr(self.name)}\u00a0✗ ({numeral(self.value, '.0e')})"
        )


@dataclass(frozen=True)
class Decode:
    """A source sentence and what was written for it. `steps[t]` is what token t was chosen from."""

    key: tuple[Any, ...]  # names folders of this server; what is sent to a browser is `name`
    source_text: str
    text: str
    trace: Trace
    steps: tuple[StepData, ...]
    facts: tuple[Fact, ...]
    source_words: tuple[int, ...]
    written_words: tuple[int, ...]
    target_words: tuple[int, ...]
    forced: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()
    finished: bool = True
    tree: tuple[BeamNode, ...] = ()
    node: int | None = None  # the node of the beam's tree that is followed instead of the best
    stored: bool = False  # the folder's example, drawn before the model is there
    # The card's, by name of the attention.
    default_heads: Mapping[str, DefaultHead] = field(default_factory=dict)
    strategy: str = "greedy"
    grown: tuple[
        tuple[int, str], ...
    ] = ()  # of each token: characters of the text before it that stay, text added
    # Each token but one that is always written there, at temperature 1, in place of what was set for sampling.
    scored: tuple[Scored, ...] = ()

    @cached_property
    def name(self) -> str:
        """What stands for `key` in a browser."""
        return hashlib.blake2b(repr(self.key).encode("utf-8", "replace"), digest_size=12).hexdigest()

    @cached_property
    def choices(self) -> tuple[int, ...]:
        """The places of the written tokens at which the model had a choice."""
        return choices(self.trace.config, self.trace.written_ids)

    def stated_head(self, kind: Kind) -> tuple[int, int] | None:
        """The head (layer, head) of a kind that the card says to open."""
        stated = self.default_heads.get(ATTENTION[kind].name)
        return None if stated is None else (stated.layer, stated.head)

    @cached_property
    def first_head(self) -> tuple[int, int]:
        """The cross-attention head (layer, head) that opens: the card's, else the most confident one here."""
        return self.stated_head("cross") or most_confident_head(
            self.trace.stacked("decoder", "cross", "weights"), self.trace.tokens.source
        )

    @property
    def log_probability(self) -> float:
        """log P(what was written), in nats, at temperature 1; what is always written costs nothing, as in a beam."""
        return total(self.scored)

    @property
    def size(self) -> int:
        """Bytes of everything recorded."""
        return sum(array.nbytes for array in self.trace.records.values()) + 2000 * len(self.steps)


def most_confident_head(weights: np.ndarray, keys: Sequence[str]) -> tuple[int, int]:
    """The head of `weights (L, H, T, S)` with the largest weight a row on a word, averaged over the rows.

    Words are all keys but start, end and punctuation. This ranks how sure a head is, not whether it is right:
    it need not be the head that aligns source and target.
    """
    axis = AxisTokens.from_labels(keys)
    plain = ~(axis.special | axis.punctuation)
    if not weights.size or not plain.any():
        return 0, 0
    strength = weights[..., plain].max(axis=-1).mean(axis=-1)  # (L, H)
    layer, head = np.unravel_index(int(strength.argmax()), strength.shape)
    return int(layer), int(head)


@dataclass(frozen=True)
class PinnedPair:
    """A pin on a decode, as labels: the token that the row reads, the one it writes (encoder: none), and the key."""

    pin: Pin
    read: str
    written: str
    key: str

    @property
    def query(self) -> str:
        """The row by one word: what a decoder row writes, what an encoder row reads."""
        return self.written or self.read

    @property
    def short(self) -> str:
        """“canapé · sofa”."""
        return f"{isolated(self.query)} · {isolated(self.key)}"

    @property
    def long(self) -> str:
        """“reads le → writes canapé · sofa”."""
        row = row_name(self.read, self.written) if self.written else isolated(self.read)
        return f"{row} · {isolated(self.key)}"


def with_pin(selection: Selection, decode: Decode) -> Selection:
    """The selection with the pin in force: where it says nothing of one, the example has its own pair pinned."""
    pin, kind = selection.pin, selection.map_kind
    queries, keys = selection.pinned_tokens(kind)
    if pin is None and len(queries) == len(keys) == 1:
        return replace(selection, pin=Pin(kind, queries[0], keys[0]), pins=())
    if pin is None and selection.text is None and not selection.pins and not selection.token:
        pair = crossing_pair(decode.trace.stacked("decoder", "cross", "weights")[decode.first_head])
        return replace(selection, pin=None if pair is None else Pin("cross", *pair))
    return replace(selection, pin=None) if pin == UNPINNED else selection


def pinned_pair(decode: Decode, selection: Selection) -> PinnedPair | None:
    """The selection's pin on this decode; None without one, or where the sentence has no such tokens."""
    pin, tokens = selection.pin, decode.trace.tokens
    if pin is None:
        return None
    queries = tokens.source if pin.kind == "encoder" else tokens.target
    keys = tokens.target if pin.kind == "causal" else tokens.source
    written = () if pin.kind == "encoder" else tokens.written
    if pin.query >= len(queries) or pin.key >= len(keys) or (written and pin.query >= len(written)):
        return None
    return PinnedPair(pin, queries[pin.query], written[pin.query] if written else "", keys[pin.key])


@dataclass(frozen=True)
class Pinned:
    """What is pinned on a decode, by positions in the map of a kind and in words: a pair, or tokens that are none."""

    kind: Kind
    queries: tuple[int, ...]
    keys: tuple[int, ...]
    short: str
    long: str


def pinned(decode: Decode, selection: Selection) -> Pinned | None:
    """What the selection pins on this decode; None where that is nothing."""
    if (pair := pinned_pair(decode, selection)) is not None:
        return Pinned(pair.pin.kind, (pair.pin.query,), (pair.pin.key,), pair.short, pair.long)
    kind, tokens = selection.map_kind, decode.trace.tokens
    rows = tokens.source if kind == "encoder" else tokens.written
    columns = tokens.target if kind == "causal" else tokens.source
    queries, keys = (
        [token for token in side if token < len(names)]
        for side, names in zip(selection.pinned_tokens(kind), (rows, columns), strict=True)
    )
    if selection.pin is not None or not (queries or keys):
        return None
    names = [isolated(side[token]) for side, of in ((rows, queries), (columns, keys)) for token in of]
    few = ", ".join([*names[:NAMED], *["…"][: len(names) - NAMED]])
    return Pinned(kind, tuple(queries), tuple(keys), few, ", ".join(names))
