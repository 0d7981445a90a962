"""The corpus atlas: every head of a model over many sentences, in memory that does not grow with them.

What is kept is running sums, a mean and a spread per head and score, what the score would be by chance, and a sample of at most `SAMPLE` sentences with their
own scores, for quantiles and for the sentences to show. Parts of a corpus measured apart, by several processes or in
several runs, sum to what one run gives: the sample is of the sentences with the smallest digests, whichever part had
them. The atlas of a checkpoint's example sentences is stored beside its weights, so that the Heads page opens full.
"""

from __future__ import annotations

import bisect
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.analysis.chance import SHUFFLED, Chance, moments, over_corpus
from core.analysis.heads import head_similarity, layout
from core.analysis.roles import (
    ATLAS_SCORES,
    NO_ROLE_SCORE,
    Running,
    corpus_scores,
    leading_score,
    needing,
    roles_of,
    scores_of,
)
from core.analysis.scores import AxisTokens
from core.analysis.uncertainty import Interval, interval, normal_interval
from core.checkpoints import files
from core.errors import CheckpointError, InputError
from core.files import damage_as, read_npz, replacing
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, ATTENTION_NAMES
from core.model.trace import Trace

Array = NDArray[np.float64]
RECORD: Final = ("*.weights", "*.v")
SAMPLE: Final = 400
"""Sentences whose own scores are kept: all of a corpus of up to so many, an even draw of a larger one."""
QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
_ROWS: Final = 12  # rows of a map that the divergence of two heads is taken over
_LONGEST: Final = 128  # tokens up to which the effective rank is worth its time
_MOST_BYTES: Final = 2**30  # of what `save` wrote, unpacked
_FORM: Final = "atlas 3"
"""Of the files that `save` writes."""


class Sentence(NamedTuple):
    """One line of the corpus, counted from 0; `target` is empty where the model's own translation was measured."""

    number: int
    source: str
    target: str = ""

    @property
    def draw(self) -> int:
        """A pseudo-random key, equal in every run, that decides whether the sample holds the sentence."""
        words = json.dumps([self.number, self.source, self.target]).encode()
        return int.from_bytes(hashlib.blake2b(words, digest_size=8).digest(), "big")


class Drawn(NamedTuple):
    """A sentence of the sample with its own scores, kind → name → (L, H)."""

    draw: int
    sentence: Sentence
    scores: Mapping[str, Mapping[str, NDArray[np.float32]]]


class ScoredSentence(NamedTuple):
    """An example sentence of a head: the value of `metric` on it, and its mean over the corpus."""

    sentence: Sentence
    metric: str
    value: float
    mean: float


