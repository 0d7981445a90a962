"""The README's import commands, run as they are written there, on tiny real files of every family."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from core import api
from core.cli.main import main
from core.importing.rules import families
from tests.core.importing.examples import EXAMPLES, ROOT, mine_model

pytest.importorskip("transformers")
pytest.importorskip("sentencepiece")


def documented() -> list[str]:
    """Every command of the README and of docs/ that imports something, its lines joined."""
    texts = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    blocks = [
        block
        for text in texts
        for block in re.findall(r"```sh\n(.*?)```", text.read_text(encoding="utf-8"), flags=re.DOTALL)
    ]
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.startswith("python -m core import ") and " PATH " not in line]


def test_every_family_has_an_example() -> None:
    paths = [shlex.split(command)[4] for command in documented()]
    # A family that only config.json names is imported as the one that it is like.
    alone = {name for name, layout in families().items() if not layout.named_only}
    assert {EXAMPLES[path][0] for path in paths} == {*alone, "mine"}
    assert len(paths) == len(set(paths)) == len(EXAMPLES)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", documented(), ids=lambda command: shlex.split(command)[4])
def test_the_command_imports_what_it_says(
    tmp_path: Path, command: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = shlex.split(command, comments=True)
    layout, make = EXAMPLES[words[4]]
    make(tmp_path)
    capfd.readouterr()
    monkeypatch.chdir(tmp_path)
    if command == documented()[-1]:  # as it is typed; the others without a new process, which takes seconds
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
        assert subprocess.run([sys.executable, *words[1:]], env=environment, timeout=300).returncode == 0
    else:
        assert words[1:3] == ["-m", "core"]
        assert main(words[3:]) == 0, capfd.readouterr().err
    assert "checks of the trust report pass" in capfd.readouterr().out
    out = tmp_path / words[words.index("--out") + 1]
    report = json.loads((out / "import-report.json").read_text())
    assert report["layout"] == layout
    loaded = api.load(out, device="cpu")
    texts = {"ctranslate2": "w7 w30", "joeynmt": "a3 a4"}
    text = "5 6 7" if "numbers" in words else texts.get(layout, "a man rides")
    assert loaded.target_tokenizer.unk_id not in loaded.source_tokenizer.encode(text, eos=False)
    assert isinstance(loaded.translate(text), str)
    if layout == "mine":
        source, target = torch.randint(3, 24, (2, 9)), torch.randint(3, 24, (2, 7))
        with torch.inference_mode():
            assert torch.equal(loaded.model(source, target), mine_model()(source, target))
    if layout in ("bart", "mbart"):
        assert loaded.config.forced_bos_id is not None
