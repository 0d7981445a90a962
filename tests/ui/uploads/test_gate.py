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


class Server:
    """Two open sessions: one from this machine, one from another."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, Any]] = []
        self.uploaded_file_mgr = SimpleNamespace(
            add_file=lambda session_id, file: self.taken.append((session_id, file))
        )

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
    store.add_file(session_id="here", file="weights")
    assert server.taken == [("here", "weights")]
    for session in ("elsewhere", "unknown"):
        with pytest.raises(HTTPException) as refused:
            store.add_file(session_id=session, file="weights")
        assert refused.value.status_code == 403
    assert server.taken == [("here", "weights")]
    assert config.get_option("server.maxUploadSize") == policy.limit_mb()


def test_the_operator_may_shut_it_for_all(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    gate.open_uploads()
    monkeypatch.setenv(policy.SWITCH, "off")
    with pytest.raises(HTTPException):
        server.uploaded_file_mgr.add_file(session_id="here", file="weights")
    monkeypatch.setenv(policy.SWITCH, "on")
    server.uploaded_file_mgr.add_file(session_id="elsewhere", file="weights")
    assert server.taken == [("elsewhere", "weights")]
