"""The Heads page: it opens full from the stored atlas, shows a head's own two sentences, and measures other ones."""

from __future__ import annotations

import html
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.analysis.corpus_scores import sinks
from core.analysis.scores import AxisTokens
from core.api import Checkpoint, load
from core.decoding.tracing import trace
from core.experiments.atlas_file import load_atlas, write_atlas
from core.experiments.corpus import Sentence
from core.model.hooks import ATTENTION
from core.tokenizer import Tokenizer
from core.tokenizer.files import Frame
from core.tokenizer.piece import PADDING_LABEL
from tests.mounted import Mounted, watch
from tests.pages.test_pages import shown, sound, words
from ui.heads import atlas as data
from ui.heads import open_head, page
from ui.heads.atlas_view import AtlasPick, Listed
from ui.session import link
from ui.session.selection import Selection

Open = Callable[..., AppTest]


@pytest.fixture
def model(checkpoints: Path) -> Checkpoint:
    found = load(checkpoints / "tiny", device="cpu")
    write_atlas(found)
    return found


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    """What the page hands to its browser views, and their callbacks."""
    return watch(monkeypatch, page, open_head)


def test_a_damaged_atlas_is_a_sentence_without_the_servers_folders(
    model: Checkpoint, checkpoints: Path, open_app: Open, drawn: Mounted
) -> None:
    (checkpoints / "tiny" / "atlas.npz").write_bytes(b"PK")
    said = words(sound(open_app("heads")))
    assert "is not an atlas of this model" in said and str(checkpoints) not in said


def test_it_opens_full_and_shows_a_heads_own_sentences(
    model: Checkpoint, open_app: Open, drawn: Mounted
) -> None:
    link_to = {"kind": "causal", "layer": "1", "head": "0", "sort": "low", "badge": "sink_share"}
    app = sound(open_app("heads", {**link_to, "only_layer": "1", "only_role": "none"}))
    assert "atlas-mistake" not in words(app)
    meta = drawn["atlas"]
    assert meta["opened"] == {"kind": "causal", "layer": 1, "head": 0} and meta["kind"] == "causal"
    assert list(meta["listed"].values()) == ["low", "sink_share", 1, "none"]
    assert meta["title"] == "All 12 heads, over 2 example sentences"
    atlas = load_atlas(model.path, model.config, model.digest)  # type: ignore[arg-type]
    sentences = atlas.shown(ATTENTION["causal"].name, 1, 0)
    assert sentences is not None
    for name, stands in zip(("first", "second"), sentences, strict=True):
        found = trace(model, stands.sentence.source, record=("*.weights",))
        expected = found.array("decoder.1.self.weights")[0]
        side = drawn["compare"][name].reshape(expected.shape)
        allowed = np.tri(len(expected), dtype=bool)
        np.testing.assert_allclose(side[allowed], expected[allowed], atol=1e-5)
        assert np.isnan(side[~allowed]).all()
    names = drawn["compare"]["names"]
    assert [name.split(" · ")[0] for name in names] == ["most typical", "most extreme"]
    for stands, label in zip(sentences, names, strict=True):
        assert label.endswith(f"{stands.value:.2f}")
    share = 100 * atlas.scores["decoder-self"]["sink_share"].average[1, 0]
    assert f"{share:.0f} %" in html.unescape(words(app)) and "⟨start⟩ and punctuation" in words(app)


def test_the_links_open_the_sentences_on_attention(model: Checkpoint, open_app: Open, drawn: Mounted) -> None:
    app = sound(open_app("heads", {"kind": "cross", "layer": "0", "head": "1", "presenter": "1"}))
    atlas = load_atlas(model.path, model.config, model.digest)  # type: ignore[arg-type]
    sentences = atlas.shown("cross", 0, 1)
    assert sentences is not None
    links = [element.proto for element in app.get("page_link") if "on Attention" in element.proto.label]
    assert len(links) == 2
    for each, stands in zip(links, sentences, strict=True):
        params = {name: values[0] for name, values in parse_qs(each.query_string).items()}
        selection, refused = link.parse(params)
        assert not refused
        assert (selection.kind, selection.layer, selection.head) == ("cross", 0, 1)
        assert (selection.text, selection.strategy) == (stands.sentence.source, "greedy")
        assert selection.presenter
    drawn.on["atlas", "picked"](AtlasPick("encoder", 1, 1))
    drawn.on["atlas", "arranged"](Listed("high", "entropy", None, ""))
    assert Selection() != shown(app)