@dataclass
class Atlas:
    """Every head over the sentences met so far. `scores[kind][metric]` are (L, H); `divergence[kind]` (L·H, L·H) in nats.

    `shuffled[kind][metric]` (2, L, H) are the sums of `core.analysis.chance.moments` over the sentences that have the
    score; an atlas of an earlier version has none.
    """

    config: ModelConfig
    sentences: int = 0
    scores: dict[str, dict[str, Running]] = field(default_factory=dict)
    shuffled: dict[str, dict[str, Array]] = field(default_factory=dict)
    divergence: dict[str, Running] = field(default_factory=dict)
    sample: list[Drawn] = field(default_factory=list)

    def meet(
        self,
        trace: Trace,
        counts: Sequence[float | None] | None = None,
        sentence: Sentence | None = None,
        metrics: Mapping[str, Array] | None = None,
        losses: Array | None = None,
    ) -> None:
        """One more sentence, which `sentence` names.

        `counts`: how often each source token occurred in training, for the rarest one. `metrics`: by kind
        (L, H, d_h, d_h), W_O^h (W_O^h)ᵀ of each head, from which ‖f(x)‖ follows; without it what arrives from sinks stays
        unknown. `losses (T, S)`: what each written token loses without each source token (`core.experiments.default_heads`);
        without them alignment stays unknown.
        """
        named = sentence or Sentence(self.sentences, "")
        self.sentences += 1
        own: dict[str, dict[str, NDArray[np.float32]]] = {}
        for key, weights, queries, keys in _maps(trace, counts):
            kind = ATTENTION[key].name
            long = max(weights.shape[2:]) > _LONGEST
            names = [name for name in scores_of(kind) if not (long and name == "effective_rank")]
            norms = None if metrics is None else value_sizes(trace, key, metrics[key])
            scores = corpus_scores(weights, kind, queries, keys, norms, losses, names)
            table = self.scores.setdefault(kind, {})
            for name, values in scores.items():
                table.setdefault(name, Running.empty(values.shape)).meet(values)
            self._shuffle(kind, moments(weights, kind, queries, keys, _needing(kind, losses, queries, keys)))
            own[kind] = {name: values.astype(np.float32) for name, values in scores.items()}
            apart = head_similarity(weights, max_rows=_ROWS)
            self.divergence.setdefault(kind, Running.empty(apart.shape)).meet(apart)
        self._draw([Drawn(named.draw, named, own)])

    def _shuffle(self, kind: str, sums: Mapping[str, Array]) -> None:
        """Add what the scores of a kind are by chance."""
        mine = self.shuffled.setdefault(kind, {})
        for name in scores_of(kind):
            if name in sums:
                mine[name] = mine[name] + sums[name] if name in mine else sums[name]

    def join(self, other: Atlas) -> None:
        """All that another part of the corpus has shown."""
        self.sentences += other.sentences
        for kind, table in other.scores.items():
            for name, running in table.items():
                mine = self.scores.setdefault(kind, {})
                mine.setdefault(name, Running.empty(running.mean.shape)).join(running)
        for kind, sums in other.shuffled.items():
            self._shuffle(kind, sums)
        for kind, running in other.divergence.items():
            self.divergence.setdefault(kind, Running.empty(running.mean.shape)).join(running)
        self._draw(other.sample)

    def _draw(self, more: Iterable[Drawn]) -> None:
        """Take them into the sample, of which those with the smallest draws stay."""
        for each in more:
            if len(self.sample) < SAMPLE or each[:2] < self.sample[-1][:2]:
                bisect.insort(self.sample, each, key=lambda drawn: drawn[:2])
                del self.sample[SAMPLE:]

    # -- what it says -----------------------------------------------------------------------------------------

    def means(self, kind: str, layer: int, head: int) -> dict[str, float]:
        """The mean of every score of one head."""
        table = self.scores.get(kind, {})
        return {name: float(running.average[layer, head]) for name, running in table.items()}

    def roles(self, kind: str, layer: int, head: int) -> list[str]:
        """The roles whose threshold this head reaches, with the number that reaches it: "previous token (0.91)"."""
        roles = roles_of(self.means(kind, layer, head), kind)
        return [f"{role.name} ({value:.2f})" for role, value in roles]

    def _rows(self, kind: str) -> list[Drawn]:
        """The sentences of the sample that have scores of this kind, in the order of the corpus."""
        return sorted(
            (drawn for drawn in self.sample if kind in drawn.scores), key=lambda each: each.sentence
        )

    def own_scores(self, kind: str, metric: str) -> NDArray[np.float64]:
        """What each sentence of the sample gave, (n, L, H); NaN where it was not defined. In the order of the corpus."""
        shape = next(iter(self.scores[kind].values())).mean.shape
        empty = np.full(shape, np.nan)
        scores = [
            np.asarray(drawn.scores[kind].get(metric, empty), dtype=np.float64) for drawn in self._rows(kind)
        ]
        return np.stack(scores) if scores else np.zeros((0, *shape))

    def quantiles(self, kind: str, metric: str) -> Array:
        """The `QUANTILES` over the sentences of the sample, (5, L, H); NaN where no sentence has the score."""
        values = self.own_scores(kind, metric)
        quantiles = np.full((len(QUANTILES), *values.shape[1:]), np.nan)
        known = np.isfinite(values).any(axis=0) if len(values) else np.zeros(values.shape[1:], dtype=bool)
        if known.any():
            quantiles[:, known] = np.nanquantile(values[:, known], QUANTILES, axis=0)
        return quantiles

    def interval(self, kind: str, metric: str) -> Interval:
        """The mean of a score over the corpus with its 95 % interval, (L, H); NaN where it is not defined.

        By bootstrap over the sentences where the sample holds all of them; else, over more than `SAMPLE` sentences, that
        of a normal mean. `sentences` is the number of sentences in which the score is defined for some head.
        """
        running = self.scores[kind][metric]
        if len(self.sample) < self.sentences:
            return normal_interval(running.average, running.spread, running.count)
        own = self.own_scores(kind, metric)
        known = np.isfinite(own)
        found = interval(np.where(known, own, 0.0), known)
        return found._replace(sentences=int(running.count.max(initial=0)))

    def chance(self, kind: str, metric: str) -> Chance | None:
        """What a score would be if the rows of the maps were shuffled; None for a score without such a level."""
        sums, running = self.shuffled.get(kind, {}).get(metric), self.scores[kind][metric]
        return None if sums is None else over_corpus(running.average, sums, running.count)

    def shown(self, kind: str, layer: int, head: int) -> tuple[ScoredSentence, ScoredSentence] | None:
        """(most typical, most extreme) sentence of a head; None where no sentence of the sample has its score.

        Both go by the head's leading score (`core.analysis.roles.leading_score`): the most typical sentence is the one
        whose own score is nearest to the mean over the corpus, the most extreme the one that is farthest from it, to a
        millionth; the first of the corpus among equals.
        """
        means = self.means(kind, layer, head)
        metric = leading_score(means, kind)
        rows = self._rows(kind)
        values = self.own_scores(kind, metric)[:, layer, head]
        away = np.round(np.abs(values - means.get(metric, float("nan"))), 6)
        if not np.isfinite(away).any():
            return None
        near, far = int(np.nanargmin(away)), int(np.nanargmax(away))
        typical, extreme = (
            ScoredSentence(rows[n].sentence, metric, float(values[n]), means[metric]) for n in (near, far)
        )
        return typical, extreme

    def rows(self) -> list[dict[str, Any]]:
        """One row a head: kind, layer, head, roles, n, each score's mean, interval, spread and quantiles, its place on the map.

        `n` is the number of sentences; a score with a level of chance has it, and whether the head is above it.
        """
        listed = []
        for kind, table in self.scores.items():
            places = self.places(kind)
            quantiles = {name: self.quantiles(kind, name) for name in table}
            intervals = {name: self.interval(kind, name) for name in table}
            chances = {name: chance for name in table if (chance := self.chance(kind, name)) is not None}
            above = {name: chance.above for name, chance in chances.items()}
            layers, heads = next(iter(table.values())).mean.shape
            for layer in range(layers):
                for head in range(heads):
                    row: dict[str, Any] = {
                        "kind": kind,
                        "layer": layer,
                        "head": head,
                        "roles": "; ".join(self.roles(kind, layer, head)),
                        "n": self.sentences,
                    }
                    for name, running in table.items():
                        row[name] = float(running.average[layer, head])
                        row[f"{name}_spread"] = float(running.spread[layer, head])
                        for share, values in zip(QUANTILES, quantiles[name], strict=True):
                            row[f"{name}_q{round(100 * share):02d}"] = float(values[layer, head])
                        row[f"{name}_low"] = float(intervals[name].low[layer, head])
                        row[f"{name}_high"] = float(intervals[name].high[layer, head])
                        if name in chances:
                            row[f"{name}_chance"] = float(chances[name].level[layer, head])
                            row[f"{name}_above_chance"] = int(above[name][layer, head])
                    row["map_x"], row["map_y"] = map(float, places[layer * heads + head])
                    listed.append(row)
        return listed

    def places(self, kind: str) -> Array:
        """The position of each head on the map of its kind, (L·H, 2); NaN where some were never comparable."""
        apart = self.divergence[kind].average
        return layout(apart) if np.isfinite(apart).all() else np.full((len(apart), 2), np.nan)

    # -- a part of a corpus, kept -----------------------------------------------------------------------------

    def save(self, path: Path, about: str) -> None:
        """Write this part; `about` names what it was measured on, and `load` compares it. Raises `InputError`."""
        with replacing(path) as stream:
            np.savez_compressed(stream, **self.arrays(about))

    def arrays(self, about: str) -> dict[str, Any]:
        """All of it as arrays by name; `of_arrays` makes it again."""
        arrays: dict[str, Any] = {"form": np.array(_FORM), "about": np.array(about)}
        arrays["sentences"] = np.array(self.sentences)
        for name, running in self._running():
            arrays |= running.arrays(f"{name}|")
        for kind, sums in self.shuffled.items():
            arrays |= {f"{kind}|{name}|shuffled": values for name, values in sums.items()}
        words = json.dumps([drawn.sentence for drawn in self.sample]).encode()
        arrays["sample"] = np.frombuffer(words, dtype=np.uint8)
        for kind, table in self.scores.items():
            empty = np.full(next(iter(table.values())).mean.shape, np.nan, dtype=np.float32)
            for name in table:
                rows = [drawn.scores.get(kind, {}).get(name, empty) for drawn in self.sample]
                arrays[f"{kind}|{name}|sample"] = np.array(rows, dtype=np.float32)
        return arrays

    @classmethod
    def load(cls, path: Path, config: ModelConfig, about: str) -> Atlas:
        """The part that `save` wrote; empty where there is none, or another `about`."""
        try:
            with damage_as(InputError, str):
                return cls.of_arrays(read_npz(path, _MOST_BYTES), config, about)
        except InputError:
            return cls(config)

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray], config: ModelConfig, about: str) -> Atlas:
        """What `arrays` gave. Raises ValueError, KeyError or TypeError for anything else, or what is about something else."""
        if (str(arrays["form"]), str(arrays["about"])) != (_FORM, about):
            raise ValueError("it is about something else")
        atlas = cls(config, int(arrays["sentences"]))
        sentences = [Sentence(*row) for row in json.loads(arrays["sample"].tobytes())]
        own: list[dict[str, dict[str, Any]]] = [{} for _ in sentences]
        # In the order in which they are measured, so that a run that went on writes what one run writes.
        for kind in ATTENTION_NAMES:
            for name in ("divergence", *ATLAS_SCORES):
                if f"{kind}|{name}|count" not in arrays:
                    continue
                running = Running.of_arrays(arrays, f"{kind}|{name}|")
                if name == "divergence":
                    atlas.divergence[kind] = running
                    continue
                atlas.scores.setdefault(kind, {})[name] = running
                if (shuffled := arrays.get(f"{kind}|{name}|shuffled")) is not None:
                    atlas.shuffled.setdefault(kind, {})[name] = shuffled
                rows = arrays[f"{kind}|{name}|sample"]
                for scores, row in zip(own, rows, strict=True):
                    scores.setdefault(kind, {})[name] = row
        atlas._draw(
            Drawn(sentence.draw, sentence, scores) for sentence, scores in zip(sentences, own, strict=True)
        )
        return atlas

    def _running(self) -> Iterable[tuple[str, Running]]:
        for kind, table in self.scores.items():
            yield from ((f"{kind}|{name}", running) for name, running in table.items())
        yield from ((f"{kind}|divergence", running) for kind, running in self.divergence.items())


