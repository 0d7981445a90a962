"""Every page loads, restores a link exactly, survives a bad one, and keeps sessions apart."""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.analysis import wording
from core.analysis.readout import capitalised
from core.model.config import ModelConfig
from tests.pages.conftest import Open
from ui.session.selection import Selection
from ui.session.state import parse, to_params

PAGES = (
    *("translate", "attention", "compare", "positions", "layer_norm"),
    *("heads", "what_if", "lenses", "alignment", "inside", "pitfalls", "tutorials"),
)
LINK = {
    "text": "I am tired.",
    "strategy": "sample",
    "seed": "4",
    "step": "3",
    "kind": "causal",
    "layer": "1",
    "head": "0",
    "against": "1.1",
    "token": "s1",
}


def words(app: AppTest) -> str:
    """Everything the page wrote as HTML, style sheets apart."""
    parts = [element.proto.body for element in app.get("html")]
    return "\n".join(part for part in parts if not part.startswith("<style>"))


def remarks(app: AppTest) -> str:
    """What stands under the translation on the Translate page, a remark a line."""
    stages = [each.proto for each in app.get("bidi_component") if "decode_stage" in each.proto.id]
    return "\n".join(each for stage in stages for each in json.loads(stage.mixed.json)["fields"]["remarks"])


def shown(app: AppTest) -> Selection:
    """The session's selection."""
    found = app.session_state["selection"]
    assert isinstance(found, Selection)
    return found


def sound(app: AppTest) -> AppTest:
    """The app, after checking that nothing was raised."""
    assert not app.exception, [error.value for error in app.exception]
    return app


def press(app: AppTest, key: str) -> AppTest:
    """The app after a press on the button of this key."""
    return sound(app.button(key=key).click().run())


def measured(app: AppTest) -> AppTest:
    """The app once what it measures behind the page has come to its end."""
    for job in app.session_state["jobs"].values():
        assert job.wait(60) and not job.problem
    return sound(app.run())


def change_card(folder: Path, **changes: Any) -> None:
    """Have the card of a checkpoint say something else."""
    file = folder / "card.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **changes}), "utf-8")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_never_empty(open_app: Open, page: str) -> None:
    app = sound(open_app(page))
    assert "Attention Atlas" in words(app)
    assert "atlas-mistake" not in words(app)
    assert shown(app) == Selection()


@pytest.mark.parametrize("page", PAGES)
def test_a_link_is_restored_exactly_on_every_page(open_app: Open, page: str) -> None:
    app = sound(open_app(page, LINK))
    assert to_params(shown(app)) == LINK
    assert {
        name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()
    } == LINK


@pytest.mark.sampled(4)
@pytest.mark.parametrize("page", PAGES)
def test_nonsense_numbers_beyond_the_model_and_markup_in_a_link_do_no_harm(open_app: Open, page: str) -> None:
    unreadable = {"layer": "x", "kind": "<script>alert(1)</script>", "step": "-4", "evil": "1"}
    beyond = {"head": "99", "token": "s999", "pair": "5000", "place": "decoder.88.ffn", "against": "77.7"}
    markup = {"text": "<script>alert(1)</script><img src=x onerror=alert(1)>", "checkpoint": "nowhere"}
    app = sound(open_app(page, {**unreadable, **beyond, **markup}))
    said = words(app)
    assert "There is no checkpoint called nowhere" in said or "could not be read" in said
    assert "<script" not in said and "<img" not in said
    assert "evil" not in app.query_params
    sound(open_app(page, {**beyond, "layer": "99", "step": "9999"}))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["encoder", "causal", "cross", "joint"])
@pytest.mark.parametrize("draw", ["weights", "scores", "masked"])
def test_every_kind_and_quantity_is_drawn(open_app: Open, kind: str, draw: str) -> None:
    sound(open_app("attention", {"kind": kind, "draw": draw, "words": "1", "hide": "1"}))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("how", ["mean", "max"])
def test_heads_and_layers_can_be_merged(open_app: Open, how: str) -> None:
    sound(open_app("attention", {"layer": "mean", "head": "mean", "how": how}))
    sound(open_app("attention", {"layer": "1", "head": "mean", "how": how}))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["encoder", "causal", "cross", "joint"])
