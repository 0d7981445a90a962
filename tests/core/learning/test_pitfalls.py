"""Every pitfall shows its symptom in numbers, the correct model beside it shows none, and neither changes the model."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch

from core.api import Checkpoint, save, trace
from core.errors import InputError
from core.learning import pitfalls
from core.learning.map_pitfalls import SeenBeam, leaking
from core.learning.mistakes import IDS, PITFALLS, mistake
from core.learning.pitfalls import HeadsAttendHeads, merged_in_rows, pitfall, split_view, swapped
from core.learning.stream_pitfalls import NOT_AT_THE_INPUT, doubled_table, in_the_branch, unbiased, with_norms
from core.learning.study import Number, Sentence, Study, greedy, in_language, run_ids, run_sentence
from core.model.config import PRESETS, ModelConfig
from core.model.layers import Norm

SOURCE, TARGET = "abc def.", "bad cafe"
HEADS, WIDTH = 4, 32
SIZE = WIDTH // HEADS


@pytest.fixture(scope="module")
def sentence(tiny: Checkpoint) -> Sentence:
    return Sentence.of(trace(tiny, SOURCE, TARGET), tiny.target_tokenizer.labels)


@pytest.fixture(scope="module")
def study(tiny: Checkpoint, sentence: Sentence) -> Callable[[str], Study]:
    return lambda name: pitfall(name).study(tiny.model, sentence)


def number(study: Study, start: str) -> Number:
    (one,) = [each for each in study.numbers if in_language(each.what).startswith(start)]
    return one


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def test_all_eighteen_are_there_in_words_of_their_own() -> None:
    assert len(set(IDS)) == 18
    for each in PITFALLS:
        assert each.title and each.found_in and len(each.explanation) > 200 and each.see and each.test
        assert 3 <= len(each.sketch.splitlines()) <= 5, each.id
    with pytest.raises(InputError, match="no pitfall 'x'; choose one of head-split-view"):
        mistake("x")


@pytest.mark.parametrize("name", IDS)
def test_the_correct_side_is_the_model_itself_and_nothing_in_it_changes(
    tiny: Checkpoint, sentence: Sentence, name: str
) -> None:
    before = {key: value.clone() for key, value in tiny.model.state_dict().items()}
    classes = [type(part) for part in tiny.model.modules()]
    result = pitfall(name).study(tiny.model, sentence)
    assert [type(part) for part in tiny.model.modules()] == classes
    assert all(torch.equal(value, before[key]) for key, value in tiny.model.state_dict().items())
    for each in (result.right, result.wrong):
        assert each.values.shape == (len(each.rows), len(each.columns))
        drawn = each.values[~np.isnan(each.values).all(1)]
        assert ((drawn >= 0) & (drawn <= 1 + 1e-6)).all()
    rows = result.right.values.sum(-1)
    assert np.allclose(rows[rows > 0], 1, atol=1e-5)
    assert result.shapes and len(result.numbers) >= 2
    assert any(each.right != each.wrong for each in result.numbers)
    full = trace(tiny, SOURCE, TARGET)
    if name not in (
        "merge-without-transpose",
        "pe-exponent-doubled",
        "target-padding-unmasked",
        "masked-row-nan",
    ) and name not in (
        *("dropout-after-norm", "cross-qkv-swapped", "beams-not-reordered", "alignment-layer-ignored"),
    ):
        stack, block = {
            "encoder": ("encoder", "self"),
            "causal": ("decoder", "self"),
            "cross": ("decoder", "cross"),
        }[result.right.kind]
        layer, head = map(int, in_language(result.right.where).rpartition(" ")[2].split("."))
        assert np.allclose(result.right.values, full.weights(stack, block)[layer, head], atol=1e-6)


def test_heads_cut_without_a_transpose(
    tiny: Checkpoint, sentence: Sentence, study: Callable[[str], Study]
) -> None:
    """Against plain numpy: the projected rows dealt out in reading order."""
    run = run_sentence(tiny.model, sentence, split_view())
    layer, length = tiny.model.encoder_layers[0], len(sentence.source_ids)
    x = run_sentence(tiny.model, sentence, record=("encoder.embed.sum",)).embedded("sum")
    q, k = (
        (x @ getattr(layer.self_attention, f"{name}_proj").weight.numpy().T
         + getattr(layer.self_attention, f"{name}_proj").bias.numpy()).reshape(HEADS, length, SIZE)
        for name in "qk"
    )  # fmt: skip
    expected = softmax(q @ k.transpose(0, 2, 1) / math.sqrt(SIZE))
    assert np.allclose(run.maps("encoder")[0], expected, atol=1e-5)
    rows = number(study("head-split-view"), "query rows")
    # The last word's H parts are the parts t·H … t·H + H − 1 in reading order; n stands at row n % T of head n // T.
    word = length - 2
    own = sum((word * HEADS + part) % length == word for part in range(HEADS))
    assert (rows.right, rows.wrong) == (0, HEADS - own) and rows.wrong > 0


def test_heads_attend_to_heads(tiny: Checkpoint, sentence: Sentence, study: Callable[[str], Study]) -> None:
    fault = HeadsAttendHeads(tiny.config)
    record = ("encoder.0.self.q", "encoder.0.self.k")
    run = run_sentence(tiny.model, sentence, fault.edits(), record)
    q, k = (run.first("encoder", kind).transpose(1, 0, 2) for kind in "qk")  # (T, H, d_h)
    expected = softmax(q @ k.transpose(0, 2, 1) / math.sqrt(SIZE))
    weights = fault.weights["encoder"][0][0].numpy()
    assert weights.shape == (len(sentence.source_ids), HEADS, HEADS) and np.allclose(
        weights, expected, atol=1e-6
    )
    result = study("heads-attend-heads")
    assert result.wrong.values.shape == (HEADS, HEADS)
    assert np.allclose(result.wrong.values, expected[1], atol=1e-6)
    reach = number(result, "largest change at other words")
    assert reach.right > 1e-3 and reach.wrong == 0
    assert f"({1}, {HEADS}, {9}, {9})" in in_language(
        result.shapes[1].right
    ) and f"(1, 9, {HEADS}, {HEADS})" in in_language(result.shapes[1].wrong)


def test_heads_merged_without_a_transpose(
    tiny: Checkpoint, sentence: Sentence, study: Callable[[str], Study]
) -> None:
    result, length = study("merge-without-transpose"), len(sentence.source_ids)
    expected = np.zeros((length, length))
    for row in range(length):
        for part in range(HEADS):  # (H, T, d_h) in reading order: part n is token n % T of head n // T
            expected[row, (row * HEADS + part) % length] += 1 / HEADS
    assert np.allclose(result.wrong.values, expected) and np.array_equal(result.right.values, np.eye(length))
    own = number(result, "a row’s own token")
    assert own.right == 1 and own.wrong == pytest.approx(np.diag(expected).mean())
    assert number(result, "largest change of the first layer").wrong == 0
    assert number(result, "largest change of a logit").wrong > 0.01
    record = ("encoder.0.self.head_output", "encoder.0.self.output")
    plain = run_sentence(tiny.model, sentence, record=record).first("encoder", "head_output")
    wrong = run_sentence(tiny.model, sentence, merged_in_rows(), record).first("encoder", "output")
    projection = tiny.model.encoder_layers[0].self_attention.output_proj
    rows = plain.reshape(length, WIDTH) @ projection.weight.numpy().T + projection.bias.numpy()
    assert np.allclose(wrong, rows, atol=1e-5)


def test_scores_over_the_root_of_d_model(study: Callable[[str], Study]) -> None:
    result = study("scale-by-d-model")
    ratio = number(result, "the first, in units")
    assert (ratio.right, ratio.wrong) == (1, pytest.approx(math.sqrt(HEADS), rel=1e-4))
    entropies = number(result, "mean entropy")
    assert entropies.wrong > entropies.right
    assert result.shapes[1].wrong == f"√d_model = √{WIDTH}" and result.shapes[1].right == f"√d_h = √{SIZE}"


def test_cross_attention_the_wrong_way_round(
    tiny: Checkpoint, sentence: Sentence, study: Callable[[str], Study]
) -> None:
    result = study("cross-qkv-swapped")
    assert result.wrong.rows == sentence.source and result.wrong.columns == sentence.target
    moves = number(result, "change of the first step")
    assert moves.right == 0 and moves.wrong > 1e-4
    assert np.allclose(result.wrong.values.sum(-1), 1, atol=1e-5)
    shorter = Sentence.of(trace(tiny, SOURCE, "bad"), tiny.target_tokenizer.labels)
    assert "must match the size" in in_language(
        pitfall("cross-qkv-swapped").study(tiny.model, shorter).python_says
    )
    assert swapped(tiny.model).output_proj is tiny.model.output_proj


def test_embeddings_without_the_scale(study: Callable[[str], Study]) -> None:
    result = study("no-embedding-scale")
    ratio, sameness = result.numbers[0], number(result, "how far the first layer")
    assert ratio.right / ratio.wrong == pytest.approx(math.sqrt(WIDTH), rel=1e-5)
    assert sameness.wrong < sameness.right / 2


def test_the_exponent_doubled(tiny: Checkpoint, sentence: Sentence, study: Callable[[str], Study]) -> None:
    length = len(sentence.source_ids)
    table = doubled_table(tiny.config, length)
    for position in range(length):
        for even in range(0, WIDTH, 2):  # as the faulty line has it
            angle = position / 10000 ** (2 * even / WIDTH)
            assert table[position, even] == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[position, even + 1] == pytest.approx(math.cos(angle), abs=1e-6)
    result = study("pe-exponent-doubled")
    constant, similar = result.numbers[:2]
    assert constant.wrong > 0.5 > constant.right and similar.wrong > similar.right
    assert np.allclose(result.wrong.values, softmax(table @ table.T / math.sqrt(WIDTH)), atol=1e-6)


def sinusoids(length: int, width: int) -> torch.Tensor:
    """(length, width), sine and cosine in turn."""
    angles = torch.arange(length).float()[:, None] / 10000 ** (torch.arange(0, width, 2).float() / width)
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1, 2)


def test_positions_in_the_feed_forward_branch_alone(
    tiny: Checkpoint, sentence: Sentence, study: Callable[[str], Study]
) -> None:
    """The faulty layers against plain torch from the model's parameters; and what is said of the stream."""
    length = len(sentence.source_ids)
    twin = in_the_branch(tiny.model, length)
    run = run_sentence(twin, sentence, NOT_AT_THE_INPUT, ("encoder.*.ffn.norm_output",))
    state, positions = tiny.model.state_dict(), sinusoids(length, WIDTH)

    def linear(x: torch.Tensor, name: str) -> torch.Tensor:
        return x @ state[f"{name}.weight"].T + state[f"{name}.bias"]

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = (state[f"{name}.norm.{part}"] for part in ("weight", "bias"))
        return torch.nn.functional.layer_norm(x, (WIDTH,), weight, bias, tiny.config.norm_eps)

    def network(x: torch.Tensor, at: str) -> torch.Tensor:
        up = torch.relu(linear(x + positions, f"{at}.feed_forward.up_proj"))
        return linear(up, f"{at}.feed_forward.down_proj")

    x = state["source_embedding.table"][list(sentence.source_ids)] * math.sqrt(WIDTH)
    for layer in range(2):
        at = f"encoder_layers.{layer}"
        h = network(x, at)
        q, k, v = (
            linear(h, f"{at}.self_attention.{name}_proj").reshape(length, HEADS, SIZE).transpose(0, 1)
            for name in "qkv"
        )
        mixed = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(SIZE), dim=-1) @ v
        mixed = linear(mixed.transpose(0, 1).reshape(length, WIDTH), f"{at}.self_attention.output_proj")
        x = norm(x + mixed, f"{at}.self_residual")
        x = norm(x + network(x, at), f"{at}.ffn_residual")
        assert np.allclose(run.stream(layer), x.numpy(), atol=1e-5)

    entering, _, random, _ = study("pe-in-feed-forward").numbers
    embedded = run_sentence(tiny.model, sentence, record=("encoder.embed.sum",)).embedded("sum")
    centred = embedded - embedded.mean(0), (positions - positions.mean(0)).numpy()
    cosines = [a @ b / (np.linalg.norm(a) * np.linalg.norm(b)) for a, b in zip(*centred, strict=True)]
    assert entering.right == pytest.approx(np.mean(cosines), abs=1e-5)
    assert abs(random.wrong) < 0.05 < 0.2 < random.right
    assert twin.encoder_layers[0].feed_forward is tiny.model.encoder_layers[0].feed_forward