def value_sizes(trace: Trace, key: str, metrics: Array) -> Array:
    """‖f^h(x_j)‖ = √(v_j W_O^h (W_O^h)ᵀ v_jᵀ) of every head and key of one kind, (L, H, S).

    `metrics (L, H, d_h, d_h)` are W_O^h (W_O^h)ᵀ; the trace holds the values.
    """
    attention = ATTENTION[key]
    values = trace.stacked(attention.stack, attention.block, "v").astype(np.float64)  # (L, H, S, d_h)
    squared = np.einsum("lhsi,lhij,lhsj->lhs", values, metrics, values, optimize=True)
    return np.asarray(np.sqrt(np.maximum(squared, 0.0)))


def _needing(kind: str, losses: Array | None, queries: AxisTokens, keys: AxisTokens) -> int:
    """How many written words alignment is counted over."""
    if kind != "cross" or losses is None:
        return 0
    return len(needing(losses, queries, keys, len(queries))[0])


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


MAX_BYTES: Final = 2**28  # of a stored atlas, unpacked
LONGEST_TEXT: Final = 20_000  # characters of a stored sentence
_SLACK: Final = 1e-6


def load_atlas(folder: Path, config: ModelConfig, digest: str) -> Atlas:
    """The stored atlas of a checkpoint folder whose digest is `digest`, every number of it checked.

    Raises `CheckpointError` with one sentence if there is none, or it is not one of this model.
    """
    path = files.file_in(folder, files.ATLAS)
    with damage_as(
        CheckpointError,
        lambda reason: (
            f"{path} is not an atlas of this model ({reason}); write it again with `core example`."
        ),
    ):
        arrays = read_npz(path, MAX_BYTES)
        _check_names(arrays, config)
        atlas = Atlas.of_arrays(arrays, config, digest)
        _check(atlas, config)
    return atlas


