"""The command line: what each command prints, and one line and exit code 2 for each mistake."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import core.checkpoints.bundle
from core.api import Checkpoint
from core.cli import main


@pytest.fixture(scope="module")
def folder(tiny: Checkpoint, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("checkpoints") / "tiny"
    core.checkpoints.bundle.save(
        path, tiny.model, tiny.source_tokenizer, tiny.target_tokenizer, tiny.card, "float32"
    )
    return str(path)


Capture = pytest.CaptureFixture[str]


def test_translate_prints_a_line_a_text(folder: str, tiny: Checkpoint, capsys: Capture) -> None:
    assert main(["translate", "--checkpoint", folder, "abc.", "face"]) == 0
    assert capsys.readouterr().out.splitlines() == tiny.translate(["abc.", "face"])


def test_translate_reads_lines_and_keeps_empty_ones(
    folder: str, tiny: Checkpoint, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("abc.\n\nface\n"))
    assert main(["translate", "--checkpoint", folder, "-"]) == 0
    first, last = tiny.translate(["abc.", "face"])
    assert capsys.readouterr().out.split("\n") == [first, "", last, ""]


@pytest.mark.parametrize("strategy", ["greedy", "sample", "beam"])
def test_translate_json(folder: str, tiny: Checkpoint, capsys: Capture, strategy: str) -> None:
    command = f"translate --checkpoint {folder} abc. --strategy {strategy} --json --max-steps 7"
    assert main(command.split()) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["source_tokens"] == ["a", "b", "c", ".", "⟨end⟩"]
    assert len(answer["tokens"]) == len(answer["ids"]) == len(answer["probabilities"]) <= 7
    assert answer["translation"] == tiny.target_tokenizer.decode(answer["ids"])
    assert all(0 < value <= 1 for value in answer["probabilities"])
    assert ("hypotheses" in answer) == (strategy == "beam")


def test_sampling_repeats_with_its_seed(folder: str, capsys: Capture) -> None:
    texts = []
    for seed in ("1", "1", "2"):
        command = ["translate", "--checkpoint", folder, "abc.", "--strategy", "sample", "--temperature", "3"]
        assert main([*command, "--seed", seed, "--top-p", "0.9", "--top-k", "9"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != texts[2]


def test_trace_writes_the_named_arrays(folder: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "trace.npz"
    assert main(f"trace --checkpoint {folder} --source abc --target bad. --out {out}".split()) == 0
    assert "4 source and 5 target tokens" in capsys.readouterr().out
    with np.load(out, allow_pickle=False) as data:
        assert data["source_tokens"].tolist() == ["a", "b", "c", "⟨end⟩"]
        assert data["target_tokens"].tolist() == ["⟨start⟩", "b", "a", "d", "."]
        assert data["encoder.self.weights"].shape == (2, 4, 4, 4)
        assert data["decoder.self.weights"].shape == (2, 4, 5, 5)
        assert data["decoder.cross.weights"].shape == (2, 4, 5, 4)
        assert data["decoder.1.cross.residual_after"].shape == (5, 32)
        assert data["encoder.embed.position_encoding"].shape == (4, 32)


def test_trace_records_what_is_asked(folder: str, tmp_path: Path) -> None:
    out = tmp_path / "trace.npz"
    command = f"trace --checkpoint {folder} --source abc --out {out} --record decoder.0.cross.q"
    assert main(command.split()) == 0
    with np.load(out) as data:
        assert {name for name in data.files if "." in name} == {"decoder.0.cross.q"}


def test_verify_passes(folder: str, capsys: Capture) -> None:
    assert main(["verify", "--checkpoint", folder, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"] is True
    assert main(["verify", "--checkpoint", folder, "--source", "face"]) == 0
    assert "all checks pass" in capsys.readouterr().out


def test_example_stores_one(folder: str, capsys: Capture) -> None:
    assert main(["example", "--checkpoint", folder]) == 0
    assert "example.npz" in capsys.readouterr().out
    assert (Path(folder) / "example.npz").is_file()


@pytest.mark.parametrize(
    "command",
    [
        "",
        "frobnicate",
        "translate",
        "translate --checkpoint nowhere abc",
        "translate --checkpoint {dir} ''",
        "translate --checkpoint {dir} ' '",
        "translate --checkpoint {dir} " + "a" * 5000,
        "translate --checkpoint {dir} abc --strategy magic",
        "translate --checkpoint {dir} abc --temperature 0 --strategy sample",
        "translate --checkpoint {dir} abc --temperature warm",
        "translate --checkpoint {dir} abc --top-p 2",
        "translate --checkpoint {dir} abc --top-k -1",
        "translate --checkpoint {dir} abc --beam-size 0",
        "translate --checkpoint {dir} abc --seed -4",
        "translate --checkpoint {dir} abc --strategy beam --length-penalty nan",
        "translate --checkpoint {dir} abc --strategy beam --length-penalty 1e308 --json",
        "translate --checkpoint {dir} abc --strategy beam --length-penalty -inf",
        "translate --checkpoint {dir} abc --max-steps 999",
        "translate --checkpoint {dir} abc --device abacus",
        "translate --checkpoint {file} abc",
        "trace --checkpoint {dir} --source abc",
        "trace --checkpoint {dir} --source abc --out {dir}",
        "trace --checkpoint {dir} --source abc --out /dev/null",
        "trace --checkpoint {dir} --source abc --out /no/such/folder/t.npz",
        "trace --checkpoint {dir} --source abc --out {file}/t.npz",
        "trace --checkpoint {dir} --source abc --record decoder.0.cross.colour --out {tmp}/t.npz",
        "trace --checkpoint {dir} --source abc --record *.colour --out {tmp}/t.npz",
        "trace --checkpoint {dir} --source '' --out {tmp}/t.npz",
        "trace --checkpoint {dir} --source abc --target '' --out {tmp}/t.npz",
        "verify --checkpoint {tmp}",
        "verify --checkpoint {dir} --source ''",
        "train",
        "train {tmp}/missing.toml",
        "evaluate --checkpoint {dir} --source {file} --reference {file} --write {tmp}",
        "evaluate --checkpoint {dir} --source {file} --reference {file} --write {tmp}/no/such/t.txt",
        "evaluate --checkpoint {dir} --source {tmp}/missing --reference {tmp}/missing",
    ],
)
def test_each_mistake_is_one_line(command: str, folder: str, tmp_path: Path, capsys: Capture) -> None:
    import shlex

    file = tmp_path / "file"
    file.write_text("x")
    filled = [part.format(dir=folder, tmp=tmp_path, file=file) for part in shlex.split(command)]
    assert main(filled) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.strip().endswith(".")
    assert "Traceback" not in captured.err


@pytest.mark.parametrize(
    "command", ["", "translate", "trace", "train", "evaluate", "verify", "import", "example"]
)
def test_help(command: str, capsys: Capture) -> None:
    assert main([*command.split(), "--help"]) == 0
    assert "usage: python -m core" in capsys.readouterr().out


# -- as a process ----------------------------------------------------------------------------------------


def start(*arguments: str | bytes, **options: object) -> subprocess.Popen[bytes]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # A test run started in the background ignores interrupts, and its children would inherit that.
    options = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options}
    return subprocess.Popen([sys.executable, "-m", "core", *arguments], **{**pipes, **options})  # type: ignore[call-overload,no-any-return]


def test_help_imports_nothing_slow() -> None:
    code = (
        "import sys; from core.cli import main; main(['translate', '--help']);"
        "sys.exit(any(name in sys.modules for name in ('torch', 'tokenizers', 'pandas', 'rich')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


@pytest.mark.thorough
def test_a_loaded_model_translates_without_torch_s_compiler(folder: str) -> None:
    code = (
        f"import sys, core; core.load({folder!r}, device='cpu').translate('a');"
        "sys.exit('torch._dynamo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


@pytest.mark.thorough
def test_a_reader_that_stops_early_causes_no_complaint(folder: str) -> None:
    process = start("translate", "--checkpoint", folder, "-")
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdout.close()
    process.stdin.write(b"abc.\n" * 300)
    process.stdin.close()
    assert process.wait(60) == 0
    assert process.stderr.read() == b""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii:strict"])
def test_text_goes_in_and_out_as_utf8_whatever_the_locale(folder: str, encoding: str) -> None:
    process = start(
        *("translate", "--checkpoint", folder, "--json", b"\xc3\xa9\xff"),
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out.decode())["source"] == "é\udcff"


def test_stdin_that_is_no_text_is_one_line(folder: str) -> None:
    process = start("translate", "--checkpoint", folder, "-")
    out, err = process.communicate(b"abc.\n\xff\xfe\n", timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert b"not UTF-8 text" in err
    assert err.count(b"\n") == 1


@pytest.mark.sampled(1)
@pytest.mark.skipif(os.name == "nt", reason="file descriptors of a shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_may_be_closed(folder: str, closed: str) -> None:
    command = f'exec "$0" -m core translate --checkpoint "$1" - {closed}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, folder],
        input=b"" if "<" not in closed else None,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupt_is_quiet(folder: str) -> None:
    process = start("translate", "--checkpoint", folder, "-")
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdin.write(b"abc.\n" * 64)
    process.stdin.flush()
    assert process.stdout.readline()  # it is at work, waiting for more
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert process.stderr.read() == b""
