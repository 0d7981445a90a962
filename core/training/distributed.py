"""The processes of one run: alone, or several under torchrun."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import torch
import torch.distributed as dist

from core.device import pick_device
from core.training.cpu_kernels import keep_few_kernels, keep_memory

Made = TypeVar("Made")


@dataclass(frozen=True)
class Process:
    """This process among `world` of them; `main` is the one that writes files and reports."""

    rank: int
    world: int
    device: torch.device

    @property
    def main(self) -> bool:
        return self.rank == 0

    def any(self, flag: bool) -> bool:
        """Whether any process raises its flag; all get the same answer, so all stop at the same step."""
        if self.world == 1:
            return flag
        shared = torch.tensor(float(flag), device=self.device)
        dist.all_reduce(shared, op=dist.ReduceOp.MAX)
        return bool(shared.item())

    def total(self, value: float) -> float:
        """The sum of `value` over all processes."""
        if self.world == 1:
            return value
        shared = torch.tensor(value, dtype=torch.float64, device=self.device)
        dist.all_reduce(shared)
        return float(shared.item())

    def from_main(self, made: Made | None) -> Made:
        """What the first process made, for all; the others give None. It travels pickled, among processes of one run."""
        if self.world == 1:
            assert made is not None
            return made
        held: list[Made | None] = [made if self.main else None]
        dist.broadcast_object_list(held, src=0, device=self.device)
        found = held[0]
        assert found is not None
        return found

    def wait(self) -> None:
        """Return once every process is here."""
        if self.world > 1:
            dist.barrier()


def join(device: str, threads: int = 0) -> Process:
    """Join the processes torchrun started (gloo on CPU, nccl on GPUs), or be the only one."""
    if threads:
        torch.set_num_threads(threads)
    world = int(os.environ.get("WORLD_SIZE", "1"))
    chosen = pick_device(None if device == "auto" else device)
    if chosen.type == "cuda" and world > 1:
        chosen = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    if chosen.type == "cpu":
        keep_memory()
        keep_few_kernels()
    if world == 1:
        return Process(0, 1, chosen)
    if chosen.type == "cuda":
        torch.cuda.set_device(chosen)
    # The others wait while the first scores its checkpoint, which takes longer than the usual half hour at times.
    dist.init_process_group("nccl" if chosen.type == "cuda" else "gloo", timeout=timedelta(hours=6))
    return Process(dist.get_rank(), world, chosen)


def leave(process: Process) -> None:
    """Close the connection between the processes."""
    if process.world > 1 and dist.is_initialized():
        dist.destroy_process_group()