@pytest.mark.parametrize("versus", ["head", "sentence", "step", "checkpoint"])
def test_everything_can_be_compared(open_app: Open, checkpoints: Path, versus: str, kind: str) -> None:
    shutil.copytree(checkpoints / "tiny", checkpoints / "twin")
    link = {"checkpoint": "tiny", "text": "I am tired.", "kind": kind, "versus": versus, "words": "1"}
    app = sound(open_app("compare", link))
    assert shown(app) == parse(link)[0]
    assert "atlas-mistake" not in words(app)


@pytest.mark.thorough
def test_the_second_side_of_a_comparison_may_be_unusable(open_app: Open) -> None:
    app = sound(open_app("compare", {"versus": "sentence", "other_text": "word " * 300}))
    assert "this model reads at most 64" in words(app)
    app = sound(open_app("compare", {"versus": "checkpoint", "other_checkpoint": "nowhere"}))
    assert "There is only this checkpoint" in words(app)
    sound(open_app("compare", {"versus": "step", "step": "9999", "other_step": "9999", "layer": "90"}))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("page", "link"), [("compare", {"versus": "checkpoint"}), ("checkpoints", {"desk": "inspect"})]
)
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere", "There is no checkpoint called nowhere; twin is compared."),
        ("broken", "is damaged"),
        ("tiny", "tiny is the checkpoint in use; twin is compared."),
        ("twin", ""),
    ],
)
def test_why_another_checkpoint_is_compared_is_told(
    open_app: Open, checkpoints: Path, page: str, link: dict[str, str], name: str, says: str
) -> None:
    for copy in ("twin", "broken"):
        shutil.copytree(checkpoints / "tiny", checkpoints / copy)
    (checkpoints / "broken" / "model.safetensors").write_bytes(b"\x00" * 64)
    app = sound(open_app(page, {"checkpoint": "tiny", "other_checkpoint": name, **link}))
    assert says in words(app)
    assert ("is compared." in words(app)) == bool(says)


def test_two_sessions_do_not_meet(open_app: Open) -> None:
    first = open_app("translate", {"text": "I am tired."})
    second = open_app("translate", {"text": "A man.", "strategy": "beam", "beam": "2"})
    sound(first.run())
    sound(second.run())
    assert (shown(first).text, shown(second).text) == ("I am tired.", "A man.")


def test_the_selection_moves_with_the_reader(open_app: Open) -> None:
    app = open_app("translate", {"text": "I am tired."})
    app.switch_page("pages/attention.py")
    sound(app.run())
    assert shown(app).text == "I am tired."
    sound(app.pills(key="widget_kind").set_value("causal").run())
    app.switch_page("pages/layer_norm.py")
    sound(app.run())
    assert (shown(app).text, shown(app).kind) == ("I am tired.", "causal")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("   ", "The sentence is empty"),
        ("the man " * 60, "this model reads at most 64"),
    ],
)
def test_a_sentence_that_cannot_be_read_stays_in_the_box(open_app: Open, text: str, says: str) -> None:
    app = open_app()
    sound(app.text_input(key="widget_sentence").set_value(text).run())
    assert says in words(app)
    assert words(app).count("atlas-mistake") == 1
    assert app.text_input(key="widget_sentence").value == text
    assert shown(app) == Selection()
    sound(app.text_input(key="widget_sentence").set_value("I am tired.").run())
    assert "atlas-mistake" not in words(app)


@pytest.mark.parametrize(
    ("text", "piece"), [("مرحبا man", "م"), ("A man \x07", "‹U+0007›"), ("A \u202eman", "‹U+202E›")]
)
def test_unknown_characters_are_named_also_those_that_cannot_be_seen(
    open_app: Open, text: str, piece: str
) -> None:
    app = open_app()
    sound(app.text_input(key="widget_sentence").set_value(text).run())
    said = next(line for line in remarks(app).splitlines() if "does not know" in line)
    assert piece in said
    assert not {"\u202e", "\x07"} & set(said)
    assert shown(app).text == text


