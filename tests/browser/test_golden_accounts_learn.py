"""Pitfalls, Watch it learn, Lessons and Tutorials: every number and word is accounted for."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from core.checkpoints import files
from core.model.config import ModelConfig
from tests.browser.accounting import Account, Fact, account, fact, is_told, no_result, share, tokens
from tests.browser.golden_facts import compared, cosine_apart, furniture, named
from tests.browser.golden_model import (
    DECODER_LAYERS,
    ENCODER_LAYERS,
    EOS,
    HEADS,
    NAME,
    OTHER_TEXT,
    SOURCE,
    TEXT,
    WIDTH,
    Naive,
    Passed,
    encode,
)
from tests.browser.golden_reading import visit_golden
from tests.browser.golden_scores import entropy
from tests.browser.looking import Visit
from tests.golden_training import FALLS, PROBES, SCORES, STEPS, weight, write_training

pytestmark = pytest.mark.turned

Rows = list[list[Fact]]

# -- pitfalls -------------------------------------------------------------------------------------------------

RIGHT, WRONG = "the correct model", "the code as written"


class Flatter(Naive):
    """The model whose scores are divided by √d_model: its queries are √H times too short."""

    def __init__(self) -> None:
        super().__init__()
        for name in self.p:
            if ".q_proj." in name:
                self.p[name] = self.p[name] / math.sqrt(HEADS)


class Unscaled(Naive):
    """The model whose token embeddings are not multiplied by √d_model."""

    def embed(self, side: str, ids: Sequence[int], found: Any = None) -> np.ndarray:
        extra = (math.sqrt(WIDTH) - 1) * self.p[f"{side}_embedding.table"][list(ids)]
        return np.asarray(super().embed(side, ids, found) - extra)


def flatter_numbers(right: Passed, wrong: Passed) -> tuple[Fact, Rows, Rows]:
    """The entropy of the rows, wrong and right; it with the spread of the first layer's scores; the tensors at the fault."""
    spreads = [float(np.std(each.scores["encoder"][0])) for each in (right, wrong)]
    rows = [
        [row for layer in each.maps["encoder"] for head in layer for row in head] for each in (right, wrong)
    ]
    entropies = [entropy(each) for each in rows]
    numbers = [*spreads, 1.0, math.sqrt(HEADS), *entropies]
    shape = fact(1, HEADS, len(right.source), len(right.source))
    return (
        fact(*reversed(entropies)),
        [[fact(value)] for value in numbers],
        [[shape], [shape], [fact(WIDTH // HEADS)], [fact(WIDTH)]],
    )


def unscaled_numbers(right: Passed, wrong: Passed) -> tuple[Fact, Rows, Rows]:
    """How much other words change, wrong and right; it with lengths of words in lengths of their positions and the logit
    that moved most; the tensors at the fault.
    """
    ids = encode(" ".join(right.source[:-1]))
    words = np.linalg.norm(Naive().p["source_embedding.table"][ids], axis=1).mean()
    ratio = words * math.sqrt(WIDTH) / math.sqrt(WIDTH / 2)
    others = [*(token + 1 if token + 1 < len(SOURCE) else 4 for token in ids[:-1]), EOS]
    apart = [
        0.5
        * np.abs(np.array(each.maps["encoder"][0]) - model.run(others, [EOS]).maps["encoder"][0])
        .sum(-1)
        .mean()
        for each, model in ((right, Naive()), (wrong, Unscaled()))
    ]
    far = float(np.abs(right.logits - wrong.logits).max())
    shape = fact(1, len(right.source), WIDTH)
    numbers = [fact(float(ratio)), fact(float(ratio / math.sqrt(WIDTH))), *((share(each),) for each in apart)]
    return (
        (share(apart[1]), share(apart[0])),
        [*([each] for each in numbers), [fact(0)], [fact(far)]],
        [[shape], [shape], [fact(math.sqrt(WIDTH))], [fact(1)]],
    )


@pytest.mark.parametrize(
    ("name", "number", "faulty", "measured", "text"),
    [
        ("scale-by-d-model", 4, Flatter, flatter_numbers, TEXT),
        ("no-embedding-scale", 6, Unscaled, unscaled_numbers, TEXT),
        ("no-embedding-scale", 6, Unscaled, unscaled_numbers, OTHER_TEXT),
    ],
)
def test_a_pitfall(
    visit: Visit,
    naive: Naive,
    name: str,
    number: int,
    faulty: Callable[[], Naive],
    measured: Callable[[Passed, Passed], tuple[Fact, Rows, Rows]],
    text: str,
) -> None:
    page = visit_golden(visit, "pitfalls", pitfall=name, text=text)
    page.locator(".compare-pane").nth(2).wait_for()
    right = naive.translate(text)
    ids = [each.tolist().index(max(each)) for each in right.logits]
    wrong = faulty().run(encode(text), ids)
    maps = [np.array(each.maps["encoder"]) for each in (right, wrong)]
    moved = np.abs(maps[0] - maps[1]).mean((-2, -1))
    layer, head = np.unravel_index(int(moved.argmax()), moved.shape)
    first, second = (each[layer, head] for each in maps)
    query, key, one, two = compared(right.source, right.source, first, second)
    size = fact(len(right.source), len(right.source))
    finding, numbers, shapes = measured(right, wrong)
    panes = [fact(RIGHT), fact(WRONG), fact(WRONG, RIGHT)]
    account(
        page,
        *furniture(right),
        Account("st-key-pitfall_head atlas-quiet", [[fact(number, 18)]]),
        no_result("stCode", "what was written, and the line that would have caught it"),
        no_result("atlas-prose", "what the mistake is"),
        Account("compare card-title", [[finding]]),
        Account("compare card-subtitle", [[fact(f"{layer}.{head}", *right.source[:-1])]]),
        Account("compare-title", [[pane] for pane in panes]),
        Account("compare-pane picture", [[pane, size] for pane in panes]),
        Account(
            "compare readout",
            [
                [
                    fact(query, key),
                    (share(one), *fact(RIGHT)),
                    (share(two), *fact(WRONG)),
                    fact(100 * (two - one)),
                ]
            ],
        ),
        Account("atlas-scores td", numbers),
        Account("atlas-shapes td", shapes),
    )


# -- watch it learn -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def config(listed: str) -> Iterator[tuple[ModelConfig, dict[str, np.ndarray]]]:
    """The model's configuration and every array of a training that is stored beside it while these tests run."""
    folder = next(path for root in listed.split(os.pathsep) if (path := Path(root) / NAME).is_dir())
    read = files.read_config(folder)
    yield read, write_training(folder, read)
    (folder / "dynamics.npz").unlink()


@pytest.mark.parametrize(
    ("kind", "name", "layer", "head", "record"),
    [("cross", "cross", 1, 1, 4), ("encoder", "encoder-self", 1, 0, 6)],
)
def test_a_stored_training_at_one_step(
    visit: Visit,
    config: tuple[ModelConfig, dict[str, np.ndarray]],
    kind: str,
    name: str,
    layer: int,
    head: int,
    record: int,
) -> None:
    model, arrays = config
    step = STEPS[record]
    page = visit_golden(visit, "learning", kind=kind, layer=str(layer), head=str(head), at=str(step))
    page.locator(".dynamics-maps .readout").wait_for()
    source, target = (text.split() for text in PROBES[1][:2])
    keys = [*source, "⟨end⟩"]
    queries = keys if kind == "encoder" else [*target, "⟨end⟩"]
    scores = arrays[f"{name}.scores"][:, SCORES.index("normalised_entropy")].astype(float)
    values = np.array(
        [
            [weight(arrays, model, name, 1, (record, layer, head, i, j)) for j in range(len(keys))]
            for i in range(len(queries))
        ]
    )
    falls = sorted((at, *each[1:]) for each, at in FALLS.items() if each[0] == name)
    fallen = {
        (a, b): (float(scores[at - 1, a, b]), float(scores[at, a, b]), STEPS[at - 1], STEPS[at])
        for at, a, b in falls
    }
    own, at = fallen[layer, head], fact(f"{layer}.{head}")
    losses = [float(arrays[which][record]) for which in ("train_loss", "valid_loss")]
    now = [fact(step, f"{layer}.{head}", float(scores[record, layer, head]), *losses), fact(*own)]
    row = int(values.max(axis=1).argmax())
    reads = [] if kind == "encoder" else [["⟨start⟩", *target][row]]
    told = [fact(*reads, queries[row]), at, *named(values[row], keys)]
    heads = [(a, b) for a in range(model.layers(kind)) for b in range(HEADS)]
    account(
        page,
        *furniture(None),
        Account("stMain stSelectbox", [[fact(*source)]], "value"),
        Account("dynamics-curves card-title", [[at, fact(*own[2:])]]),
        Account("dynamics-curves card-subtitle", [[fact(STEPS[-1], STEPS[-1]), fact(37), fact(len(falls))]]),
        Account("dynamics-curves play-count", [[fact(record, len(STEPS) - 1)]]),
        Account("dynamics-curves play-scrub", [[fact(record)]], "value"),
        Account("dynamics-lines", [now], "aria-label"),
        Account("dynamics-moment", [[fact(f"{a}.{b}")] for a, b in fallen], "title"),
        Account(
            "dynamics-moment",
            [[fact(f"{a}.{b}", each[3], *each[:2])] for (a, b), each in fallen.items()],
            "text",
        ),
        Account("dynamics-curves readout", [now]),
        Account("dynamics-maps card-title", [[fact(step), at]]),
        Account("dynamics-maps card-subtitle", [[fact(*source, *target)]]),
        Account("dynamics-head", [[fact(f"{a}.{b}")] for a, b in heads], "aria-label"),
        Account("dynamics-big", [[at, fact(step), *told]], "aria-label"),
        Account("dynamics-maps readout", [told]),
    )


# -- lessons --------------------------------------------------------------------------------------------------


def sharpness(passed: Passed, kind: str) -> dict[str, float]:
    """The mean of the rows' largest weights, by head."""
    return {
        f"{layer}.{head}": float(np.max(rows, axis=1).mean())
        for layer, heads in enumerate(passed.maps[kind])
        for head, rows in enumerate(heads)
    }


def of_attention(passed: Passed) -> dict[int, Fact]:
    """What each step of the lesson tells of this model: on the last word, of the head that opens, the surest of words."""
    source, last = passed.source, passed.written[-1]
    sure = {
        (layer, head): np.array(rows)[:, :-1].max(axis=1).mean()
        for layer, heads in enumerate(passed.maps["cross"])
        for head, rows in enumerate(heads)
    }
    layer, head = max(sure, key=sure.__getitem__)
    row = passed.maps["cross"][layer][head][-1]
    most, weight = source[int(np.argmax(row))], share(max(row))
    keys, heads = len(source), HEADS * (ENCODER_LAYERS + 2 * DECODER_LAYERS)
    sharp = sharpness(passed, "encoder")
    first, least = max(sharp, key=sharp.__getitem__), min(sharp, key=sharp.__getitem__)
    layers = fact(ENCODER_LAYERS, DECODER_LAYERS, HEADS)
    return {
        1: (*fact(f"{layer}.{head}", keys, last, most, f"{layer}.{head}", most), weight),
        2: (*fact(last, keys), share(1 / keys), *fact(keys, last, 1.0, keys, 1.0, heads, 0.0)),
        3: fact(WIDTH // HEADS, WIDTH // HEADS),
        4: (weight, *fact(most)),
        6: (*layers, *fact(HEADS, HEADS, heads, HEADS, heads), *layers, *fact(HEADS * ENCODER_LAYERS)),
        7: (*fact(first), share(sharp[first]), *fact(least), share(sharp[least])),
    }


def of_positions(passed: Passed) -> dict[int, Fact]:
    """Cosines of positions, the head that gives most to the token before, and the length that enters the stream."""
    near, far = (cosine_apart(distance) for distance in (1, 20))
    before = {
        f"{layer}.{head}": np.diagonal(np.array(rows), -1)
        for layer, heads in enumerate(passed.maps["encoder"])
        for head, rows in enumerate(heads)
    }
    most = max(before, key=lambda name: before[name].mean())
    rows = before[most]
    length = float(np.linalg.norm(passed.embedded["encoder"][-1]))
    return {
        1: fact(WIDTH),
        2: fact(WIDTH, near, near, near, far),
        3: fact(0.0, 0.0),
        4: (
            *fact(HEADS * ENCODER_LAYERS, most),
            share(float(rows.mean())),
            *fact(int((rows > 0.5).sum()), len(rows)),
        ),
        6: fact(length, WIDTH),
    }


def of_norms(passed: Passed) -> dict[int, Fact]:
    """How far a norm leaves the stream from the sum, how its length grows, and what is added against it."""
    token, places = len(passed.source) - 1, [each for each in passed.norms if each[0] == "encoder"]
    read = [each for each in places if each[2] == "self"]
    off = max(float(np.abs(np.subtract(*passed.norms[each])[token]).max()) for each in read)
    first = float(np.linalg.norm(passed.embedded["encoder"][token]))
    last = float(np.linalg.norm(passed.norms[places[-1]][1][token]))
    against = sum(float(x[token] @ added[token]) < 0 for x, added in map(passed.sublayers.get, places))
    return {
        1: fact(WIDTH),
        2: fact(off, off, WIDTH, off),
        3: fact(last / first, first, last, last / first, len(places), against),
        6: fact(DECODER_LAYERS),
    }


def of_masks(passed: Passed) -> dict[int, Fact]:
    """What is right of the diagonal, and the first row, which has one key."""
    steps = len(passed.read)
    return {1: fact(0.0, 0.0), 3: fact(steps, 1.0, 1.0, 1.0), 4: fact(steps)}


# A link to another step, followed without loading the page.
FOLLOW = """(address) => {
  history.pushState({}, '', address);
  dispatchEvent(new PopStateEvent('popstate', { state: {} }));
}"""


@pytest.mark.parametrize(
    ("lesson", "values"),
    [("attention", of_attention), ("masks", of_masks), ("positions", of_positions), ("norms", of_norms)],
)
def test_what_a_lesson_tells_of_the_model_in_force(
    visit: Visit, written: Passed, lesson: str, values: Callable[[Passed], dict[int, Fact]]
) -> None:
    """Every value in the text, the question, its answer, and why the first choice is wrong where it is; the rest of a
    lesson is its author's."""
    wanted = values(written)
    page = visit_golden(visit, lesson=f"{lesson}.{min(wanted)}")
    for step, told in wanted.items():
        query = urlencode(
            {"checkpoint": NAME, "text": TEXT, "lesson": f"{lesson}.{step}", "answers": f"{step}-1"}
        )
        page.evaluate(FOLLOW, f"/?{query}")
        page.locator(f"li:nth-child({step}) .lesson-dot[aria-current=step]").wait_for()
        for patience in range(40, 0, -1):
            shown = [
                each
                for text in page.locator(".lesson-value:visible").all_inner_texts()
                for each in tokens(text)
            ]
            if is_told(shown, [told]):
                break
            assert patience > 1, f"{lesson}.{step} tells {shown}, not {told}"
            page.wait_for_timeout(250)
