"""Who may upload, how much, and how names and answers are read."""

from __future__ import annotations

import pytest

from ui.uploads import policy
from ui.uploads.policy import Visitor

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
    monkeypatch.delenv(policy.SWITCH, raising=False)
    assert policy.allowed(Visitor(address, headers)) is allowed


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
    monkeypatch.setenv(policy.SWITCH, switch)
    assert policy.allowed(visitor) is allowed


@pytest.mark.parametrize(("text", "limit"), [("", 500), ("20", 20), ("-3", 500), ("many", 500)])
def test_the_limit_is_the_operators(monkeypatch: pytest.MonkeyPatch, text: str, limit: int) -> None:
    monkeypatch.setenv(policy.LIMIT, text)
    assert policy.limit_mb() == limit


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
    assert policy.free_name(wished, ["tiny"]) == name


def test_answers_are_read_as_what_they_are() -> None:
    assert [policy.answer_value(text) for text in ("8", "true", "0.5", " <pad> ")] == [8, True, 0.5, "<pad>"]
