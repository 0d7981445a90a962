"""Who may upload and how much, the check in front of Streamlit's store of files, and the folders, gone soon after their session."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from streamlit import config, runtime

from ui import uploads
from ui.uploads import GRACE_S, Keeper, Visitor


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """What the work gives, on a loop of its own thread: this one may have a browser's."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


LOCAL = (("host", "localhost:8501"), ("origin", "http://localhost:8501"))
LAN = (("host", "192.0.2.7:8501"), ("origin", "http://192.0.2.7:8501"))


def with_header(name: str, value: str) -> tuple[tuple[str, str], ...]:
    """The headers of a browser on this machine, with one replaced or added."""
    return (*(pair for pair in LOCAL if pair[0] != name.lower()), (name, value))


@pytest.mark.parametrize(
    ("address", "headers", "allowed"),
    [
        ("127.0.0.1", LOCAL, True),
        ("::1", LOCAL, True),
        ("::ffff:127.0.0.1", LOCAL, True),  # how a server on all addresses sees 127.0.0.1
        ("127.0.0.1", (("Host", "127.0.0.1:8501"), ("Origin", "http://127.0.0.1:8501")), True),
        ("::1", (("host", "[::1]:8501"), ("origin", "https://[::1]:8501")), True),
        ("127.0.0.1", (("host", "localhost"), ("origin", "http://localhost")), True),
        # Somebody else's address, whatever they claim in their headers.
        ("192.0.2.8", LAN, False),
        ("192.0.2.8", LOCAL, False),
        ("::ffff:192.0.2.8", LOCAL, False),
        ("2001:db8::8", LOCAL, False),
        ("10.0.0.1", LOCAL, False),
        ("0.0.0.0", LOCAL, False),
        # No address, or none that is one.
        (None, LOCAL, False),
        ("", LOCAL, False),
        ("localhost", LOCAL, False),
        # A page of another site, by a name that leads to this machine or by its own origin.
        ("127.0.0.1", LAN, False),
        ("127.0.0.1", with_header("host", "evil.example:8501"), False),
        ("127.0.0.1", with_header("host", "localhost.evil.example"), False),
        ("127.0.0.1", with_header("host", "localhost:8501@evil.example"), False),
        ("127.0.0.1", with_header("host", "user@localhost"), False),
        ("127.0.0.1", with_header("host", "localhost:8501/evil.example"), False),
        ("127.0.0.1", with_header("host", "localhost:port"), False),
        ("127.0.0.1", with_header("host", "[::1"), False),
        ("127.0.0.1", with_header("host", ""), False),
        ("127.0.0.1", with_header("origin", "https://evil.example"), False),
        ("127.0.0.1", with_header("origin", "null"), False),
        ("127.0.0.1", with_header("origin", "file://"), False),
        ("127.0.0.1", with_header("origin", "localhost:8501"), False),
        # A proxy on this machine.
        ("127.0.0.1", with_header("X-Forwarded-For", "192.0.2.8"), False),
        ("127.0.0.1", with_header("x-forwarded-for", "127.0.0.1"), False),
        ("127.0.0.1", with_header("Forwarded", "for=192.0.2.8"), False),
        ("127.0.0.1", with_header("X-Real-IP", "192.0.2.8"), False),
        ("127.0.0.1", with_header("X-Forwarded-Proto", "https"), False),
        ("127.0.0.1", with_header("Via", "1.1 proxy"), False),
        # What is missing or there twice.
        ("127.0.0.1", (), False),
        ("127.0.0.1", LOCAL[:1], False),
        ("127.0.0.1", LOCAL[1:], False),
        ("127.0.0.1", (*LOCAL, ("host", "evil.example")), False),
        ("127.0.0.1", (*LOCAL, ("Origin", "http://localhost:8501")), False),
    ],
)
def test_only_a_browser_on_this_machine_may_upload_by_itself(
    monkeypatch: pytest.MonkeyPatch, address: str | None, headers: tuple[tuple[str, str], ...], allowed: bool
) -> None:
    monkeypatch.delenv(uploads.SWITCH, raising=False)
    assert uploads.may_upload(Visitor(address, headers)) is allowed


@pytest.mark.parametrize(
    ("switch", "visitor", "allowed"),
    [
        ("on", Visitor("192.0.2.8", LAN), True),
        (" ON ", None, True),
        ("off", Visitor("127.0.0.1", LOCAL), False),
        ("OFF", Visitor("127.0.0.1", LOCAL), False),
        ("maybe", Visitor("127.0.0.1", LOCAL), True),
        ("maybe", Visitor("192.0.2.8", LAN), False),
        ("", None, False),
    ],
)
def test_the_operators_switch_comes_first(
    monkeypatch: pytest.MonkeyPatch, switch: str, visitor: Visitor | None, allowed: bool
) -> None:
    monkeypatch.setenv(uploads.SWITCH, switch)
    assert uploads.may_upload(visitor) is allowed


