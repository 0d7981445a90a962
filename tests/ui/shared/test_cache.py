"""The bounded cache: least recently used leaves, capacity counts, nothing is computed twice at once."""

from __future__ import annotations

import threading
import time

import pytest

from ui.shared.cache import BoundedCache


def test_the_least_recently_used_leaves() -> None:
    cache: BoundedCache[str] = BoundedCache(entries=2)
    cache.get("a", lambda: "A")
    cache.get("b", lambda: "B")
    cache.get("a", lambda: pytest.fail("a is there"))
    cache.get("c", lambda: "C")
    assert cache.peek("b") is None
    assert (cache.peek("a"), cache.peek("c"), len(cache)) == ("A", "C", 2)


def test_capacity_counts_sizes_and_the_newest_stays() -> None:
    cache: BoundedCache[str] = BoundedCache(10, capacity=5, size=len)
    cache.get(1, lambda: "xxx")
    cache.get(2, lambda: "yy")
    assert cache.filled == 5
    cache.get(3, lambda: "z" * 9)
    assert (len(cache), cache.filled) == (1, 9)


def test_many_threads_share_one_computation() -> None:
    cache: BoundedCache[int] = BoundedCache(entries=4)
    made: list[int] = []

    def make() -> int:
        time.sleep(0.05)
        made.append(1)
        return 7

    threads = [threading.Thread(target=lambda: cache.get("k", make)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_an_error_leaves_nothing_behind() -> None:
    cache: BoundedCache[int] = BoundedCache(entries=4)

    def fail() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        cache.get("k", fail)
    assert cache.get("k", lambda: 3) == 3


def test_keys_can_be_dropped() -> None:
    cache: BoundedCache[int] = BoundedCache(entries=4)
    cache.get(("a", 1), lambda: 1)
    cache.get(("b", 1), lambda: 1)
    cache.drop(lambda key: isinstance(key, tuple) and key[0] == "a")
    assert (cache.peek(("a", 1)), cache.peek(("b", 1))) == (None, 1)
