"""Translate: every number and word of the stage is accounted for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.browser.accounting import Account, Fact, account, fact, is_told, no_result, share, tokens
from tests.browser.golden_facts import END, HEAD, LABELS, LAYER, furniture, ids_of, named
from tests.browser.golden_model import (
    DECODER_LAYERS,
    EOS,
    HEADS,
    OTHER_TEXT,
    TEXT,
    Naive,
    Passed,
    encode,
    softmax,
)
from tests.browser.golden_reading import visit_golden
from tests.browser.looking import Visit

pytestmark = pytest.mark.turned

BARS = 12
TELLING = 0.5  # the weight from which the title says where the head looks


def of_stage(
    passed: Passed, step: int, chances: list[float], said: list[Fact], cut: str = ""
) -> list[Account]:
    """The sentence, the words so far, the map and the bars after `step` words; `chances` is what the last was chosen from."""
    order = sorted(range(len(chances)), key=lambda token: -chances[token])
    bars, written = order[:BARS], ids_of(passed)[step - 1]
    ranks: list[list[Fact]] = [[] for _ in bars]
    if written not in bars:
        bars, ranks = [*bars, written], [*ranks, [fact(order.index(written) + 1)]]
    others = [token for token in order if token not in bars]
    rest = fact(len(others)), (share(sum(chances[token] for token in others)),)
    labels = [[fact(LABELS[token])] for token in bars]
    every_token = [[fact(word)] for word in (*passed.source, *passed.written[:step])]
    done = [word for word in passed.written[:step] if word != END]
    return [
        *furniture(passed, header=False),
        Account("st-key-widget_sentence", [[fact(*passed.source[:-1])]], "value"),
        Account("st-key-widget_example", [[fact(*text.split())] for text in (TEXT, OTHER_TEXT)]),
        Account("stage-text", [[fact(*done)]]),
        no_result("play keys", "what a key does, what a number is"),
        no_result("stage-settings", "which layers and heads there are to choose from"),
        Account("play-scrub", [[fact(step)]], "value"),
        Account("lines-row token", every_token, "aria-label"),
        Account("lines-row token", every_token, "text"),
        Account("stage readout", [[*said, fact(1)]]),  # rows sum to 1
        Account(
            "bars-place bar",
            [[(*fact(LABELS[token]), share(chances[token]))] for token in bars],
            "aria-label",
        ),
        Account("bars-place bar", labels, "title"),
        Account("bars-place bar-word", labels),
        Account(
            "bars-place bar-track",
            [[(share(chances[token]),), *rank] for token, rank in zip(bars, ranks, strict=True)],
        ),
        Account("bars-place rest", [[*rest, *([fact(cut)] if cut else [])]]),
        Account("heat picture", [[fact(step, len(passed.source))]], every=True),
    ]


def test_translate_once_all_is_written(visit: Visit, naive: Naive, written: Passed) -> None:
    page = visit_golden(visit)
    steps = len(written.written)
    mean = np.array(written.maps["cross"]).mean(axis=(0, 1))
    sure = share(float(mean.max(axis=1).mean()))
    account(
        page,
        *of_stage(
            written,
            steps,
            written.probabilities(steps - 1),
            [fact(DECODER_LAYERS * HEADS), fact(steps), (sure,)],
        ),
        Account("play-count", [[fact(steps, steps)]]),
    )


def of_step(passed: Passed, step: int, chances: list[float], cut: str = "") -> list[Account]:
    """The stage while one word is written: the row of one head, over the words and in the sentence."""
    row, word = passed.maps["cross"][LAYER][HEAD][step - 1], passed.written[step - 1]
    over = sorted((weight for weight in row if weight >= 0.05), reverse=True)[:4]
    head, most = f"{LAYER}.{HEAD}", max(row)
    said = [fact(passed.read[step - 1], word, head), *named(row, passed.source)]
    looked = passed.source[row.index(most)]
    title = [fact(word, head), (*(fact(looked) if looked != END else ()), share(most))]
    return [
        *of_stage(passed, step, chances, said, cut),
        Account("stage card-title", [title if most >= TELLING else [fact(word)]]),
        Account("play-count", [[fact(step)]]),
        Account("lines-row share", [[(share(weight),)] for weight in over]),
    ]


def test_translate_at_the_step_after_a_word_that_a_reader_chose(visit: Visit, naive: Naive) -> None:
    """The forced word is another one than greedy search writes, and what follows is written after it."""
    forced, step = 7, 4
    passed = naive.translate(TEXT, {2: forced})
    page = visit_golden(visit, step=str(step), layer=str(LAYER), head=str(HEAD), force=f"2:{forced}")
    page.locator(".lines-row .share").first.wait_for()
    account(
        page,
        *of_step(passed, step, passed.probabilities(step - 1)),
        Account("st-key-said", [[fact(LABELS[forced])]]),
    )


def sampled(naive: Naive, seed: int, temperature: float, top_k: int) -> tuple[Passed, list[list[float]]]:
    """What is drawn word by word, and the distributions at this temperature: each draw depends on its seed and step alone."""
    written: list[int] = []
    every = []
    while not written or written[-1] != EOS:
        chances = softmax(list(naive.run(encode(TEXT), [*written, EOS]).logits[-1] / temperature))
        kept = sorted(range(2, len(chances)), key=lambda token: -chances[token])[:top_k]
        ball = np.random.default_rng((seed, len(written))).random() * sum(chances[token] for token in kept)
        sums = np.cumsum([chances[token] for token in kept])
        written.append(kept[int((sums <= ball).sum())])
        every.append(chances)
    return naive.run(encode(TEXT), written), every


def test_translate_at_a_step_of_a_sample(visit: Visit, naive: Naive, written: Passed) -> None:
    seed, temperature, top_k = 5, 1.7, 6
    passed, chances = sampled(naive, seed, temperature, top_k)
    step = next(n + 1 for n, word in enumerate(passed.written) if word != written.written[n])
    page = visit_golden(
        visit,
        **{"strategy": "sample", "seed": str(seed), "temperature": str(temperature), "top_k": str(top_k)},
        **{"step": str(step), "layer": str(LAYER), "head": str(HEAD)},
    )
    page.locator(".lines-row .share").first.wait_for()
    account(
        page,
        *of_step(passed, step, chances[step - 1]),
        Account("card-subtitle", [[fact(top_k)]]),
        Account("bars cut", [[fact(top_k)]]),
    )
    page.get_by_role("button", name="Options").hover()
    options = page.get_by_role("tooltip").inner_text()
    assert is_told(tokens(options), [fact(temperature), fact(top_k), fact(seed)]), options
    page.mouse.move(2, 2)


Found = tuple[tuple[int, ...], float]  # the words of a hypothesis, and its log-probability


def searched(naive: Naive, source: list[int], size: int) -> tuple[list[list[Found]], Found]:
    """Every hypothesis that a beam considers, step by step, and the best finished one, by log-probability a word."""
    live: list[Found] = [((), 0.0)]
    ended: list[Found] = []
    steps: list[list[Found]] = []
    while len(ended) < size or score(live[0]) > score(ended[-1]):
        every = []
        for path, total in live:
            chances = naive.run(source, [*path, EOS]).probabilities(len(path))
            every += [((*path, token), total + math.log(chances[token])) for token in range(2, len(chances))]
        best = sorted(every, key=lambda each: -each[1])[: 2 * size]
        finished = [each for each in best[:size] if each[0][-1] == EOS]
        ended = sorted([*ended, *finished], key=lambda each: -score(each))[:size]
        live = [each for each in best if each[0][-1] != EOS][:size]
        steps.append(best)
        assert len(steps) < 20, "choose a sentence whose search ends"
    return steps, ended[0]


def score(found: Found) -> float:
    return found[1] / len(found[0])


def test_translate_with_every_hypothesis_of_a_beam(visit: Visit, naive: Naive) -> None:
    size, text = 2, "birds sleep there"
    steps, best = searched(naive, encode(text), size)
    passed = naive.run(encode(text), list(best[0]))
    step = len(best[0]) - 1  # what is still to come is not drawn
    nodes = [each for found in steps[:step] for each in found]
    now = next(each for each in steps[step - 1] if each[0] == best[0][:step])
    page = visit_golden(
        visit,
        **{"text": text, "strategy": "beam", "beam": str(size), "step": str(step)},
        **{"layer": str(LAYER), "head": str(HEAD)},
    )
    page.locator(".beam-nodes .node").nth(len(nodes)).wait_for(state="attached")
    start = [[fact("⟨start⟩")]]
    account(
        page,
        *of_step(passed, step, passed.probabilities(step - 1)),
        Account("st-key-ways", [[fact(size)]]),
        Account("card-subtitle", [[fact(size)]]),
        Account("readout", [[fact(*(LABELS[token] for token in now[0]), now[1], score(now))]]),
        Account("beam-nodes beam-step", [[fact(n + 1)] for n in range(step)]),
        Account(
            "beam-nodes node",
            [
                [fact(0, "⟨start⟩", 0.0)],
                *([fact(len(path), LABELS[path[-1]], score((path, total)))] for path, total in nodes),
            ],
            "aria-label",
        ),
        Account("beam-nodes node bdi", [*start, *([fact(LABELS[path[-1]])] for path, _ in nodes)]),
        Account("beam-nodes node-score", [[fact(score((path, total)))] for path, total in nodes]),
    )
