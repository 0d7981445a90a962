"""A small checkpoint that every test of the app can use: random weights, a joint BPE, a stored example."""

from __future__ import annotations

import gc
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from core.verify.report import TrustReport

# No example fails for being late: the machine may be busy.
settings.register_profile("patient", settings.default, deadline=None)
settings.load_profile("patient")

CHROMIUM = ("chromium-headless-shell", "chromium", "google-chrome")
ARGUMENTS = (
    "--font-render-hinting=none",  # the build without a window would fit letters to pixels, unlike the whole one
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    "--renderer-process-limit=1",  # tabs share what is compiled: 4.6 s of processor for three pages, not 8
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
)
TEXTS = (
    "A man in a red shirt is riding a bike.",
    "The dog is chasing a white ball.",
    "Un homme en chemise rouge fait du vélo.",
    "Le chien court après une balle blanche.",
    "Where is my book? I am tired. Où est mon livre ? Je suis fatigué.",
)
EXAMPLE = "The dog is chasing a white ball."


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked `sampled(n)`, every case but n is thorough."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for alike in cases.values():
        mark = alike[0].get_closest_marker("sampled")
        assert mark is not None
        kept = {number * len(alike) // mark.args[0] for number in range(mark.args[0])}
        for number, item in enumerate(alike):
            if number not in kept:
                item.add_marker(pytest.mark.thorough)


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint folder called `tiny`, with `example.npz`, made once a run."""
    import torch

    from core.api import load
    from core.checkpoints.bundle import save
    from core.decoding.example import write_example
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer
    from core.tokenizer import Tokenizer

    folder = tmp_path_factory.mktemp("checkpoints") / "tiny"
    tokenizer = Tokenizer.train_bpe(TEXTS * 4, vocab_size=160)
    config = ModelConfig(
        source_vocab_size=tokenizer.vocab_size,
        target_vocab_size=tokenizer.vocab_size,
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        heads=2,
        d_ff=32,
        max_length=64,
        norm_placement="pre",
        final_norm=True,
    )
    torch.manual_seed(3)
    card = {
        "name": "tiny",
        "source_language": "en",
        "target_language": "fr",
        "examples": [{"source": EXAMPLE}, {"source": "I am tired."}],
    }
    save(folder, Transformer(config), tokenizer, tokenizer, card, dtype="float32")
    write_example(load(folder, device="cpu"))
    return folder


def wait_for_preloads() -> None:
    """Wait until every model that loads behind a page is loaded and checked."""
    for thread in threading.enumerate():
        if thread.name.startswith("preload-"):
            thread.join(timeout=60)
            assert not thread.is_alive(), thread.name


@pytest.fixture(scope="session")
def checked(tiny_checkpoint: Path) -> tuple[str, TrustReport]:
    """The digest of the small checkpoint and its trust report."""
    from core.api import load
    from core.verify.checking import verify

    loaded = load(tiny_checkpoint, device="cpu")
    return loaded.digest, verify(loaded)


@pytest.fixture
def checkpoints(
    tiny_checkpoint: Path,
    checked: tuple[str, TrustReport],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Path]:
    """A folder that holds a copy of the small checkpoint and is all the app sees.

    Caches start empty, but for what is said of its weights once they are read (`checked`).
    """
    from ui.shared import cache, models
    from ui.shared import checkpoints as listing

    root = tmp_path / "checkpoints"
    shutil.copytree(tiny_checkpoint, root / "tiny")
    monkeypatch.setattr(listing, "FOLDER", root)
    monkeypatch.delenv(listing.EXTRA, raising=False)
    models.forget()
    # Its checks take as long as a page, and come out alike for the same model.
    digest, report = checked
    cache.REPORTS.get(digest, lambda: report)
    yield root
    models.forget()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium. Where it is missing the tests are skipped, except in CI, where they fail.

    The build without a window comes first: it opens a page for two thirds of the work.
    """
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        message = (
            "There is no Chromium on this machine; install it with apt-get install chromium-headless-shell."
        )
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()
