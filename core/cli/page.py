"""`python -m core page` and `site`: a trained model as one HTML file that runs, and the site of what ships."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

from core.errors import InputError

PAGE: Final = "ui.export.live.page"
"""What builds the page, imported when it is asked for: `core` knows nothing of the app (see `core.notebook`)."""
SITE: Final = "ui.site.pages"


def add_page_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core page`."""
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="the checkpoint's folder")
    parser.add_argument("--out", required=True, metavar="FILE", help="the page to write, such as atlas.html")


def page_command(args: argparse.Namespace) -> int:
    """Run `python -m core page`."""
    from core.api import load

    checkpoint = load(args.checkpoint, device="cpu")
    size = _builder(PAGE).write_page(checkpoint, Path(args.out))
    print(f"{args.out}: {size / 1e6:.1f} MB")
    return 0


def add_site_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core site`."""
    parser.add_argument("--out", required=True, metavar="DIR", help="the new folder to write the site into")


def site_command(args: argparse.Namespace) -> int:
    """Run `python -m core site`."""
    files = _builder(SITE).write_site(Path(args.out))
    size = sum(path.stat().st_size for path in files)
    print(f"{args.out}: {len(files)} files, {size / 1e6:.1f} MB; open {Path(args.out) / 'index.html'}")
    return 0


def _builder(name: str) -> ModuleType:
    """The module of the app that builds pages. Raises `InputError` where the app's folder is missing."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if not error.name or not name.startswith(error.name):
            raise
        raise InputError(
            "The page is built by the app's folder ui, which is not there; copy it beside core."
        ) from None
