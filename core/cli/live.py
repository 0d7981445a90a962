"""`python -m core.cli.live MEGABYTES`: the child process of a training that is watched (core.training.live_child).

It stands here, and not in `core.training`, because a finished checkpoint is measured by `core.experiments`, which is built
on training.
"""

from __future__ import annotations

import sys

from core.cli.train import write_heads
from core.training.live_child import begin

if __name__ == "__main__":
    begin(int(sys.argv[1]), write_heads)
