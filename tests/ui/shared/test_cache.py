"""The bounded cache, and the queue of all visitors: who goes first, what each is told, and what ends a wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ui.app import frame
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cache, context, models
from ui.shared import cache as turns
from ui.shared import checkpoints as listing
from ui.shared.cache import BoundedCache, BusyError, Turns
from ui.shared.decode import Decode


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


class Gone(BaseException):
    """What ends a run whose visitor has gone on."""


@dataclass
class Room:
    """Visitors in threads of their own: `came` in the order in which they got their turn, `told` what each was told."""

    queue: Turns
    came: list[str] = field(default_factory=list)
    told: dict[str, list[int]] = field(default_factory=dict)
    threads: list[threading.Thread] = field(default_factory=list)

    def enter(self, owner: str, until: threading.Event, heavy: bool = False, name: str | None = None) -> None:
        """Let a visitor ask, and wait until the queue knows."""

        def work() -> None:
            with self.queue.turn(owner, name, heavy, self.told.setdefault(owner, []).append):
                self.came.append(owner)
                until.wait(20)

        known = len(self.queue._waiting) + len(self.queue._running)
        self.threads.append(threading.Thread(target=work, daemon=True))
        self.threads[-1].start()
        wait_for(lambda: len(self.queue._waiting) + len(self.queue._running) > known)

    def leave(self) -> None:
        for thread in self.threads:
            thread.join(20)
            assert not thread.is_alive()


def wait_for(there: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not there():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_who_waits_is_told_how_many_others_are_before() -> None:
    room, gate = Room(Turns(at_once=1)), threading.Event()
    for owner in ("a", "b", "b", "c"):
        room.enter(owner, gate)
    wait_for(lambda: bool(room.told["c"]) and bool(room.told["b"]))
    assert set(room.told["b"]) == {1}, "a alone is before b; b's own first job is no other"
    assert set(room.told["c"]) == {2}, "a and b are two others, however much b wants"
    assert room.told["a"] == []
    gate.set()
    room.leave()
    assert room.came == ["a", "b", "b", "c"]


def test_ones_own_work_is_no_other() -> None:
    room, gate = Room(Turns(at_once=1)), threading.Event()
    room.enter("a", gate, name="first")
    room.enter("a", gate)
    wait_for(lambda: bool(room.told["a"]))
    assert set(room.told["a"]) == {0}
    assert room.queue.others("a", "first") == 0
    assert room.queue.others("b", "first") == 1
    gate.set()
    room.leave()


def test_work_that_no_visitor_asked_for_is_no_other() -> None:
    room, gate = Room(Turns(at_once=1)), threading.Event()
    room.enter(turns.NOBODY, gate, name="trust")
    room.enter("a", gate)
    wait_for(lambda: bool(room.told["a"]))
    assert set(room.told["a"]) == {0}
    assert room.queue.others("b", "trust") == 0
    gate.set()
    room.leave()


def test_who_waits_for_the_same_work_is_told_of_those_before_it() -> None:
    room, gate = Room(Turns(at_once=1)), threading.Event()
    room.enter("a", gate, name="one")
    room.enter("b", gate, name="two")
    assert room.queue.others("c", "two") == 2
    assert room.queue.others("a", "two") == 1
    assert room.queue.others("c", "nothing") == 0
    gate.set()
    room.leave()


def test_of_what_is_heavy_one_is_at_work_and_a_place_is_left() -> None:
    room, beams, short = Room(Turns(at_once=2)), threading.Event(), threading.Event()
    for owner in ("beam 1", "beam 2", "beam 3"):
        room.enter(owner, beams, heavy=True)
    for owner in ("short 1", "short 2"):
        room.enter(owner, short)
    wait_for(lambda: len(room.came) == 2)
    assert room.came == ["beam 1", "short 1"]
    short.set()
    wait_for(lambda: len(room.came) == 3)
    assert room.came[-1] == "short 2", "a second beam does not take the place that is left"
    beams.set()
    room.leave()
    assert room.came[3:] == ["beam 2", "beam 3"]


def test_too_many_are_told_so_in_one_sentence() -> None:
    room, gate = Room(Turns(at_once=1, most=2)), threading.Event()
    for owner in ("a", "b", "c"):
        room.enter(owner, gate)
    with (
        pytest.raises(BusyError, match=r"^2 others are already waiting; try again in a moment\.$"),
        room.queue.turn("d"),
    ):
        pass
    gate.set()
    room.leave()
    with room.queue.turn("d"):
        pass


def test_who_has_gone_on_leaves_the_queue() -> None:
    room, gate = Room(Turns(at_once=1)), threading.Event()
    room.enter("a", gate)

    def gone(others: int) -> None:
        raise Gone

    with pytest.raises(Gone), room.queue.turn("b", tell=gone):
        pass
    assert not room.queue._waiting
    gate.set()
    room.leave()


def test_a_turn_inside_of_a_turn_is_the_same_one() -> None:
    queue = Turns(at_once=1)
    with queue.turn("a", heavy=True), queue.turn("a"):
        assert len(queue._running) == 1
    assert not queue._running


def test_who_waits_for_anothers_computation_can_give_up() -> None:
    cache: BoundedCache[int] = BoundedCache(entries=4)
    began, gate = threading.Event(), threading.Event()

    def slow() -> int:
        began.set()
        gate.wait(20)
        return 7

    maker = threading.Thread(target=lambda: cache.get("k", slow))
    maker.start()
    began.wait(20)
    assert cache.wanted_by("k") == 1

    def gone() -> None:
        assert cache.wanted_by("k") == 2
        raise Gone

    with pytest.raises(Gone):
        cache.get("k", slow, gone)
    assert cache.wanted_by("k") == 1
    gate.set()
    maker.join(20)
    assert (cache.peek("k"), cache.wanted_by("k")) == (7, 0)


def test_a_superseded_decode_stops_before_its_next_word_and_keeps_nothing(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = listing.find("tiny")[0]
    looks = iter(range(100))

    def give_way() -> None:
        if next(looks) == 2:
            raise Gone

    monkeypatch.setattr(state, "give_way", give_way)
    with pytest.raises(Gone):
        _ = context.CheckpointView(entry, Selection(text="A man rides.")).decoded.decode
    assert next(looks) == 3, "it was not asked again"
    monkeypatch.setattr(state, "give_way", lambda: None)
    first = context.CheckpointView(entry, Selection(text="A man rides.")).decoded.decode
    assert first.source_text == "A man rides."
    assert not models._turns._running


def test_a_decode_that_others_wait_for_is_finished(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = listing.find("tiny")[0]
    monkeypatch.setattr(cache.DECODES, "wanted_by", lambda key: 2)

    def give_way() -> None:
        raise Gone

    monkeypatch.setattr(state, "give_way", give_way)
    assert context.CheckpointView(entry, Selection(text="Two men.")).decoded.decode.source_text == "Two men."


def test_a_wide_beam_is_heavy_and_a_short_sentence_is_not(checkpoints: Path) -> None:
    entry = listing.find("tiny")[0]
    reading = context.read_text(entry, "A man rides.")
    heavy = {
        beam: context.make_decode.is_heavy(reading, Selection(strategy="beam", beam=beam)) for beam in (2, 12)
    }
    assert heavy == {2: False, 12: True}
    assert not context.make_decode.is_heavy(reading, Selection())


def test_the_words_count_others() -> None:
    assert frame.words(1) == "waiting for 1 other …"
    assert frame.words(7) == "waiting for 7 others …"
    assert turns.MOST_WAITING > 30, "a class has room in the queue"


def test_everybody_gets_the_sentence_that_was_asked_for(checkpoints: Path) -> None:
    entry = listing.find("tiny")[0]
    asked = ["A man rides.", "Two men.", "I am tired.", "A man.", "Two dogs."] * 3
    found: dict[int, Decode] = {}

    def work(place: int) -> None:
        found[place] = context.CheckpointView(entry, Selection(text=asked[place])).decoded.decode

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [found[place].source_text for place in range(len(asked))] == asked
    assert len(set(map(id, found.values()))) == 5, "those of one sentence share its decode"
