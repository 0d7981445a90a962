"""The trust report: passes on sound models of every kind, and each check fails when its promise is broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from rich.console import Console
from torch import Tensor

import core.model.attention
from core.api import Checkpoint
from core.decoding.inputs import sample_text
from core.errors import InputError
from core.language import speaking
from core.model.attention import DecodeState
from core.verify.checking import verify
from core.verify.report import Check, InDouble, TrustReport
from core.verify.runs import decode_stepwise
from tests.core.conftest import KINDS, widened

NAMES = [
    *("rows", "causal", "padding"),
    *("positions", "embedding", "projections", "scores", "softmax", "mixing", "fast", "heads"),
    *("stream", "norms", "logits"),
    *("future", "batch", "stepwise", "back", "beam", "chosen", "recorded", "drawn", "saved"),
]
CACHED = {"stepwise", "back", "beam", "batch", "chosen", "drawn"}  # what reads the cache
EXAMPLES = [{"source": "abc def."}, {"source": "j"}, {"source": "a b c"}, {"source": "d"}]
Build = Callable[..., Checkpoint]
CARD = {"name": "tiny", "examples": EXAMPLES}


@pytest.fixture(scope="module")
def checkpoint(tiny: Checkpoint) -> Checkpoint:
    return replace(tiny, card=CARD)


def failed(report: TrustReport) -> set[str]:
    return {check.name for check in report.checks if not check.passed}


RELATIVE = {**KINDS["relative"], "bos_id": 1}  # as the tokenizer has it, with which the model is saved
MODELS: dict[str, dict[str, Any]] = {
    **KINDS,
    "relative": RELATIVE,
    "gated": {**RELATIVE, "gated": True, "score_scale": "head"},
    "bare": {
        **{"positions": "none", "embedding_scale": False, "dropout_placement": "after_norm"},
        **dict.fromkeys(("projection_bias", "attention_output_bias", "ffn_bias"), False),
    },
    "short": {"positions": "none", "shared_head_projection": True, "max_length": 9},
    "narrow": {"encoder_layers": 1, "decoder_layers": 1, "head_dim": 5},
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", MODELS)
def test_a_sound_model_passes_every_check(build: Build, name: str) -> None:
    made = replace(build(**MODELS[name]), card=CARD)
    made.model.pack_weights()  # as a loaded one's are
    report = verify(made)
    assert [check.name for check in report.checks] == NAMES
    assert report.passed, failed(report)
    assert report.sources == ("abc def.", "j", "a b c")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("positions", ["sinusoidal", "relative_buckets", "rotary"])
def test_a_sound_model_without_causal_mask_promises_nothing_about_later_tokens(
    build: Build, positions: str
) -> None:
    report = verify(replace(build(causal=False, positions=positions), card=CARD))
    assert [check.name for check in report.checks] == [
        {"causal": "open"}.get(name, name) for name in NAMES if name != "future"
    ]
    assert report.passed, failed(report)
    sentences = {check.name: check.sentence for check in report.checks}
    assert "nothing is claimed" in sentences["open"] and "so far" in sentences["stepwise"]


def to_later_positions(weights: Tensor) -> Tensor:
    return weights.flip(-1)


def to_the_last_key(weights: Tensor) -> Tensor:
    return torch.cat([torch.zeros_like(weights[..., 1:]), torch.ones_like(weights[..., :1])], dim=-1)


@pytest.mark.usefixtures("without_decodes")
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("site", "edit", "broken"),
    [
        ("decoder.1.cross.weights", lambda weights: weights * 0.999, "rows"),
        ("encoder.0.self.weights", lambda weights: torch.full_like(weights, 1 / weights.shape[-1]), "rows"),
        ("decoder.1.self.weights", to_later_positions, "causal"),
        ("decoder.0.self.head_output", lambda heads: heads + heads.mean(dim=2, keepdim=True), "future"),
        ("encoder.1.self.weights", to_the_last_key, "padding"),
        ("decoder.0.cross.weights", to_the_last_key, "padding"),
        ("encoder.0.ffn.hidden", lambda hidden: hidden * 1.05, "recorded"),
        ("decoder.1.ffn.norm_output", lambda output: output * 1.001, "norms"),
        ("encoder.0.self.weights", lambda weights: weights * torch.nan, "rows"),
    ],
)
def test_an_edit_breaks_the_check_that_watches_it(
    checkpoint: Checkpoint, site: str, edit: Callable[[Tensor], Tensor], broken: str
) -> None:
    report = verify(checkpoint, edit={site: edit})
    assert broken in failed(report)
    assert not report.passed


@pytest.mark.usefixtures("without_decodes")
def test_an_edit_that_changes_nothing_passes(checkpoint: Checkpoint) -> None:
    assert verify(checkpoint, edit={"*.weights": lambda weights: weights * 1.0}).passed


@pytest.mark.usefixtures("without_decodes")
def test_an_unmasked_decoder_is_caught(checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = torch.ones(1, 1, 99, 99, dtype=torch.bool)
    monkeypatch.setattr(
        core.model.attention, "causal_mask", lambda length, device: everything[..., :length, :length]
    )
    assert {"causal", "future", "stepwise"} <= failed(verify(checkpoint))


def test_a_wrong_cache_is_caught(checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    extend = DecodeState.extend

    def forgetful(self: DecodeState, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        keys, values = extend(self, layer, k, v)
        return keys, values.flip(2)

    monkeypatch.setattr(DecodeState, "extend", forgetful)
    assert CACHED - {"chosen"} <= failed(verify(checkpoint)) <= CACHED


def test_a_model_with_a_broken_number_fails_instead_of_stopping(build: Build) -> None:
    sick = build()
    with torch.no_grad():
        sick.model.decoder_layers[0].cross_attention.k_proj.weight[0, 0] = torch.nan
    report = verify(sick)
    assert {"rows", "batch", "stepwise", "recorded", "norms", "saved"} <= failed(report)
    json.dumps(report.to_json(), allow_nan=False)


# -- wide scores: rounding is told from error ----------------------------------------------------------------


@pytest.fixture(scope="module")
def wide(build: Build) -> Checkpoint:
    """Scores in the thousands, so that single precision rounds them by more than the report allows."""
    return replace(widened(build(tie_output=False, d_model=64), 16), card=CARD)


def test_wide_scores_are_judged_in_double_precision(wide: Checkpoint) -> None:
    with torch.inference_mode():
        alone = [decode_stepwise(wide.model, wide.encode_source(each["source"])).gap for each in EXAMPLES]
    assert max(alone) > 1e-5  # the case this is about
    report = verify(wide)
    assert report.passed, failed(report)
    stepwise = next(check for check in report.checks if check.name == "stepwise")
    assert stepwise.value < 1e-9
    assert stepwise.tolerance == 1e-5
    assert "Checked in double precision, because scores reach" in stepwise.promise
    assert next(wide.model.parameters()).dtype == torch.float32


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["keys", "values"])
@pytest.mark.parametrize("error", [1e-3, 1e-4])
def test_a_planted_error_fails_however_wide_the_scores(
    wide: Checkpoint, checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch, kind: str, error: float
) -> None:
    """The cache returns keys or values that are off by `error`, relatively."""
    extend = DecodeState.extend

    def careless(self: DecodeState, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        keys, values = extend(self, layer, k, v)
        return (keys * (1 + error), values) if kind == "keys" else (keys, values * (1 + error))

    monkeypatch.setattr(DecodeState, "extend", careless)
    assert {"stepwise"} <= failed(verify(wide)) <= CACHED
    assert {"stepwise", "back"} <= failed(verify(checkpoint)) <= CACHED


@pytest.mark.usefixtures("without_decodes")
def test_a_fast_pass_that_is_off_fails_however_wide_the_scores(
    wide: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    fused = torch.nn.functional.scaled_dot_product_attention
    monkeypatch.setattr(
        "core.model.attention.F.scaled_dot_product_attention",
        lambda *args, **options: fused(*args, **options) + 1e-3,
    )
    assert "recorded" in failed(verify(wide))


@pytest.mark.usefixtures("without_decodes")
def test_an_error_of_single_precision_alone_is_not_taken_for_rounding(
    wide: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    fused = torch.nn.functional.scaled_dot_product_attention

    def careless(q: Tensor, *args: Any, **options: Any) -> Tensor:
        return fused(q, *args, **options) * (1.5 if q.dtype == torch.float32 else 1.0)

    monkeypatch.setattr("core.model.attention.F.scaled_dot_product_attention", careless)
    report = verify(wide)
    assert "recorded" in failed(report)
    assert next(check for check in report.checks if check.name == "recorded").value > 1e-2


def test_the_report_prints_and_becomes_json(checkpoint: Checkpoint) -> None:
    report = verify(checkpoint, ["a bad [cab]"])
    data = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert data["passed"] is True and data["sources"] == ["a bad [cab]"]
    assert [check["name"] for check in data["checks"]] == NAMES
    assert "agree with what this model computes" in data["proves"]
    assert "cannot tell" in data["does_not_prove"]
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(report.table())
    text = console.export_text()
    assert "all checks pass" in text and text.count("✓") == len(NAMES)
    words = " ".join(text.split())
    assert words.endswith(
        "with a wrong number of heads, norm placement, special token or order of the vocabulary."
    )
    assert "The maps agree with what this model computes." in words


@pytest.mark.usefixtures("without_decodes")
def test_a_report_that_fails_proves_nothing(checkpoint: Checkpoint) -> None:
    report = verify(checkpoint, edit={"*.weights": lambda weights: weights * 0.9})
    assert report.to_json()["proves"] == ""
    assert "agree" not in report.meaning


@pytest.mark.sampled(1)
@pytest.mark.parametrize("card", [{}, {"examples": "none"}, {"examples": [{"translation": "a"}]}])
def test_a_card_without_examples_is_verified_on_a_text_of_the_vocabulary(
    checkpoint: Checkpoint, card: dict[str, Any]
) -> None:
    report = verify(replace(checkpoint, card=card))
    assert report.passed and list(report.sources) == [sample_text(checkpoint)]


def test_without_a_sentence_there_is_nothing_to_verify(checkpoint: Checkpoint) -> None:
    with pytest.raises(InputError, match="give a sentence"):
        verify(checkpoint, [])
    with pytest.raises(InputError, match="is empty"):
        verify(checkpoint, [""])


def test_what_was_judged_in_double_precision_is_said_in_the_language_in_use() -> None:
    check = Check("stepwise", True, 0.0, 1e-5, "Every pass gives numbers.", InDouble(1326.0, 2e-5, 3e-4))
    assert "scores reach 1,326: single precision deviates by 2e-05" in check.promise
    with speaking("fr"):
        assert "Jugé en double précision" in check.promise and "1\u202f326" in check.promise
    report = TrustReport("made", (), (check,)).to_json()
    assert report["checks"][0]["sentence"] == check.promise and "in_double" not in report["checks"][0]