def _check_names(arrays: Mapping[str, np.ndarray], config: ModelConfig) -> None:
    """Every array belongs to a score of a kind that the model has, and has its shape; else ValueError."""
    drawn = arrays["sample"]
    if drawn.dtype != np.uint8 or drawn.ndim != 1:
        raise ValueError("its sentences are not text")
    listed = json.loads(drawn.tobytes())
    if not isinstance(listed, list) or not 0 < len(listed) <= SAMPLE:
        raise ValueError(f"it keeps more than {SAMPLE} sentences, or none")
    if not all(_is_sentence(row) for row in listed):
        raise ValueError("one of its sentences is not a sentence")
    expected: dict[str, tuple[int, ...]] = {}
    for attention in ATTENTION.values():
        shape = config.shape(attention.stack)
        for name in (*scores_of(attention.name), "divergence"):
            square = (shape[0] * shape[1],) * 2
            here = f"{attention.name}|{name}"
            expected |= dict.fromkeys(
                Running.array_names(f"{here}|"), square if name == "divergence" else shape
            )
            if name != "divergence":
                expected[f"{here}|sample"] = (len(listed), *shape)
            if name in SHUFFLED:
                expected[f"{here}|shuffled"] = (2, *shape)
        for name in ("divergence", NO_ROLE_SCORE):
            if f"{attention.name}|{name}|mean" not in arrays:
                raise ValueError(f"it lacks the {name} of {attention.name}")
    for name, array in arrays.items():
        if name in ("form", "about", "sentences", "sample"):
            continue
        if name not in expected or array.shape != expected[name] or array.dtype.kind != "f":
            raise ValueError(f"{name[:60]} does not belong to this model")


