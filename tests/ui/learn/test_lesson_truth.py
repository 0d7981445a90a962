"""What lessons say of the shipped models, measured again: independent numbers beside the words that stand for them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np
import pytest

from core.analysis.norms import norm_parameters, stream_table
from core.analysis.readout import word_difference
from core.learning import merges, small_studies
from core.learning.lesson import Step, plain
from core.learning.pitfalls import pitfall
from core.learning.study import Sentence, in_language
from core.learning.trials import LENGTHS, cost_of
from core.model.hooks import ATTENTION
from core.training.dynamics import SUDDEN, sudden_drops
from tests.ui.learn.test_lessons import numbers_of, shipped, shown_on, step_of
from ui.learn import dynamics
from ui.learn.shelf import Numbers, numbers_in
from ui.learn.shelf import numbers_of as numbers_of_lesson
from ui.session.selection import Selection
from ui.session.state import parse
from ui.shared import checkpoints as listing
from ui.shared import context, models
from ui.style import theme
from ui.style.theme import luminance

LANGUAGES: Final = ("en", "fr")


def step_text(step: Step) -> str:
    """All words of a step, measures by their names in braces."""
    spans = [*step.title, *(span for block in step.blocks for span in block.spans)]
    if step.predict:
        spans += [*step.predict.ask, *(span for each in step.predict.choices for span in each.spans)]
        spans += [span for block in step.predict.then for span in block.spans]
    return plain(spans)


# -- attention.1 --------------------------------------------------------------------------------------------


def test_a_choice_that_speaks_of_the_same_place_names_the_word_that_stands_there() -> None:
    result = numbers_of("attention", 1)
    source, row = result.shown.decoded.decode.trace.tokens.source, result.scene.row
    assert result.scene.queries[row] == "canapé" and row == 5  # the sixth word, beside “the” and not “red”
    for language in LANGUAGES:
        predict = step_of("attention", 1, language).predict
        assert predict is not None
        named = {choice.word for choice in predict.choices}
        assert {word.casefold() for word in named if word} <= {label.casefold() for label in source}
        assert source[row] in named, language


def test_no_lesson_calls_a_large_weight_dark() -> None:
    """In the dark theme a large weight is the lighter colour, in the light theme the darker one."""
    rises = {
        mode: luminance(palette.cross) > luminance(palette.panel) for mode, palette in theme.PALETTES.items()
    }
    assert rises == {"light": False, "dark": True}
    for language in LANGUAGES:
        for lesson in shipped().lessons[language].values():
            for step in lesson.steps:
                assert not re.search(
                    r"\b(dark|light|pal)(er|est)?\b|foncé|\bclaire?\b", step_text(step), re.I
                ), lesson.name


# -- alignment.1 --------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_head_that_opens_agrees_most_and_is_not_the_surest() -> None:
    """Over the card's example sentences: agreement with the others on words, and the mean largest weight."""
    entry, _ = listing.find("en-fr")
    loaded = models.model(entry)
    agree, sure, words = np.zeros((4, 8)), np.zeros((4, 8)), 0
    for text in loaded.card["probe_sentences"]:
        trace = context.CheckpointView(entry, Selection(checkpoint="en-fr", text=text)).decoded.decode.trace
        rows = [
            n for n, label in enumerate(trace.tokens.written) if re.search(r"\w", label) and "⟨" not in label
        ]
        columns = [n for n, label in enumerate(trace.tokens.source) if "⟨" not in label]
        maps = np.asarray(trace.stacked("decoder", "cross", "weights"), dtype=np.float64)[:, :, rows]
        sure += maps.max(-1).sum(-1)
        maps = maps[..., columns]
        words += len(rows)
        for layer, head in np.ndindex(4, 8):
            others = maps.sum((0, 1)) - maps[layer, head]
            agree[layer, head] += (maps[layer, head].argmax(-1) == others.argmax(-1)).sum()
    stated = loaded.card["default_heads"]["cross"]
    opened = (stated["layer"], stated["head"])
    assert words > 1000
    assert np.unravel_index(int(agree.argmax()), agree.shape) == opened
    assert np.unravel_index(int(sure.argmax()), sure.shape) != opened
    for language in LANGUAGES:
        assert not re.search(r"\bsure|sûre", step_text(step_of("alignment", 1, language))), language