@pytest.mark.parametrize(("text", "limit"), [("", 500), ("20", 20), ("-3", 500), ("many", 500)])
def test_the_limit_is_the_operators(monkeypatch: pytest.MonkeyPatch, text: str, limit: int) -> None:
    monkeypatch.setenv(uploads.LIMIT, text)
    assert uploads.limit_mb() == limit


@pytest.mark.parametrize(
    ("wished", "name"),
    [
        ("my model", "my-model"),
        ("../../etc", "etc"),
        ("", "imported"),
        ("مثال", "imported"),
        ("tiny", "tiny-2"),
    ],
)
def test_names_are_plain_and_free(wished: str, name: str) -> None:
    assert uploads.free_name(wished, ["tiny"]) == name


# -- the check in front of the store ---------------------------------------------------------------------------

WEIGHTS = SimpleNamespace(data=b"weights")
MB = SimpleNamespace(data=bytes(2**20))


class Server:
    """Two open sessions: one from this machine, one from another."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, Any]] = []
        self.uploaded_file_mgr = SimpleNamespace(add_file=self._take, file_storage={})
        self.is_active_session = lambda session: session in ("here", "elsewhere")

    def _take(self, session_id: str, file: Any) -> None:
        self.taken.append((session_id, file))
        self.uploaded_file_mgr.file_storage.setdefault(session_id, {})[len(self.taken)] = file

    def get_client(self, session: str) -> Any:
        address = {"here": "::ffff:127.0.0.1", "elsewhere": "192.0.2.8"}.get(session)
        if address is None:
            return None
        return SimpleNamespace(client_context=SimpleNamespace(remote_ip=address, headers=list(LOCAL)))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    made = Server()
    monkeypatch.delenv(uploads.SWITCH, raising=False)
    monkeypatch.delenv(uploads.LIMIT, raising=False)
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: made)
    options: dict[str, Any] = {"server.maxUploadSize": 0}
    monkeypatch.setattr(config, "get_option", options.__getitem__)
    monkeypatch.setattr(config, "set_option", options.__setitem__)
    return made


def test_before_uploads_are_open_the_server_takes_nothing() -> None:
    settings = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["maxUploadSize"] == 0


def test_who_may_upload_is_let_in_and_the_rest_refused(server: Server) -> None:
    uploads.open_uploads()
    uploads.open_uploads()  # every run of the page opens it
    store = server.uploaded_file_mgr
    store.add_file(session_id="here", file=WEIGHTS)
    assert server.taken == [("here", WEIGHTS)]
    for session in ("elsewhere", "unknown"):
        with pytest.raises(HTTPException) as refused:
            store.add_file(session_id=session, file=WEIGHTS)
        assert refused.value.status_code == 403
    assert server.taken == [("here", WEIGHTS)]
    assert config.get_option("server.maxUploadSize") == uploads.limit_mb()


def test_the_operator_may_shut_it_for_all(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    uploads.open_uploads()
    monkeypatch.setenv(uploads.SWITCH, "off")
    with pytest.raises(HTTPException):
        server.uploaded_file_mgr.add_file(session_id="here", file=WEIGHTS)
    monkeypatch.setenv(uploads.SWITCH, "on")
    server.uploaded_file_mgr.add_file(session_id="elsewhere", file=WEIGHTS)
    assert server.taken == [("elsewhere", WEIGHTS)]


def refused(action: Any) -> int:
    with pytest.raises(HTTPException) as answer:
        action()
    return answer.value.status_code


def test_who_may_not_upload_is_refused_before_anything_is_read(server: Server) -> None:
    assert server.is_active_session("elsewhere")
    uploads.open_uploads()
    assert refused(lambda: server.is_active_session("elsewhere")) == 403
    assert server.is_active_session("here") and not server.is_active_session("unknown")


def test_a_visitors_files_are_bounded_together(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(uploads.LIMIT, "2")
    uploads.open_uploads()
    store = server.uploaded_file_mgr
    for _ in range(2):
        assert server.is_active_session("here")
        store.add_file("here", MB)
    assert refused(lambda: server.is_active_session("here")) == 413
    assert refused(lambda: store.add_file("here", WEIGHTS)) == 413
    store.file_storage["here"].popitem()
    store.add_file("here", MB)


def test_all_visitors_files_are_bounded_together(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(uploads.SWITCH, "on")
    monkeypatch.setenv(uploads.LIMIT, "2")
    monkeypatch.setenv(uploads.TOTAL, "3")
    uploads.open_uploads()
    store = server.uploaded_file_mgr
    for owner in ("here", "here", "elsewhere"):
        store.add_file(owner, MB)
    assert refused(lambda: server.is_active_session("elsewhere")) == 413
    store.file_storage.pop("here")
    assert server.is_active_session("elsewhere")


class Sender:
    """Sends files through the middleware to an app that stores each once `finish` is set."""

    def __init__(self, server: Server) -> None:
        self.server, self.finish, self.at_work = server, asyncio.Event(), 0
        self.gate = uploads.Reservations(self._route)

    async def _route(self, scope: Any, receive: Any, send: Any) -> None:
        self.at_work += 1
        await self.finish.wait()
        self.server.uploaded_file_mgr.add_file("here", MB)
        self.at_work -= 1
        await send({"type": "http.response.start", "status": 204, "headers": []})

    async def put(self, length: bytes | None = b"1048576", session: str = "here") -> int:
        answers: list[int] = []

        async def send(message: Any) -> None:
            answers.extend([message["status"]] if "status" in message else [])

        headers = [] if length is None else [(b"content-length", length)]
        scope = {
            "type": "http",
            "method": "PUT",
            "path": f"/_stcore/upload_file/{session}/1",
            "headers": headers,
        }
        await self.gate(scope, None, send)  # type: ignore[arg-type]
        return answers[0]


def test_files_that_arrive_together_are_within_the_limits_together(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(uploads.LIMIT, "5")
    uploads.open_uploads()

    async def sixteen_at_once() -> list[int]:
        sender = Sender(server)
        tasks = [asyncio.create_task(sender.put()) for _ in range(16)]
        await asyncio.sleep(0.01)
        assert sender.at_work == uploads.AT_ONCE and not server.taken
        assert await sender.put(b"3000000", "elsewhere") == 403
        sender.finish.set()
        return await asyncio.gather(*tasks)

    answers = run(sixteen_at_once())
    assert sorted(answers) == [204] * 5 + [413] * 11 and len(server.taken) == 5
    assert not uploads._receiving


def test_a_file_is_counted_before_its_first_byte(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(uploads.LIMIT, "2")
    uploads.open_uploads()

    async def two() -> tuple[int, int, int]:
        sender = Sender(server)
        first = asyncio.create_task(sender.put(b"1500000"))
        await asyncio.sleep(0.01)
        second, unannounced = await sender.put(b"1500000"), await sender.put(None)
        sender.finish.set()
        return await first, second, unannounced

    assert run(two()) == (204, 413, 411)


# -- folders ---------------------------------------------------------------------------------------------------


class Sessions:
    """Sessions that open and close, and a clock that is set by hand."""

    def __init__(self) -> None:
        self.open = {"a", "b"}
        self.now = 0.0
        self.keeper = Keeper(lambda session: session in self.open, lambda: self.now)

    def after(self, seconds: float) -> None:
        self.now += seconds
        self.keeper.look()


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sessions:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return Sessions()


def test_a_folder_is_private_and_removed_on_request(sessions: Sessions) -> None:
    folder, other = sessions.keeper.new("a"), sessions.keeper.new("a")
    (folder / "model.pt").write_bytes(b"x")
    assert folder.stat().st_mode & 0o077 == 0
    sessions.keeper.remove(folder)
    sessions.keeper.remove(folder)
    assert not folder.exists()
    assert other.exists()


def test_a_folder_goes_when_its_session_stays_away(sessions: Sessions) -> None:
    left, stayed = sessions.keeper.new("a"), sessions.keeper.new("b")
    (left / "model.pt").write_bytes(b"x")
    sessions.after(10 * GRACE_S)
    assert left.exists()
    sessions.open.remove("a")
    sessions.after(1)
    sessions.after(GRACE_S - 1)
    assert left.exists(), "the browser may still come back"
    sessions.after(1)
    assert not left.exists()
    assert stayed.exists()


def test_what_is_at_work_in_a_folder_ends_within_twenty_seconds(sessions: Sessions) -> None:
    """A training takes one of few places; a checkpoint that was brought waits longer for its browser."""
    ended: list[str] = []
    at_work = [True]
    work = sessions.keeper.new("a", lambda: ended.append("a"), lambda: at_work[0])
    rest, stays = sessions.keeper.new("a"), sessions.keeper.new("b", at_work=lambda: True)
    sessions.open.remove("a")
    for _ in range(round(20 / uploads.LOOK_S)):  # as `watch` looks
        sessions.after(uploads.LOOK_S)
    assert ended == ["a"] and not work.exists() and rest.exists() and stays.exists()
    sessions.open.remove("b")
    sessions.after(1)
    sessions.after(8)
    assert stays.exists(), "a reload of the page takes a few seconds"


def test_a_session_that_comes_back_keeps_its_folder(sessions: Sessions) -> None:
    folder = sessions.keeper.new("a")
    sessions.open.remove("a")
    sessions.after(GRACE_S - 1)
    sessions.open.add("a")
    sessions.after(1)
    sessions.open.remove("a")
    sessions.after(GRACE_S - 1)
    assert folder.exists(), "the time away begins again"
    sessions.after(GRACE_S)
    assert not folder.exists()


def test_a_browser_finds_its_model_again_once_its_session_has_gone(sessions: Sessions) -> None:
    folder = sessions.keeper.new("a")
    model = ("mine", folder / "checkpoint")
    sessions.keeper.holds(folder, "browser 1", model)
    assert sessions.keeper.take_back("b", "browser 1") == [], "the session is still there"
    sessions.open.remove("a")
    assert sessions.keeper.take_back("b", "browser 2") == [], "another browser's"
    assert sessions.keeper.take_back("b", "") == [], "a browser that is not known"
    sessions.open.add("b")
    sessions.after(uploads.GRACE_S / 2)
    assert sessions.keeper.take_back("b", "browser 1") == [model]
    assert sessions.keeper.take_back("b", "browser 1") == [], "it has it already"
    sessions.after(3 * uploads.GRACE_S)
    assert folder.exists(), "it is the new session's"
    sessions.open.remove("b")
    sessions.after(1)
    sessions.after(uploads.GRACE_S)
    assert not folder.exists()


def test_a_model_of_no_known_browser_is_nobodys(sessions: Sessions) -> None:
    folder = sessions.keeper.new("a")
    sessions.keeper.holds(folder, "", ("mine", folder))
    sessions.open.remove("a")
    assert sessions.keeper.take_back("b", "") == []


def test_the_watch_removes_without_being_asked(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LOOK_S", 0.01)
    folder = sessions.keeper.new("gone")
    sessions.keeper.watch()
    time.sleep(0.1)
    assert folder.exists()
    deadline = time.monotonic() + 10
    while folder.exists() and time.monotonic() < deadline:
        # From its first look on, whenever that comes, the session has been away for long.
        sessions.now += 2 * GRACE_S
        time.sleep(0.01)
    assert not folder.exists()


def test_folders_of_a_server_that_was_killed_are_swept_and_nothing_else(
    sessions: Sessions, tmp_path: Path
) -> None:
    dead, foreign, fresh = (tmp_path / name for name in (f"{uploads.PREFIX}dead", "foreign", "fresh"))
    fresh = tmp_path / f"{uploads.PREFIX}fresh"
    own = sessions.keeper.new("a")
    long_ago = time.time() - 48 * 3600
    for each in (dead, foreign, fresh):
        each.mkdir()
    for each in (dead, foreign, own):
        os.utime(each, (long_ago, long_ago))
    (tmp_path / f"{uploads.PREFIX}link").symlink_to(foreign)
    sessions.keeper.new("b")
    assert not dead.exists()
    assert foreign.exists() and fresh.exists()
    assert own.exists(), "a session that was left open for days is still a session"


@pytest.mark.thorough
def test_folders_go_with_the_server(tmp_path: Path) -> None:
    script = (
        f"import tempfile; tempfile.tempdir = {str(tmp_path)!r}\n"
        "from ui.uploads import Keeper\n"
        "keeper = Keeper(lambda session: True)\n"
        "folder = keeper.new('a'); (folder / 'model.pt').write_bytes(b'x')\n"
        "assert folder.exists()"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    assert list(tmp_path.iterdir()) == []


def test_what_works_in_a_folder_is_ended_before_it_goes(sessions: Sessions) -> None:
    seen: list[bool] = []
    folder = sessions.keeper.new("a", lambda: seen.append(folder.exists()))
    sessions.open.remove("a")
    sessions.after(1)
    sessions.after(GRACE_S)
    assert seen == [True] and not folder.exists()
    sessions.keeper.remove(folder)
    assert seen == [True], "once"


def test_a_folder_is_taken_over_only_from_who_has_gone(sessions: Sessions) -> None:
    folder = sessions.keeper.new("a")
    assert not sessions.keeper.adopt(folder, "b"), "its owner is there"
    assert sessions.keeper.adopt(folder, "a")
    sessions.open.remove("a")
    sessions.after(GRACE_S - 1)
    assert sessions.keeper.adopt(folder, "b")
    sessions.after(10 * GRACE_S)
    assert folder.exists(), "its new owner stays"
    sessions.open.remove("b")
    sessions.after(1)
    sessions.after(GRACE_S)
    assert not folder.exists() and not sessions.keeper.adopt(folder, "b")
