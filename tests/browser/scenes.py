"""What the stored pictures show: one sentence, made-up numbers, every view in the states that matter."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import numpy as np

from core.analysis.alignment import Gold
from core.checkpoints.summary import read_summary
from core.experiments.corpus import load_atlas
from core.learning import tutorials
from core.model.config import ModelConfig
from core.training.dynamics import stored_dynamics
from tests.browser.drawn import Drawing
from tests.browser.golden_model import NAME, TEXT, Naive, encode, write_golden
from tests.browser.golden_model import TARGET as GOLDEN
from tests.golden_training import write_training
from ui.app.navigation import map_data
from ui.export import menu
from ui.heads.alignment import AlignmentData
from ui.heads.atlas import AtlasData, AtlasPick, Measured
from ui.inside.head import InsideData, Picked, card_data, why_data
from ui.inside.lenses import LensData
from ui.learn.dynamics import TrainingLook, dynamics_data
from ui.learn.panel import BlockData, ChoiceData, LessonData, QuestionData
from ui.learn.shelf import Words
from ui.learn.tutorials import AnatomyData
from ui.session.selection import Selection
from ui.shared import checkpoints
from ui.shared.context import DecodeView, _example
from ui.shared.decode import BeamNode, Cut, StepData
from ui.shared.head_views import HeadData, HeadMap, Pins
from ui.shared.map_data import JointData, Quantity, wall_data
from ui.shared.two_maps import CompareData, Side
from ui.translate.stage import OpensHead, StageData, TreeData

if TYPE_CHECKING:
    from core.learning.card import Card

SOURCE: Final = ["A", "man", "in", "a", "red", "shirt", "is", "riding", "a", "bike", ".", "⟨end⟩"]
TARGET: Final = ["Un", "homme", "en", "chemise", "rouge", "fait", "du", "vélo", ".", "⟨end⟩"]
READ: Final = ["⟨start⟩", *TARGET[:-1]]
LAYERS, HEADS = 4, 8


def weights(rows: int, columns: int, number: int, causal: bool = False) -> np.ndarray:
    """A map whose rows sum to 1; another one for each number, the same on every machine."""
    i, j = np.mgrid[:rows, :columns].astype(float)
    drift = (number % 5 - 2) * 0.8
    scores = 3.5 * np.cos(0.9 * (j - i * columns / rows - drift)) - (0.15 + 0.1 * (number % 3)) * np.abs(
        j - i
    )
    scores += 1.5 * np.sin(1.7 * number + 2.3 * i + 3.1 * j)
    if causal:
        scores = np.where(j > i, -np.inf, scores)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def heads(rows: int, columns: int, causal: bool = False) -> np.ndarray:
    every = [weights(rows, columns, number, causal) for number in range(LAYERS * HEADS)]
    return np.stack(every).reshape(LAYERS, HEADS, rows, columns)


def wall() -> Drawing:
    maps = heads(len(TARGET), len(SOURCE))
    scores = {"confidence": maps.max(axis=3).mean(axis=2), "entropy": -(maps * np.log(maps)).sum(3).mean(2)}
    return Drawing("wall", wall_data(maps, TARGET, SOURCE, kind="cross", scores_of=scores, total=12), 625)


def head() -> Drawing:
    shown = HeadMap(weights(len(TARGET), len(SOURCE), 3), 2, 3)
    return Drawing("head", HeadData(shown, TARGET, SOURCE, kind="cross", pins=Pins((3,))), 497)


def heads_together() -> Drawing:
    size = len(READ)
    shown = [HeadMap(weights(size, size, number, causal=True), 1, number) for number in (1, 4, 6)]
    return Drawing("head", HeadData(shown, READ, READ, kind="causal"), 497)


def joint() -> Drawing:
    s, t = len(SOURCE), len(TARGET)
    maps = (weights(s, s, 2), weights(t, s, 5), weights(t, t, 7, causal=True))
    return Drawing("joint", JointData(*maps, SOURCE, READ, TARGET, at=6), 1143)


def compare() -> Drawing:
    first, second = (
        Side(weights(len(TARGET), len(SOURCE), number), TARGET, SOURCE, name, name)
        for number, name in ((3, "head 0.3"), (9, "head 1.1"))
    )
    title = "Head 0.3 and head 1.1"
    return Drawing("compare", CompareData((first, second), kind="cross", title=title), 1143)


def stage() -> Drawing:
    labels = ("rouge", "·rouge", "chemise", "fait", "bleue", "du")
    probabilities = (0.62, 0.14, 0.08, 0.05, 0.02, 0.01)
    cut = Cut(3, "nucleus p = 0.80")
    step = StepData(tuple(range(6)), labels, probabilities, (7994, 0.08), chosen=0, cut=cut)
    data = StageData(
        source=SOURCE,
        target=TARGET,
        full=heads(len(TARGET), len(SOURCE)),
        distributions=[step] * len(TARGET),
        position=5,
        layer=2,
        head=3,
        forced=[3],
        notes=["rows sum to 1 ✓"],
        grown=[
            (0, "Un"),
            *((len(" ".join(TARGET[:n])), f" {TARGET[n]}") for n in range(1, len(TARGET) - 1)),
            (37, ""),
        ],
        opens=OpensHead(2, 3, "Head 2.3 of the decoder opens: why it does."),
    )
    return Drawing("stage", data, 1143)


def tree() -> Drawing:
    nodes = [BeamNode(0, None, 0, "⟨start⟩", 0.0, 0.0, True, False, True)]
    for step, word in enumerate(TARGET[:6], start=1):
        for rank in range(4):
            score = -0.1 * step - 0.7 * rank
            parent = 0 if step == 1 else 4 * (step - 2) + 1 + min(rank, step % 3)
            kept, best = rank < 3, rank == 0
            label = word if best else f"{word[:2]}{rank}"
            ended = step == 6 and best
            nodes.append(BeamNode(len(nodes), parent, step, label, score, score / step, kept, ended, best))
    return Drawing("tree", TreeData(nodes, 3, selected=17), 1143)


def alignment() -> Drawing:
    words = tuple(range(len(TARGET) - 1)), tuple(range(len(SOURCE) - 1))
    links = {(0, 0), (1, 1), (2, 2), (5, 3), (4, 4), (7, 5), (6, 6), (8, 7)}
    sure = {(0, 0), (1, 1), (2, 2), (5, 3), (4, 4), (7, 5), (9, 7)}
    data = AlignmentData(
        weights(len(TARGET), len(SOURCE), 3),
        TARGET,
        SOURCE,
        target=words[0],
        source=words[1],
        linked=links,
        marked=Gold(frozenset(sure), frozenset(sure | {(8, 7), (6, 5)})),
        by_hand=True,
        title=["Head 1.2 finds ", {"kind": "6 of 7"}, " sure links"],
        subtitle="the largest weight at the step that writes the word · words between spaces",
        subject="head 1.2",
        summary=["AER ", {"strong": "0.13"}, ", precision 88 %, recall 86 %."],
        pairs=[(1, 2)],
    )
    return Drawing("alignment", data, 1143)


def lesson() -> Drawing:
    """A step that asks, before an answer."""
    paragraph = (
        *(("text", "The row in which it wrote ", ""), ("value", "chemise", "word")),
        *(("text", " is pinned; ", ""), ("code", "q5", ""), ("text", " in the link, with ", "")),
        *(("value", "10", "keys"), ("text", " tokens to ", ""), ("em", "look", "")),
        *(("text", " at. See ", ""), ("link", "the paper", "https://arxiv.org/abs/1706.03762")),
        ("text", ".", ""),
    )
    positive = (("text", "Large and positive: ", ""), ("strong", "look here", ""), ("text", ".", ""))
    data = LessonData(
        lesson="What attention is",
        title=(("text", "A row is a set of shares", ""),),
        blocks=(
            BlockData("p", paragraph),
            BlockData("item", positive),
            BlockData("item", (("text", "Large and negative: not here.", ""),)),
            BlockData("code", (("code", "softmax(q @ k.T / d_k ** 0.5) @ v", ""),)),
        ),
        question=QuestionData(
            ask=(("text", "What do the ", ""), ("value", "10", "keys"), ("text", " weights sum to?", "")),
            choices=(
                ChoiceData((("text", "It depends on how sure the head is", ""),)),
                ChoiceData((("text", "To 1, in every row of every head", ""),)),
                ChoiceData((("text", "To 10, one for each token", ""),)),
            ),
        ),
        step=2,
        titles=("One", "Two", "A row is a set of shares", "Four", "Five", "Six"),
        asks=(False, True, True, False, True, False),
        answered=(False, True, False, False, False, False),
        words=Words(),
        counted="Step 3 of 6",
        kind="cross",
        language="en",
    )
    return Drawing("lesson", data, 348)


def lesson_answered() -> Drawing:
    """The same once a wrong answer was given, in the colour of another kind."""
    data = lesson().data
    question = dataclasses.replace(
        data.question,
        answer=0,
        holds=1,
        verdict=(
            ("text", "This model says ", ""),
            ("value", "1.000", "row_sum"),
            ("text", ". Not as you said.", ""),
        ),
        then=(BlockData("p", (("text", "The softmax makes them so.", ""),)),),
    )
    answered = (False, True, True, False, False, False)
    data = dataclasses.replace(
        data, kind="causal", answered=answered, blocks=data.blocks[:1], question=question
    )
    return Drawing("lesson", data, 348)


def dynamics() -> Drawing:
    sizes = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 12, "heads": 3}
    config = ModelConfig(source_vocab_size=20, target_vocab_size=20, **sizes)
    with TemporaryDirectory() as folder:
        write_training(Path(folder), config)
        found = stored_dynamics(Path(folder), config)
    looked = TrainingLook(16, 1, 1, "normalised_entropy")
    return Drawing("dynamics", dynamics_data(found, kind="cross", probe=1, looked=looked), 1143)


def architecture() -> Drawing:
    config = ModelConfig(source_vocab_size=8000, target_vocab_size=8000, d_model=256)
    return Drawing("architecture", map_data(config, len(SOURCE), ["cross"]), 1143)


@cache
def opened_head() -> tuple[Card, ...]:
    """Every card of head 1.2 of the hand-made model, at its fourth token."""
    from core.api import load, trace_ids
    from core.learning.card import Spot
    from core.learning.inside import cards, sites

    ids = [GOLDEN.index({"⟨end⟩": "</s>"}.get(word, word)) for word in Naive().translate(TEXT).written]
    with TemporaryDirectory() as folder:
        write_golden(Path(folder))
        checkpoint = load(Path(folder) / NAME, device="cpu")
    trace = trace_ids(checkpoint, encode(TEXT), ids, sites(checkpoint.config, "cross", 1))
    return cards(
        trace, checkpoint.model.state_dict(), Spot("cross", 1, 2, 3), checkpoint.target_tokenizer.label
    )


def inside(key: str, row: int, column: int) -> Drawing:
    """One operation of a head of the hand-made model, with the terms of one number."""
    found, stamp = opened_head(), "drawn"
    (card,) = (each for each in found if each.key == key)
    data = InsideData(
        tuple(card_data(each) for each in found),
        **{
            "kind": "cross",
            "attention": "cross-attention",
            "layer": 1,
            "head": 2,
            "token": card.rows.labels[3],
            "writes": card.rows.labels[4],
            "stamp": stamp,
        },
        picked=Picked(key, (row, column)),
        why=why_data(card, row, column, card.why(row, column), stamp),
    )
    return Drawing("inside", data, 1143)


def contribution() -> Drawing:
    """ALTI+ of one layer: shares of the source, and beside them what came from the words before."""
    rest = np.linspace(0.1, 0.6, len(TARGET))[:, None]
    values = np.hstack([weights(len(TARGET), len(SOURCE), 3) * (1 - rest), rest])
    quantity = Quantity("ALTI+", pictures=("layer 0", "layer 1"), rows=("",), aside=True)
    shown = HeadMap(values, name="layer 1", subject="layer 1")
    return Drawing(
        "head",
        HeadData(
            shown,
            TARGET,
            [*SOURCE, "before"],
            kind="cross",
            mode="contribution",
            quantity=quantity,
            pins=Pins((4,)),
        ),
        497,
    )


def contribution_wall() -> Drawing:
    """Lengths of what every head adds, coloured by the longest of them."""
    maps = heads(len(TARGET), len(SOURCE)) * 3.2
    quantity = Quantity("‖αf(x)‖", "length", top=float(maps.max()))
    scores = {"confidence": maps.max(axis=3).mean(axis=2) / 3.2}
    return Drawing(
        "wall", wall_data(maps, TARGET, SOURCE, kind="cross", scores_of=scores, quantity=quantity), 625
    )


def lens() -> Drawing:
    depths, k = 5, 3
    words = [*TARGET, "de", "le", "et"]
    step = np.arange(len(TARGET))
    # The word that is written comes up from below: third, second, first.
    place = np.maximum(0, 3 - np.arange(depths)[:, None] - (step % 2)[None, :])  # its rank less 1
    top = np.stack([np.where(place == rank, step[None, :], len(TARGET) + (rank + step[None, :]) % 3)
                    for rank in range(k)], axis=-1)  # fmt: skip
    share = (
        np.broadcast_to(np.array([0.6, 0.25, 0.1]), top.shape)
        * (0.4 + 0.15 * np.arange(depths))[:, None, None]
    )
    written = np.where(
        place < k, np.take_along_axis(share, np.minimum(place, k - 1)[..., None], axis=-1)[..., 0], 0.01
    )
    names = ["embedding", *(f"layer {layer}" for layer in range(depths - 1))]
    return Drawing(
        "lens",
        LensData(
            TARGET,
            names,
            words,
            top,
            share,
            place + 1,
            written,
            choices=range(len(TARGET)),
            normed=True,
            cell=(4, 2),
        ),
        1143,
    )


def heads_over_a_corpus() -> Drawing:
    """The atlas that is stored with the shipped model of dates."""
    folder = Path(__file__).parents[2] / "checkpoints" / "dates"
    summary = read_summary(folder)
    atlas = load_atlas(folder, summary.config, summary.digest)
    title = "What every head does over many sentences"
    return Drawing(
        "atlas",
        AtlasData(
            Measured(atlas, atlas.sentences), kind="cross", opened=AtlasPick("cross", 1, 1), title=title
        ),
        1143,
    )


def anatomy() -> Drawing:
    data = AnatomyData(tutorials.drawing("tutorial-b"), title="A model", subtitle="and its choices", file="a")
    return Drawing("anatomy", data, 800)


DRAWINGS: Final[dict[str, Callable[[], Drawing]]] = {
    "wall": wall,
    "head": head,
    "heads": heads_together,
    "joint": joint,
    "compare": compare,
    "stage": stage,
    "tree": tree,
    "alignment": alignment,
    "architecture": architecture,
    "dynamics": dynamics,
    "anatomy": anatomy,
    "lesson": lesson,
    "lesson-answered": lesson_answered,
    "inside": lambda: inside("weights", 3, 2),
    "terms": lambda: inside("q", 3, 17),
    "contribution": contribution,
    "contribution-wall": contribution_wall,
    "lens": lens,
    "atlas": heads_over_a_corpus,
}


def report() -> str:
    """The offline report of the example that is stored with the shipped model of dates."""
    entry = checkpoints.find("dates")[0]
    example = _example(entry)
    assert example is not None
    return menu.report(DecodeView(entry, Selection(checkpoint="dates"), "cpu", decode=example))