def test_other_sentences_are_measured_behind_the_page(
    model: Checkpoint, open_app: Open, drawn: Mounted
) -> None:
    app = sound(open_app("heads"))
    before = drawn["atlas"]["title"]

    def give(text: str) -> None:
        app.text_area(key="corpus_text").set_value(text)
        next(each for each in app.button if "measure these" in each.label).click().run()

    give("one\ttwo\tthree")
    assert "Line 1 has 3 columns" in words(app) and drawn["atlas"]["title"] == before
    give("A man.\tUn homme.\nI am tired.\n" + "long " * 90)
    for job in app.session_state["jobs"].values():
        assert job.wait(60) and not job.problem
    sound(app.run())
    title = drawn["atlas"]["title"]
    assert title == "All 12 heads, over 2 of 3 pasted sentences (the others cannot be read)"
    again = next(each for each in app.button if each.key == "examples_again")
    sound(again.click().run())
    assert drawn["atlas"]["title"] == before


def test_without_a_stored_atlas_it_says_so_and_measures(
    checkpoints: Path, open_app: Open, drawn: Mounted
) -> None:
    app = sound(open_app("heads"))
    assert "no stored atlas" in words(app) and "atlas" not in drawn
    next(each for each in app.button if each.key == "measure_corpus").click().run()
    for job in app.session_state["jobs"].values():
        assert job.wait(60) and not job.problem
    sound(app.run())
    assert drawn["atlas"]["title"] == "All 12 heads, over 2 example sentences"


def test_the_thresholds_are_on_the_page() -> None:
    from core.analysis.roles import ROLES

    said = page.more()
    for role in ROLES:
        assert f"| {role.name} | {role.means} |" in said and f"| {role.threshold:g} |" in said


# -- whose sentences, and which sinks -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "title"),
    [
        (None, "All 12 heads, over 2 example sentences"),
        ([("I am tired.", "")], "All 12 heads, over one of the example sentences"),
        ([("I am tired.", ""), ("I was tired.", "")], "All 12 heads, over 2 sentences"),
        ([("I am tired.", "Je suis.")], "All 12 heads, over one sentence"),
    ],
)
def test_a_stored_atlas_is_over_the_examples_only_where_it_is(
    checkpoints: Path, open_app: Open, drawn: Mounted, pairs: Any, title: str
) -> None:
    model = load(checkpoints / "tiny", device="cpu")
    assert "I am tired." in {each["source"] for each in model.card["examples"]}
    write_atlas(model, pairs)
    sound(open_app("heads"))
    assert drawn["atlas"]["title"] == title
    kept = 2 if pairs is None else len(pairs)
    assert drawn["compare"]["subtitle"].endswith(f", of {kept} sentence{'s' * (kept != 1)}")


def test_more_sentences_than_are_kept_are_nobodys_examples() -> None:
    kept = [types.SimpleNamespace(sentence=Sentence(0, "a"))]
    atlas: Any = types.SimpleNamespace(sentences=1, sample=kept)
    assert data._corpus_name(atlas, ("a", "b")) == data.EXAMPLES
    atlas.sentences = 2
    assert data._corpus_name(atlas, ("a", "b")) == data.UNNAMED


def entry_with(frame: Frame | None = None, **config: Any) -> Any:
    tokens = ["<pad>", "<s>", "</s>", "<unk>", "<2fr>", *"abc."]
    plain = Tokenizer.from_vocabulary(tokens, split="chars")
    read = plain if frame is None else plain.framed(frame)
    return types.SimpleNamespace(
        tokenizers=(read, plain),
        config=types.SimpleNamespace(**{"bos_id": 1, "forced_bos_id": None, **config}),
    )


@pytest.mark.parametrize(
    ("entry", "read", "causal"),
    [
        (entry_with(), "⟨end⟩ and punctuation", "⟨start⟩ and punctuation"),
        (entry_with(Frame((1,))), "special tokens and punctuation", "⟨start⟩ and punctuation"),
        (entry_with(Frame((), ())), "punctuation", "⟨start⟩ and punctuation"),
        (entry_with(forced_bos_id=2), "⟨end⟩ and punctuation", "special tokens and punctuation"),
        (entry_with(bos_id=2), "⟨end⟩ and punctuation", "⟨end⟩ and punctuation"),
        (entry_with(Frame((0,), (0,)), bos_id=0), "punctuation", "punctuation"),
    ],
    ids=["end alone", "a start token", "none", "forced", "end begins", "padding"],
)
def test_the_sinks_are_named_as_they_are_counted(entry: Any, read: str, causal: str) -> None:
    assert open_head.sinks_named(entry, "encoder") == open_head.sinks_named(entry, "cross") == read
    assert open_head.sinks_named(entry, "causal") == causal
    around = entry.tokenizers[0].labels(entry.tokenizers[0].encode("a."))
    marked = [label for label in around if label not in ("a", PADDING_LABEL)]
    keys = AxisTokens.from_labels(marked)
    assert sinks(keys).all()
