"""From the model to the pixel, Translate: the stage at every step, a forced word, the beam's tree, the files."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.browser.golden_model import SHOWN, TARGET, TEXT, Naive, Passed, encode
from tests.browser.golden_reading import (
    SPOKEN,
    Picture,
    check_map,
    check_numbers,
    check_told,
    menu_file,
    near,
    signed,
    table,
    taken_away,
    visit_golden,
)
from tests.browser.looking import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

LAYER, HEAD = 1, 2
LABELS = [SHOWN.get(word, word) for word in TARGET]
# Points at every hypothesis in turn and takes down what the card says of it.
WALK = """(root) => [...root.querySelectorAll('.node')].map((node) => {
  node.dispatchEvent(new PointerEvent('pointermove'));
  const told = root.closest('.card').querySelector('.readout').textContent;
  node.dispatchEvent(new PointerEvent('pointerleave'));
  return [node.getAttribute('aria-label'), told];
})"""


def mean_of(passed: Passed, kind: str, layers: list[int], heads: list[int]) -> np.ndarray:
    """The mean of some heads' maps, added up a number at a time."""
    rows, columns = len(passed.queries(kind)), len(passed.keys(kind))
    total = np.zeros((rows, columns))
    for layer in layers:
        for head in heads:
            for i in range(rows):
                for j in range(columns):
                    total[i, j] += passed.maps[kind][layer][head][i][j]
    return total / (len(layers) * len(heads))


# Everything the stage shows, in one look.
STAGE = """(root) => {
  const words = (node) => node.textContent.replaceAll('\\u00a0', ' ');
  const left = (node) => parseFloat(node.style.left);
  const row = (name) => [...root.querySelectorAll(`.lines-row[aria-label="${name}"] .token`)];
  const part = (bar, name) => words(bar.querySelector(name));
  return {
    title: words(root.querySelector('.card-title')),
    sentence: words(root.querySelector('.readout')),
    shares: [...root.querySelectorAll('.lines-row .share')].map((node) => [left(node), parseFloat(words(node))]),
    places: row('Source words').map(left),
    tokens: row('Written words').map((node) => [words(node), node.className]),
    bars: [...root.querySelectorAll('.bars .bar')].map((bar) => [
      part(bar, '.bar-word'), part(bar, '.bar-number'), bar.classList.contains('chosen'), part(bar, '.bar-tag')]),
    rest: words(root.querySelector('.rest')),
  };
}"""


def stage(page: Page) -> dict[str, Any]:
    return dict(page.locator(".stage").evaluate(STAGE))


def check_bars(seen: dict[str, Any], passed: Passed, step: int) -> None:
    """The distribution that word `step` (from 1) was chosen from, and that this word is the one marked."""
    shares = passed.probabilities(step - 1)
    best = sorted(range(len(shares)), key=lambda token: -shares[token])[:12]
    assert {word for word, *_ in seen["bars"]} >= {LABELS[token] for token in best}
    for word, number, chosen, _ in seen["bars"]:
        share = shares[LABELS.index(word)]
        fits = share < 0.0005 if number.startswith("<") else near(float(number.split()[0]), share, 1)
        assert fits, (word, number, share)
        assert chosen == (word == passed.written[step - 1])
    count, mass = re.findall(r"(\d+) others: <? ?([\d.]+)", seen["rest"])[0]
    assert int(count) == len(shares) - len(seen["bars"])
    left = 1 - sum(shares[LABELS.index(word)] for word, *_ in seen["bars"])
    assert near(float(mass), left, 1) or left < 0.001


def written_share(passed: Passed, n: int) -> float:
    """The probability that written word `n` (from 0) had."""
    return passed.probabilities(n)[LABELS.index(passed.written[n])]


def check_candidates(page: Page, passed: Passed, n: int) -> None:
    """The bars beside a finished sentence are those that its word `n` (from 0) was chosen from, and say so."""
    page.locator(".card-title", has_text=f"Candidates for {spoken(passed.written[n])}").wait_for()
    check_bars(stage(page), passed, n + 1)


def spoken(word: str) -> str:
    """A word as titles and sentences name it: in quotes, or a special token's name."""
    return {label: name for name, label in SPOKEN.items()}.get(word, f"“{word}”")


def names_row(sentence: str, passed: Passed, step: int) -> bool:
    """Whether a sentence begins with the words that this step reads and writes."""
    reads, writes = spoken(passed.read[step - 1]), spoken(passed.written[step - 1])
    return sentence.startswith(f"Reads {reads} → writes {writes}: ")


