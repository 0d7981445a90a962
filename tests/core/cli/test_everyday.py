"""What everybody does first: a shipped model by its name, the version, the names of the library, options without a strategy."""

from __future__ import annotations

import tomllib
import warnings
from pathlib import Path

import pytest

import core
from core import api
from core.cli.checkpoint import choose_strategy
from core.cli.main import _parser, main
from core.errors import CheckpointError, InputError
from core.model.config import ModelConfig
from core.model.hooks import Hooks

ROOT = Path(__file__).parents[3]
Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", ["dates", "checkpoints/dates", "twins/dates-rotary"])
def test_a_shipped_model_opens_by_its_name_from_any_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = core.load(name, device="cpu").path
    assert path == ROOT / "checkpoints" / name.removeprefix("checkpoints/")
    (tmp_path / "dates").mkdir()  # a folder of one's own comes first
    if name == "dates":
        with pytest.raises(CheckpointError, match=r"config\.json"):
            core.load(name)


@pytest.mark.parametrize("name", ["fr-en", "../en-fr", "checkpoints", "", "tutorials"])
def test_no_other_name_is_a_shipped_model(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckpointError, match="the name of a shipped model: dates, de-en, en-fr"):
        core.load(name)


def test_the_version_is_said_and_the_names_are_the_public_ones(capsys: Capture) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"Attention Atlas {version}\n"
    assert core.__version__ == version
    assert dir(core) == sorted(core.__all__)
    assert all(getattr(core, name) is not None for name in dir(core))


@pytest.mark.parametrize(
    ("options", "strategy"),
    [
        ("", "greedy"),
        ("--beam-size 3", "beam"),
        ("--length-penalty 0.6", "beam"),
        ("--temperature 0.5", "sample"),
        ("--top-k 5 --seed 2", "sample"),
        ("--strategy beam", "beam"),
        ("--strategy sample --top-p 0.9", "sample"),
    ],
)
def test_an_option_of_a_strategy_chooses_it(options: str, strategy: str) -> None:
    given = ["translate", "--checkpoint", "dates", "abc", *options.split()]
    args = _parser(given).parse_args(given)
    choose_strategy(args)
    assert args.strategy == strategy
    assert None not in (
        args.beam_size,
        args.length_penalty,
        args.temperature,
        args.top_k,
        args.top_p,
        args.seed,
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            "--strategy greedy --beam-size 3",
            "--beam-size belongs to --strategy beam, and the strategy here is greedy",
        ),
        ("--strategy beam --top-k 3 --seed 1", "--top-k, --seed belongs to --strategy sample"),
        (
            "--beam-size 3 --temperature 2",
            "--temperature belongs to --strategy sample, and the strategy here is beam",
        ),
    ],
)
def test_options_of_another_strategy_are_refused(options: str, said: str, capsys: Capture) -> None:
    assert main(["translate", "--checkpoint", "dates", "abc", *options.split()]) == 2
    assert said in capsys.readouterr().err


def test_a_beam_size_alone_searches_with_a_beam_in_python_too() -> None:
    checkpoint = core.load("dates", device="cpu")
    assert checkpoint.translate("3 May 2020", beam_size=3) == checkpoint.translate("3 May 2020", "beam", 3)
    with pytest.raises(InputError, match="Greedy search has no beam_size"):
        checkpoint.translate("3 May 2020", "greedy", 3)


def test_what_a_trace_takes_is_counted_and_said_from_four_gigabytes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checkpoint = core.load("dates", device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trace = core.trace(checkpoint, "3 May 2020", record=["*"])
    real = sum(array.nbytes for array in trace.records.values())
    counted = api.recorded_bytes(
        checkpoint.config, Hooks(["*"]), len(trace.source_ids), len(trace.target_ids)
    )
    assert counted == pytest.approx(real, rel=0.1)
    large = ModelConfig(
        source_vocab_size=9, target_vocab_size=9, d_model=1024, heads=16, encoder_layers=12, decoder_layers=12
    )
    assert api.recorded_bytes(large, Hooks(["*.weights"]), 1000, 1000) == 36 * 16 * 1000 * 1000 * 4
    monkeypatch.setattr(api, "MUCH", real / 2)
    with pytest.warns(UserWarning, match="source and .* target tokens records about .* GB"):
        core.trace(checkpoint, "3 May 2020", record=["*"])
