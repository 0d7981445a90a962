"""How many files this process may have open: each visitor's connection is one."""

from __future__ import annotations

import logging
from functools import cache
from typing import Final

_log = logging.getLogger(__name__)
_WANTED: Final = 8192
_FEW: Final = 1024
_A_VISITOR: Final = 4  # files that a visitor keeps open; ten while a page loads


@cache
def raise_limit() -> int | None:
    """Raise this process's limit as far as it may, once; a low one is told in the log → the limit, None where there is none.

    At the limit a server cannot answer a new visitor at all, so there is no page on which to say it.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return None
    low, high = resource.getrlimit(resource.RLIMIT_NOFILE)
    open_files = _WANTED if high == resource.RLIM_INFINITY else min(_WANTED, high)
    if low == resource.RLIM_INFINITY or low >= open_files:
        open_files = low
    else:
        resource.setrlimit(resource.RLIMIT_NOFILE, (open_files, high))
    if 0 <= open_files < _FEW:
        _log.warning(
            "This server may have %d files open, which is enough for about %d visitors; "
            "start it after `ulimit -n 4096` to let in more.",
            open_files,
            max(1, (open_files - 50) // _A_VISITOR),
        )
    return open_files
