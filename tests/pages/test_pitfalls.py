"""The page Mistakes: every number is that of the mistake on this model, and a round of the game gives nothing away."""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.json_format import MessageToDict
from safetensors.torch import load_file, save_file
from streamlit.testing.v1 import AppTest

from core.api import Checkpoint, load, trace
from core.learning.mistakes import IDS, PITFALLS, mistake
from core.learning.pitfalls import output, pitfall
from core.learning.study import Sentence, Study, in_language
from tests.mounted import Mounted, watch
from tests.pages.test_every_word import walk
from tests.pages.test_pages import Open, press, shown, sound, words
from ui.learn import mistake_on_sentence as data
from ui.learn import mistakes as page
from ui.learn.mistake_on_sentence import WRITTEN
from ui.shared import two_maps

TEXT = "I am tired."
POST = "dropout-after-norm"  # the one that this pre-norm model cannot show


@pytest.fixture
def model(tiny_checkpoint: Path) -> Checkpoint:
    return load(tiny_checkpoint, device="cpu")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    """What is handed to the browser."""
    return watch(monkeypatch, two_maps)


def assert_drawn(drawn: Mounted, side: str, values: np.ndarray) -> None:
    """Every number of a map, but those of cells that the mask hides; what is no number is none."""
    cells = drawn["compare"][side].reshape(values.shape)
    assert np.allclose(np.nan_to_num(cells), np.nan_to_num(values), atol=1e-6)
    assert np.isnan(cells[np.isnan(values)]).all()


def study(model: Checkpoint, name: str, text: str = TEXT) -> Study:
    sentence = Sentence.of(trace(model, text), model.target_tokenizer.labels)
    return pitfall(name).study(model.model, sentence)


def rows(app: AppTest, table: str) -> list[list[str]]:
    """The cells of a table by its CSS class."""
    (result,) = [part for part in words(app).split("<table") if part.startswith(f' class="atlas-{table}"')]
    body = result.partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        [html.unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)]
        for row in body.split("</tr>")
        if row
    ]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [each for each in IDS if each != POST])
def test_the_page_shows_what_the_pitfall_comes_to(
    open_app: Open, model: Checkpoint, drawn: Mounted, name: str
) -> None:
    app = sound(open_app("pitfalls", {"text": TEXT, "pitfall": name}))
    expected = study(model, name)
    text = html.unescape(words(app))
    assert mistake(name).title in text and mistake(name).explanation in text
    assert drawn["compare"]["title"] == finding_of(model, name)
    assert [each.value for each in app.code] == [mistake(name).sketch, mistake(name).test]
    assert tuple(drawn["compare"]["names"]) == data.NAMES
    assert_drawn(drawn, "first", expected.right.values)
    assert_drawn(drawn, "second", expected.wrong.values)
    message = rows(app, "scores")
    assert [line[0] for line in message] == [in_language(each.what) for each in expected.numbers]
    for line, number in zip(message, expected.numbers, strict=True):
        for cell, value in zip(line[1:], (number.right, number.wrong), strict=True):
            assert cell == page.spoken(value, number.unit)
    assert rows(app, "shapes") == [
        [in_language(each.name), in_language(each.right), in_language(each.wrong)] for each in expected.shapes
    ]
    assert ("Python says" in text) == (name == "mask-truth-value")


@pytest.mark.parametrize(
    ("value", "unit", "cell"),
    [
        (0.2346, "share", "23.5 %"),
        (0.0, "share", "0.0 %"),
        (0.0004, "share", "0.04 %"),
        (17.0, "rows", "17"),
        (1.699, "nats", "1.70 nats"),
        (-0.04, "number", "−0.04"),
        (5.946, "number", "5.95"),
        (float("nan"), "nats", "—"),
    ],
)
def test_numbers_as_they_are_shown(value: float, unit: Any, cell: str) -> None:
    assert page.spoken(value, unit) == cell


def test_a_pitfall_that_no_listed_model_can_show_is_one_sentence(open_app: Open) -> None:
    app = sound(open_app("pitfalls", {"pitfall": POST}))
    text = html.unescape(words(app))
    assert "norms come before its sub-layers" in text and "No other checkpoint here can show it" in text