# -- positions.3 and 4 --------------------------------------------------------------------------------------


def test_how_often_the_previous_token_head_looks_there_is_said() -> None:
    result = numbers_of("positions", 3)
    maps = result.scene.weights("encoder")
    layer, head = map(int, str(result.value("previous")).split("."))
    there = np.diagonal(maps[layer, head], -1)
    assert there.max() > 0.9 and there.min() < 0.1  # so it does not go by distance alone
    assert result.value("previous_rows") == (there > 0.5).sum() < len(there) == result.value("previous_of")
    for language in LANGUAGES:
        assert {"previous_rows", "previous_of"} <= set(step_of("positions", 3, language).measures), language


def test_how_far_the_map_moves_without_order_is_said_beside_the_mean() -> None:
    result = numbers_of("positions", 4)
    after, before = np.asarray(result.scene.edited().maps_after["encoder"]), result.scene.weights("encoder")
    moved = 0.5 * np.abs(after - before).sum(-1).mean(-1)
    assert result.value("head_moved") == pytest.approx(moved[result.scene.head], abs=1e-6)
    assert result.value("mean_moved") == pytest.approx(moved.mean(), abs=1e-6)
    assert moved.max() > moved[result.scene.head]  # others change more: “most” would be false
    for language in LANGUAGES:
        assert {"head_moved", "mean_moved"} <= set(step_of("positions", 4, language).measures), language


# -- norms --------------------------------------------------------------------------------------------------

MODELS: Final = (("en-fr", None), ("paper", "abcdefgh"), ("tutorial-e", "abcdefgh"))


@pytest.mark.parametrize(("checkpoint", "text"), MODELS)
def test_the_lengths_that_are_told_are_points_of_the_curve(checkpoint: str, text: str | None) -> None:
    result = numbers_of("norms", 2, checkpoint, text)
    table = stream_table(result.scene.stream())
    curve = table[(table["stack"] == "encoder") & (table["token"] == result.scene.token)].sort_values("depth")
    lengths = curve["length"].to_list()
    assert result.value("stream_first") == pytest.approx(lengths[0])
    assert result.value("stream_last") == pytest.approx(lengths[-1])
    assert result.value("stream_growth") == pytest.approx(lengths[-1] / lengths[0])


@pytest.mark.parametrize(("checkpoint", "text"), MODELS)
def test_the_stream_after_is_the_sum_in_a_pre_norm_model_alone(checkpoint: str, text: str | None) -> None:
    result = numbers_of("norms", 1, checkpoint, text)
    predict = step_of("norms", 1).predict
    assert predict is not None
    placement = result.shown.entry.config.norm_placement
    assert result.value("norm_order") == f"{placement}-norm"
    assert (result.value("sum_off") < 1e-3) == (placement == "pre")
    assert (predict.holding(result.value("sum_off")) == 0) == (placement == "pre")
    for language in LANGUAGES:
        assert "norm_order" in step_of("norms", 1, language).measures, language


@pytest.mark.parametrize(("checkpoint", "text"), MODELS)
def test_outputs_that_point_against_the_stream_are_counted(checkpoint: str, text: str | None) -> None:
    result = numbers_of("norms", 2, checkpoint, text)
    trace, token = result.scene.stream(), result.scene.token
    against = 0
    for layer in range(result.shown.entry.config.encoder_layers):
        for block in ("self", "ffn"):
            before, output = (
                trace.array(("encoder", layer, block, kind))[token].astype(float)  # type: ignore[arg-type]
                for kind in ("residual_before", "output")
            )
            against += int(before @ output < 0)
    assert result.value("added_against") == against
    assert result.value("encoder_sublayers") == 2 * result.shown.entry.config.encoder_layers
    for language in LANGUAGES:
        assert "added_against" in step_of("norms", 2, language).measures, language


