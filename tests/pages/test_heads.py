"""The Heads page: it opens full from the stored atlas, shows a head's own two sentences, and measures other ones."""

from __future__ import annotations

import html
import types
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest

from core.analysis.readout import decimal
from core.analysis.roles import sinks
from core.analysis.scores import AxisTokens
from core.api import Checkpoint, load, trace
from core.experiments.corpus import Sentence, load_atlas
from core.experiments.corpus_run import write_atlas
from core.model.hooks import ATTENTION
from core.tokenizer import Tokenizer
from core.tokenizer.files import Frame
from core.tokenizer.piece import PADDING_LABEL
from tests.mounted import Mounted, watch
from tests.pages.test_pages import Open, measured, press, shown, sound, words
from ui.heads import atlas as data
from ui.heads import page, roles
from ui.heads.atlas import AtlasPick, Listed
from ui.session import state
from ui.session.selection import Selection
from ui.shared.head_views import OneHead


@pytest.fixture
def model(checkpoints: Path) -> Checkpoint:
    found = load(checkpoints / "tiny", device="cpu")
    write_atlas(found)
    return found


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    """What the page hands to its browser views, and their callbacks."""
    return watch(monkeypatch, page, roles, roles)


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
    assert meta["title"] == "All 12 heads over 2 example sentences"
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
    assert [name.split(" · ")[0] for name in names] == ["Most typical", "Most extreme"]
    for stands, label in zip(sentences, names, strict=True):
        assert label.endswith(f"{stands.value:.2f}")
    share = 100 * atlas.scores["decoder-self"]["sink_share"].average[1, 0]
    assert f"{share:.0f} %" in html.unescape(words(app)) and "⟨start⟩ and punctuation" in words(app)


@pytest.mark.thorough
def test_the_links_open_the_sentences_on_attention(model: Checkpoint, open_app: Open, drawn: Mounted) -> None:
    app = sound(
        open_app("heads", {"kind": "cross", "layer": "0", "head": "1", "presenter": "1", "every": "1"})
    )
    atlas = load_atlas(model.path, model.config, model.digest)  # type: ignore[arg-type]
    sentences = atlas.shown("cross", 0, 1)
    assert sentences is not None
    links = [element.proto for element in app.get("page_link") if "one on Attention" in element.proto.label]
    assert len(links) == 2
    for each, stands in zip(links, sentences, strict=True):
        params = {name: values[0] for name, values in parse_qs(each.query_string).items()}
        selection, refused = state.parse(params)
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
    app = sound(open_app("heads", {"every": "1"}))
    before = drawn["atlas"]["title"]

    def give(text: str) -> None:
        app.text_area(key="corpus_text").set_value(text)
        next(each for each in app.button if "Measure these" in each.label).click().run()

    give("one\ttwo\tthree")
    assert "Line 1 has 3 columns" in words(app) and drawn["atlas"]["title"] == before
    give("A man.\tUn homme.\nI am tired.\n" + "long " * 90)
    measured(app)
    title = drawn["atlas"]["title"]
    assert title == "All 12 heads over 2 of 3 pasted sentences (the others cannot be read)"
    press(app, "examples_again")
    assert drawn["atlas"]["title"] == before


@pytest.mark.thorough
def test_without_a_stored_atlas_it_says_so_and_measures(
    checkpoints: Path, open_app: Open, drawn: Mounted
) -> None:
    app = sound(open_app("heads", {"every": "1"}))
    assert "no stored atlas" in words(app) and "atlas" not in drawn
    measured(press(app, "measure_corpus"))
    assert drawn["atlas"]["title"] == "All 12 heads over 2 example sentences"


def test_the_thresholds_are_on_the_page() -> None:
    from core.analysis.roles import ROLES

    said = page.more()
    for role in ROLES:
        assert f"| {role.name} | {role.means} |" in said and f"| {role.threshold:g} |" in said


