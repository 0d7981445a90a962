"""`python -m core.cli.live MEGABYTES`: the child process of a watched training (core.training.live_child).

It is here, and not in `core.training`, because a finished checkpoint is measured by `core.experiments`, which depends
on training.
"""

from __future__ import annotations

import sys

from core.cli.write import write_heads
from core.training.live_child import begin

if __name__ == "__main__":
    begin(int(sys.argv[1]), write_heads)
