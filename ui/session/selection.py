"""`Selection`: what is being looked at, and how it changes as a whole. Pure; URL and session are in `ui.session.state`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from core.analysis import alignment
from core.analysis import alignment as word_links
from core.experiments import edits as changes
from core.experiments.edits import UNEDITED, Edits

Strategy = Literal["greedy", "sample", "beam", "given"]
View = Literal["encoder", "causal", "cross", "joint"]
How = Literal["mean", "max"]
Draw = Literal["weights", "scores", "masked"]
Measure = Literal["weight", "lengths", "residual", "alti", "zeroing", "rollout"]
Versus = Literal["head", "sentence", "step", "checkpoint"]
Desk = Literal["gallery", "inspect", "differ", "import"]
Sort = Literal["model", "high", "low"]
Tone = Literal["weight", "log", "each"]
Scale = Literal["weight", "log"]
Watch = Literal["replay", "live"]
Task = Literal["reverse", "copy", "sort", "dates"]
Off = changes.How
Reading = alignment.Reading
By = word_links.By
Zoom = tuple[int, int, int, int]
Cell = tuple[int, int | None, int | None]

FORCE_LIMIT: Final = 64  # forced words that a selection holds
OVERLAY_LIMIT: Final = 7  # heads laid over the open one
PIN_LIMIT: Final = 32  # pinned tokens that a link holds
GOLD_LIMIT: Final = 200  # links marked by hand that a link holds
ANSWER_LIMIT: Final = 20  # answered questions that a link holds
SEEDS: Final = 1_000_000  # seeds run from 0 to one less
MEAN: Final = -1  # a layer or head: all of them, by mean or maximum; "mean" in a link

# What a new value of a field makes meaningless: the fields that go back to their defaults with it.
_PATH: Final = ("force", "step", "other_step", "node", "lens")
_LOOK: Final = ("token", "pins", "zoom", "cell", "lens", "number")
_HEADS: Final = ("layer", "head", "overlay", "against")
_WALL: Final = ("sort", "badge", "least", "only_layer", "only_role")
_FORGOTTEN: Final[Mapping[str, tuple[str, ...]]] = {
    "checkpoint": (
        *_PATH,
        "text",
        "target",
        "strategy",
        "other_text",
        "other_checkpoint",
        "place",
        "pair",
        *_HEADS,
        *_LOOK,
        *_WALL,
        "edits",
        "alternative",
        "gold",
        "joined",
        "guess",
        "at",
        "sentence",
    ),
    "text": (*_PATH, "target", "alternative", "gold", "guess", *_LOOK),
    "strategy": (*_PATH, "alternative", *_LOOK),
    "target": (*_PATH, "alternative", *_LOOK),
    **dict.fromkeys(("temperature", "top_k", "top_p", "seed", "beam"), _PATH),
    "kind": (*_HEADS, "pins", "zoom", "cell", "number", *_WALL),
    "measure": (*_WALL, "zoom", "cell"),
    "token": ("pins",),
    **dict.fromkeys(("words", "hide"), ("zoom", "cell")),
    **dict.fromkeys(("versus", "against", "layer", "head", "how"), ("cell",)),
    "step": ("cell", "alternative"),
    "card": ("number",),
    **dict.fromkeys(("other_text", "other_step", "other_checkpoint"), ("cell",)),
    **dict.fromkeys(("pitfall", "spot"), ("guess", "cell")),
}


@dataclass(frozen=True)
class Selection:
    """What is being looked at. Defaults are the first paint: the checkpoint's own worked example.

    `text` None is the example; `layer` or `head` None lets the page choose; layer or head MEAN is the
    mean (or maximum) over them. `step` is how many tokens are shown written, and stands still; None, on the Translate
    page, rests on the finished translation, where a sentence just entered has written itself to its end and says so. `force` holds (target position, token id) pairs in order. `token` names a token
    as "s3" (source, counted from 0) or "t2" (decoder input). `versus` says what two maps are compared by, and
    `against` (a head, "2.5") and the `other_…` fields are the second of the two; empty lets the page choose.
    `overlay` are (layer, head) pairs laid over the open head. `pins` are the pinned tokens of the open map, "q3"
    (attending, a token position) and "k0" (attended). `sort`, `badge`, `least` and `tone` arrange the wall, `sort`, `badge`,
    `only_layer` and `only_role` (of the roles of core.analysis.roles, or "none") the table of heads;
    `threshold` (percent), `scale` and `zoom` (first row, end row, first column, end column) are how the open map
    is drawn; None is what its size suggests. `cell` is pinned in a comparison: (map 0 to 2, row, column), None for a
    whole row or column. `measure` is what maps hold in place of weights (core/analysis/contribution_glossary.py). `lens` is the pinned cell of the logit
    lens, "3.2" (step, depth). `card` is the operation that is open inside a head, `number` the pinned cell of its matrix, "3.17" (row,
    column), and `every` shows all operations at once. `edits` is what the What if page changes in the model, `off` what a click makes of a head there,
    `alternative` the token that is held against the one written at `step`, and `probe` whether heads are measured on
    the checkpoint's example sentences. `reading` and `by` say which row a word is aligned at and what its links go by,
    `joined` that they are joined with those of the other direction, and `gold` what was marked by hand: "a1b2c3:1-1,2p3",
    the words that it was marked for as a digest and the links (ui/heads/alignment/data.py). `pitfall` is the mistake shown
    (core/learning/study.py), `spot` that the reader is to find it, `guess` which of the two maps they took for it, and
    `tutorial` the write-up shown (core/learning/tutorials.py).
    `lesson` is the step of a lesson that the
    reader is at, "attention.3", counted from 1, `answers` the choices made in it, (step, choice) from 1, and `language` that
    of the lessons.
    `watch` is what the page of trainings shows, `at` the training step, `sentence` which of the sentences that were followed (None: the page chooses),
    `task` what is learnt live.
    """

    checkpoint: str = ""
    text: str | None = None
    strategy: Strategy = "greedy"
    target: str = ""
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0
    beam: int = 5
    node: int | None = None
    force: tuple[tuple[int, int], ...] = ()
    step: int | None = None
    kind: View = "cross"
    layer: int | None = None
    head: int | None = None
    overlay: tuple[tuple[int, int], ...] = ()
    how: How = "mean"
    draw: Draw = "weights"
    measure: Measure = "weight"
    words: bool = False
    hide: bool = False
    versus: Versus = "head"
    against: str = ""
    other_text: str = ""
    other_step: int | None = None
    other_checkpoint: str = ""
    token: str = ""
    pins: tuple[str, ...] = ()
    sort: Sort = "model"
    badge: str = ""
    least: float | None = None
    only_layer: int | None = None
    only_role: str = ""
    tone: Tone | None = None
    threshold: int | None = None
    scale: Scale | None = None
    zoom: Zoom | None = None
    cell: Cell | None = None
    lens: str = ""
    card: str = ""
    number: str = ""
    every: bool = False
    place: str = ""
    pair: int = 0
    offset: int = 1
    desk: Desk = "gallery"
    edits: Edits = UNEDITED
    off: Off = "zero"
    alternative: int | None = None
    probe: bool = False
    reading: Reading | None = None
    by: By = "weight"
    joined: bool = False
    gold: str = ""
    pitfall: str = ""
    spot: bool = False
    guess: int | None = None
    lesson: str = ""
    answers: tuple[tuple[int, int], ...] = ()
    language: str = "en"
    watch: Watch = "replay"
    at: int | None = None
    sentence: int | None = None
    task: Task = "reverse"
    tutorial: str = ""
    presenter: bool = False

    def changed(self, **changes: Any) -> Selection:
        """This selection with `changes`; what the old value alone gave meaning to (such as the step) is forgotten."""
        defaults = Selection()
        forgotten = {
            other: getattr(defaults, other)
            for name, value in changes.items()
            if value != getattr(self, name)
            for other in _FORGOTTEN.get(name, ())
        }
        if "text" in changes and changes["text"] != self.text and "edits" not in changes:
            forgotten.setdefault("edits", self.edits.of_any_sentence())
        if "target" in forgotten and self.strategy == "given":
            forgotten["strategy"] = defaults.strategy  # one's own translation belongs to its sentence
        return dataclasses.replace(self, **{**forgotten, **changes})

    def forced(self, place: int, token: int) -> Selection:
        """Write `token` at target position `place`: earlier forced words stay, later ones are dropped."""
        kept = tuple(pair for pair in self.force if pair[0] < place)
        return dataclasses.replace(
            self, force=(*kept, (place, token))[-FORCE_LIMIT:], step=place + 1, node=None
        )

    def unforced(self, count: int) -> Selection:
        """Take back the last `count` forced words and stand where the first of them was."""
        kept, dropped = self.force[:-count], self.force[-count:]
        return dataclasses.replace(self, force=kept, step=dropped[0][0] + 1 if dropped else self.step)

    def typed(self, text: str) -> Selection:
        """A new sentence, which writes itself and rests on the finished translation."""
        return self.changed(text=text)

    def drawn_again(self) -> Selection:
        """Another sample: the next seed."""
        return self.changed(seed=(self.seed + 1) % SEEDS)

    def followed(self, node: int, step: int) -> Selection:
        """The beam's hypothesis that runs through `node`, at that word; the root means the best one again."""
        return dataclasses.replace(self, node=node or None, step=step or None)

    def viewed(self, step: int, layer: int | None, head: int | None) -> Selection:
        """Where the reader of a decode came to rest; layer or head None is the mean over them."""
        return dataclasses.replace(
            self,
            step=step,
            layer=MEAN if layer is None else layer,
            head=MEAN if head is None else head,
        )

    def at_step(self, step: int) -> Selection:
        """The same view after another number of written tokens."""
        return dataclasses.replace(self, step=step)
