"""`python -m core import` from file to checkpoint and report."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
import torch

from core import api
from core.checkpoints import bundle
from core.cli import main
from core.decoding.inputs import sample_text
from core.errors import AtlasError
from core.experiments import corpus_run
from core.experiments.corpus import load_atlas
from core.experiments.default_heads import default_heads
from core.importing.cli import add_import_arguments, import_command
from tests.core.importing.untrusted_files import SOURCES, TARGETS, good


def run(*arguments: object) -> int:
    parser = argparse.ArgumentParser()
    add_import_arguments(parser)
    return import_command(parser.parse_args([str(argument) for argument in arguments]))


@pytest.fixture
def files(tmp_path: Path) -> list[object]:
    torch.save({"model_state_dict": good(2), "epoch": 4}, tmp_path / "best.pt")
    for side, size, letters in (("source", SOURCES, "abcdefgh"), ("target", TARGETS, "tuvwxyz")):
        tokens = ["<unk>", "<pad>", "<sos>", "<eos>", *letters]
        assert len(tokens) == size
        (tmp_path / f"{side}.txt").write_text("\n".join(tokens) + "\n")
    vocabularies = [
        "--source-vocabulary",
        tmp_path / "source.txt",
        "--target-vocabulary",
        tmp_path / "target.txt",
    ]
    return [tmp_path / "best.pt", *vocabularies, "--split", "chars", "--heads", 2]


def test_a_file_becomes_a_checkpoint_with_a_report(
    tmp_path: Path, files: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(*files, "--out", out, "--name", "Letters", "--sentence", "abcd") == 0
    printed = capsys.readouterr()
    assert "checks of the trust report pass" in printed.out
    assert "assumed: source_before is taken to be 'start'" in printed.err
    loaded = api.load(out, device="cpu")
    assert loaded.card["name"] == "Letters"
    assert loaded.config.heads == 2
    assert (loaded.config.pad_id, loaded.config.bos_id, loaded.config.eos_id, loaded.config.unk_id) == (
        1,
        2,
        3,
        0,
    )
    assert loaded.encode_source("ab") == [2, 4, 5, 3]
    assert isinstance(loaded.translate("abc"), str)
    report = json.loads((out / "import-report.json").read_text())
    assert report["layout"] == "seq2seq"
    assert {"name": "heads", "value": 2, "how": "told", "reason": "told", "checked": False} in report[
        "findings"
    ]
    assert report["trust"]["passed"]
    assert report["not_finite"] == 0
    assert report["parameters"] == sum(tensor.numel() for tensor in good(2).values())
    places = {entry["key"]: entry for entry in report["keys"]}
    assert set(places) == set(good(2))
    entry = places["decoder.layers.1.encoder_attention.fc_q.weight"]
    assert entry["to"] == ["decoder_layers.1.cross_attention.q_proj.weight"]
    assert entry["shape"] == [8, 8]
    assert "not read: epoch" in " ".join(report["notes"])
    text = (out / "import-report.md").read_text()
    assert "seq2seq tutorial" in text
    assert "decoder.fc_out.weight" in text


def test_a_failing_report_leaves_nothing_half_written(
    tmp_path: Path, files: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checkpoint and report appear together or not at all; an earlier checkpoint stays as it was."""
    out = tmp_path / "out"
    for moment in (
        "core.importing.trial.markdown",
        "core.checkpoints.files._flush",
        "core.checkpoints.files._swap",
    ):
        with monkeypatch.context() as planted:
            planted.setattr(moment, broken)
            with pytest.raises(RuntimeError, match="planted"):
                run(*files, "--out", out, "--sentence", "abcd")
        assert not out.exists()
    assert run(*files, "--out", out, "--name", "first", "--sentence", "abcd") == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert {"import-report.json", "import-report.md"} <= set(before)
    for moment in ("core.importing.trial.markdown", "core.checkpoints.files._flush"):
        with monkeypatch.context() as planted:
            planted.setattr(moment, broken)
            with pytest.raises(RuntimeError, match="planted"):
                run(*files, "--out", out, "--name", "second", "--sentence", "abcd")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best.pt", "out", "source.txt", "target.txt"]


def broken(*args: object) -> None:
    raise RuntimeError("planted")


@pytest.mark.thorough
def test_a_report_is_replaced_with_its_checkpoint(tmp_path: Path, files: list[object]) -> None:
    out = tmp_path / "out"
    assert run(*files, "--out", out, "--sentence", "abcd") == 0
    (out / "notes.txt").write_text("mine")
    assert run(*files, "--set", "source_before=", "--out", out, "--sentence", "abcd") == 0
    report = json.loads((out / "import-report.json").read_text())
    assert report["told"]["source_before"] == ""
    assert (out / "notes.txt").read_text() == "mine"
    again = api.load(out, device="cpu")
    with torch.no_grad():
        next(again.model.parameters()).add_(1.0)
    bundle.save(out, again.model, again.source_tokenizer, again.target_tokenizer, again.card, "float32")
    assert not (out / "import-report.json").exists()  # it was of other weights
    assert not (out / "import-report.md").exists()
    assert (out / "notes.txt").exists()


