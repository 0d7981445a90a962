"""A bounded cache that many sessions share: least recently used leaves first, nothing is computed twice at once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


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
        self._at_work: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of `key`, made by `make` if it is not there."""
        found = self.peek(key)
        if found is not None:
            return found
        with self._lock:
            lock = self._at_work.setdefault(key, threading.Lock())
        try:
            with lock:
                found = self.peek(key)
                if found is not None:
                    return found
                value = make()
                self._put(key, value)
                return value
        finally:
            with self._lock:
                self._at_work.pop(key, None)

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
