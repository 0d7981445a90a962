"""The Checkpoints page: gallery, inside a model, two models' options, and an import for untrusted files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.analysis.glossary import QUALITY
from tests.pages.conftest import Open
from tests.pages.test_pages import sound
from tests.pages.test_pages import words as written
from ui.models.gallery import as_page
from ui.shared.cards import table_html
from ui.shared.checkpoints import read_entry


def words(app: AppTest) -> str:
    """Everything the page wrote as HTML, after checking that nothing was raised."""
    return written(sound(app))


def test_the_gallery_shows_every_checkpoint(open_app: Open, checkpoints: Path) -> None:
    card = checkpoints / "tiny" / "card.json"
    found = json.loads(card.read_text())
    found["description"] = "<script>alert(1)</script>"
    found["limits"] = ["Only two sentences."]
    found["figures"] = {"quality": {"test": {"bleu": 12.34, "beam": 5, "sentences": 1000}, "odd": 3}}
    card.write_text(json.dumps(found))
    (checkpoints / "broken").mkdir()
    said = words(open_app("checkpoints"))
    assert said.count("<b>2 × 2</b>") == 3  # encoder, causal and cross
    assert "BLEU</th>" in said and "12.3</td>" in said and "test · beam 5 · 1,000 sentences" in said
    assert "Only two sentences." in said
    assert "&lt;script&gt;" in said and "<script" not in said
    assert "broken" in said and "atlas-mistake" in said


def test_a_card_leads_inside_its_model(open_app: Open) -> None:
    app = open_app("checkpoints")
    words(app.button(key="widget_inspect_0").click().run())
    selection = app.session_state["selection"]
    assert (selection.checkpoint, selection.desk) == ("tiny", "inspect")


def test_a_card_offers_its_model_as_a_page(open_app: Open, checkpoints: Path) -> None:
    """One file that runs; where no page can be made of it, it says why in the words of `core`."""
    app = open_app("checkpoints")
    words(app)
    assert [each.proto.label for each in app.get("download_button")] == ["As one page ⤓"]
    folder = checkpoints / "tiny"
    page = as_page(read_entry(folder, "1")).decode()
    assert page.startswith("<!doctype html>") and "connect-src 'none'" in page
    assert '"name":"Tiny' in page or '"name":"tiny"' in page
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps({**card, "examples": []}))
    (folder / "example.npz").unlink(missing_ok=True)
    refused = as_page(read_entry(folder, "2")).decode()
    assert "The card of this checkpoint gives no example sentence" in refused and "<script" not in refused


def test_a_name_in_any_script_stands_beside_the_one_that_links_carry(
    open_app: Open, checkpoints: Path
) -> None:
    card = checkpoints / "tiny" / "card.json"
    card.write_text(json.dumps({"name": "نموذج <b>", "examples": [{"source": "كلب", "translation": "dog"}]}))
    said = words(open_app("checkpoints"))
    assert "<b><bdi>نموذج &lt;b&gt;</bdi></b>" in said
    assert "<span>\u2002tiny</span>" in said
    assert '<dd dir="auto">كلب</dd>' in said and '<dd dir="auto">dog</dd>' in said


def test_inside_a_model_are_its_options_and_every_parameter(open_app: Open) -> None:
    app = open_app("checkpoints", {"desk": "inspect"})
    said = words(app)
    assert "2 encoder, 2 decoder" in said
    for part in ("tables of tokens and positions", "encoder", "cross-attention"):
        assert f"<span>{part}</span>" in said
    (chosen,) = (box for box in app.selectbox if box.key == "widget_parameter")
    assert len(chosen.options) == len(set(chosen.options))
    title = f"{len(chosen.options)} tensors as they are stored"
    assert title in [each.label for each in app.expander] and title not in said, "folded"
    assert title in words(open_app("checkpoints", {"desk": "inspect", "full": "parameters"}))
    assert chosen.value == "encoder_layers.0.self_residual.norm.weight"
    assert "γ, the gain of a norm" in said
    bias = "encoder_layers.0.self_residual.norm.bias"
    assert "β, what a norm adds" in words(chosen.set_value(bias).run())


@pytest.mark.thorough
def test_two_models_are_compared_option_by_option(open_app: Open, checkpoints: Path) -> None:
    for name, eps in (("other", 1e-3), ("third", 1e-5)):
        shutil.copytree(checkpoints / "tiny", checkpoints / name)
        config = checkpoints / name / "config.json"
        config.write_text(json.dumps({**json.loads(config.read_text()), "norm_eps": eps}))
        (checkpoints / name / "card.json").write_text(json.dumps({"name": name}))
    app = open_app("checkpoints", {"desk": "differ", "checkpoint": "tiny"})  # as old links have it
    assert app.session_state["selection"].desk == "inspect"
    said = words(app)
    assert "tiny and other differ in 1 of 18 options" in said
    table = said[said.index("atlas-config") :]
    assert table.count("<tr>") == 2 and "layer norm, ε 0.001" in table, "the head and what differs"
    assert "The same in both: size (" in table
    (against,) = (box for box in app.selectbox if box.key == "widget_other_checkpoint")
    assert against.options == ["other", "third"]
    said = words(against.set_value("third").run())
    assert "third differ in 0 of 18 options" in said and "atlas-config" not in said
    assert app.session_state["selection"].other_checkpoint == "third"
    link = {"desk": "inspect", "checkpoint": "tiny", "other_checkpoint": "third"}
    assert "tiny and third differ" in words(open_app("checkpoints", link))


def test_a_single_model_is_compared_with_none(open_app: Open) -> None:
    assert "options</h3>" not in words(open_app("checkpoints", {"desk": "inspect"}))


def test_the_gallery_leads_to_the_import(open_app: Open) -> None:
    app = open_app("checkpoints")
    words(app.button(key="widget_bring").click().run())
    assert app.session_state["selection"].desk == "import"


def test_uploads_are_off_unless_they_are_on(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app("checkpoints", {"desk": "import"})
    assert "Uploads are off for your browser." in words(app)
    assert not app.get("file_uploader")
    monkeypatch.setenv("ATLAS_UPLOADS", "on")
    app = open_app("checkpoints", {"desk": "import"})
    assert "1 · Drop all files" in words(app)
    assert len(app.get("file_uploader")) == 2  # the files, and rules of one's own


def test_each_measure_of_quality_says_what_it_is(open_app: Open) -> None:
    behind = "\n".join(each.value for each in open_app("checkpoints").markdown)
    assert all(score.definition in behind for score in QUALITY.values())
    head = table_html([("t", "1")], ("measured on", "BLEU"), tips={"BLEU": 'a "measure"'})
    assert 'title="a &quot;measure&quot;"' in head
    assert head.count("title=") == 1
