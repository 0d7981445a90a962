"""Uploads: who may send files and how much, each session's folders and their removal, and the check before a file is read."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

from core.language import SOURCE, tr, use
from ui.session import state

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send
    from streamlit.runtime.uploaded_file_manager import UploadedFileRec


# -- who may upload, and how much -------------------------------------------------------------------------------

SWITCH: Final = "ATLAS_UPLOADS"
LIMIT: Final = "ATLAS_UPLOAD_LIMIT_MB"
TOTAL: Final = "ATLAS_UPLOAD_TOTAL_MB"
_DEFAULT_MB: Final = 500
_DEFAULT_TOTAL_MB: Final = 2000
# A request with one of these, or any X-Forwarded-…, was passed on by somebody, and its address is theirs.
_PASSED_ON: Final = re.compile(r"forwarded|via|x-real-ip|x-forwarded-.*")


@dataclass(frozen=True)
class Visitor:
    """Who opened a session: the remote address of the connection, and its headers."""

    address: str | None
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def on_this_machine(self) -> bool:
        """Whether the browser runs on the server's own machine and addressed it by a loopback name.

        The address alone is not enough: a proxy on the same machine has it too, and an attacker's DNS name that points at
        127.0.0.1 lets the attacker's page act through the visitor's browser. A missing or repeated header counts
        against the visitor.
        """
        named: dict[str, list[str]] = {}
        for name, value in self.headers:
            named.setdefault(name.lower(), []).append(value)
        hosts, origins = named.get("host", []), named.get("origin", [])
        if len(hosts) != 1 or len(origins) != 1 or any(map(_PASSED_ON.fullmatch, named)):
            return False
        scheme, _, origin = origins[0].partition("://")
        return (
            _is_loopback(self.address)
            and _names_loopback(hosts[0])
            and scheme in ("http", "https")
            and _names_loopback(origin)
        )


def _names_loopback(authority: str) -> bool:
    """Whether a `host:port` is localhost or a loopback address, and nothing but that."""
    try:
        parts = urlsplit(f"//{authority}")
        host = parts.hostname
        _ = parts.port  # raises for what is no port
    except ValueError:
        return False
    if parts.netloc != authority or parts.username is not None:
        return False
    return host == "localhost" or _is_loopback(host)


def _is_loopback(address: str | None) -> bool:
    try:
        ip = ipaddress.ip_address(address or "")
    except ValueError:
        return False
    # A server that listens on all addresses sees 127.0.0.1 as ::ffff:127.0.0.1.
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        return ip.ipv4_mapped.is_loopback
    return ip.is_loopback


def may_upload(visitor: Visitor | None) -> bool:
    """Whether this visitor may upload: the operator's switch, and without one, whoever sits at this machine."""
    switch = os.environ.get(SWITCH, "").strip().lower()
    if switch in ("on", "off"):
        return switch == "on"
    return visitor is not None and visitor.on_this_machine


def limit_mb() -> int:
    """The largest sum of one visitor's uploaded files, in MB."""
    return _megabytes(LIMIT, _DEFAULT_MB)


def total_mb() -> int:
    """The largest sum of all visitors' uploaded files in memory, in MB; at least what one visitor may have."""
    return max(limit_mb(), _megabytes(TOTAL, _DEFAULT_TOTAL_MB))


def _megabytes(name: str, default: int) -> int:
    text = os.environ.get(name, "").strip()
    return int(text) if re.fullmatch(r"[1-9]\d{0,5}", text, re.ASCII) else default


def free_name(wished: str, taken: Iterable[str]) -> str:
    """A name for the list and the URL: letters, digits, dots and hyphens, and not one that is taken."""
    stem = re.sub(r"[^A-Za-z0-9.]+", "-", wished).strip("-.")[:60].strip("-.") or "imported"
    names = set(taken)
    if stem not in names:
        return stem
    return next(name for n in range(2, len(names) + 3) if (name := f"{stem}-{n}") not in names)


# -- each session's folders -------------------------------------------------------------------------------------

PREFIX: Final = "attention-atlas-upload-"
GRACE_S = 130.0
"""How long a session may be away before its folders go; longer than Streamlit waits for a browser to come back."""
WORK_GRACE_S = 12.0
"""The same for a folder in which something is at work: a reload of the page takes fewer seconds."""
LOOK_S = 3.0
"""Seconds between two looks, so that a folder outlives its session by at most its grace and twice as many."""
_DAY_S: Final = 24 * 3600


@dataclass
class _Kept:
    owner: str
    folder: tempfile.TemporaryDirectory[str]
    away_since: float | None = None
    gone: Callable[[], None] = lambda: None
    at_work: Callable[[], bool] = lambda: False
    browser: str = ""
    model: tuple[str, Path] | None = None  # name and place of the checkpoint in it


