"""What a lesson draws in place of a page: the rows of a head up to the one asked for, or a cover until the reader has chosen.

What a question asks for is not sent to the browser before it is answered: no page is drawn, and the weights of the row are
left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.analysis.readout import quoted
from core.language import message, tr
from core.learning.lesson import Step
from core.learning.measures import Scene
from core.learning.measures import written as written_as
from ui.shared.mount import View, mount
from ui.style.theme import Kind

_HEADS = {
    "encoder": message("Encoder self-attention of head {head}: weights in %, and as lines"),
    "causal": message("Causal self-attention of head {head}: weights in %, and as lines"),
    "cross": message("Cross-attention of head {head}: weights in %, and as lines"),
}


@dataclass(frozen=True)
class SceneRow:
    """A row of the map by its tokens: the one it reads and, of a decoder row, the one it writes."""

    read: str
    written: str


@dataclass(frozen=True)
class SceneData:
    """The picture of a lesson's step. `weights` (R, K) are the rows that are known: without the last one while it is covered.

    `chosen` and `best` are the keys that a wrong answer named and the row looks at most, None before. Without rows the
    whole picture is covered; `known` are then lines (name, words) of what may be seen.
    """

    kind: Kind
    title: str
    subtitle: str
    readout: str
    covered: bool
    rows: tuple[SceneRow, ...] = ()
    keys: tuple[str, ...] = ()
    chosen: int | None = None
    best: int | None = None
    known: tuple[tuple[str, str], ...] = ()
    weights: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))


SCENE = View("scene", SceneData)


def draw(step: Step, text: str, scene: Scene | None, answer: int | None, kind: Kind) -> None:
    """Draw the step's picture of a sentence. `scene` is None while the model is loading.

    `answer` is the reader's choice, counted from 0; None: what it asks for stays covered.
    """
    if scene is None:
        waiting = tr("The model is loading")
        mount(SCENE, SceneData(kind, waiting, "", "", covered=False), key="scene")
        return
    if step.drawn == "row":
        mount(SCENE, row_data(step, scene, answer), key="scene")
        return
    mount(SCENE, cover_data(step, text, scene, kind), key="scene")


def row_data(step: Step, scene: Scene, answer: int | None) -> SceneData:
    """The rows of the step's head down to its row, which is covered until there is an answer."""
    weights = scene.weights()[scene.head][: scene.row + (answer is not None)]
    read = scene.trace.tokens.source if scene.kind == "encoder" else scene.trace.tokens.target
    written = ("",) * len(read) if scene.kind == "encoder" else scene.trace.tokens.written
    rows = tuple(SceneRow(read[n], written[n]) for n in range(scene.row + 1))
    head, last = f"{scene.head[0]}.{scene.head[1]}", rows[-1]
    word = quoted(last.written or last.read)
    subtitle = tr(_HEADS[scene.kind], head=head)
    best = chosen = None
    if answer is None:
        title = tr("The decoder is about to write {word}", word=word)
        if not last.written:
            title = tr("The row of {word} is covered", word=word)
        readout = tr("The row of {word} is covered until you choose.", word=word)
    else:
        row = weights[-1]
        best = int(row.argmax())
        named = step.predict.choices[answer].word if step.predict else None
        chosen = _position(scene.keys, named, best)
        keys = (best, best if chosen is None else chosen)
        percents = [written_as("looked_weight", float(row[key])) for key in keys]
        title = tr(
            "Head {head} looks {share} at {key}", head=head, share=percents[0], key=quoted(scene.keys[best])
        )
        readout = tr(
            "In the row of {word}, head {head} gives {share} to {key}.",
            **{"word": word, "head": head, "share": percents[0], "key": quoted(scene.keys[best])},
        )
        if chosen is not None:
            readout = tr(
                "In the row of {word}, head {head} gives {share} to {key} and {other} to {chosen}.",
                **{"word": word, "head": head, "share": percents[0], "key": quoted(scene.keys[best])},
                **{"other": percents[1], "chosen": quoted(scene.keys[chosen])},
            )
    return SceneData(
        *(scene.kind, title, subtitle, readout, answer is None, rows, scene.keys, chosen, best),
        weights=weights.astype(np.float32),
    )


def _position(keys: Sequence[str], named: str | None, best: int) -> int | None:
    """The key of a wrong answer: the token as it is written, else in other letters; None for the right answer."""
    if named is None:
        return None
    exact = [n for n, key in enumerate(keys) if key == named]
    fitting = exact or [n for n, key in enumerate(keys) if key.casefold() == named.casefold()]
    return None if not fitting or best in fitting else fitting[0]


def cover_data(step: Step, text: str, scene: Scene, kind: Kind) -> SceneData:
    """A cover over the whole page, with the sentence, and where the step changes the model the translation before."""
    known = [(tr("Sentence"), text)]
    if step.page == "what_if":
        known.append((tr("Translation, nothing changed"), scene.translation))
    title = tr("What do you expect?")
    subtitle = tr("The picture is drawn when you have chosen")
    return SceneData(kind, title, subtitle, "", covered=True, known=tuple(known))
