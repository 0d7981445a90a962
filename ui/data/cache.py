"""A bounded cache that many sessions share: least recently used leaves first, nothing is computed twice at once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

Value = TypeVar("Value")
LOOK_S: Final = 0.25
"""Seconds between two looks of who waits for another's computation."""


@dataclass(eq=False)
class _Work:
    """A value that is being made, and how many are there for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    interested: int = 0


class BoundedCache(Generic[Value]):
    """Values by key, at most `entries` of them and at most `capacity` in the unit that `size` measures.

    Safe for threads: two that ask for the same missing key wait for one computation. A computation that
    raises leaves nothing behind. The newest value always stays, even when it alone exceeds the capacity.
    """

    def __init__(
        self, entries: int, capacity: int | None = None, size: Callable[[Value], int] = lambda value: 1
    ) -> None:
        self._entries, self._capacity, self._size = entries, capacity, size
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._at_work: dict[Hashable, _Work] = {}

    def get(self, key: Hashable, make: Callable[[], Value], look: Callable[[], None] | None = None) -> Value:
        """The value of `key`, made by `make` if it is not there.

        Who waits while another makes it calls `look` again and again; what that raises ends this wait alone.
        """
        found = self.peek(key)
        if found is not None:
            return found
        with self._lock:
            work = self._at_work.setdefault(key, _Work())
            work.interested += 1
        try:
            while not work.lock.acquire(timeout=LOOK_S if look else -1):
                if look:
                    look()
            try:
                found = self.peek(key)
                if found is not None:
                    return found
                value = make()
                self._put(key, value)
                return value
            finally:
                work.lock.release()
        finally:
            with self._lock:
                work.interested -= 1
                if not work.interested:
                    self._at_work.pop(key, None)

    def wanted_by(self, key: Hashable) -> int:
        """How many make `key` or wait for it."""
        with self._lock:
            work = self._at_work.get(key)
            return work.interested if work else 0

    def peek(self, key: Hashable) -> Value | None:
        """The value of `key` if it is there."""
        with self._lock:
            entry = self._values.get(key)
            if entry is None:
                return None
            self._values.move_to_end(key)
            return entry[0]

    def drop(self, wanted: Callable[[Hashable], bool]) -> None:
        """Forget every key for which `wanted` says True."""
        with self._lock:
            for key in [key for key in self._values if wanted(key)]:
                del self._values[key]

    def __len__(self) -> int:
        return len(self._values)

    @property
    def filled(self) -> int:
        """The sizes of all values together."""
        with self._lock:
            return sum(size for _, size in self._values.values())

    def _put(self, key: Hashable, value: Value) -> None:
        with self._lock:
            self._values[key] = (value, self._size(value))
            while len(self._values) > 1 and self._is_over():
                self._values.popitem(last=False)

    def _is_over(self) -> bool:
        total = sum(size for _, size in self._values.values())
        return len(self._values) > self._entries or (self._capacity is not None and total > self._capacity)
