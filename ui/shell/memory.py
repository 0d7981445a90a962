"""What the C library keeps of memory that Python has freed."""

from __future__ import annotations

import contextlib
import ctypes
import os
from typing import Final

_M_ARENA_MAX: Final = -8  # malloc.h
_ARENAS: Final = 2
_NOT_GLIBC: Final = (AttributeError, OSError, TypeError)  # what Windows, macOS and musl answer


def keep_few_arenas() -> None:
    """Have all threads share two parts of memory, as MALLOC_ARENA_MAX=2 does; called before there are threads.

    glibc otherwise gives each thread a part of its own and never takes it back.
    """
    if "MALLOC_ARENA_MAX" not in os.environ:
        with contextlib.suppress(*_NOT_GLIBC):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)


def trim() -> None:
    """Hand free memory back to the system where the C library can."""
    with contextlib.suppress(*_NOT_GLIBC):
        ctypes.CDLL(None).malloc_trim(0)
