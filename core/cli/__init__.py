"""The command line: `python -m core COMMAND`, each command a thin shell around a public function."""

from core.cli.main import main

__all__ = ["main"]
