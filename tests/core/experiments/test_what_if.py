"""Edits do what they say, on every kind of model: each is held against the same done by hand, another way.

Swapped positions and removed norms, on the shipped model: the claims that open Positions and Norms.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core import api
from core.analysis.norms import RECORD, stream_table, sublayers
from core.api import Checkpoint, load
from core.decoding.search import translate_batch
from core.decoding.session import DecodeSession
from core.errors import InputError
from core.experiments.edits import Edits, SwapPositions
from core.experiments.intervention import Reference, dragged, hook_edits, names_no_target_row
from core.experiments.lenses import passing_norms, without_norms
from core.experiments.what_if import (
    NEAREST,
    Pass,
    WhatIf,
    _greedy_again,
    candidates,
    greedy_by_steps,
    mean_outputs,
    padded,
    rewrite,
    swap_costs,
    what_if,
)
from core.experiments.what_if import passed as passed_under
from core.model.hooks import ATTENTION, Hooks, Site
from core.model.trace import Trace
from tests.core.conftest import KINDS, passed

SOURCE = "abc def."
SITES = {key: (kind.stack, kind.block) for key, kind in ATTENTION.items()}


def ids(checkpoint: Checkpoint) -> tuple[list[int], list[int]]:
    source = checkpoint.encode_source(SOURCE)
    return source, checkpoint.target_tokenizer.encode("bad cafe")


def run(checkpoint: Checkpoint, text: str, reference: Reference | None = None) -> WhatIf:
    source, written = ids(checkpoint)
    return what_if(checkpoint, source, written, Edits.parse(text), reference or Reference())


def recorded(checkpoint: Checkpoint, text: str, *record: str) -> dict[Site, torch.Tensor]:
    """What a pass under the edits records, batch taken off."""
    source, written = ids(checkpoint)
    edits = Edits.parse(text)
    hooks = Hooks(record, hook_edits(checkpoint.model, edits, len(source)))
    passed(checkpoint, [*source, *[checkpoint.config.source_padding] * edits.padding], written, hooks)
    return {site: tensor[0] for site, tensor in hooks.records.items()}


def edited(checkpoint: Checkpoint, text: str) -> Pass:
    """One pass under the edits, without writing again."""
    return passed_under(checkpoint, *ids(checkpoint), Edits.parse(text))


def changed_model(checkpoint: Checkpoint, change: Any) -> Checkpoint:
    """The same checkpoint with a copy of its model that `change` has changed in place."""
    model = copy.deepcopy(checkpoint.model)
    with torch.no_grad():
        change(model)
    return Checkpoint(model, checkpoint.source_tokenizer, checkpoint.target_tokenizer, checkpoint.card)


def attention_of(model: Any, key: str, layer: int) -> Any:
    if key == "encoder":
        return model.encoder_layers[layer].self_attention
    return getattr(model.decoder_layers[layer], "self_attention" if key == "causal" else "cross_attention")


# -- nothing changed ------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
def test_without_edits_before_and_after_are_one(kind: Checkpoint) -> None:
    result = run(kind, "")
    assert result.after is result.before and result.change == 0.0
    assert result.rewritten == result.unedited == tuple(translate_batch(kind.model, [ids(kind)[0]])[0])


@pytest.mark.sampled(3)
def test_the_next_word_is_the_models_own(kind: Checkpoint) -> None:
    source, written = ids(kind)
    logs = passed(kind, source, written).log_softmax(-1).double()
    expected = [float(logs[t, token]) for t, token in enumerate(written)]
    np.testing.assert_allclose(run(kind, "").next_word("before"), expected, atol=1e-5)


@pytest.mark.parametrize("text", ["zc0-1", "me1", "h2", "ps0-2_zd0-0"])
def test_the_guess_changes_nothing(build: Any, text: str) -> None:
    checkpoint = build()
    source, written = ids(checkpoint)
    edits = Edits.parse(text)
    reference = Reference(mean_outputs(checkpoint, [SOURCE]))
    plain = rewrite(checkpoint, source, edits, (), reference)
    for guess in (
        written,
        plain,
        plain[:2],
        [*plain[:3], *written],
        translate_batch(checkpoint.model, [source])[0],
    ):
        assert rewrite(checkpoint, source, edits, guess, reference) == plain


BY_STEPS = ("", "zc", "zd0-1", "mc1", "ue_uc1-0", "fe1", "h1_h2", "o2", "we0-0-1-2-900", "ps0-2", "r7")
BY_ROWS = ("n", "fd0-1", "fc", "wd0-1-2-1-900", "wc0-1-2-1-900", "pt1-2", "rt5-4")


@pytest.mark.sampled(3)
def test_edits_that_name_no_row_write_the_same_step_by_step(kind: Checkpoint) -> None:
    source, written = ids(kind)
    patterns = {
        Site(SITES[key][0], layer, SITES[key][1], "weights"): torch.from_numpy(maps)
        for key, stack in passed_under(kind, source, written, Edits()).maps.items()
        for layer, maps in enumerate(stack)
    }
    reference = Reference(mean_outputs(kind, [SOURCE]), patterns)
    without_positions = kind.config.positions in ("relative_buckets", "rotary")
    for text in (*BY_STEPS, *BY_ROWS):
        edits = Edits.parse(text)
        assert names_no_target_row(edits) == (text in BY_STEPS), text
        if without_positions and text[:1] in ("p", "r"):
            continue
        changed = hook_edits(kind.model, edits, len(source), reference)
        again = _greedy_again(kind, padded(kind.model, source, edits), changed, 9, ())
        for guess in ((), written, again) if text in BY_STEPS else ():
            steps = greedy_by_steps(kind, padded(kind.model, source, edits), changed, 9, guess)
            assert steps == again, text


@pytest.mark.sampled(3)
def test_what_is_written_goes_on_where_the_pass_over_the_translation_ends(kind: Checkpoint) -> None:
    source = ids(kind)[0]
    plain = rewrite(kind, source, Edits())
    edits = Edits.parse("zc0-1")
    for written in (plain, plain[:3], [*plain[:2], 7, *plain[3:]]):
        result = what_if(kind, source, written, edits)
        assert result.unedited == tuple(plain)
        assert result.rewritten == tuple(rewrite(kind, source, edits))


# -- heads ----------------------------------------------------------------------------------------------------


@pytest.mark.sampled(6)
@pytest.mark.parametrize("key", list(SITES))
def test_a_head_without_output_is_a_model_without_its_projection(kind: Checkpoint, key: str) -> None:
    width = kind.config.of(SITES[key][0]).d_head

    def silence(model: Any) -> None:
        attention_of(model, key, 1).output_proj.weight[:, width : 2 * width] = 0.0

    result = run(kind, f"z{key[0] if key != 'causal' else 'd'}1-1")
    other = run(changed_model(kind, silence), "")
    np.testing.assert_allclose(result.after.log_probabilities, other.before.log_probabilities, atol=1e-5)
    assert result.rewritten == other.unedited
    assert abs(result.change) > 1e-4
    np.testing.assert_allclose(
        result.change, (other.next_word() - result.next_word("before")).sum(), atol=1e-4
    )


@pytest.mark.sampled(3)
def test_rewriting_is_stepping_under_the_same_edit(kind: Checkpoint) -> None:
    """Another path through the model: the session, with its cache, one row at a time."""

    def silence(output: torch.Tensor) -> torch.Tensor:
        gates = torch.ones(output.shape[1])
        gates[2] = 0.0
        return output * gates[:, None, None]

    session = DecodeSession(kind, SOURCE, edit={Site("decoder", 0, "cross", "head_output"): silence})
    session.run()
    assert rewrite(kind, ids(kind)[0], Edits.parse("zc0-2")) == session.ids


@pytest.mark.sampled(3)
def test_a_head_at_its_mean_gives_it_everywhere(kind: Checkpoint) -> None:
    means = mean_outputs(kind, [SOURCE, "face"])
    own = kind.config.of("decoder")
    total, count = torch.zeros(own.heads, own.d_head), 0
    for text in (SOURCE, "face"):
        source = kind.encode_source(text)
        hooks = Hooks(["decoder.1.cross.head_output"])
        passed(kind, source, translate_batch(kind.model, [source])[0], hooks)
        output = hooks.records[Site("decoder", 1, "cross", "head_output")][0]
        total, count = total + output.sum(1), count + output.shape[1]
    mean = means[Site("decoder", 1, "cross", "head_output")]
    torch.testing.assert_close(mean, total / count, atol=1e-5, rtol=1e-5)

    def put(output: torch.Tensor) -> torch.Tensor:
        output = output.clone()
        output[:, 3] = (total / count)[3]
        return output

    logits = passed(kind, *ids(kind), Hooks(edit={Site("decoder", 1, "cross", "head_output"): put}))
    result = run(kind, "mc1-3", Reference(means))
    np.testing.assert_allclose(result.after.log_probabilities, logits.log_softmax(-1), atol=1e-5)


def test_a_mean_without_a_reference_is_one_sentence(tiny: Checkpoint) -> None:
    with pytest.raises(InputError, match="make a reference"):
        run(tiny, "mc0-0")
    with pytest.raises(InputError, match="at least one"):
        mean_outputs(tiny, ["", " "])


@pytest.mark.sampled(3)
def test_an_even_head_looks_at_all_it_may_alike(kind: Checkpoint) -> None:
    result = edited(kind, "ue0-1_ud1-2_uc1").maps
    length = result["encoder"].shape[-1]
    np.testing.assert_allclose(result["encoder"][0, 1], 1 / length, atol=1e-6)
    np.testing.assert_allclose(result["cross"][1], 1 / length, atol=1e-6)
    causal = np.tril(np.ones(result["causal"].shape[-2:]))
    np.testing.assert_allclose(result["causal"][1, 2], causal / causal.sum(1, keepdims=True), atol=1e-6)
    assert np.abs(result["encoder"][0, 0] - 1 / length).max() > 1e-3


@pytest.mark.sampled(3)
def test_a_frozen_head_keeps_its_pattern_when_the_rest_changes(kind: Checkpoint) -> None:
    plain, frozen = run(kind, "ze0"), run(kind, "ze0_fc1-2")
    before = plain.before.maps["cross"][1, 2]
    assert np.abs(plain.after.maps["cross"][1, 2] - before).max() > 1e-4
    np.testing.assert_array_equal(frozen.after.maps["cross"][1, 2], before)
    np.testing.assert_array_equal(frozen.after.maps["cross"][0], plain.after.maps["cross"][0])
    everything = run(kind, "fe_fd_fc")
    np.testing.assert_allclose(
        everything.after.log_probabilities, everything.before.log_probabilities, atol=1e-5
    )


# -- masks ----------------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
def test_without_the_causal_mask_rows_are_the_softmax_of_all_scores(kind: Checkpoint) -> None:
    result = recorded(kind, "n", "decoder.*.self.scores", "decoder.*.self.weights")
    for layer in range(kind.config.decoder_layers):
        scores, weights = (result[Site("decoder", layer, "self", name)] for name in ("scores", "weights"))
        torch.testing.assert_close(weights, scores.softmax(-1), atol=1e-6, rtol=1e-5)
        assert float(weights.triu(1).max()) > 1e-3
    maps = edited(kind, "n").maps["causal"]
    np.testing.assert_allclose(maps.sum(-1), 1, atol=1e-5)
    assert np.triu(maps[:, :, :, :], 1).max() > 1e-3
    assert np.triu(edited(kind, "").maps["causal"], 1).max() == 0


def test_without_the_causal_mask_each_step_reads_its_whole_prefix(tiny: Checkpoint) -> None:
    source, edits = ids(tiny)[0], Edits.parse("n")
    written: list[int] = []
    for _ in range(4):
        hooks = Hooks(edit=hook_edits(tiny.model, edits, len(source)))
        row = passed(tiny, source, [*written, 0], hooks)[-1].clone()
        row[[tiny.config.pad_id, tiny.config.bos_id]] = -torch.inf
        written.append(int(row.argmax()))
    assert rewrite(tiny, source, edits, (1, 2, 3))[: len(written)] == written


def test_without_the_causal_mask_a_probability_is_given_the_words_before_alone(tiny: Checkpoint) -> None:
    source, written = ids(tiny)
    result = run(tiny, "n")
    hooks = Hooks(edit=hook_edits(tiny.model, Edits.parse("n"), len(source)))
    by_prefix = [
        float(passed(tiny, source, [*written[:t], 0], hooks)[-1].double().log_softmax(-1)[token])
        for t, token in enumerate(written)
    ]
    np.testing.assert_allclose(result.next_word("after"), by_prefix, atol=1e-5)
    seen = passed(tiny, source, written, hooks).double().log_softmax(-1)
    ahead = [float(seen[t, token]) for t, token in enumerate(written)]
    assert np.abs(np.subtract(ahead, by_prefix))[:-1].max() > 1e-3, (
        "a pass that sees later words says something else"
    )


@pytest.mark.sampled(3)
def test_a_hidden_word_is_seen_by_nobody_but_itself(kind: Checkpoint) -> None:
    plain, result = edited(kind, "").maps, edited(kind, "h2_h0").maps
    for position in (2, 0):
        column = result["encoder"][..., position].copy()
        column[..., position] = 0
        assert column.max() == 0 and result["cross"][..., position].max() == 0
        assert result["encoder"][..., position, position].min() > 0
    for key in ("encoder", "cross"):
        np.testing.assert_allclose(result[key].sum(-1), 1, atol=1e-5)
    # In the first layer scores are as they were: a row is what it was, without those columns, scaled to 1.
    kept = np.delete(plain["encoder"][0][:, 4], (0, 2), axis=-1)
    row = np.delete(result["encoder"][0][:, 4], (0, 2), axis=-1)
    np.testing.assert_allclose(row, kept / kept.sum(-1, keepdims=True), atol=1e-5)


@pytest.mark.sampled(3)
def test_all_words_hidden_gives_rows_of_zeros_and_no_nan(kind: Checkpoint) -> None:
    length = len(ids(kind)[0])
    result = edited(kind, "_".join(f"h{position}" for position in range(length)))
    assert result.maps["cross"].max() == 0
    assert np.isfinite(result.log_probabilities).all()


@pytest.mark.sampled(3)
def test_padding_matters_only_when_the_mask_is_open(kind: Checkpoint) -> None:
    source, written = ids(kind)
    hidden = passed(kind, [*source, *[kind.config.source_padding] * 3], written).log_softmax(-1)
    result = run(kind, "o3")
    np.testing.assert_allclose(result.before.log_probabilities, hidden, atol=1e-5)
    for key in ("encoder", "cross"):
        assert result.after.maps[key].shape[-1] == len(source) + 3
        assert result.after.maps[key][..., len(source) :].max() > 1e-3
        np.testing.assert_allclose(result.after.maps[key].sum(-1), 1, atol=1e-5)
    assert abs(result.change) > 1e-4


# -- a weight, and positions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "key", "head"), [("wc1-2-3-1-700", "cross", (1, 2, 3)), ("we0-1-4-0-0", "encoder", (0, 1, 4)), ("wd1-0-3-1-400", "causal", (1, 0, 3))])  # fmt: skip
def test_a_dragged_weight_renormalises_its_row(kind: Checkpoint, text: str, key: str, head: Any) -> None:
    position, weight = int(text.split("-")[3]), int(text.split("-")[4]) / 1000
    unchanged, changed = (edited(kind, each).maps[key] for each in ("", text))
    before, after = unchanged[head], changed[head]
    others = np.delete(before, position)
    expected = (
        others / others.sum() * (1 - weight)
        if others.sum()
        else np.full(len(others), (1 - weight) / len(others))
    )
    np.testing.assert_allclose(after[position], weight, atol=1e-6)
    np.testing.assert_allclose(np.delete(after, position), expected, atol=1e-6)
    same = np.delete(unchanged[head[:2]], head[2], axis=0)
    np.testing.assert_array_equal(np.delete(changed[head[:2]], head[2], axis=0), same)


@pytest.mark.sampled(3)
def test_a_moved_weight_never_leaks_behind_the_mask(kind: Checkpoint) -> None:
    """The first row of the decoder sees one token: there is nowhere for its weight to go."""
    before, after = edited(kind, ""), edited(kind, "wd1-0-0-0-400_wd0-1-0-0-0")
    for key in before.maps:
        np.testing.assert_array_equal(after.maps[key], before.maps[key])
    np.testing.assert_array_equal(after.log_probabilities, before.log_probabilities)
    moved = edited(kind, "wd0-0-2-1-900").maps["causal"]
    assert np.triu(moved[:, :], 1).max() == 0
    np.testing.assert_allclose(moved.sum(-1), 1, atol=1e-5)
    opened = edited(kind, "n_wd1-0-0-0-400").maps["causal"][1, 0, 0]
    assert abs(opened[0] - 0.4) < 1e-6 and opened[1:].min() > 0, "without the mask there is somewhere"
    source = len(ids(kind)[0])
    alone = "_".join(f"h{position}" for position in range(source) if position != 1)
    for edit in ("wc0-0-1-1-300", "we0-0-1-1-300", "wc0-0-1-2-300"):
        weights = edited(kind, f"{alone}_{edit}").maps["encoder" if edit[1] == "e" else "cross"][0, 0, 1]
        np.testing.assert_allclose(weights, np.eye(source)[1], atol=1e-6, err_msg=edit)


def test_a_row_with_all_its_weight_on_one_key_shares_evenly_what_is_taken_from_it() -> None:
    row = torch.tensor([0.0, 1.0, 0.0, 0.0, 0.0])
    torch.testing.assert_close(dragged(row, 1, 0.4, [0, 1, 2, 3]), torch.tensor([0.2, 0.4, 0.2, 0.2, 0.0]))
    torch.testing.assert_close(dragged(row, 1, 0.4, [1]), row)
    torch.testing.assert_close(dragged(row, 4, 0.4, [0, 1]), row)
    row = torch.tensor([0.1, 0.6, 0.3])
    torch.testing.assert_close(dragged(row, 1, 0.2, [0, 1, 2]), torch.tensor([0.2, 0.2, 0.6]))


@pytest.mark.parametrize(
    ("side", "edit", "rows"),
    [("source", "ps1-4", (1, 4)), ("target", "pt0-2", (0, 2))],
    ids=["source", "target"],
)
@pytest.mark.parametrize("name", ["post", "pre", "learned", "unbiased"])
def test_swapped_positions_are_a_model_with_those_rows_swapped(
    build: Any, name: str, side: str, edit: str, rows: tuple[int, int]
) -> None:
    checkpoint = build(**KINDS[name])

    def swap(model: Any) -> None:
        positions = model.get_submodule(f"{side}_embedding").positions
        one, other = (positions.offset + row for row in rows)
        kept = positions.table[[one, other]].clone()
        positions.table[[other, one]] = kept

    result, other = run(checkpoint, edit), run(changed_model(checkpoint, swap), "")
    np.testing.assert_allclose(result.after.log_probabilities, other.before.log_probabilities, atol=1e-5)
    if side == "target":
        np.testing.assert_array_equal(result.after.maps["encoder"], result.before.maps["encoder"])
    assert result.rewritten == other.unedited and abs(result.change) > 1e-4


def test_the_decoder_s_positions_are_shuffled_as_far_as_is_said(tiny: Checkpoint) -> None:
    rows = recorded(tiny, "rt5-4", "decoder.embed.position_encoding")
    rows = rows[Site("decoder", 0, "embed", "position_encoding")]
    table = tiny.model.target_embedding.positions(0, len(rows))
    order = [int((table == row).all(-1).nonzero()[0]) for row in rows]
    assert sorted(order[:4]) == [0, 1, 2, 3] and order[:4] != [0, 1, 2, 3]
    assert order[4:] == list(range(4, len(rows)))
    both = recorded(tiny, "rt5-4_r5", "*.embed.position_encoding")
    torch.testing.assert_close(both[Site("decoder", 0, "embed", "position_encoding")], rows)
    with pytest.raises(InputError, match="undo it"):
        run(tiny, "rt5-99")


def test_shuffled_positions_are_a_permutation_that_the_seed_decides(tiny: Checkpoint) -> None:
    result = recorded(tiny, "r5", "encoder.embed.position_encoding")
    rows = result[Site("encoder", 0, "embed", "position_encoding")]
    table = tiny.model.source_embedding.positions(0, len(rows))
    order = [int((table == row).all(-1).nonzero()[0]) for row in rows]
    assert sorted(order) == list(range(len(rows))) and order != sorted(order)
    again = recorded(tiny, "r5", "encoder.embed.position_encoding")
    torch.testing.assert_close(again[Site("encoder", 0, "embed", "position_encoding")], rows)


# -- sessions -------------------------------------------------------------------------------------------------


def test_two_sessions_never_see_each_others_edits(tiny: Checkpoint) -> None:
    texts = ["zc", "n", "h1_o2", "", "wc1-2-3-1-900", "r3"]
    alone = [run(tiny, text) for text in texts]
    weights = [parameter.clone() for parameter in tiny.model.parameters()]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda text: run(tiny, text), texts * 2))
    for one, other in zip(alone * 2, together, strict=True):
        np.testing.assert_array_equal(one.after.log_probabilities, other.after.log_probabilities)
        assert one.rewritten == other.rewritten
    assert all(torch.equal(a, b) for a, b in zip(weights, tiny.model.parameters(), strict=True))


def test_edits_that_do_not_fit_are_refused_before_anything_runs(tiny: Checkpoint) -> None:
    for text in ("zc2", "h77", "wc0-0-99-0-1"):
        with pytest.raises(InputError, match="undo it"):
            run(tiny, text)
    with pytest.raises(InputError, match="translation"):
        what_if(tiny, ids(tiny)[0], [], Edits())


ROOT = Path(__file__).resolve().parents[3]
TEXT = "The cat is sleeping on the red sofa."
CAT, SOFA = 1, 7


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return load(ROOT / "checkpoints/en-fr", device="cpu")


@pytest.fixture(scope="module")
def trace(checkpoint: Checkpoint) -> Trace:
    return api.trace(checkpoint, TEXT, record=RECORD)


def test_of_all_swaps_of_sofa_the_one_with_cat_costs_most(checkpoint: Checkpoint, trace: Trace) -> None:
    costs = swap_costs(checkpoint, trace.source_ids, trace.written_ids, SOFA)
    assert sorted(costs) == [0, 1, 2, 3, 4, 5, 6, 8]
    assert min(costs, key=costs.__getitem__) == CAT
    edits = Edits((SwapPositions("source", CAT, SOFA),))
    change = what_if(checkpoint, trace.source_ids, trace.written_ids, edits)
    assert checkpoint.target_tokenizer.decode(change.rewritten) == "Le canapé dort sur le chat rouge."
    assert costs[CAT] == pytest.approx(float(change.next_word("after").sum()), abs=1e-4)


def test_only_the_nearest_tokens_are_tried_and_the_end_is_none_of_them() -> None:
    assert candidates(30, 60) == [*range(24, 30), *range(31, 37)] and len(candidates(30, 60)) == NEAREST
    assert candidates(0, 3) == [1]
    assert candidates(0, 2) == [1], "the end token where there is no other"
    assert candidates(0, 1) == []


def test_without_norms_each_sub_layer_reads_and_passes_on_what_was_added(
    checkpoint: Checkpoint, trace: Trace
) -> None:
    """Against a pass by hand, sub-layer by sub-layer, with modules in whose place the identity is."""
    unnormed = without_norms(checkpoint, trace.source_ids, trace.written_ids)
    hooks = Hooks(("*.norm_*",), passing_norms(checkpoint.config))
    with torch.inference_mode():
        checkpoint.model.encode(torch.tensor([list(trace.source_ids)]), hooks)
    for site in sublayers(checkpoint.config):
        if site.stack == "encoder":
            before, after = (hooks.records[Site(*site, kind)] for kind in ("norm_input", "norm_output"))
            assert torch.equal(before, after)
    lengths = unnormed.stream.query("stack == 'encoder' and token == @SOFA")["length"].to_numpy()
    final = hooks.records[Site("encoder", 0, "final", "norm_output")][0, SOFA]
    assert lengths[-1] == pytest.approx(float(final.norm()), rel=1e-4)
    kept = stream_table(trace).query("stack == 'encoder' and token == @SOFA")["length"].to_numpy()
    assert lengths[0] == pytest.approx(kept[0], rel=1e-5), "the same embedding"
    assert lengths[-1] > 10_000 * kept[-1] and np.all(np.diff(lengths) > 0)
    assert len(unnormed.written) <= len(trace.written_ids)
    assert checkpoint.target_tokenizer.decode(unnormed.written) != checkpoint.target_tokenizer.decode(
        trace.written_ids
    )


def test_without_a_causal_mask_a_guess_is_not_read_ahead(build: Callable[..., Checkpoint]) -> None:
    checkpoint = build(causal=False)
    source = checkpoint.encode_source("abc def.")
    written = translate_batch(checkpoint.model, [source])[0]
    assert rewrite(checkpoint, source, Edits(), [7, 8, 9, 10]) == written
    assert len(written) > 3
