"""The Alignment page: gold by hand and from a file, links by plain loops over the trace, joined directions."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.analysis.alignment import Gold, from_lines, line_of
from core.api import Checkpoint, load, trace
from core.errors import InputError
from core.tokenizer.tokenizer import spaced_words
from tests.pages.test_pages import Open, change_card, measured, press, shown, sound, words
from ui.heads import alignment as page
from ui.heads import alignment_data as data
from ui.heads import alignment_results as results
from ui.heads.alignment import ALIGNMENT, AlignmentData, Marked
from ui.session.selection import Selection
from ui.session.state import parse
from ui.shared import checkpoints as listing
from ui.shared import context
from ui.shared.context import CheckpointView

TEXT = "The dog is chasing a white ball."
TARGET = "Le chien court après une balle blanche."
PAIR = {"text": TEXT, "strategy": "given", "target": TARGET}
LAYER, HEAD = 1, 0
Links = set[tuple[int, int]]


def test_what_a_card_calls_its_languages_is_no_markdown_in_a_hint(checkpoints: Path, open_app: Open) -> None:
    picture = "![x](http://e.org/p)"
    change_card(checkpoints / "tiny", source_language=picture, target_language=picture)
    app = sound(open_app("alignment", PAIR))
    (joined,) = [each for each in app.toggle if each.label == "Both directions"]
    assert "No checkpoint in the list translates" in joined.help and picture not in joined.help
    assert "e\\.org" in joined.help


@pytest.fixture
def model(tiny_checkpoint: Path) -> Checkpoint:
    return load(tiny_checkpoint, device="cpu")


def plain_links(
    checkpoint: Checkpoint, layer: int, head: int, step: str
) -> tuple[Links, list[str], list[str]]:
    """Links of one head by plain loops, the source's words and the written ones."""
    found = trace(checkpoint, TEXT, TARGET)
    read = spaced_words(checkpoint.source_tokenizer, found.source_ids, TEXT)
    written = spaced_words(checkpoint.target_tokenizer, found.written_ids, TARGET)
    weights = found.weights("decoder", "cross")[layer][head]
    links = set()
    for word in range(max(written) + 1):
        sums = [0.0] * (max(read) + 2)  # the last is the end token
        for t, own in enumerate(written):
            row = t + (step == "reading")
            if own == word and row < len(weights):
                for j, value in enumerate(weights[row]):
                    sums[read[j] if read[j] >= 0 else -1] += float(value)
        best = sums.index(max(sums))
        if best < len(sums) - 1 and max(sums) > 0:
            links.add((best, word))
    return links, TEXT.split(), TARGET.split()


def rates(links: Links, sure: Links, possible: Links) -> list[str]:
    """Links, precision, recall and AER as the table writes them."""
    both = len(links & sure) + len(links & possible)
    return [
        str(len(links)),
        f"{100 * len(links & possible) / len(links):.0f} %",
        f"{100 * len(links & sure) / len(sure):.0f} %",
        f"{1 - both / (len(links) + len(sure)):.2f}",
    ]


def rows_of(app: AppTest) -> dict[str, list[str]]:
    """The lines of the table under the chart."""
    table = next(
        part for part in words(app).split("<table") if "atlas-scores" in part and "precision" in part
    )
    lines = [re.findall(r"<td[^>]*>(.*?)</td>", line) for line in table.split("<tr")[1:]]
    return {html.unescape(line[0]): [html.unescape(cell) for cell in line[1:]] for line in lines if line}


def some_gold(checkpoint: Checkpoint) -> Gold:
    """Some links of the head that writes, one of another word as sure, one more as possible."""
    links, source, _ = plain_links(checkpoint, LAYER, HEAD, "writing")
    listed = sorted(links, key=lambda link: link[1])
    wrong = ((listed[-1][0] + 1) % len(source), listed[-1][1])
    sure = {*listed[:2], wrong}
    return Gold(frozenset(sure), frozenset({*sure, listed[2], listed[3]}))


def link_to(checkpoint: Checkpoint, gold: Gold) -> dict[str, str]:
    _, source, target = plain_links(checkpoint, LAYER, HEAD, "writing")
    head = {"layer": str(LAYER), "head": str(HEAD)}
    return {**PAIR, **head, "gold": data.marked(gold, source, target)}


@pytest.mark.thorough
def test_the_lists_lead_to_the_heads_of_a_layer_and_to_all_layers(open_app: Open) -> None:
    app = sound(open_app("alignment", {**PAIR, "layer": str(LAYER), "head": str(HEAD)}))
    assert "atlas-mistake" not in words(app)
    sound(app.selectbox(key="widget_alignment_head").set_value(-1).run())
    assert (shown(app).layer, shown(app).head) == (LAYER, -1)
    sound(app.selectbox(key="widget_alignment_layer").set_value(-1).run())
    assert shown(app).layer == -1 and not any(each.key == "widget_alignment_head" for each in app.selectbox)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("long", [False, True])
