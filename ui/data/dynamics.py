"""What the page Watch it learn shows of a finished training: the stored dynamics, and where to look first."""

from __future__ import annotations

from core.analysis.moments import sudden_drops
from core.errors import CheckpointError
from core.model.sites import ATTENTION
from core.training.dynamics import Dynamics
from core.training.stored_dynamics import stored_dynamics
from ui.data import resources
from ui.data.entry import Entry, in_words
from ui.session.selection import Selection
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
    return resources.kept(entry, "dynamics", lambda: stored_dynamics(entry.path, entry.config))


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