def test_the_paper_writes_the_norm_around_the_sum_and_its_length_does_change() -> None:
    result = numbers_of("norms", 2, "paper", "abcdefgh")
    config = result.shown.entry.config
    table = stream_table(result.scene.stream())
    encoder = table[table["stack"] == "encoder"]
    lengths = encoder.groupby("depth")["length"].mean().to_list()
    assert lengths[-1] > 1.5 * lengths[0]  # 3.6 → 6.9
    # What leaves a post-norm sub-layer is as long as γ and β make it, whatever was added.
    state = models.model(result.shown.entry).model.state_dict()
    for side, (gamma, beta) in norm_parameters(state, config).items():
        rows = encoder[(encoder["layer"] == side.layer) & (encoder["block"] == side.block)]
        if side.stack == "encoder":
            reach = np.abs(gamma).max() * np.sqrt(config.d_model) + np.linalg.norm(beta)
            assert len(rows) > 0 and rows["length"].max() <= reach
    for language in LANGUAGES:
        assert "LayerNorm(x + Sublayer(x))" in step_text(step_of("norms", 1, language)), language
        assert not re.search(r"stays the same|ne change pas", step_text(step_of("norms", 2, language))), (
            language
        )


# -- masks and the pitfall ----------------------------------------------------------------------------------


def test_masks_5_says_what_the_trained_model_does_word_by_word_and_at_once() -> None:
    result = numbers_of("masks", 5)
    edited = result.scene.edited()
    kept = edited.after.mean() / edited.before.mean()  # the two columns of the table beside it
    assert (
        result.value("kept") == pytest.approx(kept, rel=1e-3) and 0.5 < kept < 1
    )  # each from the words before it
    # Word by word nothing later is there to be seen: no word of the sentence is lost, some are worded otherwise.
    same = {
        word
        for run, words in word_difference(edited.unedited, edited.rewritten)
        for word in words.split()
        if run == "same"
    }
    assert edited.rewritten != edited.unedited and len(same) > 0.6 * len(edited.unedited.split())
    for language in LANGUAGES:
        assert "kept" in step_of("masks", 5, language).measures, language


def test_the_loss_without_the_mask_is_that_of_weights_trained_with_it() -> None:
    """What a training without it comes to: tests/core/learning/test_trials.py."""
    entry, _ = listing.find("en-fr")
    loaded = models.model(entry)
    trace = context.CheckpointView(entry, Selection(checkpoint="en-fr")).decoded.decode.trace
    study = pitfall("no-causal-mask").study(loaded.model, Sentence.of(trace, loaded.target_tokenizer.labels))
    (loss,) = [each for each in study.numbers if each.unit == "nats"]
    assert loss.wrong > loss.right + 1
    assert "trained with the mask" in in_language(loss.what)


# -- heads.6 ------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_mean_is_shown_beside_the_zero_and_is_not_called_gentler() -> None:
    mean, zero = numbers_of("heads", 6), numbers_of("heads", 4)
    assert str(mean.shown.selection.edits).replace("m", "z", 1) == str(zero.shown.selection.edits)
    assert mean.value("kept_zero") == pytest.approx(zero.value("kept"))
    written = [int(each.written("kept").rstrip(" %")) for each in (mean, zero)]
    assert mean.written("mean_gain") == f"−{written[1] - written[0]} points"  # what a reader subtracts
    assert float(mean.value("mean_gain")) < -0.05  # here the mean does more harm than zero
    for language in LANGUAGES:
        step = step_of("heads", 6, language)
        assert {"kept", "kept_zero"} <= set(step.measures) and step.predict is not None, language
        assert step.predict.measure == "mean_gain"
        assert not re.search(r"gentle|strong word|mot fort|doux", step_text(step)), language