def test_a_gold_file_is_measured_and_its_sentences_are_opened(
    open_app: Open, checkpoints: Path, model: Checkpoint, monkeypatch: pytest.MonkeyPatch, long: bool
) -> None:
    """At once, or where it is long behind the page when the reader asks."""
    if long:
        monkeypatch.setattr(data, "SOON", 1)
    gold = some_gold(model)
    _, source, target = plain_links(model, LAYER, HEAD, "writing")
    app = open_app("alignment", {**PAIR, "layer": str(LAYER), "head": str(HEAD)})
    file = from_lines("mine", f"{line_of(source, target, gold)}\nI am tired. ||| Je suis fatigué. ||| 1-1\n")
    app.session_state["gold_file"] = file
    sound(app.run())
    if long:
        assert "2 sentences, when fed back" not in rows_of(app)
        measured(press(app, "start_gold"))
    lines = rows_of(app)
    links = plain_links(model, LAYER, HEAD, "writing")[0]
    assert lines["this sentence, when predicted"] == rates(links, set(gold.sure), set(gold.possible))
    assert "2 sentences, when fed back" in lines
    sound(app.selectbox(key="widget_gold_sentence").set_value(1).run())
    assert (shown(app).text, shown(app).strategy, shown(app).target) == (
        "I am tired.",
        "given",
        "Je suis fatigué.",
    )


def other_way(checkpoints: Path) -> None:
    """The same model as one that translates back."""
    shutil.copytree(checkpoints / "tiny", checkpoints / "back")
    change_card(checkpoints / "back", name="back", source_language="fr", target_language="en")


def test_joining_says_why_it_cannot_be_done_and_does_it_where_it_can(
    open_app: Open, checkpoints: Path
) -> None:
    app = sound(open_app("alignment", {**PAIR, "joined": "1"}))
    assert "No checkpoint in the list translates fr → en" in html.unescape(words(app))
    assert app.toggle(key="widget_joined").disabled
    other_way(checkpoints)
    sound(app.run())
    assert not app.toggle(key="widget_joined").disabled
    assert "Joined with head" in words(app) and "which agrees most" in words(app)


def test_the_other_directions_links_are_turned(checkpoints: Path, model: Checkpoint) -> None:
    """The other model is the same one, so its links of the turned pair are its own, with source and target swapped."""
    other_way(checkpoints)
    entry = next(each for each in listing.entries() if each.name == "tiny")
    other, why = data.other_direction(entry)
    assert other is not None and not why and other.name == "back"
    texts = (TEXT, "Le chien court.")
    every = data._every_head(CheckpointView(other), texts, "weight", True, (7, 3))
    weights = trace(model, texts[1], texts[0]).weights("decoder", "cross")
    ids = model.encode_source(texts[1]), model.target_tokenizer.encode(texts[0])
    read = spaced_words(model.source_tokenizer, ids[0], texts[1])
    written = spaced_words(model.target_tokenizer, ids[1], texts[0])
    for (layer, head, reading), found in every.items():
        assert all(s < 7 and t < 3 for s, t in found)
        for s, t in found:  # source word s of ours is written there
            rows = [place + (reading == "reading") for place, word in enumerate(written) if word == s]
            sums = np.zeros(4)
            for row in rows:
                for j, value in enumerate(weights[layer, head, row] if row < len(written) else ()):
                    sums[read[j]] += value
            assert int(sums.argmax()) == t
    with pytest.raises(InputError, match="cuts these sentences into 7 and 3 words"):
        data._every_head(CheckpointView(other), texts, "weight", True, (7, 4))


@pytest.mark.thorough
def test_nonsense_and_gold_of_another_sentence_are_left_out(open_app: Open, model: Checkpoint) -> None:
    app = sound(open_app("alignment", {"gold": "<script>", "reading": "both", "by": "1"}))
    assert "could not be read" in words(app) and "<script" not in words(app)
    params = link_to(model, some_gold(model)) | {"target": "Je suis fatigué."}
    app = sound(open_app("alignment", params))
    assert "precision" not in words(app)


def test_marks_of_the_browser_are_bounded() -> None:
    target, source = (0, 1), (1, 2)
    assert Marked(((0, 2, True), (1, 1, False))).gold(target, source) == Gold(
        frozenset({(1, 0)}), frozenset({(1, 0), (0, 1)})
    )
    with pytest.raises(InputError, match="not there"):
        AlignmentData(np.ones((2, 3)), "ab", "cde", target=target, source=source, linked={(2, 0)}, title=["x"], subject="x")  # fmt: skip
    drawn = AlignmentData(
        np.ones((2, 3)), "ab", "cde", target=target, source=source, linked={(0, 1)}, title=["x"], subject="x",
        marked=Gold(frozenset({(1, 0)}), frozenset({(1, 0), (1, 1)})),
    )  # fmt: skip
    assert drawn.links == ((1, 1),)
    assert drawn.gold == ((0, 2, True), (1, 2, False))
    for wrong in ([[0, 0, True]], [[2, 1, True]], [[0, 1, 1]], [[0, 1, True]] * 201):
        assert ALIGNMENT.answer("marked", {"cells": wrong}, drawn) is None, wrong


