"""The app connects to nothing outside this machine; what the web framework would look up by itself is answered here."""

from __future__ import annotations


def look_nothing_up() -> None:
    """Let Streamlit not ask a public service for this machine's address.

    It does so whenever a page of another site opens a connection, to compare that site with this machine's own name. A
    server that is to be reached under a public name is told it: `--browser.serverAddress`, `--server.corsAllowedOrigins`.
    """
    from streamlit import net_util

    net_util.get_external_ip = _unknown


def _unknown() -> None:
    return None
