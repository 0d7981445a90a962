"""Recipes are read whole or refused with one sentence."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from core.errors import ConfigError
from core.training.cli import RECIPES
from core.training.config import load_config
from core.training.data import read_pairs

GOOD = """
[[data.sources]]
task = "copy"
pairs = 10
[data.valid]
task = "copy"
pairs = 5
[training]
max_steps = 5
"""
OWN = """
[training]
max_steps = 1
[data]
sources = [{path = "a.tsv", held_back = 1}]
"""


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "recipe.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_defaults_and_overrides(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, GOOD), out=tmp_path / "out", max_steps=7, device="cpu")
    assert config.name == "recipe"
    assert config.training.max_steps == 7
    assert config.training.device == "cpu"
    assert config.work == Path("runs") / "out"
    assert config.training.betas == (0.9, 0.98)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("colour = 1\n" + GOOD, "does not know 'colour'"),
        (GOOD + "speed = 3", "does not know 'speed'"),
        (GOOD + 'precision = "float8"', "choose one of float32, bfloat16"),
        (GOOD + 'seed = "one"', "must be a whole number, not 'one'"),
        (GOOD + "seed = true", "must be a whole number"),
        (GOOD + "cooldown = 2", "cooldown is 2.0; it must be from 0 to 1"),
        (GOOD + "warmup_steps = 0", "warmup_steps is 0; it must be 1 or more"),
        (GOOD.replace("max_steps = 5", ""), "lacks max_steps; add it"),
        (GOOD + "[model]\nlayers = 2", "[model] does not know 'layers'"),
        (GOOD + "[model]\npad_id = 2", "[model] does not know 'pad_id'"),
        (GOOD + '[tokenizer]\nkind = "words"', "choose one of bpe, characters"),
        (GOOD.replace("pairs = 10", ""), "needs pairs"),
        (GOOD.replace('task = "copy"\npairs = 10', ""), "exactly one of path"),
        (GOOD.replace('task = "copy"\npairs = 10', 'path = "{data}/a.tsv"'), "--data-dir"),
        (GOOD.replace('task = "copy"\npairs = 10', 'path = "a.tsv"'), "does not exist"),
        (GOOD.replace('task = "copy"\npairs = 10', 'source_path = "a"'), "also needs target_path"),
        (GOOD.replace("pairs = 5", 'pairs = 5\nsplit = "dev"'), "choose one of train, valid, test"),
        ("[[", "not valid TOML"),
        ("data = 3\n[training]\nmax_steps = 1", "must be a table"),
        (GOOD + 'optimizer = "sgd"', "optimizer is 'sgd'; choose one of adam, muon."),
        (GOOD + "r_drop = -1.0", "r_drop"),
        (GOOD + "[tokenizer]\nkind = 'characters'\nbpe_dropout = 0.1", "bpe_dropout"),
        (GOOD + "[tokenizer]\nbpe_dropout = 1.0", "bpe_dropout"),
        (OWN + "max_length_ratio = 0.5", "max_length_ratio is 0.5; give 1 or more, or 0"),
        (OWN + 'substitution = {path = "a.tsv", share = 2.0}', "share is 2.0; it must be from 0 to 1"),
        (OWN + 'substitution = {path = "nowhere.tsv"}', "nowhere.tsv' does not exist"),
        (OWN + 'valid = {path = "a.tsv", held_back_by = "target"}', "choose one of source, both"),
        (
            OWN + 'valid = {path = "a.tsv", held_back = 1, never_held_back = true}',
            "either held_back or never_held_back",
        ),
        ('like = "../first"', "give the name of a recipe in the same folder"),
        ("like = 3", "give the name of a recipe in the same folder"),
        ('like = "nothing"', "nothing.toml' cannot be read"),
        ('like = "second"', "which is like another recipe itself"),
    ],
)
def test_mistakes_are_one_sentence(tmp_path: Path, change: str, said: str) -> None:
    (tmp_path / "second.toml").write_text('like = "first"\n', encoding="utf-8")
    if change.startswith(OWN):
        (tmp_path / "a.tsv").write_text("a\tb\n")
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, change))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value).replace("\n" + str(tmp_path), "")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "none.toml")


def test_paths_start_at_the_recipe_or_at_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("x\ty\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "b.tsv").write_text("x\ty\n")
    text = '[data]\nvalid = {path = "a.tsv"}\nsources = [{path = "{data}/b.tsv"}]\n[training]\nmax_steps = 1'
    config = load_config(write(tmp_path, text), data_dir=tmp_path / "d")
    assert config.data.sources[0].path == str(tmp_path / "d" / "b.tsv")
    assert config.data.valid is not None
    assert config.data.valid.path == str(tmp_path / "a.tsv")
    assert config.to_json()["sources"] == [{"path": "b.tsv"}]  # no path of this machine in the card


def test_the_packaged_dates_recipe_is_valid(tmp_path: Path) -> None:
    recipe = files("core.training") / "recipes" / "dates.toml"
    config = load_config(str(recipe), out=tmp_path)
    assert config.data.sources[0].task == "dates"
    assert not config.tokenizer.shared


@pytest.mark.parametrize("name", ["en-fr", "de-en"])
def test_the_packaged_translation_recipes(name: str, tmp_path: Path) -> None:
    for part in ("train", "val", "test_2016_flickr"):
        (tmp_path / f"multi30k-{part}.en-de-fr.tsv.gz").touch()
    for pair in ("en-fr", "en-de"):
        (tmp_path / f"tatoeba-{pair}.tsv.gz").touch()
    config = load_config(RECIPES / f"{name}.toml", out=tmp_path, data_dir=tmp_path)
    assert len(config.examples) == 20
    card = json.loads(Path(f"checkpoints/{name}/card.json").read_text(encoding="utf-8"))
    assert card["probe_sentences"] == list(config.probe_sentences)
    assert len(set(config.probe_sentences) - set(config.examples)) == len(config.probe_sentences) >= 100
    assert config.data.substitution is not None
    classroom = next(source for source in config.data.sources if source.never_held_back)
    pairs = read_pairs(classroom)
    told = next(line for line in config.data.description if "classroom pairs" in line)
    assert told.startswith(f"{len(pairs)} classroom pairs")
    assert len({pair.source for pair in pairs}) == len(pairs) >= 300
    for pair in pairs:
        assert pair.source[-1] in ".?!"
        assert pair.source[-1] == pair.target[-1], pair
        assert re.findall(r"\d+", pair.source) == re.findall(r"\d+", pair.target), pair
    if name == "en-fr":
        assert not [pair for pair in pairs if re.search(r"[^ ][?!;:]", pair.target)]
    else:  # neither side of what is held back may be trained on
        held = [source for source in (*config.data.sources, config.data.valid, *config.data.test) if source]
        assert [s.held_back_by for s in held] == ["source", "both", "source", "source", "both", "both"]