def check_stage(page: Page, passed: Passed, values: np.ndarray, step: int, who: str) -> None:
    """Title, sentence, percentages over the words and bars after `step` words."""
    seen = stage(page)
    word, row = passed.written[step - 1], values[step - 1]
    assert f"“{word}”" in seen["title"]
    assert names_row(seen["sentence"], passed, step) and who in seen["sentence"], seen["sentence"]
    check_told(seen["sentence"].split("rows sum")[0], passed.source, row)
    assert seen["shares"]
    for x, number in seen["shares"]:  # each percentage stands over its word
        assert near(number, row[seen["places"].index(x)]), (number, row)
    assert [label for label, look in seen["tokens"] if "current" in look.split()] == [word]
    check_bars(seen, passed, step)


def check_rest(page: Page, passed: Passed, values: np.ndarray, who: str) -> None:
    """The finished sentence: no row is lit and the whole map is told; a word's row is told when it is pointed at.

    The bars are those of the least certain word, until another is clicked.
    """
    seen = stage(page)
    assert "each word" in seen["title"] and not seen["shares"]
    assert not any("current" in look.split() for _, look in seen["tokens"])
    pattern = r"(\S+ \S+) gives (\d+)\s% of its weight to one token, on average over the (\d+) tokens written"
    told = re.match(pattern, seen["sentence"])
    assert told and told[1] == who and int(told[3]) == len(passed.written), seen["sentence"]
    assert near(float(told[2]), float(values.max(axis=1).mean()))
    least = min(range(len(passed.written)), key=lambda n: written_share(passed, n))
    assert least != len(passed.written) - 1, "the last word would show nothing of the choice"
    check_candidates(page, passed, least)
    words = page.locator('.lines-row[aria-label="Written words"] .token')
    for clicked in (0, len(passed.written) - 1):
        words.nth(clicked).click()
        check_candidates(page, passed, clicked)
    page.keyboard.press("Escape")
    page.mouse.move(2, 2)
    check_candidates(page, passed, least)
    words.last.hover()
    seen = stage(page)
    assert names_row(seen["sentence"], passed, len(passed.written)), seen["sentence"]
    check_told(seen["sentence"].split("rows sum")[0], passed.source, values[-1])
    page.mouse.move(2, 2)


def test_the_stage_tells_the_row_and_the_distribution_of_every_step(
    visit: Visit, written: Passed, tmp_path: Path
) -> None:
    page = visit_golden(visit, step="1", layer=str(LAYER), head=str(HEAD))
    values = np.array(written.maps["cross"][LAYER][HEAD])
    last = len(written.written)
    for step in range(1, last + 1):
        page.locator(
            ".play-count", has_text=f"step {step}" if step < last else f"{step} of {last}"
        ).wait_for()
        if step == last:
            break
        check_stage(page, written, values, step, f"head {LAYER}.{HEAD}")
        page.get_by_role("button", name="Step (→)").click()
    check_rest(page, written, values, f"Head {LAYER}.{HEAD}")
    page.get_by_role("button", name="Back (←)").click()
    pictures = [Picture(menu_file(page, f".stage .card:nth-child({n})", "svg", tmp_path)) for n in (1, 3)]
    check_lines(pictures[0], written, values, last - 1)
    values[last - 1] = 0  # not written yet
    numbers = pictures[1]
    edge = numbers.columns(written.source)[0].x
    assert [word.words for word in numbers.rows(written.written, edge)] == written.written[: last - 1]
    check_numbers_of_rows(numbers, written, values, last - 1)
    # Mean of the layer's heads, then of everything: what the browser averages.
    page.get_by_label("Head", exact=True).select_option("mean")
    check_stage(
        page,
        written,
        mean_of(written, "cross", [LAYER], [0, 1, 2]),
        last - 1,
        f"the mean of 3 heads in layer {LAYER}",
    )
    page.get_by_label("Layer", exact=True).select_option("mean")
    check_stage(
        page, written, mean_of(written, "cross", [0, 1, 2], [0, 1, 2]), last - 1, "the mean of 9 heads"
    )


def check_lines(picture: Picture, passed: Passed, values: np.ndarray, step: int) -> None:
    """The strong lines start at the word just written, end at their source words and are as wide as their weight."""
    below = max(word.y for word in picture.words if word.words in passed.written)
    target = {word.words: word.x for word in picture.words if word.y == below}
    source = {word.words: word.x for word in picture.words if word.words in passed.source and word.y < below}
    assert list(source) == passed.source and list(target) == passed.written[:step]
    from_word = target[passed.written[step - 1]]
    found = {}
    for curve in picture.curves:
        if abs(curve.start[0] - from_word) < 0.6:
            j = min(
                range(len(passed.source)), key=lambda place: abs(source[passed.source[place]] - curve.end[0])
            )
            found[j] = ((curve.width - 0.9) / 6.5) ** (1 / 0.7)
    row = values[step - 1]
    assert set(found) >= {j for j, weight in enumerate(row) if weight > 0.05}
    for j, weight in found.items():
        assert abs(weight - row[j]) < 0.005, (passed.source[j], weight, row)