@pytest.mark.parametrize("name", ["no-causal-mask", "mask-leaks"])
def test_a_mask_that_is_missing_or_leaks(
    sentence: Sentence, study: Callable[[str], Study], name: str
) -> None:
    result, length = study(name), len(sentence.target_ids)
    future, moves = result.numbers[:2]
    assert future.right == 0 and future.wrong > 0.01 and moves.right == 0 and moves.wrong > 1e-5
    assert np.triu(result.right.values, 1).max() == 0 and np.triu(result.wrong.values, 1).max() > 0
    assert result.shapes[1].right == f"{length * (length + 1) // 2} / {length**2}"
    assert result.shapes[1].wrong == f"{length**2} / {length**2}"


def test_a_leaking_mask_gives_a_forbidden_key_e_to_the_zero(tiny: Checkpoint, sentence: Sentence) -> None:
    record = ("decoder.0.self.scores",)
    run = run_sentence(tiny.model, sentence, leaking(), record)
    scores = run.first("causal", "scores")
    future = np.triu(np.ones(scores.shape[-2:], bool), 1)
    assert np.allclose(run.maps("causal")[0], softmax(np.where(future, 1e-9, scores)), atol=1e-6)


def test_padding_of_the_target_in_sight(sentence: Sentence, study: Callable[[str], Study]) -> None:
    result, length = study("target-padding-unmasked"), len(sentence.target_ids)
    of_pads, of_words, pad_logits, word_logits = result.numbers
    assert of_pads.right == 0 and of_pads.wrong > 0.05 and of_words.right == of_words.wrong == 0
    assert pad_logits.wrong > 1e-4 and word_logits.wrong < 1e-5
    assert result.wrong.columns[length:] == ("<pad>",) * 3 and result.wrong.values[length:, length:].max() > 0