def test_unknown_characters_of_a_sentence_are_not_told_about_a_draft(open_app: Open) -> None:
    app = open_app()
    sound(app.text_input(key="widget_sentence").set_value("A man 😀").run())
    assert "does not know" in remarks(app)
    sound(app.text_input(key="widget_sentence").set_value("the man " * 60).run())
    assert "this model reads at most 64" in words(app)
    assert "does not know" not in words(app), "the remark is about the translation that still stands"


@pytest.mark.thorough
def test_another_checkpoint_forgets_what_the_first_could_not_read(open_app: Open, checkpoints: Path) -> None:
    shutil.copytree(checkpoints / "tiny", checkpoints / "twin")
    app = open_app("translate", {"checkpoint": "tiny"})
    sound(app.text_input(key="widget_sentence").set_value("the man " * 60).run())
    assert "atlas-mistake" in words(app)
    sound(app.selectbox(key="widget_checkpoint").set_value("twin").run())
    assert "atlas-mistake" not in words(app)
    assert app.text_input(key="widget_sentence").value != "the man " * 60


def test_strategies_show_their_parameters(open_app: Open) -> None:
    app = open_app()
    sound(app.pills(key="widget_strategy").set_value("sample").run())
    sound(app.select_slider(key="widget_temperature").set_value(1.5).run())
    sound(app.number_input(key="widget_seed").set_value(9).run())
    assert (shown(app).strategy, shown(app).temperature, shown(app).seed) == ("sample", 1.5, 9)
    sound(app.pills(key="widget_strategy").set_value("beam").run())
    sound(app.slider(key="widget_beam").set_value(3).run())
    assert shown(app).beam == 3
    sound(app.pills(key="widget_strategy").set_value("given").run())
    sound(app.text_input(key="widget_target").set_value("Un homme.").run())
    assert shown(app).target == "Un homme."


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "extreme",
    [
        {"top_p": "0.01", "top_k": "1000", "temperature": "5"},
        {"top_p": "1", "top_k": "1", "temperature": "0.05", "seed": "999999"},
        {"top_p": "0.0123", "temperature": "0.0501", "text": "I am tired."},
    ],
)
def test_a_link_may_sample_beyond_what_the_sliders_reach(open_app: Open, extreme: dict[str, str]) -> None:
    link = {"strategy": "sample", **extreme}
    app = sound(open_app("translate", link))
    assert shown(app) == parse(link)[0]
    assert app.select_slider(key="widget_top_p").value == max(0.05, shown(app).top_p)


def test_a_forced_word_can_be_taken_back(open_app: Open) -> None:
    app = sound(open_app("translate", {"text": "A man.", "force": "1:20"}))
    button = next(each for each in app.button if each.label == "Undo the last")
    sound(button.click().run())
    assert shown(app).force == ()


@pytest.mark.parametrize(("token", "says"), [(2, "which ends the sentence"), (20, "the decoder continued")])
def test_what_became_of_a_forced_token_is_told(open_app: Open, token: int, says: str) -> None:
    app = sound(open_app("translate", {"text": "A man.", "force": f"1:{token}"}))
    assert says in words(app)


def test_a_forced_token_that_does_not_exist_is_one_sentence(open_app: Open) -> None:
    app = sound(open_app("translate", {"text": "A man.", "force": "1:9999999"}))
    assert "does not exist" in words(app)


def test_a_broken_folder_is_told_and_the_good_one_shown(open_app: Open, checkpoints: Path) -> None:
    shutil.copytree(checkpoints / "tiny", checkpoints / "broken")
    (checkpoints / "broken" / "model.safetensors").write_bytes(b"\x00" * 64)
    app = sound(open_app("translate", {"checkpoint": "broken"}))
    assert "tiny is shown instead" in words(app)


def test_without_checkpoints_the_app_says_so(open_app: Open, checkpoints: Path) -> None:
    shutil.rmtree(checkpoints / "tiny")
    app = sound(open_app())
    assert "holds no checkpoint" in words(app)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in ("heads", "tutorials")]
)  # which ask no model for what they open with
def test_a_model_that_does_not_fit_its_config_is_one_sentence(
    open_app: Open, checkpoints: Path, page: str
) -> None:
    config = checkpoints / "tiny" / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "d_ff": 48}))
    app = sound(open_app(page, {"text": "A man."}))
    assert "shape" in words(app)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("page", ["positions", "layer_norm"])
