"""The Tutorials page: its table and drawing are those of the presets, and its small models open as any checkpoint does."""

from __future__ import annotations

import html
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
from core.learning.tutorials import TUTORIALS, described, drawing, preset
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


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", TUTORIALS)
def test_a_write_up_is_shown_with_what_it_chose(
    open_app: Open, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    drawn = watch(monkeypatch, page)
    app = sound(open_app("tutorials", {"tutorial": name}))
    said = words(app)
    chosen = TUTORIALS[name]
    assert drawn["anatomy"]["columns"] == json.loads(json.dumps([asdict(each) for each in drawing(name)]))
    assert drawn["anatomy"]["subtitle"] == chosen.scope
    own, paper = described(name), described("paper")
    if name != "paper":
        assert cells(said) == [[each, own[each], paper[each]] for each in paper if own[each] != paper[each]]
        for each in paper:
            assert own[each] != paper[each] or f"{each} ({paper[each]})" in html.unescape(said)
    for line in printed(name):
        sign = {"right": "✓", "mistake": "✗", "chance": "≈"}[line.verdict]
        assert in_words(line.what) in html.unescape(said)
        assert f"{line.computed} {sign}" in html.unescape(unwrapped(said))
        assert not line.note or in_words(line.note) in html.unescape(said)
    for stop in chosen.stops:
        assert stop in html.unescape(said)
    assert {
        found["pitfall"] for path, _, found in links(app) if path == "pitfalls" and "pitfall" in found
    } == set(chosen.pitfalls)
    options = dict(re.findall(r"<td><code>(\w+)</code></td><td><code>([^<]*)</code></td>", said))
    assert options["d_model"] == str(preset(name).d_model)
    assert options["norm_placement"] == preset(name).norm_placement


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", TUTORIALS)
def test_the_page_opens_on_a_claim_and_lists_the_others(open_app: Open, name: str) -> None:
    said = html.unescape(words(sound(open_app("tutorials", {"tutorial": name}))))
    first, *others = claims(name)
    verdict = '<b class="right">✓ Right</b>' if first.holds else '<b class="wrong">✗ A mistake</b>'
    assert said.index(in_words(first.finding)) < said.index(verdict) < said.index("atlas-choices")
    for what, theirs, ours in first.rows:
        row = f'<td dir="auto">{in_words(what)}</td><td dir="auto">{theirs}</td><td dir="auto">{ours}</td>'
        assert row in unwrapped(said)
    for claim in others:
        mark = "✓" if claim.holds else "✗"
        assert f"<i>{mark}</i><div><b>{in_words(claim.finding)}</b><p>{in_words(claim.says)}</p>" in said


def test_it_opens_on_a_mistake_that_can_be_checked_in_the_head(open_app: Open) -> None:
    said = html.unescape(words(sound(open_app("tutorials", {}))))
    assert "the mean (0.2 + 0.3 + 0.4) / 3 is 0.3, not 0.2" in said and "✗ A mistake" in said


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


def test_a_mistake_leads_to_its_page(open_app: Open) -> None:
    app = sound(open_app("tutorials", {"tutorial": "tutorial-b"}))
    (found,) = [each for each in links(app) if each[1] == "A norm that divides by std + ε"]
    assert found == (
        "pitfalls",
        "A norm that divides by std + ε",
        {"pitfall": "std-plus-eps", "tutorial": "tutorial-b"},
    )


def test_the_trained_one_opens_and_does_not_crowd_the_list(open_app: Open, with_shipped: Path) -> None:
    assert [each.name for each in listing.entries()] == ["tiny", "tutorial-d", "tutorial-e"]
    assert [listing.is_tutorial(each) for each in listing.entries()] == [False, True, True]
    assert listing.find("")[0].name == "tiny"
    app = sound(open_app("tutorials", {"tutorial": "tutorial-e"}))
    assert "99.9 % of unseen words right" in words(app)
    found = {label: (path, params) for path, label, params in links(app)}
    opened = {"checkpoint": "tutorial-e", "tutorial": "tutorial-e"}
    assert found["Open the trained one"] == ("", opened)
    mean = {"layer": "mean", "head": "mean"}
    beside = {**opened, **mean, "versus": "checkpoint", "other_checkpoint": "tutorial-d"}
    assert found["D"] == ("compare", beside)
    for each in ("attention", "compare"):
        app = sound(open_app(each, {**beside, "text": "I am tired."}))
        assert "atlas-mistake" not in words(app)


@pytest.mark.parametrize("name", ["paper", "tutorial-d"])
def test_a_random_one_is_made_for_this_session(open_app: Open, name: str) -> None:
    app = sound(open_app("tutorials", {"tutorial": name}))
    assert "No trained one is shipped" in words(app)
    app = press(app, "make_random")
    assert shown(app).checkpoint == f"{name}-random" and "is in use" in words(app)
    assert "Open the random one" in [label for _, label, _ in links(app)]
    ((listed, folder),) = app.session_state["imported"]
    from core.api import load

    made = load(folder, device="cpu")
    whole = preset(name)
    assert listed == f"{name}-random" and made.config.norm_placement == whole.norm_placement
    assert made.config.tie_embeddings == whole.tie_embeddings and made.translate("abc") != "cba"