def test_a_mask_has_no_truth_value(sentence: Sentence, study: Callable[[str], Study]) -> None:
    result = study("mask-truth-value")
    assert "Boolean value of Tensor with more than one value is ambiguous" in in_language(result.python_says)
    rows, skipped = result.numbers
    assert (rows.right, rows.wrong) == (len(sentence.target_ids), 0) and np.isnan(result.wrong.values).all()
    assert (skipped.right, skipped.wrong) == (0, 1)


def test_a_row_with_nothing_to_attend_to(
    tiny: Checkpoint, sentence: Sentence, study: Callable[[str], Study]
) -> None:
    result = study("masked-row-nan")
    first, last = result.numbers
    length = len(sentence.source_ids) + 1
    assert (first.right, first.wrong, last.right, last.wrong) == (0, 1, 0, length)
    assert np.isnan(result.wrong.values[-1]).all() and not np.isnan(result.wrong.values[:-1]).any()
    assert (result.right.values[-1] == 0).all()


def test_dropout_on_the_norm(study: Callable[[str], Study]) -> None:
    zeros, deviation, mean = study("dropout-after-norm").numbers
    assert zeros.right == 0 and zeros.wrong == pytest.approx(0.3, abs=0.1)
    assert deviation.right < 1e-3 < 0.02 < deviation.wrong and mean.right < 1e-3 < 0.01 < mean.wrong


