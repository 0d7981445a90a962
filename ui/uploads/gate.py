"""The server's side of uploads: the owner of a session, the folders of its files, and the check before a file is read.

Streamlit accepts a file from any session, whether or not a page drew an uploader, and keeps it in memory.
`.streamlit/config.toml` therefore allows 0 MB, so that a file is refused before it is read; `open_uploads` first puts a
check in front of Streamlit's file store and only then raises that limit. The check runs before the body of a request is
read, and again with the size of the received file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ui.session import presence
from ui.uploads import folders, policy

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFileRec

REFUSED: Final = "Uploads are off for this visitor; the operator can set ATLAS_UPLOADS=on."
FULL: Final = "The files of one visitor may have at most"
BUSY: Final = "The server holds as many uploaded files as it may; try again in a few minutes."
_MARK: Final = "_atlas_guarded"
_SECRET: Final = "_streamlit_xsrf"
_lock = threading.Lock()


def visitor(session: str) -> policy.Visitor | None:
    """Who opened a session; None when it is not connected.

    The raw address of the connection, because `st.context.ip_address` says None for this machine and for an
    address it does not know alike, and shows 127.0.0.1 as ::ffff:127.0.0.1 where the server listens on all.
    """
    from streamlit import runtime

    client = runtime.get_instance().get_client(session) if runtime.exists() else None
    context = client.client_context if client is not None else None
    if context is None:
        return None
    return policy.Visitor(context.remote_ip, tuple(context.headers))


def allowed() -> bool:
    """Whether the visitor of this run may upload."""
    return policy.allowed(visitor(_session()))


def open_uploads() -> None:
    """Let Streamlit take files up to the limit, from those who may upload and from nobody else."""
    from streamlit import config, runtime

    if not runtime.exists():
        return
    with _lock:
        server: Any = runtime.get_instance()
        store = server.uploaded_file_mgr
        if not getattr(store, _MARK, False):
            take, known = store.add_file, server.is_active_session

            def known_and_allowed(session_id: str) -> bool:
                if known(session_id):
                    _check(store, session_id, 1)
                    return True
                return False

            def guarded(session_id: str, file: UploadedFileRec) -> None:
                _check(store, session_id, len(file.data))
                take(session_id, file)

            # Streamlit asks this before it reads the first byte of a file, and for nothing else.
            server.is_active_session = known_and_allowed
            store.add_file = guarded
            setattr(store, _MARK, True)
        if config.get_option("server.maxUploadSize") != policy.limit_mb():
            config.set_option("server.maxUploadSize", policy.limit_mb())


def _check(store: Any, session: str, more: int) -> None:
    """Refuse `more` bytes of a session that may not upload, or whose files, or everybody's, are too large together."""
    from starlette.exceptions import HTTPException

    if not policy.allowed(visitor(session)):
        raise HTTPException(403, REFUSED)
    held = {
        owner: sum(len(file.data) for file in list(files.values()))
        for owner, files in list(store.file_storage.items())
    }
    if held.get(session, 0) + more > policy.limit_mb() * 2**20:
        raise HTTPException(413, f"{FULL} {policy.limit_mb()} MB together; remove one of them first.")
    if sum(held.values()) + more > policy.total_mb() * 2**20:
        raise HTTPException(413, BUSY)


def new_folder(gone: Callable[[], None] = lambda: None, at_work: Callable[[], bool] = lambda: False) -> Path:
    """A folder of this session; it goes when the session has ended, after `gone` was called.

    While something is `at_work` in it, that is sooner: it takes a place that others wait for.
    """
    return _keeper().new(_session(), gone, at_work)


def adopt(folder: Path) -> bool:
    """Make a folder of `new_folder` this session's; not while the session that it belongs to is connected."""
    return _keeper().adopt(folder, _session())


def remove_folder(folder: Path) -> None:
    """Remove a folder of `new_folder` now."""
    _keeper().remove(folder)


def holds(folder: Path, name: str, checkpoint: Path) -> None:
    """Record that a folder of `new_folder` contains a checkpoint, so that its browser gets it back after a reload."""
    _keeper().holds(folder, _browser(), (name, checkpoint))


def taken_back() -> list[tuple[str, Path]]:
    """(name, place) of the checkpoints that this browser brought before it loaded the page again."""
    return _keeper().take_back(_session(), _browser())


def _browser() -> str:
    """What tells this browser from every other: the secret that Streamlit gives each; empty where it gives none."""
    import streamlit as st
    from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string

    secret, _ = decode_xsrf_token_string(st.context.cookies.get(_SECRET) or "")
    return secret.hex() if secret else ""


@cache
def _keeper() -> folders.Keeper:
    keeper = folders.Keeper(presence.is_open)
    keeper.watch()
    return keeper


def _session() -> str:
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context is not None else ""