def test_three_uploads_or_lines() -> None:
    class Sent:
        def __init__(self, name: str, data: bytes) -> None:
            self.name, self.data = name, data

        def getvalue(self) -> bytes:
            return self.data

    files = [Sent("s", b"a b"), Sent("t", b"c"), Sent("links.txt", b"1-0")]
    assert results.read(files, "", 0).gold == (Gold(frozenset({(1, 0)}), frozenset({(1, 0)})),)
    assert results.read([None, None, None], "a ||| b ||| 1-1", 1).name == "as typed"
    with pytest.raises(InputError, match="all three files"):
        results.read([files[0], None, None], "", 1)
    with pytest.raises(InputError, match="not UTF-8"):
        results.read([Sent("s", b"\xff"), *files[1:]], "", 1)


def test_a_folders_own_gold_and_one_that_cannot_be_used(checkpoints: Path) -> None:
    entry = next(each for each in listing.entries() if each.name == "tiny")
    assert data._of_folder(entry).file is None and not data._of_folder(entry).problem
    path = checkpoints / "tiny" / data.FILE
    path.write_text("a ||| b ||| 1-1\n")
    found = data._of_folder(entry)
    assert found.file is not None and found.file.pairs == (("a", "b"),) and not found.own
    path.write_text("a ||| b\n")
    problem = data._of_folder(entry).problem
    assert "Line 1 has 2 parts" in problem and str(checkpoints) not in problem


def test_the_shipped_gold_is_readable_and_whole() -> None:
    text = (Path(__file__).parents[2] / "checkpoints" / "en-fr" / data.FILE).read_text("utf-8")
    file = from_lines("en-fr", text)
    assert len(file.pairs) == 20
    for (_, target), gold in zip(file.pairs, file.gold, strict=True):
        assert gold.sure and {t for _, t in gold.possible} == set(range(len(target.split())))


def test_words_fall_back_to_the_tokenizers_where_there_are_no_spaces(checkpoints: Path) -> None:
    entry = next(each for each in listing.entries() if each.name == "tiny")
    view = context.CheckpointView(entry, Selection(text="dog.")).decoded
    found = data.words_of(view, (view.decode.source_text, view.decode.text))
    assert not found.spaced and len(found.source) == 2
    assert data.rate(float("nan")) == "–" and data.share(0.5) == "50 %"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("row", ["writing", "reading"])
def test_the_page_opens_with_the_head_that_aligns_in_the_row_that_the_card_says(
    open_app: Open, checkpoints: Path, monkeypatch: pytest.MonkeyPatch, row: str
) -> None:
    """Not with the head that opens elsewhere; and a row that was chosen stays, whatever the card says."""
    opens = {"layer": 0, "head": 1, "share": 0.5, "words": 9, "sentences": 1, "reading": "writing"}
    aligns = {**opens, "layer": LAYER, "head": HEAD, "reading": row}
    change_card(checkpoints / "tiny", default_heads={"cross": opens, "alignment": aligns})
    model = load(checkpoints / "tiny", device="cpu")
    expected = {step: plain_links(model, LAYER, HEAD, step)[0] for step in ("writing", "reading")}
    assert expected["writing"] != expected["reading"]
    drawn: list[Links] = []

    def kept(*given: Any, **named: Any) -> Any:
        drawn.append(set(named["linked"]))
        return AlignmentData(*given, **named)

    monkeypatch.setattr(page, "AlignmentData", kept)
    for chosen in (None, "writing", "reading"):
        sound(open_app("alignment", {**PAIR, **({"reading": chosen} if chosen else {})}))
        assert drawn[-1] == expected[chosen or row]


@pytest.mark.parametrize(
    ("pin", "says"),
    [
        ("t0-s0", ["the gold alignment also links “le” to “the”"]),
        ("t1-s1", ["“chien” – “dog” is a possible link in the gold alignment"]),
        ("t1-s0", ["the gold alignment does not link “chien” to “the”"]),
        ("none", []),
    ],
)
def test_it_says_whether_the_gold_has_the_pinned_pair(pin: str, says: list[str]) -> None:
    axes = SimpleNamespace(target=(0, 1), source=(0, 1))
    words_of = SimpleNamespace(axes=axes, target=("le", "chien"), source=("the", "dog"))
    gold = Gold(frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))
    shown_with = SimpleNamespace(selection=parse({"pin": pin})[0])
    assert page.pinned_gold(shown_with, SimpleNamespace(gold=gold, words=words_of)) == says  # type: ignore[arg-type]