# -- how heads form -----------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_some_heads_turn_focused_suddenly_and_others_gradually() -> None:
    """Over the records that begin with random weights: heads whose normalised entropy fell by `SUDDEN` or more in all."""
    sudden = gradual = 0
    for name in ("dates", "tutorial-b", "tutorial-c", "tutorial-d"):
        result = dynamics.stored(shown_on(name).entry)
        assert not dynamics.went_on_from(shown_on(name).entry)
        for kind in ATTENTION.values():
            entropy = result.score(kind.name, "normalised_entropy")
            fast = {(drop.layer, drop.head) for drop in sudden_drops(result.steps, entropy)}
            fell = {(int(a), int(b)) for a, b in np.argwhere(entropy[0] - entropy[-1] >= SUDDEN)}
            sudden, gradual = sudden + len(fast), gradual + len(fell - fast)
    assert sudden >= 10 and gradual >= 10
    trained = dynamics.stored(shown_on("en-fr").entry)
    for kind in ATTENTION.values():  # its heads had formed before the first recorded step
        entropy = trained.score(kind.name, "normalised_entropy")
        assert np.abs(entropy - entropy[0]).max() < SUDDEN


# -- the five heads of agreement ------------------------------------------------------------------------------


def test_the_lesson_on_agreement_has_the_numbers_that_are_stored() -> None:
    """105 of 138 feminine sentences turn without the five heads, none without five random ones, in any of twelve draws."""
    stored = json.loads((listing.FOLDER / "en-fr" / "contrasts.json").read_text("utf-8"))["results"]
    (found,) = [each for each in stored if (each["name"], each["kind"]) == ("gender", "cross")]
    assert (found["turned"], found["compared"], found["controls"]) == (105, 138, [0] * 12)
    last = numbers_of("agreement", 6)
    assert [last.value(name) for name in ("carried_turned", "carried_pairs", "carried_random")] == [
        105,
        138,
        0,
    ]
    assert numbers_of("agreement", 4).value("rewritten") == "Son sœur est heureux."
    assert [numbers_of("agreement", step).value("words_changed") for step in (2, 5)] == [0, 0]
    for language in LANGUAGES:
        for step in (5, 6):
            text = step_text(step_of("agreement", step, language))
            assert "{carried_random}" in text and not re.search(r"at most|au plus", text), language


# -- the answers of the exercises ------------------------------------------------------------------------------


def run(text: str, **link: str) -> Numbers:
    """The numbers that a student finds who types this sentence and makes these edits."""
    result = numbers_in(parse({"checkpoint": "en-fr", "text": text, **link})[0], shown_on("en-fr"))
    assert result is not None
    return result


@cache
def answer_of(number: int) -> Numbers:
    lesson = shipped().lessons["en"]["exercises"]
    solved = replace(lesson, steps=tuple(step.solved for step in lesson.steps))
    result = numbers_of_lesson(solved, number - 1, shown_on("en-fr"))
    assert result is not None
    return result


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_exercises_take_an_hour_and_each_has_an_answer_with_numbers_of_the_model(language: str) -> None:
    steps = shipped().lessons[language]["exercises"].steps
    assert sum(int(re.search(r"\((\d+) minutes\)", plain(step.title))[1]) for step in steps) == 60  # type: ignore[index]
    for number, step in enumerate(steps, start=1):
        assert step.solved.measures, number
        if step.page == "what_if":  # a student begins with the model as it is
            assert step.link["edits"] == "none", number
        for name in (*step.measures, *step.solved.measures):
            assert answer_of(number).written(name) != "–", (number, name)