class Keeper:
    """Upload folders by owner. `is_open` says whether a session is connected; thread-safe."""

    def __init__(self, is_open: Callable[[str], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._is_open, self._clock = is_open, clock
        self._kept: dict[Path, _Kept] = {}
        self._lock = threading.Lock()

    def new(
        self,
        owner: str,
        gone: Callable[[], None] = lambda: None,
        at_work: Callable[[], bool] = lambda: False,
    ) -> Path:
        """A new folder of `owner` that only this process may read; it goes with its owner, or with the server.

        `gone` is called before it is removed: whatever works in it has to end. `at_work` says whether something does.
        """
        with self._lock:
            sweep(spare=self._kept)
            folder = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
            self._kept[Path(folder.name)] = _Kept(owner, folder, gone=gone, at_work=at_work)
            return Path(folder.name)

    def remove(self, folder: Path) -> None:
        """Remove a folder of ours; nothing happens if it has gone."""
        with self._lock:
            kept = self._kept.pop(folder, None)
        if kept is not None:
            kept.gone()
            kept.folder.cleanup()

    def adopt(self, folder: Path, owner: str) -> bool:
        """Give a folder to another owner, whose browser came back as a new session; not while its owner is connected."""
        with self._lock:
            kept = self._kept.get(folder)
            if kept is None or (kept.owner != owner and self._is_open(kept.owner)):
                return False
            kept.owner, kept.away_since = owner, None
            return True

    def holds(self, folder: Path, browser: str, model: tuple[str, Path]) -> None:
        """Note that a folder of ours holds a checkpoint (name, place), and by which browser it came ("": not known)."""
        with self._lock:
            if (kept := self._kept.get(folder)) is not None:
                kept.browser, kept.model = browser, model

    def take_back(self, owner: str, browser: str) -> list[tuple[str, Path]]:
        """Move the checkpoints of this browser's closed sessions, as after a reload, to `owner` and return them."""
        taken = []
        with self._lock:
            for kept in self._kept.values():
                theirs = kept.model is not None and browser and kept.browser == browser
                if theirs and kept.owner != owner and not self._is_open(kept.owner):
                    kept.owner, kept.away_since = owner, None
                    taken.append(kept.model)
        return [model for model in taken if model is not None]

    def look(self) -> None:
        """Remove folders whose owners have been away for GRACE_S, or WORK_GRACE_S while work is running."""
        with self._lock:
            now, gone = self._clock(), []
            for folder, kept in self._kept.items():
                if self._is_open(kept.owner):
                    kept.away_since = None
                elif kept.away_since is None:
                    kept.away_since = now
                grace = WORK_GRACE_S if kept.at_work() else GRACE_S
                if kept.away_since is not None and now - kept.away_since >= grace:
                    gone.append(folder)
        for folder in gone:
            self.remove(folder)

    def watch(self) -> None:
        """Look every LOOK_S seconds, in a thread of its own, for as long as the server runs."""

        def work() -> None:
            while True:
                time.sleep(LOOK_S)
                self.look()

        threading.Thread(target=work, name="upload-folders", daemon=True).start()


def sweep(spare: Collection[Path]) -> None:
    """Remove folders left by killed servers: ours by name and user, unmodified for a day, not in `spare`."""
    for folder in Path(tempfile.gettempdir()).glob(PREFIX + "*"):
        try:
            status = folder.lstat()
        except OSError:
            continue
        ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and folder not in spare
        if ours and time.time() - status.st_mtime > _DAY_S:
            shutil.rmtree(folder, ignore_errors=True)


AT_ONCE: Final = 3
"""Files of one visitor that are received at a time; the others wait, and nothing of them is read."""
_UPLOAD: Final = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?$")
_MARK: Final = "_atlas_guarded"
_SECRET: Final = "_streamlit_xsrf"
_lock = threading.Lock()


def visitor(session: str) -> Visitor | None:
    """Who opened a session; None when it is not connected.

    The raw address of the connection, because `st.context.ip_address` says None for this machine and for an
    address it does not know alike, and shows 127.0.0.1 as ::ffff:127.0.0.1 where the server listens on all.
    """
    from streamlit import runtime

    client = runtime.get_instance().get_client(session) if runtime.exists() else None
    context = client.client_context if client is not None else None
    if context is None:
        return None
    return Visitor(context.remote_ip, tuple(context.headers))


def allowed() -> bool:
    """Whether the visitor of this run may upload."""
    return may_upload(visitor(state.session_id()))


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
                with _lock:
                    own = _own.get()
                    if own is not None:
                        own.size = 0  # from here on the file itself counts
                    _check(store, session_id, len(file.data))
                    take(session_id, file)

            # Streamlit asks this before it reads the first byte of a file, and for nothing else.
            server.is_active_session = known_and_allowed
            store.add_file = guarded
            setattr(store, _MARK, True)
        if config.get_option("server.maxUploadSize") != limit_mb():
            config.set_option("server.maxUploadSize", limit_mb())


@dataclass(eq=False)
class _Receiving:
    """A file that is being received: whose it is, and how many bytes its sender announced."""

    session: str
    size: int


_receiving: list[_Receiving] = []
_own: ContextVar[_Receiving | None] = ContextVar("_own", default=None)


class Reservations:
    """Middleware that counts a file from the moment its length is announced, before its first byte is read.

    Files that arrive at the same time are within the limits together, and a visitor sends AT_ONCE of them at a time.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._places: dict[
            str, tuple[asyncio.Semaphore, int]
        ] = {}  # with how many hold a place or wait for one

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.exceptions import HTTPException
        from starlette.responses import PlainTextResponse

        address = _UPLOAD.search(scope["path"]) if scope["type"] == "http" else None
        if address is None or scope["method"] != "PUT":
            await self._app(scope, receive, send)
            return
        session = address[1]
        places, count = self._places.get(session, (asyncio.Semaphore(AT_ONCE), 0))
        self._places[session] = places, count + 1
        try:
            async with places:
                headers = dict(scope["headers"])
                use(_language(headers))
                try:
                    own = _reserve(session, headers.get(b"content-length", b""))
                except HTTPException as error:
                    await PlainTextResponse(error.detail, error.status_code)(scope, receive, send)
                    return
                _own.set(own)
                try:
                    await self._app(scope, receive, send)
                finally:
                    _receiving.remove(own)
        finally:
            count = self._places[session][1] - 1
            if count:
                self._places[session] = places, count
            else:
                del self._places[session]


def _language(headers: dict[bytes, bytes]) -> str:
    """The language of the page that sends a file, by the address that its browser names; English where it names none."""
    address = urlsplit(headers.get(b"referer", b"").decode("latin-1"))
    return parse_qs(address.query).get("language", [SOURCE])[-1]


def _reserve(session: str, length: bytes) -> _Receiving:
    """Count a file of the announced length for its session. Raises HTTPException where it has no room, or no length."""
    from starlette.exceptions import HTTPException
    from streamlit import runtime

    if not re.fullmatch(rb"\d{1,15}", length):
        raise HTTPException(411, tr("The browser did not send the length of the file; try another browser."))
    own = _Receiving(session, int(length))
    with _lock:
        _check(runtime.get_instance().uploaded_file_mgr, session, own.size)
        _receiving.append(own)
    return own


def _check(store: Any, session: str, more: int) -> None:
    """Refuse `more` bytes of a session that may not upload, or whose files, or everybody's, are too large together."""
    from starlette.exceptions import HTTPException

    if not may_upload(visitor(session)):
        raise HTTPException(
            403, tr("Uploads are off for your browser; the server’s operator can set ATLAS_UPLOADS=on.")
        )
    held = {
        owner: sum(len(file.data) for file in list(files.values()))
        for owner, files in list(store.file_storage.items())
    }
    for each in tuple(_receiving):
        held[each.session] = held.get(each.session, 0) + each.size
    if held.get(session, 0) + more > limit_mb() * 2**20:
        raise HTTPException(
            413,
            tr("Your files have more than {most} MB together; remove one of them first.", most=limit_mb()),
        )
    if sum(held.values()) + more > total_mb() * 2**20:
        raise HTTPException(
            413, tr("The server cannot take more uploaded files now; try again in a few minutes.")
        )


def new_folder(gone: Callable[[], None] = lambda: None, at_work: Callable[[], bool] = lambda: False) -> Path:
    """A folder of this session; it goes when the session has ended, after `gone` was called.

    While something is `at_work` in it, that is sooner: it takes a place that others wait for.
    """
    return _keeper().new(state.session_id(), gone, at_work)


def adopt(folder: Path) -> bool:
    """Make a folder of `new_folder` this session's; not while the session that it belongs to is connected."""
    return _keeper().adopt(folder, state.session_id())


def remove_folder(folder: Path) -> None:
    """Remove a folder of `new_folder` now."""
    _keeper().remove(folder)


def holds(folder: Path, name: str, checkpoint: Path) -> None:
    """Record that a folder of `new_folder` contains a checkpoint, so that its browser gets it back after a reload."""
    _keeper().holds(folder, _browser(), (name, checkpoint))


def taken_back() -> list[tuple[str, Path]]:
    """(name, place) of the checkpoints that this browser brought before it loaded the page again."""
    return _keeper().take_back(state.session_id(), _browser())


def _browser() -> str:
    """What tells this browser from every other: the secret that Streamlit gives each; empty where it gives none."""
    import streamlit as st
    from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string

    secret, _ = decode_xsrf_token_string(st.context.cookies.get(_SECRET) or "")
    return secret.hex() if secret else ""


@cache
def _keeper() -> Keeper:
    keeper = Keeper(state.is_open)
    keeper.watch()
    return keeper
