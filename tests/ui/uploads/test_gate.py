"""The check in front of Streamlit's store of files, with a server made of what the check asks of one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from streamlit import config, runtime

from ui.uploads import gate, policy

HEADERS = [("host", "localhost:8501"), ("origin", "http://localhost:8501")]


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
        return SimpleNamespace(client_context=SimpleNamespace(remote_ip=address, headers=HEADERS))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    made = Server()
    monkeypatch.delenv(policy.SWITCH, raising=False)
    monkeypatch.delenv(policy.LIMIT, raising=False)
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: made)
    options: dict[str, Any] = {"server.maxUploadSize": 0}
    monkeypatch.setattr(config, "get_option", options.__getitem__)
    monkeypatch.setattr(config, "set_option", options.__setitem__)
    return made


def test_before_uploads_are_open_the_server_takes_nothing() -> None:
    settings = tomllib.loads((Path(__file__).parents[3] / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["maxUploadSize"] == 0


def test_who_may_upload_is_let_in_and_the_rest_refused(server: Server) -> None:
    gate.open_uploads()
    gate.open_uploads()  # every run of the page opens it
    store = server.uploaded_file_mgr
    store.add_file(session_id="here", file=WEIGHTS)
    assert server.taken == [("here", WEIGHTS)]
    for session in ("elsewhere", "unknown"):
        with pytest.raises(HTTPException) as refused:
            store.add_file(session_id=session, file=WEIGHTS)
        assert refused.value.status_code == 403
    assert server.taken == [("here", WEIGHTS)]
    assert config.get_option("server.maxUploadSize") == policy.limit_mb()


def test_the_operator_may_shut_it_for_all(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    gate.open_uploads()
    monkeypatch.setenv(policy.SWITCH, "off")
    with pytest.raises(HTTPException):
        server.uploaded_file_mgr.add_file(session_id="here", file=WEIGHTS)
    monkeypatch.setenv(policy.SWITCH, "on")
    server.uploaded_file_mgr.add_file(session_id="elsewhere", file=WEIGHTS)
    assert server.taken == [("elsewhere", WEIGHTS)]


def refused(action: Any) -> int:
    with pytest.raises(HTTPException) as answer:
        action()
    return answer.value.status_code


def test_who_may_not_upload_is_refused_before_anything_is_read(server: Server) -> None:
    assert server.is_active_session("elsewhere")
    gate.open_uploads()
    assert refused(lambda: server.is_active_session("elsewhere")) == 403
    assert server.is_active_session("here") and not server.is_active_session("unknown")


def test_a_visitors_files_are_bounded_together(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(policy.LIMIT, "2")
    gate.open_uploads()
    store = server.uploaded_file_mgr
    for _ in range(2):
        assert server.is_active_session("here")
        store.add_file("here", MB)
    assert refused(lambda: server.is_active_session("here")) == 413
    assert refused(lambda: store.add_file("here", WEIGHTS)) == 413
    store.file_storage["here"].popitem()
    store.add_file("here", MB)


def test_all_visitors_files_are_bounded_together(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(policy.SWITCH, "on")
    monkeypatch.setenv(policy.LIMIT, "2")
    monkeypatch.setenv(policy.TOTAL, "3")
    gate.open_uploads()
    store = server.uploaded_file_mgr
    for owner in ("here", "here", "elsewhere"):
        store.add_file(owner, MB)
    assert refused(lambda: server.is_active_session("elsewhere")) == 413
    store.file_storage.pop("here")
    assert server.is_active_session("elsewhere")