def test_tokens_can_be_picked(open_app: Open, page: str) -> None:
    app = open_app(page, {"text": "A man."})
    sound(app.pills(key="widget_token_s").set_value("s2").run())
    assert shown(app).token == "s2"


@pytest.mark.thorough
def test_of_two_tokens_alike_the_one_that_is_picked_is_taken(open_app: Open) -> None:
    app = open_app("positions", {"text": "the dog the dog the dog"})
    labels = list(app.pills(key="widget_token_s").options)
    assert len(labels) == len(set(labels)) and len({label.rstrip("\u2060") for label in labels}) < len(labels)
    for place in range(len(labels)):
        sound(app.pills(key="widget_token_s").set_value(f"s{place}").run())
        assert shown(app).token == f"s{place}"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("page", ["positions", "layer_norm"])
def test_many_tokens_are_picked_from_a_list(open_app: Open, page: str) -> None:
    app = open_app(page, {"text": "The dog. " * 9})
    sound(app.selectbox(key="widget_token").set_value("s20").run())
    assert shown(app).token == "s20"


MODELS: dict[str, dict[str, Any]] = {
    "sinusoidal": {},
    "halves": {"positions": "sinusoidal_halves"},
    "learned": {"positions": "learned", "position_offset": 2, "embedding_scale": False},
    "none": {"positions": "none"},
    "relative": {
        "positions": "relative_buckets",
        "score_scale": "none",
        "norm_formula": "rms",
        "embedding_scale": False,
    },
    "post": {"norm_placement": "post", "final_norm": False, "embedding_norm": True},
    "unbiased": {"norm_formula": "layer_unbiased_std", "score_scale": "model"},
}


def swap_model(checkpoints: Path, options: dict[str, Any]) -> ModelConfig:
    """Put a model of other options in the place of the small one."""
    from core.api import load
    from core.checkpoints.bundle import save
    from core.model.transformer import Transformer

    tiny = load(checkpoints / "tiny", device="cpu")
    config = ModelConfig.from_json({**tiny.config.to_json(), **options})
    shutil.rmtree(checkpoints / "tiny")
    save(checkpoints / "other", Transformer(config), tiny.source_tokenizer, tiny.target_tokenizer, tiny.card)
    return config


def all_words(app: AppTest) -> str:
    """What the page wrote as HTML and as Markdown, behind "more" as well."""
    return html.unescape("\n".join([words(app), *(element.value for element in app.markdown)]))


# By page, the models that differ in what it explains.
EXPLAINED = {
    "positions": ("sinusoidal", "halves", "learned", "none", "relative", "post"),
    "layer_norm": ("sinusoidal", "relative", "post", "unbiased"),
    "translate": ("sinusoidal", "post"),
    "attention": ("sinusoidal", "relative", "unbiased"),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("page", "name"), [(page, name) for page, names in EXPLAINED.items() for name in names]
)
def test_the_words_of_a_page_follow_the_model(
    open_app: Open, checkpoints: Path, page: str, name: str
) -> None:
    config = swap_model(checkpoints, MODELS[name])
    app = sound(open_app(page, {"place": "encoder.0.self"} if page == "layer_norm" else {}))
    assert "atlas-mistake" not in words(app)
    said = all_words(app)
    explained = {
        "positions": wording.positions(config),
        "layer_norm": wording.norms(config),
        "translate": wording.translate(config),
        "attention": wording.attention(config, "cross"),
    }[page]
    for part in explained:
        assert part in said
    relative, rms = config.positions == "relative_buckets", config.norm_formula == "rms"
    if page == "positions":
        assert ("clock hand" in said) == (config.positions not in ("none", "relative_buckets"))
        assert ("In the paper’s sinusoids" in said) == (config.positions == "learned")
        assert ("added to the embedding of the word" in said) == config.positions.startswith("sinusoidal")
        assert ("bucket" in said) == relative
        assert "nearer is more alike" not in said
        assert config.positions == "none" or wording.embedding_scale(config) in said
    if page == "layer_norm":
        assert ("root mean square goes from" in said) == rms
        assert ("the standard deviation goes from" in said) == (not rms)
        assert (" and shifts by " in said) == (not rms)
        read = re.sub(r'<span class="atlas-tip".*?</span>|<[^>]*>', "", said)
        assert ("γ and β over" in read) == (not rms)
        assert ("Gain γ: " in said) and ("Shift β: " in said) == (not rms)
        assert capitalised(wording.stream_length(config)) in said
        assert wording.stream_after(config) in said