def check_numbers_of_rows(picture: Picture, passed: Passed, values: np.ndarray, shown: int) -> None:
    """The map has one row a written word, and a number in every cell from a fifth on."""
    check_numbers(picture, passed.written[:shown], passed.source, values[:shown], int((values > 0.21).sum()))


@pytest.mark.thorough
def test_the_table_of_the_stage_has_the_mean_and_the_written_words(
    visit: Visit, written: Passed, tmp_path: Path
) -> None:
    page = visit_golden(visit, layer="2", head="mean")
    lines = table(taken_away(page, "CSV of the open map", tmp_path))
    check_map(lines, written.written, written.source, mean_of(written, "cross", [2], [0, 1, 2]))


def test_a_forced_word_is_written_where_it_was_chosen(visit: Visit, written: Passed) -> None:
    step = 3
    page = visit_golden(visit, step=str(step), layer=str(LAYER), head=str(HEAD))
    page.locator(".play-count", has_text=f"step {step}").wait_for()
    bar = page.locator(".bars .bar:not(.chosen)").nth(1)
    word = bar.locator(".bar-word").inner_text()
    forced = Naive().translate(TEXT, {step - 1: LABELS.index(word)})
    assert (
        forced.written[: step - 1] == written.written[: step - 1]
        and forced.written[step:] != written.written[step:]
    )
    bar.click()
    page.locator(".token.forced", has_text=word).wait_for()
    seen = stage(page)
    assert [label for label, _ in seen["tokens"]] == forced.written[:step], "what follows is still to come"
    assert ["forced" in look.split() for _, look in seen["tokens"][:step]] == [False, False, True]
    assert [tag for label, _, _, tag in seen["bars"] if label == word] == ["forced"]
    values = np.array(forced.maps["cross"][LAYER][HEAD])
    check_stage(page, forced, values, step, f"head {LAYER}.{HEAD}")
    page.get_by_role("button", name="Step (→)").click()
    check_stage(page, forced, values, step + 1, f"head {LAYER}.{HEAD}")


@pytest.mark.thorough
def test_every_hypothesis_has_the_log_probability_of_its_own_words(visit: Visit) -> None:
    beam = 3
    page = visit_golden(visit, strategy="beam", beam=str(beam))
    page.locator(".beam-nodes .node").nth(4).wait_for()
    nodes = page.locator(".beam-nodes").evaluate(WALK)
    naive, source = Naive(), encode(TEXT)
    steps: dict[int, list[tuple[float, str]]] = {}
    finished: list[tuple[float, bool]] = []
    for label, sentence in nodes:
        step, word, score, outcome = re.fullmatch(r"step (\d+), (.+), score ([−\d.]+), (.+)", label).groups()  # type: ignore[union-attr]
        fate = next((each for each in ("best", "pruned") if each in outcome), "")
        if step == "0":
            continue
        path, total, told_score = re.match(
            r"(.+?): log-probability (−[\d.]+), score (−[\d.]+)", sentence
        ).groups()  # type: ignore[union-attr]
        words = path.split(" ")
        ids = [LABELS.index(each) for each in words]
        passed = naive.run(source, ids)
        wanted = sum(math.log(passed.probabilities(place)[token]) for place, token in enumerate(ids))
        assert words[-1] == word and len(words) == int(step), (label, sentence)
        assert abs(signed(total) - wanted) <= 0.006, (sentence, wanted)
        assert abs(signed(score) - wanted / len(ids)) <= 0.006 and told_score == score, (label, wanted)
        steps.setdefault(int(step), []).append((wanted / len(ids), fate))
        if word == "⟨end⟩":
            finished.append((wanted / len(ids), fate == "best"))
    assert len(steps) >= 3
    # At the limit of steps the hypotheses that are still open count too, as in Hugging Face's `generate`.
    finished += [(score, fate == "best") for score, fate in steps[max(steps)] if fate != "pruned"]
    for found in steps.values():
        live = [score for score, fate in found if fate != "pruned"]
        assert live == sorted(live, reverse=True), "the best hypothesis stands on top"
        assert 1 <= len(live) <= 2 * beam
    assert max(finished)[1], "the finished hypothesis with the best score is the answer"
