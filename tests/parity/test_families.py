"""Every family that `transformers` saves is read to 1e-5 in logits, all maps and states, and writes what `generate` writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import core
from core.errors import CheckpointError
from core.importing.plan import plan_import
from core.verify.checking import verify
from tests.parity.comparing import TOLERANCE
from tests.parity.families import FAMILIES, build, imported, measured, table

transformers = pytest.importorskip("transformers")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_read_and_decoded_as_its_own_library_does(tmp_path: Path, name: str) -> None:
    theirs = build(name)
    found = measured(theirs, imported(name, tmp_path, theirs))
    assert max(found.logits, found.maps, found.states) <= TOLERANCE
    assert found.written


@pytest.mark.parametrize("name", ["blenderbot-small", "umt5", "m2m-100"])
def test_the_trust_report_holds_and_a_saved_copy_is_the_same(tmp_path: Path, name: str) -> None:
    theirs = build(name)
    theirs.save_pretrained(tmp_path / "theirs")
    told = {"bos": theirs.config.decoder_start_token_id}
    plan = plan_import(tmp_path / "theirs", tokenizer="numbers", answers=told)
    if plan.open_questions:
        plan = plan.answer(forced_bos_id="none")
    checkpoint = plan.checkpoint
    failed = [check.sentence for check in verify(checkpoint, ["5 6 7 8 9 10"]).checks if not check.passed]
    assert not failed
    core.save(
        tmp_path / "ours",
        checkpoint.model,
        checkpoint.source_tokenizer,
        checkpoint.target_tokenizer,
        {},
        "float32",
    )
    again = core.load(tmp_path / "ours", "cpu")
    assert again.config == checkpoint.config
    source, target = torch.tensor([[5, 6, 7]]), torch.tensor([[checkpoint.config.bos_id, 9, 8]])
    with torch.inference_mode():
        assert torch.allclose(again.model(source, target), checkpoint.model(source, target), atol=1e-6)


@pytest.mark.parametrize("name", ["blenderbot-small", "umt5", "nllb", "pegasus"])
def test_a_family_in_memory_agrees_with_itself(name: str) -> None:
    wrapped = core.wrap(build(name), "numbers", **({"forced_bos_id": "none"} if name == "nllb" else {}))
    assert wrapped.agreement is not None and wrapped.agreement.agrees


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"use_prompt": True, "prompt_length": 4, "prompt_mid_dim": 8},
            "has learned prompts .* as MVP with use_prompt",
        ),
        ({"model_type": "led"}, "fit no known|says model_type = 'led'"),
    ],
)
def test_what_a_family_adds_is_refused(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    settings = FAMILIES["mvp"].settings | {k: v for k, v in change.items() if k != "model_type"}
    model = transformers.MvpForConditionalGeneration(transformers.MvpConfig(**settings))
    model.save_pretrained(tmp_path)
    if "model_type" in change:
        path = tmp_path / "config.json"
        path.write_text(path.read_text().replace('"mvp"', '"led"'))
    with pytest.raises(CheckpointError, match=said) as caught:
        plan_import(tmp_path, tokenizer="numbers").require_ready()
    assert "\n" not in str(caught.value)


@pytest.mark.thorough
def test_the_command_measures_what_it_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.parity.families.FAMILIES", {"t5": FAMILIES["t5"]})
    *_, line = table()
    assert line.startswith("| T5 v1.0 | `t5` | `transformers` | ") and line.endswith("| the same |")