def test_norms_opens_on_two_cards_and_the_tokens_path_and_folds_the_rest(open_app: Open) -> None:
    rest = ("before and after every norm", "scales by", "adds most to")
    said = words(sound(open_app("layer_norm", {"text": "A man."})))
    assert " from " in said and not any(each in said for each in rest)
    said = words(sound(open_app("layer_norm", {"text": "A man.", "full": "gains"})))
    assert all(each in said for each in rest), "a link to one of them opens them"


def test_the_model_runs_without_norms_when_that_is_asked_for(open_app: Open) -> None:
    app = sound(open_app("layer_norm", {"text": "A man runs."}))
    assert "without norms?" in words(app) and "Without norms the model writes" not in words(app)
    sound(app.button(key="no_norms").click().run())
    assert "Without norms the model writes" in words(app) and "without norms?" not in words(app)
    app = sound(open_app("layer_norm", {"text": "The man runs.", "full": "growth"}))
    assert "Without norms the model writes" in words(app), "a link to the card opens it"


@pytest.mark.thorough
def test_a_token_that_was_never_read_is_told(open_app: Open) -> None:
    """The last token written is no input of the decoder: a link to it says so, and another token is shown."""
    app = sound(open_app("layer_norm", {"text": "A man."}))
    picker = list(app.pills(key="widget_token_t").options)
    app = sound(open_app("layer_norm", {"text": "A man.", "token": f"t{len(picker) - 1}"}))
    assert "never read it" not in words(app)
    app = sound(open_app("layer_norm", {"text": "A man.", "token": f"t{len(picker)}"}))
    assert "never read it" in words(app)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["encoder", "causal", "cross"])
def test_hiding_is_told_with_what_it_did(open_app: Open, kind: str) -> None:
    app = sound(open_app("attention", {"kind": kind, "hide": "1"}))
    assert "shows what each row gave to them" in all_words(app)
    sound(open_app("attention", {"kind": kind, "hide": "1", "layer": "mean", "head": "mean", "how": "max"}))
    for versus in ("head", "sentence"):
        sound(open_app("compare", {"kind": kind, "hide": "1", "versus": versus, "how": "max"}))


def test_the_log_never_holds_the_sentence_of_a_visitor(
    open_app: Open, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("DEBUG"):
        sound(open_app("translate", {"text": "I am secretly tired.", "strategy": "beam"}))
        sound(open_app("translate", {"text": "secretly " * 200}))
    assert "secretly" not in caplog.text


def test_no_page_sends_the_servers_folders(open_app: Open, checkpoints: Path) -> None:
    """Neither where checkpoints lie nor how their files are called reaches a browser, also once the model is loaded."""
    home = str(checkpoints).encode()
    # A model that ends its translations, which the strip under them needs.
    shutil.copytree(Path(__file__).parents[2] / "checkpoints" / "dates", checkpoints / "dates")
    for page in PAGES:
        app = sound(open_app(page, {"checkpoint": "dates"}))
        app = sound(app.run())
        protos = [getattr(block, "proto", None) for block in _blocks(app._tree)]
        sent = [proto.SerializeToString() for proto in protos if proto is not None]
        assert len(sent) > 5
        assert not [each for each in sent if home in each or b"model.safetensors:" in each], page


def _blocks(node: Any) -> list[Any]:
    inside = list(node.children.values()) if hasattr(node, "children") else []
    return [node, *(deep for each in inside for deep in _blocks(each))]
