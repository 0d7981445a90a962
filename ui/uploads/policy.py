"""Who may upload, how much, and how their answers are read. Pure; `ui.uploads.gate` asks the server."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

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


def allowed(visitor: Visitor | None) -> bool:
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


def answer_value(text: str) -> object:
    """What was typed as an answer: numbers, true and false as such, anything else as words."""
    words = text.strip()
    if re.fullmatch(r"-?\d{1,9}", words, re.ASCII):
        return int(words)
    if words.lower() in ("true", "false"):
        return words.lower() == "true"
    try:
        return float(words)
    except ValueError:
        return words
