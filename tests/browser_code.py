"""Modules of ui/web for tests that run one by itself, without the view around it; esbuild, which bundles the views too, makes them."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from typing import Final

import pytest

from ui.web.contract import FOLDER

_ESBUILD: Final = FOLDER / "node_modules" / ".bin" / "esbuild"
_MODULE: Final = "browser_code"


def _bundled(*options: str, script: str = "") -> str:
    if not _ESBUILD.exists():
        message = "npm ci has not been run in ui/web"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    command = [
        str(_ESBUILD),
        "--bundle",
        "--loader:.css=empty",
        "--target=es2022",
        "--charset=utf8",
        *options,
    ]
    done = subprocess.run(command, input=script, cwd=FOLDER, capture_output=True, text=True, check=True)
    return done.stdout


@cache
def code_of(path: str) -> tuple[str, str]:
    """A module of ui/web (`base/view.ts`) with all that it imports, to be run in a page, and the name that holds its exports."""
    return _bundled(path, "--format=iife", f"--global-name={_MODULE}"), _MODULE


@cache
def bundled_for_node(script: str) -> str:
    """A script that imports from ui/web as `./base/words.ts`, with all that it imports, as one module for Node."""
    return _bundled("--format=esm", "--platform=node", script=script)


def answer(script: str) -> str:
    """What a script prints in Node; it imports from ui/web as `./base/words.ts`."""
    code = bundled_for_node(script)
    command = ["node", "--input-type=module", "-"]
    return subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout
