"""`python -m core`: translate, trace, train, evaluate and more, from a terminal."""

from __future__ import annotations

import sys

from core.cli import main

if __name__ == "__main__":
    sys.exit(main())