def test_the_unbiased_deviation(tiny: Checkpoint, study: Callable[[str], Study]) -> None:
    result = study("std-plus-eps")
    for each in result.numbers[:-2]:
        width = int(in_language(each.what).rpartition(" ")[2])
        assert each.wrong == pytest.approx(1 - math.sqrt((width - 1) / width), abs=1e-4)
    assert result.numbers[-1].wrong > 1e-4
    norm = tiny.model.encoder_layers[0].self_residual.norm
    x = torch.randn(2, 3, WIDTH, generator=torch.Generator().manual_seed(0))
    expected = norm.weight * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + norm.bias
    assert torch.allclose(unbiased(norm)(x), expected, atol=1e-6)
    twin = with_norms(tiny.model, unbiased)
    assert {part.formula for part in twin.modules() if isinstance(part, Norm)} == {"layer_unbiased_std"}
    assert {part.formula for part in tiny.model.modules() if isinstance(part, Norm)} == {"layer"}


def test_axes_swapped(sentence: Sentence, study: Callable[[str], Study]) -> None:
    result = study("axes-swapped")
    assert np.array_equal(result.wrong.values, result.right.values.T)
    assert (result.wrong.rows, result.wrong.columns) == (sentence.source, sentence.written)
    low, high = result.numbers
    assert low.right == pytest.approx(1, abs=1e-5) and high.right == pytest.approx(1, abs=1e-5)
    assert low.wrong < 0.99 and high.wrong > 1.01


def test_beams_whose_attention_was_not_reordered(
    tiny: Checkpoint, sentence: Sentence, study: Callable[[str], Study]
) -> None:
    result = study("beams-not-reordered")
    rows, far = result.numbers
    assert rows.right == 0 and rows.wrong > 0 and far.right < 1e-5 and far.wrong > 1e-4
    seen = SeenBeam(tiny.model, sentence.source_ids, 8)
    for node in seen.search.beam.hypotheses():
        target = [tiny.config.bos_id, *seen.search.beam.ids(node)[:-1]]
        full = run_ids(tiny.model, sentence.source_ids, target).maps("cross")
        assert np.allclose(seen.stacked(seen.slots(node)), full, atol=1e-5)