def test_the_answers_of_the_exercises_come_out_in_the_app() -> None:
    # 1: the name, the number and the city are cut into pieces, after one for the space; the other words are whole.
    tokens = answer_of(1).scene.trace.tokens.source
    assert tokens[:4] == ("␣", "·Z", "·o", "·e") and tokens[5:7] == ("1", "·2")
    assert {"bought", "books", "in", ".", "⟨end⟩"} < set(tokens) and "Prague" not in tokens
    assert answer_of(1).value("source_tokens") == len(tokens) == 15
    # 2: from the scores themselves.
    row = answer_of(2)
    trace = row.shown.decoded.recorded(("decoder.*.cross.scores",))
    layer, head = row.scene.head
    scores = np.sort(np.asarray(trace.stacked("decoder", "cross", "scores"))[layer, head, row.scene.row])
    assert row.value("score_lead") == pytest.approx(scores[-1] - scores[-2], abs=2e-3)
    assert row.value("weight_ratio") == pytest.approx(np.exp(scores[-1] - scores[-2]), rel=2e-3)
    # 3 and 4: one crossing, of the colour and its noun; n (n − 1) / 2 cells.
    assert answer_of(3).value("turns_back") == 1
    rows = int(answer_of(4).value("written_tokens"))  # type: ignore[arg-type]
    assert answer_of(4).value("masked_cells") == rows * (rows - 1) / 2 == 55
    # 5: the words that the answer says are still there.
    shuffled = str(answer_of(5).value("rewritten"))
    assert all(word in shuffled for word in ("chien", "lance", "balle", "garçon"))
    # 6: the last layer's words are the most, and the verb is another form of the same.
    changed = [
        run("A man with a red hat is eating an apple.", kind="cross", edits=f"zc{layer}").value(
            "words_changed"
        )
        for layer in range(4)
    ]
    assert changed == [0, 0, 2, 5] and answer_of(6).value("words_changed") == changed[-1]
    assert "est en train de manger une pomme" in str(answer_of(6).value("rewritten"))
    # 7: the gender turns with the fourth head, with none of them alone, and not of every sister.
    named = [(3, 6), (3, 4), (1, 4), (2, 3), (2, 6)]
    assert answer_of(7).value("carriers") == ", ".join(f"{layer}.{head}" for layer, head in named)
    written = [
        str(run("Her sister is tall.", edits=_without(named[:count])).value("rewritten"))
        for count in range(1, 6)
    ]
    assert [text.split()[0] for text in written] == ["Sa", "Sa", "Sa", "Son", "Son"]
    assert written[-1] == answer_of(7).value("rewritten")
    assert all(
        run("Her sister is tall.", edits=_without([each])).value("words_changed") == 0 for each in named
    )
    assert run("My sister is tired.", edits=_without(named)).value("words_changed") == 0
    # 8: n = 2 d + d_ff.
    config = answer_of(8).scene.trace.config
    assert (
        answer_of(8).value("even_tokens") == 2 * config.d_model + config.d_ff
        and config.d_ff == 4 * config.d_model
    )
    assert cost_of(config, LENGTHS[-1]).share < 0.5


def _without(heads: list[tuple[int, int]]) -> str:
    return "_".join(f"zc{layer}-{head}" for layer, head in sorted(heads))


# -- numbers that a sentence says -----------------------------------------------------------------------------


def test_story_4_says_how_far_the_dot_products_of_the_model_spread() -> None:
    """From queries and keys themselves: rows of q · k before the division."""
    result = numbers_of("story", 4)
    trace = result.shown.decoded.recorded(("decoder.*.cross.scores",))
    scores = np.asarray(trace.stacked("decoder", "cross", "scores"), dtype=np.float64)
    products = scores * np.sqrt(result.scene.own.d_head)
    spread = np.sqrt(products.var(axis=-1).mean(axis=-1))
    assert result.value("spread_least") == pytest.approx(spread.min(), rel=1e-3)
    assert result.value("spread_most") == pytest.approx(spread.max(), rel=1e-3)
    assert spread.max() > 1.5 * np.sqrt(32)  # so √32 alone would be untrue of this model


