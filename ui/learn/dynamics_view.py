"""What the page Watch it learn shows of a finished training: the stored dynamics, and where to look first.

Attention being born, in the browser: curves over the steps of a training beside the maps of its heads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from core.analysis.glossary import SCORES
from core.errors import CheckpointError, InputError
from core.model.hooks import ATTENTION
from core.training.dynamics import SUDDEN, Dynamics, stored_dynamics, sudden_drops
from ui.session.selection import Selection
from ui.session.state import reported
from ui.shared import context
from ui.shared.checks import file_stem, kind_name
from ui.shared.entry import Entry, in_words
from ui.shared.mount import register
from ui.style import screen_text
from ui.style.theme import Kind

_LONGEST_NAME = 40  # characters
_MOST_SEEN = 10**15  # tokens; a card may hold a number of 400 digits, which is no float


def stored(entry: Entry) -> Dynamics:
    """The training of a checkpoint, read and checked once. Raises `AtlasError` with one sentence where there is none."""
    if not entry.usable.has_dynamics:
        raise CheckpointError(
            f"{entry.name} came without a record of its training; checkpoints that `python -m core train` wrote have one."
        )
    return context.kept(entry, "dynamics", lambda: stored_dynamics(entry.path, entry.config))


def went_on_from(entry: Entry) -> str:
    """What the card says of the checkpoint that the training began at, as one sentence; empty where it began from nothing."""
    figures = entry.usable.card.get("figures")
    start = figures.get("started_from") if isinstance(figures, dict) else None
    if not isinstance(start, dict):
        return ""
    name, seen = screen_text.plain(start.get("name"), _LONGEST_NAME), start.get("target_tokens_seen")
    told = (
        f", which had read {in_words(seen)} target tokens"
        if type(seen) is int and 0 <= seen <= _MOST_SEEN
        else ""
    )
    return f"This training went on from the weights of {f'“{name}”' if name else 'another checkpoint'}{told}. Its heads had formed before the first recorded step."


def head_of(dynamics: Dynamics, kind: Kind, selection: Selection) -> tuple[int, int]:
    """The head to open: the link's where the model has it, else the one that fell the most, else the first."""
    name = ATTENTION[kind].name
    layers, heads = dynamics.scores[name].shape[2:]
    layer, head = selection.layer, selection.head
    if layer is not None and head is not None and 0 <= layer < layers and 0 <= head < heads:
        return layer, head
    drops = sudden_drops(dynamics.steps, dynamics.score(name, "normalised_entropy"))
    if not drops:
        return 0, 0
    most = max(drops, key=lambda drop: drop.fall)
    return most.layer, most.head


def probe_of(dynamics: Dynamics, selection: Selection) -> int:
    """The sentence to show: the link's where there is one of that number, else the last, which is the longest."""
    last = len(dynamics.probes) - 1
    return last if selection.sentence is None else min(selection.sentence, last)


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
