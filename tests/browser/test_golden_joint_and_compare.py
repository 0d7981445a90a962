"""From the model to the pixel: the joint view's three maps, and both sides and the difference of a comparison."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.browser.golden_model import HEADS, KINDS, OTHER_TEXT, TEXT, Naive, Passed
from tests.browser.golden_reading import (
    EXACT,
    SPOKEN,
    Picture,
    check_map,
    check_numbers,
    check_told,
    menu_file,
    near,
    readout,
    row_said,
    table,
    taken_away,
    visit_golden,
    weight_of,
)
from tests.browser.looking import Visit

pytestmark = pytest.mark.turned

LAYER, HEAD = 1, 2
TITLES = {"encoder": "encoder self", "cross": "cross", "causal": "decoder causal"}


def spelled(name: str) -> str:
    """The label of a token that a sentence names."""
    return SPOKEN.get(name, name.strip("“”"))


# -- joint --------------------------------------------------------------------------------------------------


def test_the_joint_view_tells_and_draws_the_maps_of_its_step(
    visit: Visit, written: Passed, tmp_path: Path
) -> None:
    step = 4
    page = visit_golden(visit, "attention", kind="joint", layer=str(LAYER), head=str(HEAD), step=str(step))
    page.locator(".play-count", has_text=f"{step} of 6").wait_for()
    maps = {kind: np.array(written.maps[kind][LAYER][HEAD]) for kind in KINDS}
    for now in (step, step - 1, step):
        page.locator(".play-count", has_text=f"{now} of 6").wait_for()
        word = written.written[now - 1]
        page.locator(".joint .card-title", has_text=f"“{word}”").wait_for()
        said = readout(page.locator(".joint .readout"))
        start = f"{row_said(written, 'cross', now - 1)}: head {LAYER}.{HEAD} looks "
        assert said.startswith(start), said
        across, own, inside = re.split(r" Of the words so far, | In the encoder, ", said.removeprefix(start))
        check_told(across, written.source, list(maps["cross"][now - 1]))
        back, amount = re.fullmatch(r"(.+?) gets the most weight \((\d+) %\)\.", own).groups()  # type: ignore[union-attr]
        seen = maps["causal"][now - 1][:now]
        assert spelled(back) == written.read[int(seen.argmax())] and near(float(amount), seen.max()), own
        row = maps["encoder"][int(maps["cross"][now - 1].argmax())]
        reader, giver, taken = re.fullmatch(r"(.+?) looks most at (.+?) \((\d+) %\)\.", inside).groups()  # type: ignore[union-attr]
        assert spelled(reader) == written.source[int(maps["cross"][now - 1].argmax())] and near(
            float(taken), row.max()
        )
        assert spelled(reader if giver == "itself" else giver) == written.source[int(row.argmax())]
        page.get_by_role("button", name="Back (←)" if now == step else "Step (→)").click()
    page.locator(".play-count", has_text=f"{step - 1} of 6").wait_for()
    page.keyboard.press("ArrowRight")
    page.locator(".play-count", has_text=f"{step} of 6").wait_for()
    check_joint_table(table(menu_file(page, ".joint", "csv", tmp_path)), written, maps, step)
    check_joint_picture(Picture(menu_file(page, ".joint", "svg", tmp_path)), maps, step)


def check_joint_table(
    lines: list[dict[str, str]], passed: Passed, maps: dict[str, np.ndarray], step: int
) -> None:
    """Each kind's cells, with the words written as rows and, for the decoder's own, the words read as columns."""
    for kind in KINDS:
        queries = passed.source if kind == "encoder" else passed.written[:step]
        keys = passed.keys(kind)[:step] if kind == "causal" else passed.keys(kind)
        cells = [(i, j) for i in range(len(queries)) for j in range(len(keys))]
        mine = [line for line in lines if line["kind"] == kind]
        assert len(mine) == len(cells)
        for (i, j), line in zip(cells, mine, strict=True):
            words = (queries[i], "") if kind == "encoder" else (passed.read[i], queries[i])
            assert (line["query_reads"], line["query_writes"], line["key"]) == (*words, keys[j])
            if kind == "causal" and j > i:
                assert not line["weight"], "what may not be attended is empty"
            else:
                assert abs(float(line["weight"]) - maps[kind][i, j]) <= EXACT


def check_joint_picture(picture: Picture, maps: dict[str, np.ndarray], step: int) -> None:
    """The three small maps under their names: the colour of every cell is that of its weight."""
    for kind, title in TITLES.items():
        name = next(word for word in picture.words if word.words == title)
        rows, columns = maps[kind].shape
        near_by = [
            cell
            for cell in picture.cells
            if cell[0] >= name.x - 1 and cell[1] >= name.y and cell[0] < name.x + 400
        ]
        left, top = min(cell[0] for cell in near_by), min(cell[1] for cell in near_by)
        tall = near_by[0][3]
        ends = [cell[0] + cell[2] for cell in near_by if cell[0] < left + 390]
        shown = rows if kind == "encoder" else step
        full = [cell[0] + cell[2] for cell in near_by if abs(cell[1] - (top + (shown - 1) * tall)) < 1]
        assert ends and full
        wide = min((end - left for end in full), key=lambda w: abs(w - 380)) / (
            columns if kind != "causal" else shown
        )
        for i in range(shown):
            for j in range(columns if kind != "causal" else i + 1):
                colour = picture.colour_at(left + (j + 0.5) * wide, top + (i + 0.5) * tall)
                assert abs(weight_of(colour, kind) - maps[kind][i, j]) <= 0.02, (kind, i, j, maps[kind][i, j])


# -- compare ------------------------------------------------------------------------------------------------


def check_compared(
    lines: list[dict[str, str]], queries: list[str], keys: list[str], first: np.ndarray, second: np.ndarray
) -> None:
    """Three maps after one another, the last the second minus the first."""
    names = list(dict.fromkeys(line["map"] for line in lines))
    assert names == ["head 1.0", "head 2.1", "head 2.1 − head 1.0"]
    for name, values in zip(names, (first, second, second - first), strict=True):
        check_map([line for line in lines if line["map"] == name], queries, keys, values.tolist())


def check_steps(
    lines: list[dict[str, str]],
    passed: Passed,
    steps: tuple[int, int],
    heads: list[str],
    keys: list[str],
    maps: tuple[np.ndarray, np.ndarray],
) -> None:
    """A row a head; the query is that of the map's step, and two steps have none in common."""
    names = [f"step {step}, writes “{passed.written[step - 1]}”" for step in steps]
    queries = [(str(step - 1), passed.read[step - 1], passed.written[step - 1]) for step in steps]
    wanted = iter(lines)
    for name, query, values in zip(
        [*names, f"{names[1]} − {names[0]}"],
        [*queries, ("", "", "")],
        [*maps, maps[1] - maps[0]],
        strict=True,
    ):
        for (i, j), value in np.ndenumerate(values):
            line = next(wanted)
            assert (line["map"], line["head"], line["key"]) == (name, heads[i], keys[j]), line
            assert line["key_position"] == str(j), line
            assert (line["query_position"], line["query_reads"], line["query_writes"]) == query, line
            if np.isnan(value):  # what was written later could not be looked at
                assert not line["value"], line
            else:
                assert abs(float(line["value"]) - value) <= EXACT, (line, value)
    assert not list(wanted)


