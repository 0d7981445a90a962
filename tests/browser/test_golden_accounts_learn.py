"""Pitfalls, Watch it learn, Lessons and Tutorials: every number and word is accounted for."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from core.checkpoints import files
from core.model.config import ModelConfig
from tests.browser.accounting import Account, Fact, account, fact, no_result, share
from tests.browser.golden_facts import compared, furniture, named
from tests.browser.golden_model import (
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

    def embed(self, side: str, ids: list[int]) -> np.ndarray:
        extra = (math.sqrt(WIDTH) - 1) * self.p[f"{side}_embedding.table"][ids]
        return np.asarray(super().embed(side, ids) - extra)


def flatter_numbers(right: Passed, wrong: Passed) -> tuple[Rows, Rows]:
    """The spread of the first layer's scores, its factor, the entropy of the rows; and the tensors at the fault."""
    spreads = [float(np.std(each.scores["encoder"][0])) for each in (right, wrong)]
    rows = [
        [row for layer in each.maps["encoder"] for head in layer for row in head] for each in (right, wrong)
    ]
    numbers = [*spreads, 1.0, math.sqrt(HEADS), *(entropy(each) for each in rows)]
    shape = fact(1, HEADS, len(right.source), len(right.source))
    return [[fact(value)] for value in numbers], [[shape], [shape], [fact(WIDTH // HEADS)], [fact(WIDTH)]]


def unscaled_numbers(right: Passed, wrong: Passed) -> tuple[Rows, Rows]:
    """Lengths of words in lengths of their positions, how much other words change, and the logit that moved most."""
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
        [*([each] for each in numbers), [fact(0)], [fact(far)]],
        [[shape], [shape], [fact(math.sqrt(WIDTH))], [fact(1)]],
    )


@pytest.mark.parametrize(
    ("name", "number", "faulty", "measured", "text"),
    [
        ("scale-by-d-model", 4, Flatter, flatter_numbers, TEXT),
        ("no-embedding-scale", 6, Unscaled, unscaled_numbers, TEXT),
        ("no-embedding-scale", 6, Unscaled, unscaled_numbers, OTHER_TEXT),  # once the reader has guessed
    ],
)
def test_a_pitfall(
    visit: Visit,
    naive: Naive,
    written: Passed,
    name: str,
    number: int,
    faulty: Callable[[], Naive],
    measured: Callable[[Passed, Passed], tuple[Rows, Rows]],
    text: str,
) -> None:
    guessed = text != TEXT
    page = visit_golden(visit, "pitfalls", pitfall=name, **({"spot": "1", "guess": "1"} if guessed else {}))
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
    numbers, shapes = measured(right, wrong)
    panes = [fact(RIGHT), fact(WRONG), fact(WRONG, RIGHT)]
    account(
        page,
        *furniture(written),
        Account("st-key-pitfall_head atlas-quiet", [[fact(number, 18)]]),
        no_result("stCode", "what was written, and the line that would have caught it"),
        no_result("atlas-prose", "what the mistake is"),
        Account("compare card-title", [[fact(f"{layer}.{head}")]]),
        Account("compare card-subtitle", [[fact(*right.source[:-1])]]),
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
    written: Passed,
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
    told = [fact(queries[row]), at, *named(values[row], keys)]
    several = [fact(len(falls))] if len(falls) > 1 else []  # else “one head”
    heads = [(a, b) for a in range(model.layers(kind)) for b in range(HEADS)]
    account(
        page,
        *furniture(written, header=False),
        Account("stMain stSelectbox", [[fact(*source)]], "value"),
        Account("dynamics-curves card-title", [[at, fact(*own[2:])]]),
        Account("dynamics-curves card-subtitle", [[fact(STEPS[-1], STEPS[-1]), fact(37), *several]]),
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
