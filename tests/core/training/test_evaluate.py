"""The `train` and `evaluate` commands, as `python -m core` calls them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import core.api
from core.checkpoints import files
from core.cli import main
from core.errors import AtlasError
from core.experiments.corpus import load_atlas
from core.training.cli import add_evaluate_arguments, add_train_arguments, evaluate_command, train_command
from core.training.config import TrainingConfig
from core.training.evaluate import keeps, read_required, read_side, translate_texts
from core.training.run import train


def call(
    add: Callable[[argparse.ArgumentParser], None], run: Callable[[argparse.Namespace], int], *words: str
) -> int:
    parser = argparse.ArgumentParser()
    add(parser)
    return run(parser.parse_args(words))


@pytest.fixture
def trained(make_config: Callable[..., TrainingConfig]) -> TrainingConfig:
    config = make_config(steps=200, dropout=0.0)
    train(config)
    return config


def test_train_command(make_config: Callable[..., TrainingConfig], tmp_path: Path) -> None:
    make_config("cli", steps=50)
    words = [str(tmp_path / "cli.toml"), "--out", str(tmp_path / "o"), "--work", str(tmp_path / "w")]
    assert call(add_train_arguments, train_command, *words, "--max-steps", "3") == 0
    assert json.loads((tmp_path / "o" / "card.json").read_text())["figures"]["steps"] == 3


def test_the_command_line_chooses_the_heads_that_open(
    make_config: Callable[..., TrainingConfig], tmp_path: Path
) -> None:
    make_config("heads", steps=3)
    words = [str(tmp_path / "heads.toml"), "--out", str(tmp_path / "o"), "--work", str(tmp_path / "w")]
    assert main(["train", *words]) == 0
    card = json.loads((tmp_path / "o" / "card.json").read_text())
    assert {"decoder-self", "encoder-self"} <= set(card["default_heads"])
    assert card["default_heads"]["encoder-self"]["sentences"] <= len(card["examples"])
    assert "probe_sentences" not in card
    out = tmp_path / "o"
    atlas = load_atlas(out, files.read_config(out), files.folder_digest(out))
    assert 0 < atlas.sentences <= len(card["examples"])
    assert card["figures"]["steps"] == 3, "the rest of the card stays"


def test_a_recipe_may_name_the_sentences_that_heads_are_chosen_on(
    make_config: Callable[..., TrainingConfig], tmp_path: Path
) -> None:
    make_config("probed", steps=2)
    recipe = tmp_path / "probed.toml"
    recipe.write_text('probe_sentences = "probes.txt"\n' + recipe.read_text(), encoding="utf-8")
    words = [str(recipe), "--out", str(tmp_path / "o"), "--work", str(tmp_path / "w")]
    with pytest.raises(AtlasError, match=r"probes\.txt.*cannot be read"):
        call(add_train_arguments, train_command, *words)
    (tmp_path / "probes.txt").write_text("abc\nbca\ncab\nfade\n", encoding="utf-8")
    assert main(["train", *words]) == 0
    card = json.loads((tmp_path / "o" / "card.json").read_text())
    assert card["probe_sentences"] == ["abc", "bca", "cab", "fade"]
    assert card["default_heads"]["encoder-self"]["sentences"] > len(card["examples"])


def test_packaged_recipes_go_by_name() -> None:
    with pytest.raises(AtlasError, match="--data-dir"):
        call(add_train_arguments, train_command, "en-fr")


def test_evaluate_command(
    trained: TrainingConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.tsv").write_text("x\tabc\tabc\nx\tdefg\tdefg\nx\t\t\n")
    both = ["--source", f"{tmp_path}/t.tsv:1", "--reference", f"{tmp_path}/t.tsv:2"]
    words = ["--checkpoint", str(trained.out), *both, "--beam", "2", "--write", str(tmp_path / "out.txt")]
    capsys.readouterr()
    assert call(add_evaluate_arguments, evaluate_command, *words) == 0
    shown = capsys.readouterr().out
    assert "sentences" in shown
    assert "beam 2" in shown
    assert "nrefs:1" in shown
    assert len((tmp_path / "out.txt").read_text().splitlines()) == 2
    assert call(add_evaluate_arguments, evaluate_command, *words, "--json") == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["sentences"] == 2
    assert scores["beam"] == 2


def test_translations_keep_their_order(trained: TrainingConfig) -> None:
    ck = core.api.load(trained.out, device="cpu")
    texts = ["abcdef", "a", "cab", "ffff", "b"]
    seen: list[tuple[int, int]] = []
    together = translate_texts(
        ck.model,
        ck.source_tokenizer,
        ck.target_tokenizer,
        texts,
        batch_tokens=8,
        progress=lambda *n: seen.append(n),
    )
    assert together == [ck.translate(text) for text in texts]
    assert seen[-1] == (5, 5)
    assert len(seen) > 1


def test_sides_of_a_test_set(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one \ntwo\n")
    (tmp_path / "b:1").write_text("three\n")
    assert read_side(str(tmp_path / "a.txt")) == ["one", "two"]
    assert read_side(str(tmp_path / "b:1")) == ["three"]  # a file that is really called so


@pytest.mark.parametrize(
    ("source", "reference", "extra", "said"),
    [
        ("a", "b", (), "must be parallel"),
        ("none", "b", (), "cannot be read"),
        ("e", "e", (), "no sentences"),
        ("a", "a", ("--beam", "0"), "--beam is 0"),
        ("a:3", "a", (), "column 3"),
    ],
)
def test_mistakes(tmp_path: Path, source: str, reference: str, extra: tuple[str, ...], said: str) -> None:
    for name, text in (("a", "x\ny\n"), ("b", "x\n"), ("e", "\n")):
        (tmp_path / name).write_text(text)
    words = [
        "--checkpoint",
        str(tmp_path),
        "--source",
        str(tmp_path / source),
        "--reference",
        str(tmp_path / reference),
    ]
    with pytest.raises(ValueError, match=said):
        call(add_evaluate_arguments, evaluate_command, *words, *extra)


def test_a_source_with_several_references_is_also_scored_against_all(
    trained: TrainingConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.tsv").write_text("abc\tabc\nabc\tcba\ndefg\tdefg\n")
    both = ["--source", f"{tmp_path}/t.tsv:0", "--reference", f"{tmp_path}/t.tsv:1"]
    words = ["--checkpoint", str(trained.out), *both]
    capsys.readouterr()
    assert call(add_evaluate_arguments, evaluate_command, *words) == 0
    assert "against all 3 references of 2 sources" in capsys.readouterr().out
    assert call(add_evaluate_arguments, evaluate_command, *words, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert "nrefs:var" in found["multi_reference"]["signature"]
    assert (found["multi_reference"]["sources"], found["sentences"]) == (2, 3)


@pytest.mark.parametrize(
    ("translation", "kept"),
    [
        ("Le train part à 9 h 35 avec Anna.", True),
        ("Anna part à 9:35.", True),
        ("Anna part à 9:355.", False),
        ("Annabelle part à 9:35.", False),
        ("anna part à 9:35.", False),
        ("9:35", False),
        ("", False),
    ],
)
def test_a_name_is_kept_as_a_whole_word(translation: str, kept: bool) -> None:
    assert keeps(translation, (("Anna",), ("9:35", "9 h 35"))) is kept


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "first line"),
        ("en\tfr\nAnna.\tAnna\n", "first line"),
        ("en\tkeep\n", "no sentences"),
        ("en\tkeep\nAnna.\n", "Row 2"),
        ("en\tkeep\nAnna.\tAnna|\n", "Row 2"),
    ],
)
def test_a_list_of_what_to_keep_is_refused_in_one_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "keep.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(AtlasError, match=sentence):
        read_required(str(file))


def test_evaluate_counts_the_translations_that_keep_their_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`dates` writes the year of a date; the second sentence asks for one that it cannot write."""
    file = tmp_path / "keep.tsv"
    file.write_text("en\tkeep\n3 May 1999\t1999/x\n4 May 1998\t1777\n", encoding="utf-8")
    words = ["--checkpoint", "checkpoints/dates", "--keep", str(file), "--beam", "1"]
    assert call(add_evaluate_arguments, evaluate_command, *words, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "sentences": 2,
        "kept": 1,
        "lost": {"4 May 1998": "1998-05-04"},
    }
    assert call(add_evaluate_arguments, evaluate_command, *words) == 0
    assert capsys.readouterr().out.splitlines() == [
        "4 May 1998 → 1998-05-04",
        "1 of 2 translations keep what they must.",
    ]
    for wrong in (
        ["--source", str(file)],
        ["--source", str(file), "--reference", str(file), "--keep", str(file)],
    ):
        with pytest.raises(AtlasError, match="--source with --reference"):
            call(add_evaluate_arguments, evaluate_command, "--checkpoint", "checkpoints/dates", *wrong)