def check_largest(
    sentence: str, rows: list[str], words: list[str], keys: list[str], first: np.ndarray, second: np.ndarray
) -> None:
    """The cell that the sentence names has the two percentages and the difference told; `rows` are named by `words`."""
    row, key, one, two, points = re.search(
        r"difference.*?: (.+?), at (.+?): (?:less than )?(\d+)\s% \(.+?\), (?:less than )?(\d+)\s% \(.+?\); ([+−]\d+) points",
        sentence,
    ).groups()  # type: ignore[union-attr]
    i, j = [name.lower() for name in rows].index(row.lower()), keys.index(spelled(key))
    change = second - first
    assert near(float(one), first[i, j]) and near(float(two), second[i, j]), sentence
    assert abs(float(points.replace("−", "-")) - 100 * change[i, j]) <= 0.51
    plain = change[np.ix_([q != "⟨end⟩" for q in words], [k != "⟨end⟩" for k in keys])]
    assert abs(abs(change[i, j]) - np.abs(plain).max()) <= 1e-6, "the largest between words"


def test_two_heads_and_their_difference(visit: Visit, written: Passed, tmp_path: Path) -> None:
    page = visit_golden(visit, "compare", kind="cross", layer="1", head="0", against="2.1")
    page.locator(".compare-pane").nth(2).wait_for()
    first, second = (np.array(written.maps["cross"][layer][head]) for layer, head in ((1, 0), (2, 1)))
    for lines in (
        table(menu_file(page, ".compare", "csv", tmp_path)),
        table(taken_away(page, "CSV of both maps", tmp_path)),
    ):
        check_compared(lines, written.written, written.source, first, second)
    page.keyboard.press("Escape")
    sentence = readout(page.locator(".compare .readout"))
    rows = [row_said(written, "cross", i) for i in range(len(written.written))]
    check_largest(sentence, rows, written.written, written.source, first, second)
    title = readout(page.locator(".compare .card-title"))
    second_head, key, points, word_of_change, first_head, word = re.fullmatch(
        r"Head (\d\.\d) gives “(.+?)” (\d+) points? (more|less) than head (\d\.\d) .*“(.+?)”", title
    ).groups()  # type: ignore[union-attr]
    i, j = written.written.index(word), written.source.index(key)
    gain = (second[i, j] - first[i, j]) * (1 if word_of_change == "more" else -1)
    assert (first_head, second_head) == ("1.0", "2.1") and abs(float(points) - 100 * gain) <= 0.51, title
    both = np.hstack([100 * first, 100 * second, 100 * (second - first)])
    picture = Picture(menu_file(page, ".compare", "svg", tmp_path))
    check_numbers(picture, written.written, written.source, both, 12, unit=1)