def test_story_7_says_that_the_encoder_output_is_shorter_than_its_longest_stream() -> None:
    result = numbers_of("story", 7)
    trace, token = result.scene.stream(), result.scene.token
    first, last = (
        np.linalg.norm(trace.array(site)[token])  # type: ignore[arg-type]
        for site in (("encoder", 0, "self", "residual_before"), ("encoder", 0, "final", "output"))
    )
    assert result.value("output_growth") == pytest.approx(last / first)
    assert last < first < float(result.value("stream_last"))  # type: ignore[arg-type]


def test_cost_2_has_twice_the_tokens_of_cost_1_and_four_times_its_weights() -> None:
    one, two = numbers_of("cost", 1), numbers_of("cost", 2)
    assert two.value("source_tokens") == 2 * int(one.value("source_tokens"))
    assert two.value("map_doubled") == int(two.value("map_weights")) / int(one.value("map_weights")) == 4


def test_a_share_that_is_not_all_of_it_is_not_written_as_all_of_it() -> None:
    result = numbers_of("heads", 3)
    assert 0.995 < float(result.value("kept")) < 1 and result.written("kept", ",") == "99,8 %"
    ahead, mean, single = (
        numbers_of("alignment", 5).written(name)
        for name in ("sharpest_ahead", "mean_weight", "sharpest_weight")
    )
    assert ahead == f"{int(single[:-2]) - int(mean[:-2])} points"


def test_the_numbers_of_the_storys_own_pictures_are_those_that_are_stored() -> None:
    """What is stored is measured again in tests/core/learning/test_one_vector.py, test_feed_forward.py and test_by_hand.py."""
    lost, parts = numbers_of("story", 3), numbers_of("story", 8)
    path = listing.FOLDER.parent / "core" / "learning"
    vector, network = (
        json.loads((path / f"{name}.json").read_text("utf-8")) for name in ("one_vector", "feed_forward")
    )
    assert vector["lengths"] == list(range(3, 13)) and vector["tested"] == 100  # as the question says
    assert [lost.value(f"one_vector_{name}") for name in ("short", "right", "attention")] == [
        *(vector["one"][0], vector["one"][-1], vector["attention"][-1]),
    ]
    config = parts.shown.entry.config
    assert parts.value("ff_width") == config.d_ff and network["text"] == parts.shown.selection.text
    assert (
        parts.value("ff_encoder") == network["written"][1] != network["translation"] == network["written"][0]
    )
    assert parts.value("ff_words") == ", ".join(network["unit"]["words"])
    assert parts.scene.translation == network["translation"]


def test_the_ids_of_story_1_are_rows_of_the_table() -> None:
    result = numbers_of("story", 1)
    ids = [int(each) for each in str(result.value("ids")).split(", ")]
    assert len(ids) == result.value("source_tokens") and max(ids) < int(result.value("vocabulary"))  # type: ignore[call-overload]
    tokenizer = models.model(result.shown.entry).source_tokenizer
    assert tuple(tokenizer.labels(ids)) == result.scene.trace.tokens.source


def test_story_9_counts_a_pass_for_each_token_that_is_written() -> None:
    result = numbers_of("story", 9)
    assert result.value("written_tokens") == len(result.scene.trace.written_ids) == 9


def test_since_3_says_how_well_the_three_models_of_dates_read() -> None:
    for name in ("dates", "twins/dates-relative", "twins/dates-rotary"):
        card = json.loads((listing.FOLDER / name / "card.json").read_text("utf-8"))
        tested = card["figures"]["quality"]["dates (test)"]
        assert tested["sentences"] == 5000 and tested["exact"] >= 99.9, name


# -- misconceptions, layers and pieces ------------------------------------------------------------------------


