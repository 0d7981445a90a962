"""The What if page: its numbers are those of a model changed by hand, its link holds every edit, and undo takes back."""

from __future__ import annotations

import copy
import html
import re
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.api import Checkpoint, load
from core.decoding.search import translate_batch
from core.errors import InputError
from core.experiments import importance
from core.experiments.edits import Edits
from core.experiments.intervention import Reference
from core.experiments.rankings import Survey, ranked
from core.experiments.what_if import Pair, mean_outputs
from core.experiments.what_if import what_if as run_what_if
from core.model.config import ModelConfig
from tests.mounted import watch
from tests.pages.test_pages import Open, change_card, press, shown, sound, words
from ui.session.selection import Selection
from ui.session.state import parse
from ui.shared import ablations as shared
from ui.shared import what_if as data
from ui.what_if import changes
from ui.what_if.page import more

TEXT = "I am tired."


@pytest.fixture
def model(tiny_checkpoint: Path) -> Checkpoint:
    return load(tiny_checkpoint, device="cpu")


measures = pytest.mark.usefixtures("checkpoints")
"""Begins with empty caches: nothing is measured yet."""


def log_probability(checkpoint: Checkpoint, change: Callable[[Any], None] = lambda model: None) -> float:
    """log p of what the unchanged model writes, under a copy that `change` has changed in place."""
    source = checkpoint.encode_source(TEXT)
    written = translate_batch(checkpoint.model, [source])[0]
    model = copy.deepcopy(checkpoint.model)
    with torch.no_grad():
        change(model)
        read = [checkpoint.config.bos_id, *written[:-1]]
        logs = model(torch.tensor([source]), torch.tensor([read])).double().log_softmax(-1)[0]
    return float(sum(logs[t, token] for t, token in enumerate(written)))


def silence(model: Any) -> None:
    width = model.config.d_head
    model.decoder_layers[1].cross_attention.output_proj.weight[:, :width] = 0.0


def told(app: AppTest) -> list[float]:
    """The log-probabilities that the verdict names."""
    return told_in(words(app))


def told_in(page: str) -> list[float]:
    """The same of the page's words."""
    said = html.unescape(page).replace("−", "-")
    line = next(line for line in said.splitlines() if "Log-probability of the whole translation" in line)
    return [float(number) for number in re.findall(r"-?\d+\.\d+", line)[:2]]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("kind", "edits"), [("encoder", {}), ("causal", {}), ("cross", {}), ("cross", {"edits": "zc1-0"})]
)
def test_it_opens_on_all_heads_of_the_kind_ablated_or_the_links_edits(
    open_app: Open, model: Checkpoint, kind: str, edits: dict[str, str]
) -> None:
    def without(network: Any) -> None:
        layers = network.encoder_layers if kind == "encoder" else network.decoder_layers
        for layer in layers:
            attention = layer.cross_attention if kind == "cross" else layer.self_attention
            attention.output_proj.weight[:] = 0.0

    app = sound(open_app("what_if", {"text": TEXT, "kind": kind, **edits}))
    before, after = told(app)
    assert abs(before - log_probability(model)) < 0.006
    assert abs(after - log_probability(model, silence if edits else without)) < 0.006
    assert edits or shown(app).edits is None, "the link says nothing of it"


def test_an_empty_set_of_edits_is_reached_and_stays_in_the_link(open_app: Open) -> None:
    app = open_app("what_if", {"text": TEXT})
    assert app.button(key="undo_step").disabled, "nothing was done yet"
    sound(app.button_group(key="widget_heads_to_ablate").set_value(None).run())
    assert shown(app).edits == Edits() and dict(app.query_params)["edits"] in ("none", ["none"])
    assert "Nothing is ablated" in words(app)
    assert app.button(key="undo_step").disabled


