"""The app under Streamlit's own test driver, started at its first page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import wait_for_preloads
from ui.shared import cache
from ui.shared import checkpoints as listing

ROOT = Path(__file__).parents[2]
Open = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def no_packages_components() -> Iterator[None]:
    """Streamlit looks through all installed packages for components when a session of its test driver begins; none is used."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list)
        yield


@pytest.fixture
def warm(tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The small checkpoint is all the app sees; what earlier tests loaded, checked and decoded of it is kept."""
    monkeypatch.setattr(listing, "FOLDER", tiny_checkpoint.parent)
    monkeypatch.delenv(listing.EXTRA, raising=False)
    cache.ENTRIES.clear()


@pytest.fixture
def open_app(request: pytest.FixtureRequest) -> Iterator[Open]:
    """`open_app("attention", {"kind": "causal"})`: a new session at a page, with URL parameters.

    A test that asks for `checkpoints`, to change the folder or to count what is computed, has a folder of its own and
    begins with empty caches; all others share one folder and what is kept of it.
    """
    if "checkpoints" not in request.fixturenames:
        request.getfixturevalue("warm")

    def start(page: str = "translate", params: Mapping[str, str] | None = None) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        if page != "translate":
            app.switch_page(f"pages/{page}.py")
        for name, value in (params or {}).items():
            app.query_params[name] = value
        return app.run()

    yield start
    wait_for_preloads()