def test_heads_stand_by_their_role_and_strength(model: Checkpoint, open_app: Open, drawn: Mounted) -> None:
    from core.analysis.roles import ROLES

    sound(open_app("heads"))
    groups, count = drawn["tiles"]["groups"], 0
    atlas = load_atlas(model.path, model.config, model.digest)  # type: ignore[arg-type]
    expected: dict[tuple[str, str], list[tuple[float, int, int]]] = {}
    for kind in ("encoder", "causal", "cross"):
        scores = atlas.scores[ATTENTION[kind].name]
        for layer, head in np.ndindex(2, 2):
            reached = [
                (role.name, float(scores[role.metric].average[layer, head]))
                for role in ROLES
                if role.metric in scores and ATTENTION[kind].name in role.kinds
                if scores[role.metric].average[layer, head] >= role.threshold
            ]
            name, value = reached[0] if reached else ("", 0.0)
            count += bool(reached)
            expected.setdefault((name, kind), []).append((-value, layer, head))
    assert drawn["tiles"]["title"].startswith(f"{count} of 12 heads ")
    seen = 0
    for group in groups:
        if group["look"] == "large":
            heads = sorted(expected[group["name"].lower(), group["kind"]])
            assert [(tile["layer"], tile["head"]) for tile in group["tiles"]] == [each[1:] for each in heads]
            for tile, (value, *_) in zip(group["tiles"], heads, strict=True):
                assert tile["value"] == f"{-100 * value:.0f} %" and tile["share"] == pytest.approx(
                    -value, abs=1e-4
                )
                assert tile["low"] <= tile["share"] + 1e-4 and tile["share"] <= tile["high"] + 1e-4
                assert tile["n"] == 2 and "95 % interval" in tile["hint"]
        elif group["look"] == "small":
            heads = sorted(expected["", group["kind"]])
            assert [(tile["layer"], tile["head"]) for tile in group["tiles"]] == [each[1:] for each in heads]
        seen += len(group["tiles"])
    assert seen == 12, "each head stands once"


@pytest.mark.thorough
def test_one_kind_alone_and_a_click_opens_a_head(
    model: Checkpoint, open_app: Open, drawn: Mounted, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound(open_app("heads", {"only_kind": "causal"}))
    assert {group["kind"] for group in drawn["tiles"]["groups"]} == {"causal"}
    assert drawn["tiles"]["open"]["kind"] == "causal"
    changes: list[dict[str, Any]] = []
    monkeypatch.setattr(roles.state, "update", lambda **new: changes.append(new))
    drawn.on["tiles", "picked"](OneHead("causal", 1, 0))
    assert changes == [{"kind": "causal", "layer": 1, "head": 0}]


def test_the_stored_importance_stands_beside_the_open_head(
    model: Checkpoint, open_app: Open, drawn: Mounted
) -> None:
    from core.experiments.importance import write_importance
    from core.experiments.rankings import importance_sources, load_importance

    write_importance(model)
    sources = importance_sources(model.card)
    survey = load_importance(model.path, model.config, model.digest, sources)  # type: ignore[arg-type]
    said = html.unescape(words(sound(open_app("heads", {"kind": "cross", "layer": "1", "head": "0"}))))
    cost = float(survey.left_out["cross"][1, 0])
    assert survey.measured is not None
    first, last = (int(end[1, 0]) for end in survey.measured.ranks["cross"])
    assert (f"{first} to {last} of 12" if first < last else f"{first} of 12") in said
    found = survey.measured.left_out["cross"]
    low, high = (decimal(float(end[1, 0]), plus=True) for end in (found.low, found.high))
    assert f"{decimal(cost, plus=True)} nats ({low} to {high})" in said
    opened = words(sound(open_app("importance")))
    assert "costs most when ablated" in opened and "widget_start_survey" not in opened, "it opens measured"


# -- whose sentences, and which sinks -------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("pairs", "title"),
    [
        (None, "All 12 heads over 2 example sentences"),
        ([("I am tired.", "")], "All 12 heads over one of the example sentences"),
        ([("I am tired.", ""), ("I was tired.", "")], "All 12 heads over 2 sentences"),
        ([("I am tired.", "Je suis.")], "All 12 heads over one sentence"),
    ],
)
def test_a_stored_atlas_is_over_the_examples_only_where_it_is(
    checkpoints: Path, open_app: Open, drawn: Mounted, pairs: Any, title: str
) -> None:
    model = load(checkpoints / "tiny", device="cpu")
    assert "I am tired." in {each["source"] for each in model.card["examples"]}
    write_atlas(model, pairs)
    sound(open_app("heads", {"every": "1"}))
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
    assert roles.sinks_named(entry, "encoder") == roles.sinks_named(entry, "cross") == read
    assert roles.sinks_named(entry, "causal") == causal
    around = entry.tokenizers[0].labels(entry.tokenizers[0].encode("a."))
    marked = [label for label in around if label not in ("a", PADDING_LABEL)]
    keys = AxisTokens.from_labels(marked)
    assert sinks(keys).all()