def test_a_link_holds_every_edit_and_undo_takes_the_last_back(open_app: Open) -> None:
    text = "zc1-0_me0_ud1-1_n_h1_o1_wc0-0-1-1-500_ps0-1_r3"
    app = sound(open_app("what_if", {"text": TEXT, "edits": text}))
    assert str(shown(app).edits) == text
    assert "atlas-mistake" not in words(app)
    press(app, "undo_step")
    assert str(shown(app).edits) == text.rpartition("_")[0]
    press(app, "step_0")
    assert str(shown(app).edits) == text.partition("_")[2].rpartition("_")[0]
    press(app, "undo_all")
    assert str(shown(app).edits) == ""


@pytest.mark.sampled(2)  # each edit once, each kind
@pytest.mark.parametrize("edits", ["n", "o2", "h0_h1", "zc_fe_ud", "me"])
@pytest.mark.parametrize("kind", ["encoder", "causal", "cross"])
def test_every_kind_is_drawn_under_every_edit(open_app: Open, kind: str, edits: str) -> None:
    app = sound(open_app("what_if", {"text": TEXT, "kind": kind, "edits": edits, "cell": "1.1.0"}))
    assert "atlas-mistake" not in words(app)
    sound(open_app("what_if", {"text": TEXT, "kind": kind, "edits": edits, "presenter": "1"}))


@pytest.mark.parametrize(
    ("edits", "says"), [("zc7", "layers 0 to 1"), ("h40", "source token 40"), ("wc0-0-50-0-1", "cell")]
)
def test_an_edit_that_does_not_fit_is_one_sentence_that_undo_ends(
    open_app: Open, edits: str, says: str
) -> None:
    app = sound(open_app("what_if", {"text": TEXT, "edits": edits}))
    assert words(app).count("atlas-mistake") == 1 and says in words(app)
    press(app, "undo_step")
    assert "atlas-mistake" not in words(app)


def test_nonsense_edits_in_a_link_are_one_quiet_sentence(open_app: Open) -> None:
    app = sound(open_app("what_if", {"text": TEXT, "edits": "<script>", "off": "loud", "alternative": "-3"}))
    assert "could not be read" in words(app) and "<script" not in words(app)
    assert not shown(app).edits


def test_without_the_causal_mask_the_page_says_what_each_probability_is_given(
    open_app: Open, model: Checkpoint
) -> None:
    page = words(sound(open_app("what_if", {"text": TEXT, "kind": "causal", "edits": "n"})))
    assert "given only the words before; the maps are of a pass over all words" in page
    source = model.encode_source(TEXT)
    written = translate_batch(model.model, [source])[0]
    decoded = run_what_if(model, source, written, Edits.parse("n"))
    assert abs(told_in(page)[1] - float(decoded.next_word().sum())) < 0.006


def test_masks_are_opened_and_words_hidden_by_hand(open_app: Open) -> None:
    app = open_app("what_if", {"text": TEXT, "edits": "none"})
    sound(app.toggle(key="widget_causal_mask").set_value(False).run())
    assert str(shown(app).edits) == "n"
    sound(app.number_input(key="widget_open_padding").set_value(2).run())
    sound(app.toggle(key="widget_causal_mask").set_value(True).run())
    assert str(shown(app).edits) == "o2"
    sound(app.button_group(key="widget_heads_to_ablate").set_value("all").run())
    assert str(shown(app).edits) == "o2_zc0_zc1"
    sound(app.button_group(key="widget_heads_to_ablate").set_value(None).run())
    assert str(shown(app).edits) == "o2"
    sound(app.selectbox(key="widget_one_layer_cross").set_value(1).run())
    assert str(shown(app).edits) == "o2_zc1"
    press(app, "undo_step")
    press(app, "shuffle_source")
    assert str(shown(app).edits) == "o2_r1"


def test_a_pinned_cell_can_be_given_another_weight(open_app: Open) -> None:
    app = open_app("what_if", {"text": TEXT, "edits": "none", "layer": "1", "head": "0", "cell": "1.2.1"})
    sound(app.slider(key="widget_moved_weight").set_value(80).run())
    assert str(shown(app).edits) == "wc1-0-2-1-800"
    assert app.slider(key="widget_moved_weight").value == 80


