"""Which device computes: CUDA, Apple's MPS, or the processor."""

from __future__ import annotations

import torch

from core.errors import InputError


def available_devices() -> list[str]:
    """Devices of this machine, the fastest kind first: "cuda" (or "cuda:0", "cuda:1", …), "mps", "cpu"."""
    names: list[str] = []
    if torch.cuda.is_available():
        count = torch.cuda.device_count()
        names += ["cuda"] if count == 1 else [f"cuda:{i}" for i in range(count)]
    if torch.backends.mps.is_available():
        names.append("mps")
    return [*names, "cpu"]


def pick_device(name: str | torch.device | None = None) -> torch.device:
    """The device called `name`, or the first available one. Raises InputError naming what there is."""
    names = available_devices()
    if name is None:
        return torch.device(names[0])
    wanted = str(name)
    reachable = {*names, *(("cuda", "cuda:0") if names[0].startswith("cuda") else ())}
    if wanted not in reachable:
        raise InputError(f"device {wanted!r} is not available here; choose {' or '.join(names)}.")
    return torch.device(wanted)