def test_the_heads_of_gender_that_carry_number_too_are_those_stored() -> None:
    stored = json.loads((listing.FOLDER / "en-fr" / "contrasts.json").read_text("utf-8"))["results"]
    gender, number = (
        next(each for each in stored if (each["name"], each["kind"]) == (name, "cross"))
        for name in ("gender", "number")
    )
    result = numbers_of("misconceptions", 1)
    both = [head for head in gender["heads"] if head in number["heads"]]
    assert result.value("shared_carriers") == len(both) == 4 and len(number["heads"]) == 5
    assert result.value("second_pairs") == number["compared"] == 120
    assert result.value("second_turned") == number["turned"] == 1  # the French sentence has a singular
    assert result.value("second_carriers") == ", ".join(f"{layer}.{head}" for layer, head in number["heads"])


def test_the_words_that_are_cut_are_those_that_the_list_lacks() -> None:
    result = numbers_of("misconceptions", 2)
    text = str(result.shown.selection.text)
    known = models.model(result.shown.entry).source_tokenizer.vocabulary
    words = re.findall(r"\w+", text)
    lacking = [word for word in words if f"▁{word}" not in known]
    assert lacking == ["beekeeper"]
    assert (result.value("source_words"), result.value("cut_words")) == (len(words), len(lacking)) == (6, 1)
    assert result.value("source_pieces") == ", ".join(result.scene.trace.tokens.source)


def test_the_small_studies_are_of_the_sentences_that_the_lessons_show() -> None:
    """They are measured again in tests/core/learning/test_small_studies.py."""
    passes, mask, weight = (numbers_of("misconceptions", number) for number in (3, 4, 5))
    assert [each.shown.selection.text for each in (passes, mask)] == [small_studies.TEXT] * 2
    assert passes.value("decoder_passes") == passes.value("written_tokens") == 9
    assert passes.value("encoder_passes") == 1
    assert mask.value("stepped_changed") == 0 and float(mask.value("stepped_off")) < 1e-3
    assert mask.scene.row == len(mask.scene.trace.target_ids) - 1  # the row that the step speaks of
    layers = numbers_of("story", 12)
    assert layers.shown.selection.text == small_studies.LAYERS_TEXT
    assert layers.scene.translation == small_studies.stored().by_layer[-1]
    assert weight.shown.selection.text == small_studies.SWAPPED_TEXT
    assert weight.scene.translation == small_studies.stored().swapped[0]


def test_the_word_with_the_most_weight_is_not_the_one_that_decides() -> None:
    result = numbers_of("misconceptions", 5)
    assert (result.value("head"), result.value("looked_at"), result.value("word")) == ("1.2", "His", "Sa")
    assert float(result.value("weight:His")) > 0.99 and float(result.value("weight:sister")) < 0.01
    carriers = [tuple(map(int, head.split("."))) for head in str(result.value("carriers")).split(", ")]
    sister, maps = result.scene.keys.index("sister"), result.scene.weights("cross")
    assert [maps[layer, head, 0].argmax() for layer, head in carriers[:4]] == [sister] * 4
    assert result.value("swap_looked") == 0 < int(result.value("swap_noun"))
    # Over many sentences words with much weight do matter more than random ones: the lower curve is the better measure.
    stored = json.loads((listing.FOLDER / "en-fr" / "faithfulness.json").read_text("utf-8"))
    curves = dict(zip(stored["measures"], stored["curves"], strict=True))
    assert all(a < b for a, b in zip(curves["attention"][1:-1], curves["random"][1:-1], strict=True))
    assert all(a < b for a, b in zip(curves["head"][1:-1], curves["random"][1:-1], strict=True))


def test_the_ten_words_of_story_13_are_those_that_are_merged() -> None:
    """The merges themselves are held against a library in tests/core/learning/test_merges.py."""
    for language in LANGUAGES:
        assert ", ".join(merges.WORDS) in step_text(step_of("story", 13, language)), language
    assert merges.NEW_WORD == "slower" and merges.NEW_WORD not in merges.WORDS
    assert merges.segment("newest", merges.learn()) == ("ne", "we", "st")  # the trial, on paper