def test_the_maps_of_a_head_are_drawn_once_one_is_chosen(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = watch(monkeypatch, changes)
    app = sound(open_app("what_if", {"text": TEXT}))
    assert "compare" not in drawn
    sound(app.selectbox(key="widget_what_if_head_cross").set_value((1, 0)).run())
    assert (shown(app).layer, shown(app).head) == (1, 0)
    assert re.match(r"Head 1\.0 moved \d+ % of its weight|The map of head 1\.0", drawn["compare"]["title"])


def test_another_sentence_keeps_the_heads_and_forgets_the_words() -> None:
    selection, _ = parse({"text": TEXT, "edits": "zc1-0_h1_wc0-0-1-1-500"})
    assert str(selection.changed(text="A man.").edits) == "zc1-0"
    assert selection.changed(checkpoint="other").edits is None
    assert Selection(text=TEXT).changed(text="A man.").edits is None


@measures
def test_the_survey_is_measured_behind_the_page_and_kept(open_app: Open, model: Checkpoint) -> None:
    app = sound(open_app("importance", {"text": TEXT}))
    press(app, "start_survey")
    job = next(iter(app.session_state["jobs"].values()))
    assert job.wait(60) and not job.problem
    app = sound(app.run())
    source = model.encode_source(TEXT)
    pair = Pair(tuple(source), tuple(translate_batch(model.model, [source])[0]))
    *_, expected = importance.leave_one_out(model.model, [pair])
    kind, layer, head = ranked(expected.tables)[0]
    cost = expected.tables[kind][layer, head]
    said = html.unescape(words(app))
    name = {"encoder": "encoder self", "causal": "causal self-", "cross": "cross-"}[kind]
    assert (
        f"Head {layer}.{head} of {name}" in said
        and f"costs most when ablated: {cost:+.2f} nats" in said.replace("−", "-")
    )
    assert not any(each.key in ("start_survey", "stop_survey") for each in app.button)

    stages = list(
        importance.survey(model.model, [pair], batch=4)
    )  # one pass by gradient, four that leave heads out
    assert [stage.complete for stage in stages[:6]] == [False] * 4 + [True] * 2
    found = job.latest
    np.testing.assert_allclose(found.left_out["cross"], expected.tables["cross"], atol=1e-5)
    assert abs(found.agreement) <= 1 and found.done == found.total
    assert "What if has other edits now" not in words(app), "nothing was done there yet"
    sound(app.slider(key="widget_keep_heads").set_value(5).run())
    assert len(shown(app).edits.heads(model.config)) == 12 - 5
    assert app.slider(key="widget_keep_heads").value == 5
    least = job.latest.ranking()[-1]
    kind = {"encoder": "e", "causal": "d", "cross": "c"}[least[0]]
    for edits, value in ((f"z{kind}{least[1]}-{least[2]}", 11), (f"z{kind}{least[1]}-{1 - least[2]}", 12)):
        app.query_params["edits"] = edits
        sound(app.run())
        assert app.slider(key="widget_keep_heads").value == value
        assert ("What if has other edits now" in words(app)) == (value == 12)


@pytest.mark.thorough
@measures
def test_a_survey_stops_when_it_is_told_to(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    second, go = threading.Event(), threading.Event()

    def slow(model: Any, pairs: Any) -> Any:
        table = {"cross": np.array([[0.3, 0.5], [0.1, 0.2]])}
        for done in range(10_000):
            if done:
                second.set()
                go.wait(30)
            yield Survey(1, {"cross": np.array([[0.1, 0.4], [0.2, 0.3]])}, table, {}, done, 10_000)  # type: ignore[arg-type]

    monkeypatch.setattr(importance, "survey", slow)
    app = open_app("importance", {"text": TEXT})
    press(app, "start_survey")
    job = next(iter(app.session_state["jobs"].values()))
    assert second.wait(30)
    job.cancel()
    go.set()
    assert job.wait(30) and job.share < 1
    said = words(sound(app.run()))
    assert "Stopped after 0\u00a0%" in said
    assert "costs most when ablated" not in said, "of a part of the heads and sentences nothing is said"
    assert any(each.key == "start_survey" for each in app.button)


def test_why_opens_on_the_pinned_word_or_the_one_with_the_smallest_margin(
    open_app: Open, model: Checkpoint
) -> None:
    def opened(**link: str) -> int:
        app = sound(open_app("why", {"text": TEXT, **link}))
        return int(app.selectbox(key="widget_why_step").value)

    assert opened(pin="t1-s0") == 1
    assert opened(step="3") == 2 and opened(step="3", pin="t1-s0") == 2
    source = model.encode_source(TEXT)
    written = translate_batch(model.model, [source])[0]
    with torch.no_grad():
        read = torch.tensor([[model.config.bos_id, *written[:-1]]])
        logs = model.model(torch.tensor([source]), read).log_softmax(-1)[0]
    margins = []
    for step, token in enumerate(written):
        others = logs[step].clone()
        others[[token, model.config.pad_id, model.config.bos_id]] = -torch.inf
        margins.append(float(logs[step, token] - others.max()))
    assert opened(pin="none") == int(np.argmin(margins))


# -- what the wall reports --------------------------------------------------------------------------------------


def test_what_the_wall_says_is_off_becomes_steps() -> None:
    shape = (2, 4)
    some = data.reconciled(Edits(), "cross", frozenset({(0, 1), (0, 3)}), "mean", shape)
    assert str(some) == "mc0-1_mc0-3"
    layer = frozenset((1, head) for head in range(4))
    assert str(data.reconciled(Edits(), "cross", layer, "zero", shape)) == "zc1"
    assert str(data.reconciled(Edits.parse("zc1"), "cross", frozenset(), "zero", shape)) == ""
    back = data.reconciled(Edits.parse("zc1"), "cross", layer - {(1, 2)}, "zero", shape)
    assert [back.head("cross", 1, head) is None for head in range(4)] == [False, False, True, False]
    assert str(data.reconciled(some, "cross", frozenset({(0, 1), (0, 3)}), "zero", shape)) == str(some)


def test_only_the_best_are_kept() -> None:
    ranking = [("cross", 1, 0), ("encoder", 0, 1), ("cross", 0, 0), ("cross", 1, 1), ("cross", 0, 1)]
    kept = data.kept_only(Edits.parse("zc1-0_h2"), ranking, 2)
    assert str(kept) == "h2_zc0_zc1-1", "a layer of which none is kept is one step"
    assert str(data.kept_only(kept, ranking, 5)) == "h2"


def test_of_a_deep_model_none_may_be_kept_and_too_much_for_a_link_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds = ("encoder", "causal", "cross")
    ranking = [(kind, layer, head) for head in range(16) for kind in kinds for layer in range(24)]
    everything = data.kept_only(Edits(), ranking, 0)
    assert all(everything.head(*head) == "zero" for head in ranking)
    with pytest.raises(InputError):
        data.kept_only(Edits(), ranking, 72)
    said: list[str] = []
    monkeypatch.setattr(data.st, "toast", said.append)
    monkeypatch.setattr(data, "put", lambda edits: pytest.fail("nothing is changed"))
    config = ModelConfig(source_vocab_size=9, target_vocab_size=9, d_model=8, heads=2)
    view = SimpleNamespace(entry=SimpleNamespace(config=config))
    data.attempt(view, lambda edits: data.kept_only(edits, ranking, 72))  # type: ignore[arg-type]
    assert len(said) == 1 and said[0].startswith("These edits do not fit into the 2,000 characters of a link")


@pytest.mark.parametrize(
    ("edits", "count"),
    [
        ("", 12),
        ("zc1", 10),
        ("zc", 8),
        ("mc1-0", None),
        ("zc1-1_fc1-0", None),
        ("zc1-0", 11),
        ("zc0-0", None),
        ("zc1-0_ze1-1", None),
        ("wc0-0-1-1-500", 12),
    ],
)
def test_how_many_of_the_best_are_kept_is_told_only_where_it_is_they(edits: str, count: int | None) -> None:
    """A layer or a kind switched off counts all its heads; other heads than the least important are no number kept, and nor
    are heads that were changed in another way than on the curve."""
    config = ModelConfig(
        source_vocab_size=9, target_vocab_size=9, d_model=8, heads=2, encoder_layers=2, decoder_layers=2
    )
    cross = [("cross", 0, 1), ("cross", 0, 0), ("cross", 1, 1), ("cross", 1, 0)]
    others = [(kind, layer, head) for kind in ("encoder", "causal") for layer in (0, 1) for head in (0, 1)]
    assert data.kept_count(Edits.parse(edits), [*others, *cross], config) == count


@pytest.mark.parametrize(
    ("examples", "asked", "measured"), [((), True, False), (("a",), True, True), (("a",), False, False)]
)
def test_examples_are_measured_only_where_there_are_some(
    monkeypatch: pytest.MonkeyPatch, examples: tuple[str, ...], asked: bool, measured: bool
) -> None:
    """A link, or the checkpoint before, may ask for them where there are none: then no choice would be seen."""
    monkeypatch.setattr(shared.state, "selection", lambda: Selection(probe=asked))
    assert shared.of_examples(SimpleNamespace(entry=SimpleNamespace(examples=examples))) is measured  # type: ignore[arg-type]


@measures
def test_jobs_stay_in_their_session(open_app: Open) -> None:
    first, second = open_app("importance", {"text": TEXT}), open_app("importance", {"text": TEXT})
    press(first, "start_survey")
    next(iter(first.session_state["jobs"].values())).wait(60)
    assert not second.session_state["jobs"] if "jobs" in second.session_state else True


# -- what the page says of it ---------------------------------------------------------------------------------


MAPS_OWN = {"ze0-1": False, "me0-1": False, "ue0-1": True, "fe0-1": False, "we0-1-0-1-900": True}
"""Whether a head's own map moves, by how it is switched off, or one of its weight moved."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("edits", MAPS_OWN)
def test_the_words_say_whose_map_moves(model: Checkpoint, edits: str) -> None:
    source = model.encode_source(TEXT)
    written = translate_batch(model.model, [source])[0]
    means = Reference(mean_outputs(model, [TEXT, "The dog"]))
    found = run_what_if(model, source, written, Edits.parse(edits), means)
    before, after = (np.asarray(each.maps["encoder"]) for each in (found.before, found.after))
    moved = np.abs(after - before).max(axis=(2, 3))
    assert (moved[0, 1] > 1e-4) == MAPS_OWN[edits]
    assert (moved[1].max() > 1e-6) == (edits[0] != "f"), "the heads above it"
    said = more(True)
    stays, own = said.split("change what a head adds, not where it looks")
    assert "**Zero** and **Mean** " in stays[-40:] and "its own map stays" in own[:80]
    assert "**Uniform** and a moved weight change its own map too." in own


@pytest.mark.thorough
def test_the_mean_is_said_to_be_over_what_it_is(model: Checkpoint, checkpoints: Path, open_app: Open) -> None:
    def explained(app: AppTest) -> str:
        return "\n".join(each.value for each in sound(app).markdown)

    assert "averaged over the example sentences, at every" in explained(open_app("what_if"))
    change_card(checkpoints / "tiny", examples=[])
    said = explained(open_app("what_if", {"text": TEXT}))
    assert "averaged over this sentence" in said and "example sentences" not in said