def _is_sentence(row: object) -> bool:
    if not isinstance(row, list) or len(row) != 3:
        return False
    number, *texts = row
    known = type(number) is int and 0 <= number < 10**12
    return known and all(isinstance(text, str) and len(text) <= LONGEST_TEXT for text in texts)


def _check(atlas: Atlas, config: ModelConfig) -> None:
    """Every number lies where its score can; else ValueError."""
    if not 0 < atlas.sentences < 10**12 or len(atlas.sample) > atlas.sentences:
        raise ValueError("its number of sentences cannot be")
    for kind, table in atlas.scores.items():
        for name, running in table.items():
            score = ATLAS_SCORES[name]
            top = np.inf if score.high is None or name == "distance" else score.high
            _check_running(running, atlas.sentences, score.low, top, f"{kind} {name}")
            sums = atlas.shuffled.get(kind, {}).get(name)
            if sums is not None and not ((sums >= 0) & (sums <= atlas.sentences + _SLACK)).all():
                raise ValueError(f"{kind} {name} by chance cannot be")
            own = atlas.own_scores(kind, name)
            if np.isinf(own).any() or (own < score.low - _SLACK).any() or (own > top + _SLACK).any():
                raise ValueError(f"{kind} {name} of a sentence lies outside its range")
        apart = atlas.divergence[kind]
        _check_running(apart, atlas.sentences, 0.0, float(np.log(2.0)), f"{kind} divergence")
        if not np.allclose(apart.mean, apart.mean.T, atol=1e-9) or np.abs(np.diag(apart.mean)).max() > 1e-9:
            raise ValueError(f"the divergence of {kind} is not a distance")


def _check_running(running: Running, most: int, low: float, high: float, name: str) -> None:
    for array in vars(running).values():
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds something that is not a number")
    if (running.count < 0).any() or (running.count > most).any() or (running.squares < 0).any():
        raise ValueError(f"{name} counts what cannot be")
    met = running.count > 0
    if (running.mean[met] < low - _SLACK).any() or (running.mean[met] > high + _SLACK).any():
        raise ValueError(f"{name} lies outside its range")
