"""What training on a CPU does to memory.

Two processes under torchrun train the same model as one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from core.training.loop import Trainer
from core.training.snapshots import load_state
from tests.core.training.conftest import ALONE, MakeConfig

PRODUCTS = """
import sys
from pathlib import Path
if sys.argv[1] == "few":
    from core.training.process import keep_few_kernels
    keep_few_kernels()
import torch
import torch.nn.functional as F
torch.set_num_threads(1)
weight = torch.zeros(512, 512, dtype=torch.bfloat16)
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20
before = None
for rows in range(1, 301):
    F.linear(torch.zeros(rows, 512, dtype=torch.bfloat16), weight)
    before = resident() if rows == 20 else before
print(resident() - before)
"""


def grown(which: str) -> float:
    """Megabytes that 280 bfloat16 products of new shapes leave behind."""
    environment = {name: value for name, value in os.environ.items() if "CACHE_CAPACITY" not in name}
    told = subprocess.run(
        [sys.executable, "-c", PRODUCTS, which],
        cwd=Path(__file__).parents[3],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(told.stdout)


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_kernels_of_shapes_that_do_not_come_back_are_not_kept() -> None:
    all_kept = grown("all")
    if all_kept < 40:
        pytest.skip("this processor's bfloat16 products keep no kernels")
    assert grown("few") < all_kept / 4


ROOT = Path(__file__).parents[3]
SCRIPT = """
import argparse, sys
from core.training.cli import add_train_arguments, train_command
parser = argparse.ArgumentParser()
add_train_arguments(parser)
sys.exit(train_command(parser.parse_args()))
"""


# torch's own processes end in SIGABRT now and then on a busy machine, after their work; a fault of ours ends them each time.
@pytest.mark.thorough
@pytest.mark.flaky(reruns=1, condition="CI" in os.environ)
def test_two_processes_equal_one(make_config: MakeConfig, tmp_path: Path) -> None:
    alone = make_config("alone", steps=6, dropout=0.0)
    trainer = Trainer(alone, ALONE)
    trainer.resume()
    trainer.run()

    make_config("pair", steps=6, dropout=0.0)
    script = tmp_path / "train.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        str(script),
    ]
    command += [
        str(tmp_path / "pair.toml"),
        "--out",
        str(tmp_path / "pair"),
        "--work",
        str(tmp_path / "pair.work"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cpu × 2" in done.stdout

    first, second = load_state(alone.work), load_state(tmp_path / "pair.work")
    assert first is not None
    assert second is not None
    assert second["step"] == 6
    assert second["tokens"] == first["tokens"]
    assert second["last_loss"] == pytest.approx(first["last_loss"], rel=1e-4)
    for name, tensor in first["model"].items():
        # A key bias adds the same to all scores of a row: its gradient is 0, and Adam makes steps of the rounding.
        if not name.endswith("k_proj.bias"):
            torch.testing.assert_close(second["model"][name], tensor, rtol=1e-3, atol=1e-4, msg=name)
    assert (tmp_path / "pair" / "model.safetensors").exists()
    assert done.stdout.count("Writing") == 1  # only one of the two writes
