"""`core.from_maps`: arrays and two lists of words are a trace, as given, or one sentence says what does not fit."""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import core
from core.errors import InputError
from core.model.trace import Trace

SOURCE, TARGET = ["the", "cat", "sat", "on", "the", "mat"], ["le", "chat", "est", "assis"]
S, T = len(SOURCE), len(TARGET)
KINDS = {"cross": ("decoder", "cross"), "causal": ("decoder", "self"), "encoder": ("encoder", "self")}


def rows(*shape: int) -> np.ndarray:
    raw = np.random.default_rng(sum(shape)).random(shape).astype(np.float32)
    return np.asarray(raw / raw.sum(-1, keepdims=True))


CROSS, CAUSAL, ENCODER = rows(2, 3, T, S), rows(2, 3, T, T), rows(4, 2, S, S)


@pytest.mark.parametrize(
    "given",
    [
        {"cross": CROSS},
        {"causal": CAUSAL},
        {"encoder": ENCODER},
        {"cross": CROSS, "encoder": ENCODER},
        {"cross": CROSS, "causal": CAUSAL, "encoder": ENCODER},
    ],
    ids="+".join,
)
def test_every_view_figure_and_file_has_the_rows_and_labels_as_given(
    given: dict[str, np.ndarray], tmp_path: Path
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trace = core.from_maps(SOURCE, TARGET, **given)
    trace.save(tmp_path / "maps.npz")
    for each in (trace, Trace.load(tmp_path / "maps.npz")):
        assert set(each.kinds) == set(given) and each.as_given
        assert each.tokens == (tuple(SOURCE), tuple(TARGET), ())
    assert "maps as given, not recomputed" in core.show(trace).save(tmp_path / "maps.html").read_text("utf-8")
    for kind, (stack, block) in KINDS.items():
        if kind not in given:
            wanted = f"This trace has no {kind} maps; it has: {', '.join(trace.kinds)}."
            for drawn in (core.show, core.figure):
                with pytest.raises(InputError, match=re.escape(wanted)):
                    drawn(trace, kind)
            with pytest.raises(InputError, match="as given, not recomputed"):
                trace.weights(stack, block)
            continue
        assert np.array_equal(trace.weights(stack, block).numpy(), given[kind])
        assert core.show(trace, kind=kind, head=(1, 1)).page
        lines = list(csv.DictReader(io.StringIO(core.figure(trace, kind, head=(1, 0)).csv)))
        queries = SOURCE if kind == "encoder" else TARGET
        keys = TARGET if kind == "causal" else SOURCE
        assert [line["query_reads"] for line in lines[:: len(keys)]] == queries
        assert [line["key"] for line in lines[: len(keys)]] == keys
        assert not any(line["query_writes"] for line in lines)
        np.testing.assert_array_equal(
            np.array([float(line["value"]) for line in lines], dtype=np.float32), given[kind][1, 0].ravel()
        )
    if len(given) == len(KINDS):
        assert core.show(trace, kind="joint").page and core.figure(trace, "joint").pdf()
    else:
        with pytest.raises(InputError, match="all three kinds, and this trace has: "):
            core.show(trace, kind="joint")


def test_the_joint_view_has_the_words_as_given_and_no_start_token() -> None:
    from ui.export.notebook import _joint

    trace = core.from_maps(SOURCE, TARGET, cross=CROSS, causal=CAUSAL, encoder=ENCODER)
    fields = json.loads(json.dumps(_joint(trace, None)["fields"]))
    assert fields["target"] == ["", *TARGET] and fields["one_label"] and fields["steps"] == T
    wall = core.show(trace, kind="cross").page
    assert "⟨start⟩" not in re.sub(r"<script.*?</script>", "", wall, flags=re.DOTALL)


@pytest.mark.parametrize(
    "form",
    [
        lambda maps: torch.from_numpy(maps),
        lambda maps: torch.from_numpy(maps).requires_grad_(),
        lambda maps: maps[:, None],
        lambda maps: maps[None],
        lambda maps: tuple(torch.from_numpy(maps)[:, None]),
        lambda maps: list(maps),
        lambda maps: maps.tolist(),
        lambda maps: np.asfortranarray(maps),
        lambda maps: maps.astype(np.float64),
        lambda maps: torch.from_numpy(maps).to_sparse(),
        lambda maps: np.ma.masked_array(maps, maps == 0),
        lambda maps: {f"decoder.layers.{n}": layer for n, layer in enumerate(maps)},
        lambda maps: [[torch.from_numpy(head) for head in layer] for layer in maps],
    ],
    ids=[
        "torch",
        "gradient",
        "batch",
        "batch-first",
        "layers-batch",
        "layers",
        "lists",
        "strided",
        "double",
        "sparse",
        "masked",
        "dict",
        "heads",
    ],
)
def test_every_form_of_the_arrays_is_the_same_numbers(form: Any) -> None:
    trace = core.from_maps(iter(SOURCE), np.array(TARGET), cross=form(CROSS))
    assert np.array_equal(trace.weights("decoder", "cross").numpy().astype(np.float32), CROSS)


def test_a_map_alone_is_one_head_and_doubles_and_halves_keep_their_numbers() -> None:
    assert core.from_maps(SOURCE, TARGET, cross=CROSS[0, 0]).weights("decoder", "cross").shape == (1, 1, T, S)
    assert core.from_maps(SOURCE, TARGET, cross=CROSS[0]).weights("decoder", "cross").shape == (1, 3, T, S)
    averages = [CROSS[0, 0], CROSS[1, 0]]  # a map for each layer
    assert core.from_maps(SOURCE, TARGET, cross=averages).weights("decoder", "cross").shape == (2, 1, T, S)
    double = CROSS.astype(np.float64) / CROSS.astype(np.float64).sum(-1, keepdims=True)
    assert np.array_equal(
        core.from_maps(SOURCE, TARGET, cross=double).weights("decoder", "cross").numpy(), double
    )
    half = torch.from_numpy(CROSS).bfloat16()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the rounding of bfloat16 is not worth a warning
        trace = core.from_maps(SOURCE, TARGET, cross=half)
    assert torch.equal(trace.weights("decoder", "cross"), half.float())


def test_a_decoder_that_sees_later_words_is_not_called_causal() -> None:
    assert not core.from_maps(None, TARGET, causal=CAUSAL).config.causal
    lower = np.tril(CAUSAL) / np.tril(CAUSAL).sum(-1, keepdims=True)
    trace = core.from_maps([], TARGET, causal=lower)
    assert trace.config.causal and "(causal)" in core.show(trace).page


def test_rows_that_do_not_sum_to_one_are_kept_and_said() -> None:
    raw = CROSS * 0.5
    raw[0, 0, 0] *= 2
    with pytest.warns(UserWarning, match=r"23 of the 24 rows of cross do not sum to 1 \(from 0.5 to 1\)"):
        trace = core.from_maps(SOURCE, TARGET, cross=raw)
    assert np.array_equal(trace.weights("decoder", "cross").numpy(), raw)
    assert core.show(trace, "cross").page and core.figure(trace, "cross").svg()


def test_scores_are_softmaxed_where_that_is_said() -> None:
    scores = np.log(CROSS) + 3.0
    scores[0, 0, 0, 2:] = -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights = core.from_maps(SOURCE, TARGET, cross=scores, scores=True).weights("decoder", "cross")
    assert torch.allclose(weights, torch.from_numpy(scores).softmax(-1), atol=1e-6)
    assert not weights[0, 0, 0, 2:].any()


def test_maps_with_keys_for_rows_are_said_to_be_so() -> None:
    square = rows(2, 3, T, T).swapaxes(-1, -2)
    with pytest.warns(
        UserWarning, match=r"The columns do: if rows are the keys, give cross.swapaxes\(-1, -2\)"
    ):
        core.from_maps(SOURCE[:T], TARGET, cross=square)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cross": None}, "There are no maps; give cross, causal or encoder"),
        ({"cross": CROSS[..., :5]}, "cross has 5 columns and source 6 words"),
        ({"cross": CROSS[:, :, 1:]}, "cross has 3 rows and target 4 words"),
        (
            {"cross": CROSS.swapaxes(2, 3)},
            r"cross has 6 rows and target 4 words; .* exchanged: give cross.swapaxes\(-1, -2\)",
        ),
        ({"target": None}, "cross has 4 rows of target words; give target"),
        ({"source": []}, "cross has 6 columns of source words; give source"),
        ({"source": "the cat"}, r"source is one text; .*text.split\(\)"),
        ({"source": [5, 6, 7, 8, 9, 2]}, "source holds 5, a int; .*not their ids"),
        ({"target": 4}, "target is a int"),
        (
            {"cross": np.where(CROSS > 0.3, np.nan, CROSS)},
            "cross holds NaN or infinite numbers; give 0 where",
        ),
        ({"cross": np.log(CROSS)}, "cross holds numbers from -.* give scores=True"),
        (
            {"cross": np.full_like(CROSS, -np.inf), "scores": True},
            "cross has a row of scores without a finite one",
        ),
        ({"cross": CROSS * 9}, "to .*, and attention weights are between 0 and 1"),
        ({"cross": []}, "cross is an empty list"),
        ({"cross": CROSS[:0]}, r"cross has shape \(0, 3, 4, 6\)"),
        ({"cross": CROSS[0, 0, 0]}, r"cross has shape \(6,\)"),
        ({"cross": [CROSS[0], CROSS[1, :2]]}, r"layers of cross have shapes \(3, 4, 6\) and \(2, 4, 6\)"),
        ({"cross": np.stack([CROSS, CROSS])}, r"a batch of several sentences; .*cross\[:, 0\]"),
        ({"cross": [np.stack([CROSS[0]] * 2)]}, "Each layer of cross has shape .*several sentences"),
        ({"cross": [[torch.from_numpy(CROSS)]]}, "give all that it returned to core.from_generate"),
        ({"cross": "text"}, "cross cannot be read as numbers"),
        ({"cross": torch.from_numpy(CROSS).to("meta")}, "cross cannot be read as numbers"),
        ({"cross": CROSS.astype(complex)}, "cross cannot be read as numbers"),
        ({"cross": {"a": CROSS}}, "Each layer of cross has shape .*several sentences"),
        ({"cross": CROSS * 100}, "rows of cross sum to 100, so they are percentages; give cross / 100"),
        ({"cross": [CROSS[0], None]}, "A layer of cross is None, as models return without output_attentions"),
        ({"causal": CAUSAL[:1]}, "cross has 2 layers of 3 heads and causal 1 of 3"),
        ({"causal": rows(2, 3, T, S)}, "causal has 6 columns and target 4 words"),
    ],
)
def test_what_does_not_fit_is_one_sentence(change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        core.from_maps(**{"source": SOURCE, "target": TARGET, "cross": CROSS, **change})
    assert "\n" not in str(refused.value)
