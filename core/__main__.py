"""`python -m core`: translate, trace, train, evaluate and more, from a terminal."""

from __future__ import annotations

import io
import os
import sys

from core.cli import main


def _open_streams() -> None:
    """Read and write UTF-8 whatever the locale; replace a stream that the caller closed by an empty one."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # the process's own, to its end
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="strict")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # An argument with half a character is printed as \udc.., which JSON can read.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def start() -> None:
    """The command of an installed Attention Atlas: without a command of its own it starts the app."""
    _open_streams()
    sys.exit(main(sys.argv[1:] or ["app"]))


if __name__ == "__main__":
    _open_streams()
    sys.exit(main())
