"""`python -m core page`: a trained model as one HTML file that runs in a browser."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import Final

from core.errors import InputError

PAGE: Final = "ui.export.live.page"
"""What builds the page, imported when it is asked for: `core` knows nothing of the app (see `core.shown`)."""


def add_page_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core page`."""
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="the checkpoint's folder")
    parser.add_argument("--out", required=True, metavar="FILE", help="the page to write, such as atlas.html")


def page_command(args: argparse.Namespace) -> int:
    """Run `python -m core page`."""
    from core.api import load

    checkpoint = load(args.checkpoint, device="cpu")
    try:
        page = import_module(PAGE)
    except ModuleNotFoundError as error:
        if not error.name or not PAGE.startswith(error.name):
            raise
        raise InputError(
            "The page is built by the app's folder ui, which is not there; copy it beside core."
        ) from None
    size = page.write_page(checkpoint, Path(args.out))
    print(f"{args.out}: {size / 1e6:.1f} MB")
    return 0