@pytest.mark.thorough
def test_two_steps_are_the_rows_of_their_words(visit: Visit, written: Passed, tmp_path: Path) -> None:
    one, other = 2, 5
    page = visit_golden(
        visit, "compare", versus="step", kind="cross", step=str(one), other_step=str(other), layer="1"
    )
    page.locator(".compare-pane").nth(2).wait_for()
    heads = [f"1.{head}" for head in range(HEADS)]
    first, second = (
        np.array([written.maps["cross"][1][head][step - 1] for head in range(HEADS)]) for step in (one, other)
    )
    for path in (
        menu_file(page, ".compare", "csv", tmp_path),
        taken_away(page, "CSV of both maps", tmp_path),
    ):
        check_steps(table(path), written, (one, other), heads, written.source, (first, second))
    page.keyboard.press("Escape")
    names = [f"step {step}, writes “{written.written[step - 1]}”" for step in (one, other)]
    titles = page.locator(".compare-title").all_inner_texts()
    assert titles == [*names, f"{names[1]} − {names[0]}"]
    sentence = readout(page.locator(".compare .readout"))
    check_largest(sentence, [f"head {head}" for head in heads], heads, written.source, first, second)
    sentence = readout(page.locator(".compare .card-title"))
    words = re.findall(r"“(\w+)” \(step (\d)\)", sentence)
    assert sorted(words) == sorted((written.written[step - 1], str(step)) for step in (one, other)), sentence


@pytest.mark.thorough
def test_two_steps_of_causal_heads_read_what_was_written_before(
    visit: Visit, written: Passed, tmp_path: Path
) -> None:
    page = visit_golden(visit, "compare", versus="step", kind="causal", step="5", other_step="3", layer="2")
    page.locator(".compare-pane").nth(2).wait_for()
    first, second = (
        np.array([written.maps["causal"][2][head][step - 1][:5] for head in range(HEADS)]) for step in (5, 3)
    )
    for values, step in ((first, 5), (second, 3)):
        values[:, step:] = np.nan  # what was written later could not be looked at
    lines = table(menu_file(page, ".compare", "csv", tmp_path))
    heads = [f"2.{head}" for head in range(HEADS)]
    check_steps(lines, written, (5, 3), heads, written.read[:5], (first, second))


@pytest.mark.thorough
def test_two_sentences_have_their_own_words_and_numbers(
    visit: Visit, written: Passed, tmp_path: Path
) -> None:
    page = visit_golden(
        visit, "compare", versus="sentence", kind="cross", layer="2", head="0", other_text=OTHER_TEXT
    )
    page.locator(".compare-pane").nth(1).wait_for()
    other = Naive().translate(OTHER_TEXT)
    lines = table(menu_file(page, ".compare", "csv", tmp_path))
    names = list(dict.fromkeys(line["map"] for line in lines))
    assert [TEXT in names[0], OTHER_TEXT in names[1], len(names)] == [True, True, 2]
    for name, passed in zip(names, (written, other), strict=True):
        mine = [line for line in lines if line["map"] == name]
        check_map(mine, passed.written, passed.source, passed.maps["cross"][2][0])
    sure = [
        sum(max(row) for row in passed.maps["cross"][2][0]) / len(passed.written)
        for passed in (written, other)
    ]
    title = readout(page.locator(".compare .card-title"))
    numbers = [float(number) for number in re.findall(r"(\d+) %", title)]
    assert near(numbers[0], max(sure)) and near(numbers[1], min(sure)), (title, sure)
    assert ("first" in title.split("%")[0]) == (sure[0] > sure[1])
