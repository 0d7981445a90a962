"""An import is compared at the door with the library's own model: in Python, and by the command."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import core
from core.cli.main import main
from core.errors import CheckpointError
from core.importing import comparing
from core.importing.plan import plan_import
from core.language import speaking
from tests.parity.families import build
from ui.models.import_progress import DraftImport

transformers = pytest.importorskip("transformers")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """T5, with a scale of scores that its own library does not know if it is answered so."""
    build("t5").save_pretrained(tmp_path / "t5")
    return tmp_path / "t5"


def test_an_import_is_compared_and_the_card_says_so(folder: Path, tmp_path: Path) -> None:
    for checkpoint in (
        core.import_checkpoint(folder, tokenizer="numbers"),
        core.import_checkpoint(folder, tokenizer="numbers", out=tmp_path / "out"),
    ):
        assert "logits" in checkpoint.card["agreement"]
    assert "agreement" not in core.import_checkpoint(folder, tokenizer="numbers", compare=False).card


def test_another_model_than_the_library_s_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CheckpointError, match="differ from those of the transformers library by"):
        core.import_checkpoint(folder, tokenizer="numbers", activation="tanh")
    command = ["import", str(folder), "--tokenizer", "numbers", "--set", "activation=tanh"]
    assert main(command) == 2
    assert "--no-compare" in capsys.readouterr().err
    assert main([*command, "--no-compare"]) == 0


@pytest.mark.thorough
def test_an_upload_is_compared_in_a_process_of_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "SECONDS", 600.0)  # on a machine that is busy with other tests
    draft = DraftImport()
    draft.folder, draft.plan = folder, plan_import(folder, tokenizer="numbers")
    draft.given = {"tokenizer": "numbers"}
    draft.original = comparing.UploadComparison(folder, "auto", 10**8)
    draft.check()
    assert draft.compared is not None and "over 3 sentences" in draft.compared["agreement"]
    draft.answer("answer", activation="tanh")
    with speaking("fr"):
        draft.check()
    assert draft.report is None and "de l’import diffère" in draft.problems["finish"]
    assert "python -m core import … --no-compare" in draft.problems["finish"]


def test_an_upload_that_takes_too_long_is_not_compared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "SECONDS", 0.01)
    plan = plan_import(folder, tokenizer="numbers")
    assert comparing.UploadComparison(folder, "auto", 10**8).card(plan, {"tokenizer": "numbers"}) == {}


def test_an_upload_is_not_compared_where_the_library_is_missing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_import(folder, tokenizer="numbers")
    monkeypatch.setattr(comparing.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(comparing.Child, "ask", lambda *_, **__: pytest.fail("a process was started"))
    assert comparing.UploadComparison(folder, "auto", 10**8).card(plan, {}) == {}


def test_what_the_library_cannot_do_or_not_in_time_is_not_compared(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_import(folder, tokenizer="numbers")
    assert comparing.compare_with_library(plan) is not None
    monkeypatch.setattr(comparing, "SECONDS", -1.0)
    assert comparing.compare_with_library(plan) is None
    monkeypatch.setattr(comparing, "SECONDS", 60.0)
    monkeypatch.setattr(comparing, "MOST_BYTES", 10)
    assert comparing.compare_with_library(plan) is None


def test_what_is_assumed_has_one_count_everywhere(folder: Path, tmp_path: Path) -> None:
    from core.importing.wrap import import_checkpoint
    from ui.models.import_progress import option_sources

    build("mbart").save_pretrained(tmp_path / "mbart")
    answers: dict[str, Any] = {"bos": 2, "forced_bos_id": "none"}
    plan = plan_import(tmp_path / "mbart", tokenizer="numbers", answers=answers)
    count = len(plan.assumed)
    assert count == sum(not question.blocking for question in plan.questions) > 0
    assert f"{count} assumed" in option_sources(plan)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        checkpoint = import_checkpoint(tmp_path / "mbart", tokenizer="numbers", **answers)
    assert any(str(plan.assumption) == str(each.message) for each in told)
    assert len(json.loads(json.dumps(checkpoint.card))["assumed"]) == count
