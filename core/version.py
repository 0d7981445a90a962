"""The version of this project: of the repository's pyproject.toml, or of the installed package."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path


def _version() -> str:
    project = Path(__file__).parents[1] / "pyproject.toml"
    if project.is_file():
        return str(tomllib.loads(project.read_text("utf-8"))["project"]["version"])
    try:
        return metadata.version("attention-atlas")
    except metadata.PackageNotFoundError:  # the folder was copied without its pyproject.toml
        return "0"


__version__ = _version()
