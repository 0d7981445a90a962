"""The stored atlas: what was measured comes back, and a file that is none of this model is refused in one sentence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.api import load, save
from core.checkpoints import files
from core.cli.main import main
from core.errors import CheckpointError, InputError
from core.experiments.corpus import load_atlas
from core.experiments.corpus_run import write_atlas

ROOT = Path(__file__).parents[3]
Arrays = dict[str, Any]


@pytest.fixture(scope="module")
def stored(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("atlas") / "tiny"
    shutil.copytree(tiny_checkpoint, folder)
    write_atlas(load(folder, device="cpu"))
    return folder


def test_it_comes_back_as_it_was_measured(stored: Path) -> None:
    checkpoint = load(stored, device="cpu")
    result = load_atlas(stored, checkpoint.config, checkpoint.digest)
    texts = [each["source"] for each in checkpoint.card["examples"]]
    assert result.sentences == len(texts)
    assert sorted(drawn.sentence for drawn in result.sample) == [
        (n, text, "") for n, text in enumerate(texts)
    ]
    assert [row["kind"] for row in result.rows()] == ["encoder-self"] * 4 + ["decoder-self"] * 4 + [
        "cross"
    ] * 4
    assert len(result.scores["cross"]) > 20 and result.shown("cross", 0, 0) is not None


def test_a_limit_in_time_is_kept_and_said(stored: Path, tmp_path: Path) -> None:
    checkpoint = load(stored, device="cpu")
    shutil.copytree(stored, tmp_path / "t")
    write_atlas(checkpoint, folder=tmp_path / "t", seconds=0.0)
    assert load_atlas(tmp_path / "t", checkpoint.config, checkpoint.digest).sentences == 1


def other_shape(arrays: Arrays) -> None:
    arrays["cross|entropy|mean"] = arrays["cross|entropy|mean"][:1]


def infinite(arrays: Arrays) -> None:
    arrays["cross|entropy|mean"][0, 0] = np.inf


def share_above_one(arrays: Arrays) -> None:
    arrays["cross|sink_share|mean"][0, 0] = 1.2


def own_share_above_one(arrays: Arrays) -> None:
    arrays["cross|sink_share|sample"][0, 0, 0] = 1.2


def more_met_than_there_are(arrays: Arrays) -> None:
    arrays["cross|entropy|count"][0, 0] = 99


def one_sided(arrays: Arrays) -> None:
    arrays["cross|divergence|mean"][0, 1] += 0.1


def too_far_apart(arrays: Arrays) -> None:
    arrays["cross|divergence|mean"][0, 1] = arrays["cross|divergence|mean"][1, 0] = 0.7


def stranger(arrays: Arrays) -> None:
    arrays["cross|beauty|mean"] = arrays["cross|entropy|mean"]


def no_breadth(arrays: Arrays) -> None:
    for part in ("count", "mean", "squares", "sample"):
        del arrays[f"cross|normalised_entropy|{part}"]


def no_text(arrays: Arrays) -> None:
    arrays["sample"] = np.frombuffer(json.dumps([[0, 5, ""]]).encode(), dtype=np.uint8)


def no_json(arrays: Arrays) -> None:
    arrays["sample"] = np.frombuffer(b"[[[[", dtype=np.uint8)


def deep(arrays: Arrays) -> None:
    arrays["sample"] = np.frombuffer(b"[" * 200_000, dtype=np.uint8)


def no_sentences(arrays: Arrays) -> None:
    arrays["sentences"] = np.array(0)


@pytest.mark.parametrize(
    "harm",
    [
        *(other_shape, infinite, share_above_one, own_share_above_one, more_met_than_there_are, one_sided),
        *(too_far_apart, stranger, no_breadth, no_text, no_json, deep, no_sentences),
    ],
)
def test_what_is_no_atlas_of_this_model_is_refused(
    stored: Path, tmp_path: Path, harm: Callable[[Arrays], None]
) -> None:
    shutil.copytree(stored, tmp_path / "t")
    checkpoint = load(stored, device="cpu")
    with np.load(stored / files.ATLAS) as whole:
        arrays = {name: whole[name].copy() for name in whole.files}
    harm(arrays)
    np.savez(tmp_path / "t" / files.ATLAS, **arrays)
    with pytest.raises(CheckpointError, match=r"is not an atlas of this model .*core example") as refused:
        load_atlas(tmp_path / "t", checkpoint.config, checkpoint.digest)
    assert "\n" not in str(refused.value)


def test_other_weights_a_cut_file_and_none_are_refused(stored: Path, tmp_path: Path) -> None:
    checkpoint = load(stored, device="cpu")
    with pytest.raises(CheckpointError, match="something else"):
        load_atlas(stored, checkpoint.config, "another")
    shutil.copytree(stored, tmp_path / "t")
    path = tmp_path / "t" / files.ATLAS
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(CheckpointError, match="not an atlas"):
        load_atlas(tmp_path / "t", checkpoint.config, checkpoint.digest)
    path.unlink()
    with pytest.raises(CheckpointError, match="missing"):
        load_atlas(tmp_path / "t", checkpoint.config, checkpoint.digest)


def test_it_goes_with_its_weights(stored: Path, tmp_path: Path) -> None:
    """A checkpoint saved over another keeps the atlas only where the weights are the same."""
    shutil.copytree(stored, tmp_path / "t")
    checkpoint = load(tmp_path / "t", device="cpu")
    parts = (checkpoint.source_tokenizer, checkpoint.target_tokenizer, checkpoint.card, "float32")
    save(tmp_path / "t", checkpoint.model, *parts)
    assert (tmp_path / "t" / files.ATLAS).exists()
    checkpoint.model.encoder_layers[0].self_attention.output_proj.weight.data *= 2  # type: ignore[union-attr, operator]
    save(tmp_path / "t", checkpoint.model, *parts)
    assert not (tmp_path / "t" / files.ATLAS).exists()


def test_a_checkpoint_without_a_folder_or_a_sentence_is_one_sentence(stored: Path) -> None:
    from dataclasses import replace

    checkpoint = load(stored, device="cpu")
    with pytest.raises(InputError, match="no folder"):
        write_atlas(replace(checkpoint, path=None))
    with pytest.raises(InputError, match="no sentence"):
        write_atlas(replace(checkpoint, card={}))


def test_one_command_writes_it_over_a_corpus(stored: Path, tmp_path: Path, capsys: Any) -> None:
    shutil.copytree(stored, tmp_path / "t")
    (tmp_path / "c.tsv").write_text(
        "1\tA man.\tUn homme.\n2\tI am tired.\tJe suis fatigué.\n3\tA dog.\tUn chien.\n"
    )
    given = ["example", "--checkpoint", str(tmp_path / "t"), "--device", "cpu", "--limit", "2"]
    given += ["--corpus", f"{tmp_path / 'c.tsv'}:1", "--target", f"{tmp_path / 'c.tsv'}:2"]
    assert main(given) == 0
    assert "all heads over 2 sentences" in capsys.readouterr().out
    checkpoint = load(tmp_path / "t", device="cpu")
    result = load_atlas(tmp_path / "t", checkpoint.config, checkpoint.digest)
    assert {drawn.sentence for drawn in result.sample} == {
        (0, "A man.", "Un homme."),
        (1, "I am tired.", "Je suis fatigué."),
    }


@pytest.mark.parametrize("name", ["dates", "de-en", "en-fr"])
def test_the_shipped_checkpoints_have_theirs(name: str) -> None:
    folder = ROOT / "checkpoints" / name
    result = load_atlas(folder, files.read_config(folder), files.folder_digest(folder))
    card = files.read_card(folder)
    assert result.sentences == len(card.get("probe_sentences") or card["examples"])
