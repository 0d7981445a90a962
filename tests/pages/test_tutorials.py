"""The Tutorials page: a table of five write-ups, whose cells open their claims with the numbers computed here."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shutil
from dataclasses import asdict
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from core.learning.claims import claims
from core.learning.printed import printed
from core.learning.study import in_language as in_words
from core.learning.tutorials import TUTORIALS, described, drawing
from tests.mounted import watch
from tests.pages.test_pages import Open, press, shown, sound, words
from ui.learn import tutorials as page
from ui.shared import checkpoints as listing
from ui.shared import models


@pytest.fixture
def with_shipped(checkpoints: Path) -> Path:
    """The small checkpoint under the names of two write-ups, where theirs lie."""
    quality = {"figures": {"quality": {"reverse (valid)": {"exact": 1.0}, "reverse (test)": {"exact": 99.9}}}}
    for name in ("tutorial-d", "tutorial-e"):
        folder = Path(shutil.copytree(checkpoints / "tiny", checkpoints / "tutorials" / name))
        (folder / "card.json").write_text(json.dumps({"name": name, **quality}), "utf-8")
    models.forget()
    return checkpoints


def links(app: AppTest) -> list[tuple[str, str, dict[str, str]]]:
    """The links of the page: page, words, parameters."""
    protos = [each.proto for each in app.get("page_link")]
    return [(each.page, each.label, dict(parse_qsl(each.query_string))) for each in protos]


def unwrapped(said: str) -> str:
    """The page without what keeps a shape in brackets on one line."""
    return re.sub(r'<span class="atlas-whole">(.*?)</span>', r"\1", said)


def cells(text: str) -> list[list[str]]:
    """The rows of the tables of choices, the aspect first."""
    found = []
    for table in text.split('class="atlas-choices"')[1:]:
        rows = table.split("</table>")[0].split("<tbody>")[1].split("</tr>")
        found += [
            [
                html.unescape(re.sub("<[^>]+>", "", cell))
                for cell in re.findall(r"<t[hd][^>]*>.*?</t[hd]>", row)
            ]
            for row in rows
            if "<td" in row
        ]
    return found


FIVE = page.WRITE_UPS


def buttons(app: AppTest) -> dict[str, tuple[str, bool]]:
    """The buttons of the page by key: what they say, as it is read, and whether they are marked."""
    return {
        each.key: (re.sub(r"\\(.)|\*\*", r"\1", each.label), each.proto.type == "primary")
        for each in app.button
        if each.key
    }


def test_the_page_is_a_table_of_five_write_ups(open_app: Open) -> None:
    app = sound(open_app("tutorials", {}))
    said, cells_of = html.unescape(words(app)), buttons(app)
    assert [each for each in cells_of if each.startswith("cell_")] == [
        *(f"cell_{about}_{name}" for name in FIVE for about in page.COLUMNS),
        *("cell_builds_paper", "cell_builds_t5"),
    ]
    made = [claim for name in FIVE for claim in claims(name)]
    wrong = sum(claim.holds is False for claim in made)
    assert f"{wrong} of {len(made)} statements are mistakes" in said
    for name in FIVE:
        assert TUTORIALS[name].title in said
        mistakes = [claim for claim in claims(name) if claim.holds is False]
        text, marked = cells_of[f"cell_wrong_{name}"]
        assert text.startswith(f"{len(mistakes)} mistakes") and text.endswith(in_words(mistakes[0].finding))
        own, paper = described(name), described("paper")
        differing = sum(own[each] != paper[each] for each in paper)
        assert cells_of[f"cell_differs_{name}"][0].startswith(f"{differing} of {len(paper)} choices")
        assert TUTORIALS[name].scope in cells_of[f"cell_builds_{name}"][0] and not marked
    assert "atlas-claim" not in said, "nothing is open before a cell is clicked"


def test_a_cell_opens_on_its_first_claim_and_closes(open_app: Open) -> None:
    app = press(sound(open_app("tutorials", {})), "cell_wrong_tutorial-b")
    assert (shown(app).tutorial, shown(app).claim) == ("tutorial-b", "means")
    said = html.unescape(words(app))
    assert "the mean (0.2 + 0.3 + 0.4) / 3 is 0.3, not 0.2" in said and "✗ A mistake" in said
    app = press(app, "claim_wrong_word-map")
    assert shown(app).claim == "word-map" and "atlas-small-map" in words(app)
    app = press(app, "cell_wrong_tutorial-b")
    assert (shown(app).tutorial, shown(app).claim) == ("", "")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", TUTORIALS)
@pytest.mark.parametrize("about", page.COLUMNS)
def test_an_open_cell_has_all_its_claims(open_app: Open, name: str, about: str) -> None:
    listed = [each for each in claims(name) if each.about == about]
    if not listed:
        assert name in page.BESIDE
        return
    chosen = listed[-1]
    app = sound(open_app("tutorials", {"tutorial": name, "claim": chosen.id}))
    said, pressed = html.unescape(words(app)).replace("\u00a0", " "), buttons(app)
    assert pressed[f"cell_{about}_{name}"][1]
    for claim in listed[:-1]:
        (text,) = [each for key, (each, _) in pressed.items() if re.fullmatch(rf"claim_\w+_{claim.id}", key)]
        assert text == f"{page.SIGNS[claim.holds]} {in_words(claim.finding)}"
    assert in_words(chosen.finding) in said and in_words(chosen.says) in said
    for what, theirs, ours in chosen.rows:
        row = f'<td dir="auto">{in_words(what)}</td><td dir="auto">{theirs}</td><td dir="auto">{ours}</td>'
        assert row in unwrapped(said)
    assert chosen.beyond in said
    led = [params["pitfall"] for path, _, params in links(app) if path == "pitfalls" and "pitfall" in params]
    assert led == ([chosen.pitfall] if chosen.pitfall else [])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", FIVE)
def test_what_it_builds_has_its_printout_and_its_drawing(
    open_app: Open, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    drawn = watch(monkeypatch, page)
    first = next(each for each in claims(name) if each.about == "builds")
    said = words(sound(open_app("tutorials", {"tutorial": name, "claim": first.id})))
    assert drawn["anatomy"]["columns"] == json.loads(json.dumps([asdict(each) for each in drawing(name)]))
    for line in printed(name):
        sign = {"right": "✓", "mistake": "✗", "chance": "≈"}[line.verdict]
        assert in_words(line.what) in html.unescape(said)
        assert f"{line.computed} {sign}" in html.unescape(unwrapped(said))
        assert not line.note or in_words(line.note) in html.unescape(said)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", FIVE)
def test_what_differs_is_shown_beside_the_paper(open_app: Open, name: str) -> None:
    first = next(each for each in claims(name) if each.about == "differs")
    said = words(sound(open_app("tutorials", {"tutorial": name, "claim": first.id})))
    own, paper = described(name), described("paper")
    assert cells(said) == [[each, own[each], paper[each]] for each in paper if own[each] != paper[each]]
    for each in paper:
        assert own[each] != paper[each] or f"{each} ({paper[each]})" in html.unescape(said)


def test_every_statement_is_in_the_csv() -> None:
    lines = list(csv.reader(io.StringIO(page.claims_csv())))
    assert {(line[0], line[2]) for line in lines[1:]} == {
        (TUTORIALS[name].label, claim.id) for name in TUTORIALS for claim in claims(name)
    }
    assert {line[3] for line in lines[1:]} == {"right", "mistake", "not settled"}


def test_the_papers_own_table_has_every_choice_of_every_write_up() -> None:
    table = cells(page.all_choices_html())
    assert [row[0] for row in table] == list(described("paper"))
    for aspect, others, paper in table:
        assert paper == described("paper")[aspect]
        expected = {
            tutorial.label: described(name)[aspect]
            for name, tutorial in TUTORIALS.items()
            if described(name)[aspect] != paper
        }
        found = {}
        for part in others.split(" · ") if others != "–" else ():
            labels, _, words_of = part.partition(": ")
            found |= dict.fromkeys(labels.split(", "), words_of)
        assert found == expected
    lines = page.choices_csv().splitlines()
    assert lines[0] == "choice,the paper,A,B,C,D,E,T5" and len(lines) == 1 + len(described("paper"))


def test_the_small_trained_one_opens_and_does_not_crowd_the_list(open_app: Open, with_shipped: Path) -> None:
    assert [each.name for each in listing.entries()] == ["tiny", "tutorial-d", "tutorial-e"]
    assert [listing.is_tutorial(each) for each in listing.entries()] == [False, True, True]
    assert listing.find("")[0].name == "tiny"
    opened = {"tutorial": "tutorial-e", "claim": "stack"}
    app = sound(open_app("tutorials", opened))
    found = {label: (path, params) for path, label, params in links(app)}
    assert found["Open a small trained model"] == ("", {"checkpoint": "tutorial-e", **opened})
    assert "tutorial-d" not in str(found), "no links from one small model to another"
    app = sound(open_app("tutorials", {"tutorial": "tutorial-b", "claim": "lookup"}))
    assert "Open a small trained model" not in [label for _, label, _ in links(app)]