def test_an_alignment_layer_ignored(tiny: Checkpoint, study: Callable[[str], Study]) -> None:
    result = study("alignment-layer-ignored")
    differ, from_asked = result.numbers
    assert differ.right > 1e-3 and differ.wrong == 0 and from_asked.wrong == pytest.approx(differ.right)
    mean = trace(tiny, SOURCE, TARGET).weights("decoder", "cross").mean(1).numpy()
    assert np.allclose(result.right.values, mean[0], atol=1e-6) and np.allclose(
        result.wrong.values, mean[-1], atol=1e-6
    )


@pytest.mark.parametrize(
    ("name", "options", "why"),
    [
        ("head-split-view", {"heads": 1}, "single head"),
        ("scale-by-d-model", {"score_scale": "model"}, "never divides"),
        ("no-embedding-scale", {"embedding_scale": False}, "without the scale"),
        ("pe-exponent-doubled", {"positions": "learned"}, "positions are not sinusoids"),
        ("pe-in-feed-forward", {"positions": "relative_buckets"}, "adds no positions"),
        ("dropout-after-norm", {"norm_placement": "pre"}, "before its sub-layers"),
        ("std-plus-eps", {"norm_formula": "rms"}, "do not use the formula"),
        ("alignment-layer-ignored", {"decoder_layers": 1}, "single decoder layer"),
    ],
)
def test_a_model_that_cannot_show_a_pitfall_says_why(name: str, options: dict[str, object], why: str) -> None:
    config = ModelConfig(source_vocab_size=9, target_vocab_size=9, **{"d_model": 16, "heads": 2, **options})  # type: ignore[arg-type]
    assert why in pitfall(name).unfit(config)


@pytest.mark.sampled(3)
def test_every_kind_of_model_shows_what_it_can(kind: Checkpoint) -> None:
    sentence = Sentence.of(trace(kind, SOURCE, TARGET), kind.target_tokenizer.labels)
    shown = [each for each in IDS if not pitfall(each).unfit(kind.config)]
    assert len(shown) >= 12
    for each in shown:
        study = pitfall(each).study(kind.model, sentence)
        assert any(one.right != one.wrong for one in study.numbers), each


def test_the_paper_s_model_can_show_every_pitfall() -> None:
    config = ModelConfig.from_json(dict(PRESETS["paper"]))
    assert [pitfall(each).unfit(config) for each in IDS] == [""] * len(IDS)


def test_a_faulty_model_is_never_stored_as_one(
    tiny: Checkpoint, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What can be saved of a variant are the weights of the correct model, which then load as the correct model."""
    from core.api import load

    folder = tmp_path_factory.mktemp("variants") / "faulty"
    twin = with_norms(swapped(tiny.model), unbiased)
    save(folder, twin, tiny.source_tokenizer, tiny.target_tokenizer, tiny.card, dtype="float32")
    loaded = load(folder, device="cpu")
    ids = torch.tensor([[4, 5, 6, 2]]), torch.tensor([[1, 7, 8]])
    with torch.inference_mode():
        assert torch.allclose(loaded.model(*ids), tiny.model(*ids), atol=1e-5)


def test_what_a_faulty_model_writes_starts_as_its_first_logits_say(tiny: Checkpoint) -> None:
    sentence = Sentence.of(trace(tiny, "I am tired."), tiny.target_tokenizer.labels)
    for name in IDS:
        if pitfall(name).unfit(tiny.config):
            continue
        written = pitfalls.output(name, tiny.model, sentence)
        assert bool(written.ids) + bool(written.problem) + written.same == 1, name
        assert len(written.ids) <= len(sentence.target_ids) + pitfalls.BEYOND
    assert pitfalls.output("axes-swapped", tiny.model, sentence).same
    assert "NaN" in pitfalls.output("masked-row-nan", tiny.model, sentence).problem
    assert "error" in pitfalls.output("mask-truth-value", tiny.model, sentence).problem


def test_without_a_mistake_the_same_search_writes_the_translation(tiny: Checkpoint) -> None:
    sentence = Sentence.of(trace(tiny, "I am tired."), tiny.target_tokenizer.labels)
    made = greedy(
        tiny.model,
        lambda target: run_ids(tiny.model, sentence.source_ids, target).logits[-1],
        len(sentence.target_ids),
    )
    assert made.ids[: len(sentence.target_ids) - 1] == sentence.target_ids[1:]
