"""The Pitfalls page: every number is that of the pitfall on this model, and the riddle's answer is the faulty map."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.api import Checkpoint, load, trace
from core.learning.mistakes import IDS, mistake
from core.learning.pitfalls import pitfall
from core.learning.study import Sentence, Study
from tests.pages.test_pages import shown, sound, words
from ui.learn import mistakes as data
from ui.learn import mistakes as page
from ui.shared import two_maps
from ui.shared import two_maps as compare_view

Open = Callable[..., AppTest]
TEXT = "I am tired."
POST = "dropout-after-norm"  # the one that this pre-norm model cannot show


@pytest.fixture
def model(checkpoints: Path) -> Checkpoint:
    return load(checkpoints / "tiny", device="cpu")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, np.ndarray, np.ndarray]]:
    """What is handed to the browser: the names of two maps and their numbers."""
    result: list[tuple[str, str, np.ndarray, np.ndarray]] = []
    draw = compare_view.CompareData

    def watched(sides: tuple[Any, Any], **options: Any) -> Any:
        first, second = sides
        result.append((first.name, second.name, np.asarray(first.values), np.asarray(second.values)))
        return draw(sides, **options)

    monkeypatch.setattr(two_maps, "CompareData", watched)
    return result


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


@pytest.mark.parametrize("name", [each for each in IDS if each != POST])
def test_the_page_shows_what_the_pitfall_comes_to(
    open_app: Open, model: Checkpoint, drawn: list[Any], name: str
) -> None:
    app = sound(open_app("pitfalls", {"text": TEXT, "pitfall": name}))
    expected = study(model, name)
    text = html.unescape(words(app))
    assert mistake(name).title in text and mistake(name).explanation in text
    assert [each.value for each in app.code] == [mistake(name).sketch, mistake(name).test]
    first, second, right, wrong = drawn[-1]
    assert (first, second) == data.NAMES
    assert np.allclose(right, expected.right.values, atol=1e-6, equal_nan=True)
    assert np.allclose(wrong, expected.wrong.values, atol=1e-6, equal_nan=True)
    message = rows(app, "scores")
    assert [line[0] for line in message] == [each.what for each in expected.numbers]
    for line, number in zip(message, expected.numbers, strict=True):
        for cell, value in zip(line[1:], (number.right, number.wrong), strict=True):
            assert cell == page.spoken(value, number.unit)
    assert rows(app, "shapes") == [[each.name, each.right, each.wrong] for each in expected.shapes]
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
    assert "norms stand before its sub-layers" in text and "No other checkpoint here can show it" in text


def test_another_model_stands_in_where_the_one_in_use_cannot(
    open_app: Open, checkpoints: Path, drawn: list[Any]
) -> None:
    import json
    import shutil

    folder = Path(shutil.copytree(checkpoints / "tiny", checkpoints / "paper"))
    config = json.loads((folder / "config.json").read_text())
    # The same weights make a post-norm model, but for the two final norms, which it does not have.
    from safetensors.torch import load_file, save_file

    kept = {
        name: tensor
        for name, tensor in load_file(folder / "model.safetensors").items()
        if not name.startswith(("encoder_norm", "decoder_norm"))
    }
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps({**config, "norm_placement": "post", "final_norm": False}))
    (folder / "example.npz").unlink()
    app = sound(open_app("pitfalls", {"checkpoint": "tiny", "pitfall": POST}))
    assert "It is shown on paper in its place." in html.unescape(words(app))
    loaded = load(folder, device="cpu")
    expected = study(loaded, POST, "The dog is chasing a white ball.")
    assert np.allclose(drawn[-1][3], expected.wrong.values, atol=1e-6)


def test_the_next_and_the_one_before(open_app: Open) -> None:
    app = sound(open_app("pitfalls", {"pitfall": IDS[-1]}))
    assert f"{len(IDS)} of {len(IDS)}" in words(app)
    app = sound(next(each for each in app.button if each.key == "pitfall_after").click().run())
    assert shown(app).pitfall == IDS[0]
    app = sound(next(each for each in app.button if each.key == "pitfall_before").click().run())
    assert shown(app).pitfall == IDS[-1]


@pytest.mark.parametrize(
    "name", ["no-causal-mask", "scale-by-d-model", "merge-without-transpose", "axes-swapped"]
)
def test_the_riddle_is_of_another_sentence_and_its_answer_is_the_faulty_map(
    open_app: Open, model: Checkpoint, drawn: list[Any], name: str
) -> None:
    link = {"text": TEXT, "pitfall": name, "spot": "1"}
    app = sound(open_app("pitfalls", link))
    first, second, one, two = drawn[-1]
    assert (first, second) == ("the first map", "the second map")
    text = html.unescape(words(app))
    assert mistake(name).see not in text and not app.code
    other = "The dog is chasing a white ball."  # the card's first example that is not the sentence in hand
    expected = study(model, name, other)
    wrong = (
        1
        if one.shape == expected.wrong.values.shape and np.allclose(one, expected.wrong.values, atol=1e-6)
        else 2
    )
    assert np.allclose((two, one)[wrong - 1], expected.right.values, atol=1e-6)
    answers = {}
    for guess in (1, 2):
        app = sound(next(each for each in app.button if each.key == f"guess_{guess}").click().run())
        assert shown(app).guess == guess
        answers[guess] = html.unescape(words(app))
        assert drawn[-1][:2] == data.NAMES and mistake(name).see in answers[guess]
    names = {1: "first", 2: "second"}
    assert f"Yes, it was the {names[wrong]}." in answers[wrong]
    assert f"No, it was the {names[wrong]}." in answers[3 - wrong]


def test_both_sides_are_asked_for() -> None:
    """The faulty map is not always the same one."""
    texts = [f"sentence {n}" for n in range(40)]

    def side(text: str) -> int:
        decode = type("Decode", (), {"source_text": text})()
        result = SimpleNamespace(pitfall=mistake("no-causal-mask"), shown=SimpleNamespace(decode=decode))
        return data.wrong_side(result)  # type: ignore[arg-type]

    assert {side(text) for text in texts} == {1, 2}


def test_another_pitfall_forgets_the_guess(open_app: Open) -> None:
    app = sound(open_app("pitfalls", {"pitfall": IDS[0], "spot": "1", "guess": "2"}))
    assert shown(app).guess == 2
    app = sound(next(each for each in app.button if each.key == "pitfall_after").click().run())
    assert shown(app).guess is None and shown(app).spot


def test_the_symptom_as_a_table(checkpoints: Path, model: Checkpoint) -> None:
    from ui.session.selection import Selection
    from ui.shared import checkpoints as listing
    from ui.shared import context

    entry = listing.entries()[0]
    result = data.on_sentence(context.CheckpointView(entry, Selection(text=TEXT)).decoded, "masked-row-nan")
    lines = page.symptom_csv(result).splitlines()
    assert lines[0] == "what,correct,as written,unit"
    assert lines[1] == "tokens that are NaN after layer 0,0,1,rows" and "shape" in lines[-1]


def test_the_sentence_in_hand_is_never_asked_about(checkpoints: Path) -> None:
    from ui.session.selection import Selection
    from ui.shared import checkpoints as listing
    from ui.shared import context

    entry = listing.entries()[0]
    for text in (*entry.examples, TEXT):
        view = context.CheckpointView(entry, Selection(text=text)).decoded
        assert data.other_sentence(view).decode.source_text != text