@pytest.mark.thorough
def test_another_model_stands_in_where_the_one_in_use_cannot(
    open_app: Open, checkpoints: Path, drawn: Mounted
) -> None:
    folder = Path(shutil.copytree(checkpoints / "tiny", checkpoints / "paper"))
    config = json.loads((folder / "config.json").read_text())
    # The same weights make a post-norm model, but for the two final norms, which it does not have.
    kept = {
        name: tensor
        for name, tensor in load_file(folder / "model.safetensors").items()
        if not name.startswith(("encoder_norm", "decoder_norm"))
    }
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps({**config, "norm_placement": "post", "final_norm": False}))
    (folder / "example.npz").unlink()
    app = sound(open_app("pitfalls", {"checkpoint": "tiny", "pitfall": POST}))
    assert "It is shown on paper instead." in html.unescape(words(app))
    loaded = load(folder, device="cpu")
    expected = study(loaded, POST, "The dog is chasing a white ball.")
    assert_drawn(drawn, "second", expected.wrong.values)


def test_the_next_and_the_one_before(open_app: Open) -> None:
    app = sound(open_app("pitfalls", {"pitfall": IDS[-1]}))
    assert f"{len(IDS)} of {len(IDS)}" in words(app)
    app = press(app, "pitfall_after")
    assert shown(app).pitfall == IDS[0]
    app = press(app, "pitfall_before")
    assert shown(app).pitfall == IDS[-1]


def before_a_choice(app: AppTest) -> str:
    """Everything that the page sends: words, keys, labels, data of views."""
    parts = [json.dumps(MessageToDict(each.proto), ensure_ascii=False) for each in walk(app)]
    return html.unescape(" ".join(parts))


def test_the_page_opens_on_a_faulty_map_and_says_nothing_of_the_answer(open_app: Open) -> None:
    app = sound(open_app("pitfalls", {"text": TEXT}))
    this = dealt(0)[0]
    sent = before_a_choice(app)
    assert "Round 1 of 10." in sent and "What is wrong with this model?" in sent
    names = [each.label.partition("  ")[2] for each in app.button if (each.key or "").startswith("name_")]
    assert names == [mistake(name).title for name in this.names]
    for each in PITFALLS:
        assert each.explanation not in sent and each.see not in sent and each.finding[:20] not in sent
    # The answer's id stands where every id does: in the list of all mistakes.
    assert len({sent.count(f"open_{name}") for name in IDS}) == 1
    assert {sent.count(name) - sent.count(f"open_{name}") for name in this.names} == {0}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", range(10))
def test_a_round_draws_the_faulty_map_and_both_outputs(
    open_app: Open, model: Checkpoint, number: int
) -> None:
    made = "".join(str(each.right) for each in dealt(0)[:number])
    app = sound(open_app("pitfalls", {"text": TEXT, **({"game": made} if made else {})}))
    this = dealt(0)[number]
    expected = study(model, this.answer)
    cells = re.findall(r'<td (?:class=nan|style="[^"]*")>([^<]*)</td>', words(app))
    flat = expected.wrong.values.ravel()
    assert cells == [
        "NaN" if np.isnan(value) else f"{100 * value:.0f}" if value >= WRITTEN else "" for value in flat
    ]
    sentence = Sentence.of(trace(model, TEXT), model.target_tokenizer.labels)
    written = output(this.answer, model.model, sentence)
    correct = model.translate(TEXT)
    shown_here = re.findall(r'<dd dir="auto">(.*?)</dd>', words(app))
    source, first, second = (html.unescape(re.sub("<[^>]+>", "", each)) for each in shown_here)
    assert (source, first) == (TEXT, correct)
    if written.problem:
        assert second == written.problem
    else:
        text = correct if written.same else model.target_tokenizer.decode(list(written.ids))
        assert second.split() == (text or "–").split()


