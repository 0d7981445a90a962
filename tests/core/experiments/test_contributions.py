"""Contributions and lenses on every kind of model: parts sum to the real activation, the last lens is the output.

AER over a gold file: the same as the command's for every head and reading, stage by stage, whatever is unreadable.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.analysis import contributions as analysis
from core.analysis.alignment import READINGS, STEPS, GoldFile, by_contribution, counted, from_lines
from core.api import Checkpoint, load, trace
from core.decoding.search import translate_batch
from core.errors import CheckpointError, InputError
from core.experiments import aligner, contributions
from core.experiments import contributions as experiment
from core.experiments.contributions import GoldSurvey, axes_of, gold_survey
from core.experiments.edits import Kind
from core.experiments.lenses import decoder_lens, logit_lens
from core.model.hooks import ATTENTION, Hooks, Site
from tests.core.conftest import passed, write

SHIPPED = Path(__file__).parents[3] / "checkpoints"
KINDS = tuple(ATTENTION)


def pair(checkpoint: Checkpoint, text: str = "abc def.") -> tuple[list[int], list[int]]:
    source = checkpoint.encode_source(text)
    return source, translate_batch(checkpoint.model, [source], max_steps=9)[0]


def check_parts(checkpoint: Checkpoint, text: str) -> None:
    source, written = pair(checkpoint, text)
    trace = experiment.record(checkpoint, source, written)
    assert experiment.gap(checkpoint.model, trace) <= 1e-5
    for kind in KINDS:
        layers = experiment.layers(checkpoint.model, trace, kind)
        side = ATTENTION[kind]
        hooks = Hooks([f"{side.stack}.*.{side.block}.output"])
        passed(checkpoint, source, written, hooks)
        for number, layer in enumerate(layers):
            output = hooks.records[Site(side.stack, number, side.block, "output")][0].numpy()
            parts = analysis.parts(layer)
            size = max(1.0, float(np.abs(output).max()))
            np.testing.assert_allclose(parts.sum(1) + layer.output_bias, output, atol=1e-6 * 5 * size)
            # The norm of one head's part, a cell at a time.
            h, i, j = 1, parts.shape[0] - 1, 0
            size_h = layer.values.shape[-1]
            vector = sum(
                layer.weights[h, i, j] * layer.values[h, j, n] * layer.output_weight[:, h * size_h + n]
                for n in range(size_h)
            )
            np.testing.assert_allclose(
                analysis.weighted_norms(layer)[h, i, j], np.linalg.norm(vector), atol=1e-9
            )


@pytest.mark.sampled(3)
def test_parts_sum_to_the_real_activation(kind: Checkpoint) -> None:
    check_parts(kind, "abc def.")


@pytest.mark.parametrize("name", ["en-fr", "dates"])
def test_parts_sum_to_the_real_activation_of_the_shipped_models(name: str) -> None:
    checkpoint = load(SHIPPED / name, device="cpu")
    check_parts(checkpoint, "3rd of May, 1979" if name == "dates" else "A man rides a bike.")


def check_alti(checkpoint: Checkpoint, text: str) -> None:
    source, written = pair(checkpoint, text)
    trace = experiment.record(checkpoint, source, written)
    for kind in KINDS:
        for layer in experiment.layers(checkpoint.model, trace, kind):
            result = analysis.alti(layer)
            assert (result >= 0).all()
            np.testing.assert_allclose(result.sum(-1), 1, atol=1e-9)
            if kind == "causal":
                assert np.triu(result, 1).max() == 0.0
    result = experiment.alti_plus(experiment.layers_by_kind(checkpoint.model, trace))
    steps, keys = len(written), len(source)
    assert result.shape == (steps, keys + steps)
    np.testing.assert_allclose(result.sum(-1), 1, atol=1e-9)
    assert np.triu(result[:, keys:], 1).max() == 0.0
    assert (result >= 0).all()
    share = result[:, :keys].sum(axis=-1)
    assert ((share > 0) & (share < 1)).all()


@pytest.mark.sampled(3)
def test_alti_plus_splits_every_step_between_source_and_prefix(kind: Checkpoint) -> None:
    check_alti(kind, "abc def.")


@pytest.mark.parametrize("name", ["en-fr", "dates"])
def test_alti_plus_of_the_shipped_models(name: str) -> None:
    text = "3rd of May, 1979" if name == "dates" else "A man rides a bike."
    check_alti(load(SHIPPED / name, device="cpu"), text)


def value_zeroing(checkpoint: Checkpoint, source: list[int], written: list[int], kind: Kind) -> np.ndarray:
    """All layers at once, (L, T, S)."""
    steps = experiment.value_zeroing_steps(checkpoint, source, written, kind)
    return np.stack([rows for _, rows in steps if rows is not None])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("attention", KINDS)
def test_value_zeroing_is_a_pass_a_token(kind: Checkpoint, attention: str) -> None:
    source, written = pair(kind)
    result = value_zeroing(kind, source, written, attention)  # type: ignore[arg-type]
    side, layer, key = ATTENTION[attention], 1, 2
    keys = len(written) if attention == "causal" else len(source)
    queries = len(source) if attention == "encoder" else len(written)
    assert result.shape == (kind.config.layers(side.stack), queries, keys)
    name = "norm_output" if kind.config.of(side.stack).norm_placement == "post" else "residual_after"
    site = Site(side.stack, layer, "ffn", name)

    def run(gone: int | None) -> torch.Tensor:
        def zero(values: torch.Tensor) -> torch.Tensor:
            values = values.clone()
            if gone is not None:
                values[:, :, gone] = 0
            return values

        hooks = Hooks([site], {Site(side.stack, layer, side.block, "v"): zero})
        passed(kind, source, written, hooks)
        return hooks.records[site][0].double()

    plain = run(None)
    far = torch.stack([1 - torch.cosine_similarity(plain, run(gone), dim=-1) for gone in range(keys)], dim=1)
    np.testing.assert_allclose(result[layer], far / far.sum(1, keepdim=True).clamp_min(1e-30), atol=2e-3)
    if attention == "causal":
        assert np.triu(result[layer], 1).max() < 1e-4
    assert result[layer][-1, key] > 0


def test_value_zeroing_comes_in_pieces_and_says_what_it_costs(
    tiny: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, written = pair(tiny)
    whole = value_zeroing(tiny, source, written, "cross")
    layers, keys = tiny.config.decoder_layers, len(source)
    cost = layers * (keys + 1) * len(written)
    assert experiment.zeroing_cost(tiny.config, len(source), len(written), "cross") == cost
    monkeypatch.setattr(experiment, "_TOKENS_AT_ONCE", 2 * len(written))
    steps = list(experiment.value_zeroing_steps(tiny, source, written, "cross"))
    assert len(steps) == layers * (1 + -(-(keys + 1) // 2)), "a turn for every two copies of a layer"
    np.testing.assert_allclose([rows for _, rows in steps if rows is not None], whole, atol=1e-4)


# -- padding ----------------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
def test_padding_contributes_nothing(kind: Checkpoint) -> None:
    source, written = pair(kind)
    trace = experiment.record(kind, [*source, *[kind.config.source_padding] * 2], written)
    assert experiment.gap(kind.model, trace) <= 1e-5
    layers = experiment.layers(kind.model, trace, "cross")
    for layer in layers:
        assert analysis.weighted_norms(layer)[:, :, len(source) :].max() == 0.0
        assert analysis.alti(layer)[:, len(source) : -1].max() < 1e-9
    whole = experiment.alti_plus(experiment.layers_by_kind(kind.model, trace))
    assert whole[:, len(source) : len(source) + 2].max() < 1e-9


# -- lenses -----------------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
def test_the_last_lens_is_the_models_output_exactly(kind: Checkpoint) -> None:
    source, written = pair(kind)
    logits = passed(kind, source, written)
    result = logit_lens(kind, source, written)
    assert np.array_equal(result.logits, logits.numpy())
    probability = logits.softmax(-1)
    never = sorted({kind.config.pad_id, kind.config.bos_id})
    share = probability.clone()
    share[:, never] = -1
    assert result.top.shape == (kind.config.decoder_layers + 1, len(written), 5)
    for t, token in enumerate(written):
        order = sorted(range(share.shape[1]), key=lambda each: -float(share[t, each]))
        assert result.top[-1, t].tolist() == order[:5]
        assert result.rank[-1, t] == 1 + sum(float(p) > float(probability[t, token]) for p in share[t])
        assert result.written[-1, t] == pytest.approx(float(probability[t, token]), abs=1e-6)


@pytest.mark.sampled(3)
def test_an_early_lens_is_the_model_without_the_layers_above(kind: Checkpoint) -> None:
    """The same read another way: everything that the last decoder layer adds taken out of the stream."""
    if kind.config.norm_placement != "pre":
        pytest.skip("a post-norm layer cannot be passed by")
    source, written = pair(kind)
    nothing = {f"decoder.1.{block}.output": torch.zeros_like for block in ("self", "cross", "ffn")}
    probability = passed(kind, source, written, Hooks(edit=nothing)).softmax(-1)  # type: ignore[arg-type]
    result = logit_lens(kind, source, written)
    expected = [float(probability[t, token]) for t, token in enumerate(written)]
    np.testing.assert_allclose(result.written[1], expected, atol=1e-5)


@pytest.mark.sampled(3)
def test_decoding_from_the_top_of_the_encoder_is_the_translation(kind: Checkpoint) -> None:
    source = kind.encode_source("abc def.")
    ladder = decoder_lens(kind, source)
    assert len(ladder) == kind.config.encoder_layers + 1
    assert ladder[-1] == translate_batch(kind.model, [source])[0]
    if kind.config.norm_placement == "pre":
        nothing = {f"encoder.1.{block}.output": torch.zeros_like for block in ("self", "ffn")}
        with torch.inference_mode():
            memory = kind.model.encode(torch.tensor([source]), Hooks(edit=nothing))  # type: ignore[arg-type]
            state, tokens = (
                kind.model.start(memory, torch.tensor([source])),
                torch.tensor([kind.config.bos_id]),
            )
            for token in ladder[1][:5]:
                logits = kind.model.step(tokens, state)[0]
                logits[[kind.config.pad_id, kind.config.bos_id]] = -torch.inf
                assert int(logits.argmax()) == token
                tokens = torch.tensor([token])


def test_cross_attention_that_adds_nothing_contributes_nothing(tiny: Checkpoint) -> None:
    source, written = pair(tiny)
    for layer in experiment.layers(tiny.model, experiment.record(tiny, source, written), "cross"):
        assert analysis.alti(replace(layer, values=layer.values * 0))[:, :-1].max() == 0.0


ROOT = Path(__file__).parents[3]
TEXT = "abc de ||| ab c de ||| 1-1 1-2 2p3\nface ja ||| ja ice ||| 2-1 1p2\na ||| b ||| 1-1\n"


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_every_head_and_reading_is_that_of_the_command(build: Callable[..., Checkpoint], norm: str) -> None:
    checkpoint = build(norm_placement=norm)
    file = from_lines("g", TEXT)
    *_, last = stages = list(gold_survey(checkpoint, file))
    assert [(stage.done, stage.total) for stage in stages] == [(1, 3), (2, 3), (3, 3)]
    each = list(contributions.measure_contributions(checkpoint, file.pairs, file.gold))
    total = sum(each[1:], each[0])
    np.testing.assert_equal(vars(total), vars(last.counts["weight"]))
    assert len(last.sentences["weight"]) == 3 and not stages[1].sentences
    rows = contributions.best_first(each, last.baselines)
    assert len(rows) == 2 * checkpoint.config.decoder_layers * checkpoint.config.heads + 2
    for row in rows:
        assert row["n"] == 3 and row["aer_low"] <= row["aer"] <= row["aer_high"]
        if row["reading"] in last.baselines:
            assert row["layer"] == row["head"] == ""
            continue
        result = last.counts["weight"].of(row["reading"], row["layer"], row["head"])
        assert (result.aer, result.predicted) == (pytest.approx(row["aer"]), row["links"])
        np.testing.assert_allclose([result.precision, result.recall], [row["precision"], row["recall"]])


def test_an_aligner_that_learnt_from_more_text_is_stored_with_its_gold_file(tmp_path: Path) -> None:
    """Seven pairs tell what one pair leaves open; what is stored is of this gold file alone, and damage is one sentence."""
    file = from_lines("g", "x y ||| a b ||| 1-2 2-1\n")
    more = [("x", "b"), ("y", "a"), ("x z", "b c")] * 2
    found = aligner.trained(file, more, "a corpus")
    assert found.pairs == 6 and found.counts.tolist() == [[2, 2, 2, 2]]
    assert contributions.baseline_counts(file.pairs, file.gold)["ibm1"].tolist() == [[2, 2, 1, 1]]
    assert contributions.baseline_counts(file.pairs, file.gold, found)["ibm1"] is found.counts
    aligner.store(tmp_path / aligner.RESULTS, file, found)
    back = aligner.stored(tmp_path, file)
    assert back is not None and back[:2] == ("a corpus", 6) and back.counts.tolist() == found.counts.tolist()
    assert aligner.stored(tmp_path, from_lines("g", "x ||| a ||| 1-1\n")) is None
    assert aligner.stored(tmp_path / "nothing", file) is None
    text = (tmp_path / aligner.RESULTS).read_text()
    for damage in (
        text[:-9],
        text.replace("[[2, 2, 2, 2]]", "[[2, 1, 2, 2]]"),
        text.replace(": 6,", ": -6,"),
    ):
        write(tmp_path / aligner.RESULTS, damage)
        with pytest.raises(CheckpointError, match="write it again"):
            aligner.stored(tmp_path, file)


def test_contributions_are_those_of_a_full_record(build: Callable[..., Checkpoint]) -> None:
    checkpoint = build()
    file = from_lines("g", TEXT.splitlines()[0])
    *_, last = gold_survey(checkpoint, file)
    ids = [checkpoint.encode_source("abc de"), checkpoint.target_tokenizer.encode("ab c de")]
    trace = contributions.record(checkpoint, *ids)
    shares = by_contribution(contributions.layers(checkpoint.model, trace, "cross"))
    expected = counted(shares, axes_of(checkpoint, *ids, *file.pairs[0]), file.gold[0])
    for reading in READINGS:
        np.testing.assert_equal(
            last.counts["contribution"].rates(reading, "aer"), expected.rates(reading, "aer")
        )


def test_sentences_that_cannot_be_read_are_left_out_by_name(build: Callable[..., Checkpoint]) -> None:
    checkpoint = build()
    long = "a " * 60
    *_, last = gold_survey(checkpoint, from_lines("g", f"{long}||| b ||| 1-1\n{TEXT}"))
    assert last.total == 3 and [number for number, _ in last.left_out] == [1]
    assert "tokens long" in last.left_out[0][1]
    with pytest.raises(InputError, match="no sentence of the gold file. Line 1: The sentence is"):
        list(gold_survey(checkpoint, from_lines("g", f"{long}||| b ||| 1-1")))


@pytest.fixture(scope="module", params=["en-fr", "de-en"])
def shipped(request: pytest.FixtureRequest) -> tuple[Checkpoint, GoldFile, GoldSurvey]:
    """A shipped model, its own gold file, and every head against it."""
    folder = ROOT / "checkpoints" / request.param
    checkpoint = load(folder, device="cpu")
    file = from_lines(request.param, (folder / "gold.txt").read_text("utf-8"))
    *_, last = gold_survey(checkpoint, file)
    return checkpoint, file, last


@pytest.mark.thorough
def test_the_figures_of_the_docs_are_those_of_the_shipped_models(
    shipped: tuple[Checkpoint, GoldFile, GoldSurvey],
) -> None:
    """AER by layer in both readings, the best head and its reading, and all layers together in that."""
    _, file, last = shipped
    counts = last.counts["weight"]
    text = " ".join((ROOT / "docs" / "screens.md").read_text("utf-8").split())
    rates = {each: counts.rates(each, "aer") for each in READINGS}
    best = min(READINGS, key=lambda each: rates[each].min())
    layer, head = (int(position) for position in np.unravel_index(rates[best].argmin(), rates[best].shape))
    cells = [
        f"`{file.name}`",
        *(" ".join(short(value) for value in counts.by_layer(each)) for each in READINGS),
        f"{layer}.{head} {STEPS[best]}, {short(rates[best].min())}",
        " ".join(short(counts.of(each, None, None).aer) for each in READINGS),
    ]
    assert f"| {' | '.join(cells)} |" in text
    assert last.total == len(file.pairs) >= 12 and not last.left_out


def test_what_the_lesson_says_of_the_two_models_holds(
    shipped: tuple[Checkpoint, GoldFile, GoldSurvey],
) -> None:
    """Of en-fr the aligner is lost where a word is fed back, and none there is near it; of de-en the best align there alone."""
    _, file, last = shipped
    predicted, fed_back = (last.counts["weight"].rates(each, "aer") for each in READINGS)
    if file.name == "en-fr":
        assert fed_back[predicted == predicted.min()].min() > 0.8
        assert fed_back.min() > 0.35 > 0.2 > predicted.min()
    else:
        best = fed_back < 0.1
        assert best.any() and predicted.min() > 2 * fed_back[best].max() and predicted[best].min() > 0.6


def short(value: float) -> str:
    return f"{value:.2f}".lstrip("0")


@pytest.mark.sampled(1)
def test_aer_by_layer_is_that_of_links_counted_by_hand(
    shipped: tuple[Checkpoint, GoldFile, GoldSurvey],
) -> None:
    """From the weights, the letters of the labels and the text of the gold file alone."""
    checkpoint, file, last = shipped
    text = (ROOT / "checkpoints" / file.name / "gold.txt").read_text("utf-8").strip().split("\n")
    layers = checkpoint.config.decoder_layers
    result, right, sure = np.zeros((2, layers)), np.zeros((2, layers)), 0
    for line in text:
        source, target, links = line.split(" ||| ")
        gold = re.findall(r"(\d+)([-p])(\d+)", links)
        possible = {(int(s) - 1, int(t) - 1) for s, _, t in gold}
        surely = {(int(s) - 1, int(t) - 1) for s, mark, t in gold if mark == "-"}
        sure += len(surely)
        seen = trace(checkpoint, source, target, record=("*.cross.weights",))
        rows, columns = of_words(seen.tokens.written, target), of_words(seen.tokens.source, source)
        for layer in range(layers):
            weights = np.mean(seen.array(f"decoder.{layer}.cross.weights"), axis=0)
            for reading, late in enumerate((0, 1)):
                for word in range(len(target.split())):
                    mean = np.mean([weights[t + late] for t, own in enumerate(rows) if own == word], axis=0)
                    given = [
                        mean[[own == each for own in columns]].sum() for each in range(len(source.split()))
                    ]
                    if max(given) > mean[-1]:
                        link = int(np.argmax(given)), word
                        result[reading, layer] += 1
                        right[reading, layer] += (link in surely) + (link in possible)
    for reading, each in enumerate(READINGS):
        expected = 1 - right[reading] / (result[reading] + sure)
        np.testing.assert_allclose(last.counts["weight"].by_layer(each), expected, atol=1e-12)


def of_words(labels: tuple[str, ...], text: str) -> list[int]:
    """The word between spaces of each label, −1 for special tokens, by counting letters."""
    letters = [number for number, word in enumerate(text.split()) for _ in word]
    numbers, taken = [], 0
    for label in labels:
        special = label.startswith("⟨")
        numbers.append(-1 if special else letters[taken])
        taken += 0 if special else len(label.replace("·", "").replace("␣", "").replace("▁", ""))
    assert taken == len(letters)
    return numbers
