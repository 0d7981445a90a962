"""`python -m core app`: the app, from any folder, with the settings that lie beside it."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from core.errors import InputError

SCRIPT: Final = Path(__file__).resolve().parents[2] / "app.py"
EXTRA: Final = "ATLAS_CHECKPOINTS"


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is no port; give one from 1 to 65535.")
    return port


def add_app_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core app`."""
    parser.add_argument("--port", type=_port, metavar="N", help="the port to listen on (default: 8501)")
    parser.add_argument(
        "--checkpoints",
        action="append",
        metavar="DIR",
        help="a folder of checkpoints, or one model's, to list beside the shipped ones (may be given again)",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")


def app_command(args: argparse.Namespace) -> int:
    """Run `python -m core app` until it is stopped."""
    for package in ("streamlit", "plotly"):
        if find_spec(package) is None:
            raise InputError(
                f"The app needs {package}, which is not installed; run: pip install 'attention-atlas[app]'"
            )
    for folder in args.checkpoints or ():
        if not Path(folder).is_dir():
            raise InputError(
                f"{folder!r} is no folder; --checkpoints takes a folder of checkpoints or one model's."
            )
    listed = [*(os.environ.get(EXTRA, "").split(os.pathsep)), *(args.checkpoints or ())]
    environment = {**os.environ, EXTRA: os.pathsep.join(str(Path(each).resolve()) for each in listed if each)}
    command = [sys.executable, "-m", "streamlit", "run", str(SCRIPT)]
    if args.port is not None:
        command.append(f"--server.port={args.port}")
    if args.no_browser:
        command.append("--server.headless=true")
    return subprocess.run(command, env=environment, check=False).returncode
