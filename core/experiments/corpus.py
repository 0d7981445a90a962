"""The corpus atlas: every head of a model over many sentences, in memory that does not grow with them.

What is kept is running sums, a mean and a spread a head and metric, so that parts of a corpus measured apart, by several
processes or in several runs, come together to what one run gives.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.head_choice import consensus
from core.analysis.heads import AxisTokens, head_scores, head_similarity, layout
from core.errors import InputError
from core.model.config import ModelConfig
from core.model.sites import ATTENTION, ATTENTION_NAMES
from core.model.trace import Trace

Array = NDArray[np.float64]
RECORD: Final = ("*.weights",)
METRICS: Final = (
    *(
        "entropy",
        "normalised_entropy",
        "confidence",
        "previous_share",
        "self_share",
        "next_share",
        "positional",
    ),
    *("bos_share", "eos_share", "punctuation_share", "distance", "rare_token", "diagonality", "monotonicity"),
    "effective_rank",
)
CONSENSUS: Final = "consensus"
"""Share of written words for which the head points where all other cross-attention heads together do."""
_ROWS: Final = 12  # rows of a map that the divergence of two heads is taken over
_LONGEST: Final = 128  # tokens up to which the effective rank is worth its time


@dataclass(frozen=True)
class Role:
    """A plain word for what a head does: it has the role where the mean of `metric` reaches `threshold`."""

    name: str
    metric: str
    threshold: float
    kinds: tuple[str, ...]


_SELF: Final = ATTENTION_NAMES[:2]
ROLES: Final = (
    Role("alignment", CONSENSUS, 0.7, ("cross",)),
    Role("previous token", "previous_share", 0.5, _SELF),
    Role("next token", "next_share", 0.5, ("encoder-self",)),
    Role("same token", "self_share", 0.5, _SELF),
    Role("start-of-sentence sink", "bos_share", 0.5, ("decoder-self",)),
    Role("end-of-sentence sink", "eos_share", 0.5, ("encoder-self", "cross")),
    Role("punctuation", "punctuation_share", 0.5, (*_SELF, "cross")),
    Role("rare word", "rare_token", 0.5, ("encoder-self", "cross")),
    Role("broad", "normalised_entropy", 0.8, (*_SELF, "cross")),
)


@dataclass
class Running:
    """Count, mean and summed squared deviations of numbers met one after the other; NaN is not counted.

    Chan et al. 1979: two of them join to what one would hold that had met both.
    """

    count: Array
    mean: Array
    squares: Array

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> Running:
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape))

    def meet(self, values: Array) -> None:
        """One more of each."""
        known = np.isfinite(values)
        self.join(Running(known.astype(np.float64), np.where(known, values, 0.0), np.zeros(values.shape)))

    def join(self, other: Running) -> None:
        """All that `other` has met."""
        total = self.count + other.count
        weight = np.divide(other.count, total, out=np.zeros_like(total), where=total > 0)
        step = other.mean - self.mean
        self.squares = self.squares + other.squares + step**2 * self.count * weight
        self.mean = self.mean + step * weight
        self.count = total

    @property
    def average(self) -> Array:
        """The mean; NaN where nothing was met."""
        return np.where(self.count > 0, self.mean, np.nan)

    @property
    def spread(self) -> Array:
        """The standard deviation over what was met (divided by n); NaN where nothing was."""
        variance = np.divide(
            self.squares, self.count, out=np.full_like(self.mean, np.nan), where=self.count > 0
        )
        return np.asarray(np.sqrt(variance))


@dataclass
class Atlas:
    """Every head over the sentences met so far. `scores[kind][metric]` are (L, H); `divergence[kind]` (L·H, L·H) in nats."""

    config: ModelConfig
    sentences: int = 0
    scores: dict[str, dict[str, Running]] = field(default_factory=dict)
    divergence: dict[str, Running] = field(default_factory=dict)

    def meet(self, trace: Trace, counts: Sequence[float | None] | None = None) -> None:
        """One more sentence. `counts`: how often each source token occurred in training, for the rarest one."""
        self.sentences += 1
        for key, weights, queries, keys in _maps(trace, counts):
            kind = ATTENTION[key].name
            long = max(weights.shape[2:]) > _LONGEST
            names = [name for name in METRICS if not (long and name == "effective_rank")]
            found = head_scores(weights, kind, queries=queries, keys=keys, names=names)
            if key == "cross":
                told = consensus(weights, trace.tokens.written, trace.tokens.source)
                found[CONSENSUS] = told.share if told.total else np.full(weights.shape[:2], np.nan)
            table = self.scores.setdefault(kind, {})
            for name, values in found.items():
                table.setdefault(name, Running.empty(values.shape)).meet(values)
            apart = head_similarity(weights, max_rows=_ROWS)
            self.divergence.setdefault(kind, Running.empty(apart.shape)).meet(apart)

    def join(self, other: Atlas) -> None:
        """All that another part of the corpus has shown."""
        self.sentences += other.sentences
        for kind, table in other.scores.items():
            for name, running in table.items():
                mine = self.scores.setdefault(kind, {})
                mine.setdefault(name, Running.empty(running.mean.shape)).join(running)
        for kind, running in other.divergence.items():
            self.divergence.setdefault(kind, Running.empty(running.mean.shape)).join(running)

    def roles(self, kind: str, layer: int, head: int) -> list[str]:
        """The roles whose threshold this head reaches, with the number that reaches it: "previous token (0.91)"."""
        found = []
        for role in ROLES:
            table = self.scores.get(kind, {})
            if kind in role.kinds and role.metric in table:
                value = float(table[role.metric].average[layer, head])
                if value >= role.threshold:
                    found.append(f"{role.name} ({value:.2f})")
        return found

    def rows(self) -> list[dict[str, Any]]:
        """One row a head: kind, layer, head, roles, each metric's mean and spread, and its place on the map of its kind."""
        listed = []
        for kind, table in self.scores.items():
            places = self._places(kind)
            layers, heads = next(iter(table.values())).mean.shape
            for layer in range(layers):
                for head in range(heads):
                    row: dict[str, Any] = {
                        "kind": kind,
                        "layer": layer,
                        "head": head,
                        "roles": "; ".join(self.roles(kind, layer, head)),
                    }
                    for name, running in table.items():
                        row[name] = float(running.average[layer, head])
                        row[f"{name}_spread"] = float(running.spread[layer, head])
                    row["map_x"], row["map_y"] = places[layer * heads + head]
                    listed.append(row)
        return listed

    def _places(self, kind: str) -> list[tuple[float, float]]:
        apart = self.divergence[kind].average
        if not np.isfinite(apart).all():
            return [(float("nan"), float("nan"))] * len(apart)
        return [(float(x), float(y)) for x, y in layout(apart)]

    # -- a part of a corpus, kept -----------------------------------------------------------------------------

    def save(self, path: Path, about: str) -> None:
        """Keep this part; `about` names what it was measured on, and `load` asks for it."""
        arrays: dict[str, Any] = {"about": np.array(about), "sentences": np.array(self.sentences)}
        for name, running in self._running():
            arrays |= {f"{name}|{part}": getattr(running, part) for part in ("count", "mean", "squares")}
        scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with scratch.open("wb") as stream:
                np.savez(stream, **arrays)
            scratch.replace(path)
        except OSError as error:
            scratch.unlink(missing_ok=True)
            reason = error.strerror or "the disk refused it"
            raise InputError(
                f"{path} cannot be written ({reason}); choose a folder you can write to."
            ) from error

    @classmethod
    def load(cls, path: Path, config: ModelConfig, about: str) -> Atlas:
        """The part that `save` kept; empty where there is none, or one of something else."""
        found = cls(config)
        try:
            with np.load(path, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
        except (OSError, ValueError, EOFError, KeyError):
            return found
        if str(arrays.pop("about", "")) != about:
            return found
        found.sentences = int(arrays.pop("sentences"))
        names = sorted({name.rpartition("|")[0] for name in arrays})
        for name in names:
            running = Running(*(arrays[f"{name}|{part}"] for part in ("count", "mean", "squares")))
            kind, metric = name.split("|")
            if metric == "divergence":
                found.divergence[kind] = running
            else:
                found.scores.setdefault(kind, {})[metric] = running
        # In the order in which they are measured, so that a run that went on writes what one run writes.
        order = {name: place for place, name in enumerate((*METRICS, CONSENSUS))}
        for kind, table in found.scores.items():
            found.scores[kind] = dict(sorted(table.items(), key=lambda item: order[item[0]]))
        names_of = [place.name for place in ATTENTION.values()]
        found.scores = dict(sorted(found.scores.items(), key=lambda item: names_of.index(item[0])))
        return found

    def _running(self) -> Iterable[tuple[str, Running]]:
        for kind, table in self.scores.items():
            yield from ((f"{kind}|{name}", running) for name, running in table.items())
        yield from ((f"{kind}|divergence", running) for kind, running in self.divergence.items())


def _maps(
    trace: Trace, counts: Sequence[float | None] | None
) -> Iterable[tuple[str, NDArray[np.floating], AxisTokens, AxisTokens]]:
    """Each kind's weights (L, H, T, S) with the tokens of its rows and columns."""
    source = AxisTokens.from_labels(trace.tokens.source, counts)
    read, written = (AxisTokens.from_labels(row) for row in (trace.tokens.target, trace.tokens.written))
    sides: Mapping[str, tuple[AxisTokens, AxisTokens]] = {
        "encoder": (source, source),
        "causal": (read, read),
        "cross": (written, source),
    }
    for key, kind in ATTENTION.items():
        if trace.config.layers(kind.stack):
            yield key, trace.stacked(kind.stack, kind.block, "weights"), *sides[key]