def test_without_out_nothing_is_written(tmp_path: Path, files: list[object]) -> None:
    before = set(tmp_path.iterdir())
    assert run(*files) == 0
    assert set(tmp_path.iterdir()) == before


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("more", "ids"),
    [
        ([], [2, 4, 5, 3]),
        (["--set", "source_before="], [4, 5, 3]),
        (["--set", "source_before=h start"], [11, 2, 4, 5, 3]),
        (["--set", "source_before=", "--set", "source_after=end g"], [4, 5, 3, 10]),
        (["--set", "source_before=", "--set", "source_after="], [4, 5]),
        (["--set", "source_after="], [2, 4, 5]),
    ],
)
def test_what_stands_around_a_source_can_be_told(
    tmp_path: Path, files: list[object], more: list[object], ids: list[int]
) -> None:
    assert run(*files, *more, "--out", tmp_path / "out", "--sentence", "abcd") == 0
    assert api.load(tmp_path / "out", device="cpu").encode_source("ab") == ids


def test_a_lower_case_vocabulary_reads_capitals(tmp_path: Path, files: list[object]) -> None:
    assert run(*files, "--out", tmp_path / "as-is", "--sentence", "abcd") == 0
    assert run(*files, "--lowercase", "--out", tmp_path / "lower", "--sentence", "ABcd") == 0
    as_is, lower = (api.load(tmp_path / name, device="cpu") for name in ("as-is", "lower"))
    assert as_is.encode_source("AbC") == [2, 0, 5, 0, 3]
    assert lower.encode_source("AbC") == lower.encode_source("abc") == [2, 4, 5, 6, 3]
    assert lower.translate("ABC") == lower.translate("abc") == as_is.translate("abc")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--heads", 3], "3 heads"),
        (["--heads", 0], "heads is 0"),
        (["--set", "heads"], "no value"),
        (["--set", "colour=red"], "'colour' is not an option"),
        (["--set", "activation=swoosh"], "swoosh"),
        (["--set", "d_model=16"], "does not fit"),
        (["--set", "encoder_layers=9"], "nothing in the file fills"),
        (["--set", "encoder_layers=1"], "which a model of this configuration does not have"),
        (["--set", "max_length=99999999"], "max_length"),
        (["--layout", "t5"], "nothing in the file tells d_model"),
        (["--pad", "<nothing>"], "not in the vocabulary"),
        (["--pad", "4000"], "pad_id is 4000"),
        (["--set", "source_before=<fr>"], "not in the vocabulary"),
        (["--set", "source_before=4000"], "4000"),
        (["--map", "no-such-file.toml"], "cannot be read"),
        (["--source-vocabulary", "no-such-file.txt"], "cannot be read"),
        (["--split", "regex"], "needs a pattern"),
        (["--split", "regex", "--pattern", "("], "not a regular expression"),
        (["--max-bytes", 100], "at most 100 are read"),
        (["--sentence", ""], "empty"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, files: list[object], more: list[object], said: str) -> None:
    out = tmp_path / "out"
    with pytest.raises(AtlasError, match=said) as caught:
        run(*files, "--out", out, *more)
    assert "\n" not in str(caught.value)
    assert not out.exists()


def test_a_vocabulary_of_the_wrong_size_is_refused(tmp_path: Path, files: list[object]) -> None:
    (tmp_path / "target.txt").write_text("<unk>\n<pad>\n<sos>\n<eos>\na\n")
    with pytest.raises(AtlasError, match="the target tokenizer has 5 tokens but the model 11"):
        run(*files, "--out", tmp_path / "out")


def test_what_must_be_told_is_asked_for_with_its_flag(tmp_path: Path, files: list[object]) -> None:
    with pytest.raises(AtlasError, match=r"How many attention heads .* Answer with --heads"):
        run(*files[:-2], "--out", tmp_path / "out")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("sentences", [[], ["--sentence", "abcd", "--sentence", "hgfe"]])
def test_the_command_line_chooses_the_heads_that_open(
    tmp_path: Path, files: list[object], sentences: list[str]
) -> None:
    """Over the sentences given, or over a text of the model's own vocabulary."""
    out = tmp_path / "out"
    assert main(["import", *map(str, files), "--out", str(out), *sentences]) == 0
    loaded = api.load(out, device="cpu")
    heads = loaded.card["default_heads"]
    assert {"encoder-self", "decoder-self"} <= set(heads), "random weights need not align"
    assert heads == default_heads(loaded, sentences[1::2] or [sample_text(loaded)])
    atlas = load_atlas(out, loaded.config, loaded.digest)
    listed = [(n, text, "") for n, text in enumerate(sentences[1::2] or [sample_text(loaded)])]
    assert sorted(drawn.sentence for drawn in atlas.sample) == listed


def test_the_sentences_given_are_the_examples_of_the_card(tmp_path: Path, files: list[object]) -> None:
    """In their order, with what the model writes; a text made of its vocabulary is no example."""
    out, texts = tmp_path / "out", ["abcd", "hgfe"]
    assert run(*files, "--out", out, *(word for text in texts for word in ("--sentence", text))) == 0
    loaded = api.load(out, device="cpu")
    written = [loaded.translate(text) for text in texts]
    assert written[0] != written[1]
    assert loaded.card["examples"] == [
        {"source": source, "translation": translation}
        for source, translation in zip(texts, written, strict=True)
    ]
    assert run(*files, "--out", out) == 0
    assert "examples" not in api.load(out, device="cpu").card


def test_an_atlas_that_cannot_be_stored_is_said(
    tmp_path: Path, files: list[object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise AtlasError("out/atlas.npz cannot be written (No space left on device).")

    monkeypatch.setattr(corpus_run, "write_atlas", full)
    assert main(["import", *map(str, files), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().err
    assert "warning: the atlas of all heads is not stored: out/atlas.npz cannot be written (No space" in said
    api.load(tmp_path / "out", device="cpu")
