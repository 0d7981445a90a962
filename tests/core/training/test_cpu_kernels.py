"""What training on a CPU does to memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_kernels_of_shapes_that_do_not_come_back_are_not_kept() -> None:
    all_kept = grown("all")
    if all_kept < 40:
        pytest.skip("this processor's bfloat16 products keep no kernels")
    assert grown("few") < all_kept / 4
