"""What the server adds to its answers: who may show the app in a frame."""

from __future__ import annotations

import pytest

from ui.app.server import headers


def test_nobody_else_unless_named() -> None:
    said = dict(headers(""))
    assert said[b"content-security-policy"] == b"frame-ancestors 'self'"
    assert said[b"x-frame-options"] == b"SAMEORIGIN"


def test_a_courses_site_is_named_and_what_is_no_site_left_out(caplog: pytest.LogCaptureFixture) -> None:
    given = "https://moodle.example.org http://*.uni.example:8080 *; script-src https://a.example/path 'none'"
    said = dict(headers(given))
    assert said[b"content-security-policy"] == (
        b"frame-ancestors 'self' https://moodle.example.org http://*.uni.example:8080"
    )
    assert b"x-frame-options" not in said and said[b"x-content-type-options"] == b"nosniff"
    assert len(caplog.records) == 4


@pytest.mark.parametrize(
    "site", ["https://a.example\r\nset-cookie: x", "javascript:1", "https://", "//a.example"]
)
def test_nothing_but_an_origin_gets_into_a_header(site: str) -> None:
    assert b"\n" not in dict(headers(site))[b"content-security-policy"]
