"""The app under Streamlit's own test driver, started at its first page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
Open = Callable[..., AppTest]


@pytest.fixture
def open_app(checkpoints: Path) -> Iterator[Open]:
    """`open_app("attention", {"kind": "causal"})`: a new session at a page, with URL parameters."""

    def start(page: str = "translate", params: Mapping[str, str] | None = None) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        if page != "translate":
            app.run()
            app.switch_page(f"pages/{page}.py")
        for name, value in (params or {}).items():
            app.query_params[name] = value
        return app.run()

    yield start
    for thread in threading.enumerate():
        if thread.name.startswith("preload-"):
            thread.join(timeout=60)
