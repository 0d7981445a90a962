"""Attention being born, in the browser: curves over the steps of a training beside the maps of its heads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from core.analysis.glossary import SCORES
from core.analysis.moments import SUDDEN, sudden_drops
from core.errors import InputError
from core.model.sites import ATTENTION
from core.training.dynamics import Dynamics
from ui.components.base import register
from ui.components.checks import file_stem, kind_name
from ui.session.state import reported
from ui.style.theme import Kind

_mount = register("dynamics")
FIRST_SCORE = "normalised_entropy"
_TALL = 230  # pixels of the design that the heads' panel aims at


@dataclass(frozen=True)
class Looked:
    """Where the reader came to rest: a step (None: the newest), a head, the score under it."""

    step: int | None
    layer: int
    head: int
    score: str


class DynamicsData(TypedDict):
    """The training as the browser gets it: words in `meta`, a byte a weight in `packed`, scores as float32 in `numbers`."""

    meta: dict[str, Any]
    packed: NDArray[np.uint8]
    numbers: NDArray[np.float32]


def dynamics_data(
    dynamics: Dynamics,
    *,
    kind: Kind,
    probe: int,
    looked: Looked,
    curve: Sequence[tuple[int, float]] = (),
    exact: Sequence[tuple[int, float]] = (),
    total: int | None = None,
    live: bool = False,
    trained: bool = False,
    about: str = "",
    file_name: str = "training",
) -> DynamicsData:
    """One kind of attention of one probe sentence, over all records.

    `curve` is the training loss (step, nats a target token) where more is known of it than at the records; `exact` the
    percent of pairs written exactly, which stands in place of BLEU; `about` whose training it is. `total` is the number of steps there will be while it
    is `live`; `trained` where it began with the weights of another. Raises `InputError` for a sentence that is not there, or a head that the model does not have.
    """
    name = ATTENTION[kind_name(kind)].name
    layers, heads = dynamics.scores[name].shape[2:]
    if not 0 <= probe < len(dynamics.probes):
        raise InputError(
            f"There is no sentence {probe}; {len(dynamics.probes)} were followed, counted from 0."
        )
    if not (0 <= looked.layer < layers and 0 <= looked.head < heads):
        raise InputError(
            f"There is no head {looked.layer}.{looked.head}; there are {layers} layers of {heads}."
        )
    sentence = dynamics.probes[probe]
    queries, keys = sentence.sides(name)
    names = scores_of(dynamics, kind)
    steps = [int(step) for step in dynamics.steps]
    meta = {
        "kind": kind,
        "kindName": ATTENTION[kind].title,
        "steps": steps,
        "total": steps[-1] if total is None else total,
        "layers": layers,
        "heads": heads,
        "rows": list(sentence.written_tokens if kind == "cross" else queries),
        "cols": list(keys),
        "losses": [
            {
                "name": "training",
                "points": [list(point) for point in curve] or _points(steps, dynamics.train_loss),
            },
            {"name": "validation", "points": _points(steps, dynamics.valid_loss)},
        ],
        "quality": {
            "name": "exact, %" if exact else "BLEU",
            "column": "exact_percent" if exact else "bleu",
            "points": [list(point) for point in exact] or _points(steps, dynamics.bleu),
        },
        "scores": [_words(score) for score in names],
        "drops": [
            [drop.layer, drop.head, drop.start, drop.end, drop.before, drop.after]
            for drop in sudden_drops(dynamics.steps, dynamics.score(name, FIRST_SCORE))
        ],
        "sudden": SUDDEN,
        "trained": trained,
        "sentences": dynamics.scored_sentences,
        "source": sentence.source,
        "target": sentence.target,
        "view": [looked.step, looked.layer, looked.head, looked.score if looked.score in names else names[0]],
        "live": live,
        "about": about,
        "tall": _TALL,
        "file": file_stem(f"{file_name}-{kind}"),
    }
    numbers = np.stack([dynamics.score(name, score) for score in names], axis=1)
    return {"meta": meta, "packed": _packed(dynamics, name, probe), "numbers": numbers.ravel()}


def scores_of(dynamics: Dynamics, kind: Kind) -> list[str]:
    """The scores that were recorded and say something of heads of this kind; what moments are told by comes first."""
    name = ATTENTION[kind].name
    known = [
        score
        for score in dynamics.score_names
        if name in SCORES[score].kinds and np.isfinite(dynamics.score(name, score)).any()
    ]
    known = known or [FIRST_SCORE]
    return sorted(known, key=lambda score: (score != FIRST_SCORE, score != "entropy"))


def dynamics_view(data: DynamicsData, *, on_looked: Callable[[Looked], None], key: str = "dynamics") -> None:
    """Draw it; playing, scrubbing and opening heads run in the browser, `on_looked` hears where the reader rests."""

    def moved() -> None:
        found = _looked(reported(key, "looked"), data["meta"])
        if found is not None:
            on_looked(found)

    _mount(key=key, data=data, on_looked_change=moved)


def _packed(dynamics: Dynamics, name: str, probe: int) -> NDArray[np.uint8]:
    """The stored bytes of one sentence, records × layers × heads × queries × keys."""
    layers, heads = dynamics.scores[name].shape[2:]
    sizes = [layers * heads * len(q) * len(k) for q, k in (each.sides(name) for each in dynamics.probes)]
    begin = sum(sizes[:probe])
    return np.ascontiguousarray(dynamics.packed[name][:, begin : begin + sizes[probe]]).ravel()


def _points(steps: Sequence[int], values: NDArray[np.float32]) -> list[list[float]]:
    """(step, value) where it was measured."""
    return [[step, float(value)] for step, value in zip(steps, values, strict=True) if np.isfinite(value)]


def _words(name: str) -> dict[str, Any]:
    score = SCORES[name]
    return {
        "name": name,
        "label": score.label,
        "units": score.units.split(" (")[0],
        "low": score.low,
        "high": score.high,
        "definition": score.definition,
    }


def _looked(value: object, meta: dict[str, Any]) -> Looked | None:
    """The browser's message, or None when it is not one of this training."""
    parts = list(value) if isinstance(value, (list, tuple)) else []
    if len(parts) != 4:
        return None
    step, layer, head, score = parts
    if not all(
        isinstance(each, (int, float)) and 0 <= each < 1e9
        for each in (layer, head, 0 if step is None else step)
    ):
        return None
    if (
        layer >= meta["layers"]
        or head >= meta["heads"]
        or score not in [each["name"] for each in meta["scores"]]
    ):
        return None
    return Looked(None if step is None else int(step), int(layer), int(head), score)