def test_a_choice_is_kept_in_the_link_and_every_answer_has_its_number(
    open_app: Open, model: Checkpoint
) -> None:
    app = sound(open_app("pitfalls", {"text": TEXT}))
    this = dealt(0)[0]
    wrong = 1 + this.right % 4
    app = press(app, f"name_{wrong}")
    assert (shown(app).game, shown(app).round) == (str(wrong), 1)
    text = html.unescape(words(app))
    assert f"No: it is “{mistake(this.answer).title}”" in text and "Right so far: 0 of 1." in text
    for name in this.names:
        assert finding_of(model, name) in text
    assert mistake(this.answer).see in text
    app = press(app, "next_round")
    assert shown(app).round == 2 and "Round 2 of 10." in html.unescape(words(app))
    app = press(sound(open_app("pitfalls", {"text": TEXT})), f"name_{this.right}")
    assert f"Yes: {mistake(this.answer).title}" in html.unescape(words(app))


@pytest.mark.thorough
def test_each_round_has_a_sentence_of_its_own_unless_the_reader_chose_one(
    open_app: Open,
) -> None:
    seen = []
    for number in (1, 2):
        made = "".join(str(each.right) for each in dealt(0)[: number - 1])
        said = words(sound(open_app("pitfalls", {"game": made} if made else {})))
        assert "atlas-sentence" not in said, "the header is about another sentence"
        seen.append(html.unescape(re.findall(r'<dd dir="auto">(.*?)</dd>', said)[0]))
    assert len(set(seen)) == 2 and "I am tired." in seen
    assert "atlas-sentence" in words(sound(open_app("pitfalls", {"text": TEXT})))


def finding_of(model: Checkpoint, name: str) -> str:
    number = study(model, name).numbers[mistake(name).number]
    values = {"right": number.right, "wrong": number.wrong}
    return mistake(name).finding.format(
        **{each: page.spoken(value, number.unit) for each, value in values.items()}
    )


def test_after_the_last_round_comes_the_result(open_app: Open) -> None:
    played = dealt(4)
    made = "".join(str(each.right if n % 2 else 1 + each.right % 4) for n, each in enumerate(played))
    app = sound(open_app("pitfalls", {"text": TEXT, "deal": "4", "game": made}))
    text = html.unescape(words(app))
    assert "You found 5 of 10 mistakes" in text
    for number, each in enumerate(played, start=1):
        assert f"{number}. {mistake(each.answer).title}" in text
    app = press(app, "next_deal")
    assert (shown(app).deal, shown(app).game, shown(app).round) == (5, "", None)


def test_every_mistake_is_in_the_list_once_and_opens(open_app: Open) -> None:
    app = sound(open_app("pitfalls", {"text": TEXT}))
    assert [each.key for each in app.button if (each.key or "").startswith("open_")] == [
        f"open_{name}" for name in IDS
    ]
    app = press(app, "open_mask-leaks")
    assert shown(app).pitfall == "mask-leaks" and app.code
    app = press(app, "pitfall_play")
    assert shown(app).pitfall == "" and not app.code


def test_an_old_link_of_the_question_opens_the_mistake(open_app: Open) -> None:
    app = sound(open_app("pitfalls", {"text": TEXT, "pitfall": IDS[3], "spot": "1", "guess": "2"}))
    assert mistake(IDS[3]).explanation in html.unescape(words(app))


def dealt(number: int) -> tuple[Any, ...]:
    """The rounds of a deal on the model of these tests, which is pre-norm."""
    return data.deal(number, [name for name in IDS if name != POST])


def test_the_symptom_as_a_table(checkpoints: Path, model: Checkpoint) -> None:
    from ui.session.selection import Selection
    from ui.shared import checkpoints as listing
    from ui.shared import context

    entry = listing.entries()[0]
    result = data.on_sentence(context.CheckpointView(entry, Selection(text=TEXT)).decoded, "masked-row-nan")
    lines = page.symptom_csv(result).splitlines()
    assert lines[0] == "what,correct,as written,unit"
    assert lines[1] == "tokens that are NaN after layer 0,0,1,rows" and "shape" in lines[-1]
