"""A server of the app and a Chromium, once a run; each test has its own browser context."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode

import pytest

from tests.browser.golden_model import TEXT, Naive, Passed, write_golden
from tests.browser.tabs import Screen, Tabs
from tests.serving import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

WAIT = 60_000  # milliseconds; the first view may have to wait for torch on a busy machine
Visit = Callable[..., "Page"]
LONG_LIMIT = 520  # tokens that the long model reads
SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
ENGLISH = ["the", "dog", "and", "cat", "see", "a", "white", "ball", "in", "my", "house"]
HEBREW = ["הכלב", "והחתול", "רואים", "כדור", "לבן", "בבית", "שלי"]
ARABIC = ["الكلب", "والقط", "يرى", "كرة", "بيضاء", "في", "بيتي"]


PASSED = pytest.StashKey[bool]()


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Whether a test passed, which fixtures cannot see by themselves when they end; of one that failed, what its page said."""
    if call.when == "call":
        item.stash[PASSED] = call.excinfo is None
        page = getattr(item, "funcargs", {}).get("page")
        if call.excinfo is not None and page is not None:
            with contextlib.suppress(Exception):  # the page may be gone
                item.add_report_section("call", "page", page.inner_text("body", timeout=2000)[:4000])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            # On a busy machine a page may be late once in some thousand times. What fails is tried once more, and the
            # summary lists it (RERUN): a fault that comes and goes is one to look for, not to forget.
            if os.environ.get("CI"):
                item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def special_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `long`, which reads 520 tokens of one letter, `rtl`, which writes from right to left, and `golden`."""
    folder = tmp_path_factory.mktemp("special")
    letters = [*"abcdefghijklmnopqrstuvwxyz"]
    write_checkpoint(folder / "long", letters, letters, " ".join(letters), max_length=LONG_LIMIT)
    write_checkpoint(folder / "rtl", [*ENGLISH, *HEBREW], ARABIC, " ".join(HEBREW), max_length=32)
    write_golden(folder)
    return folder


def write_checkpoint(
    folder: Path, source: Sequence[str], target: Sequence[str], example: str, max_length: int
) -> None:
    """A model of random weights over two lists of words, with heads that make up their mind."""
    import torch

    from core.checkpoints.bundle import save
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer
    from core.tokenizer import Tokenizer

    config = ModelConfig(
        source_vocab_size=len(SPECIALS) + len(source),
        target_vocab_size=len(SPECIALS) + len(target),
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        heads=4,
        d_ff=32,
        max_length=max_length,
        tie_embeddings=False,
        norm_placement="pre",
        final_norm=True,
    )
    torch.manual_seed(5)
    model = Transformer(config)
    with torch.no_grad():
        for name, values in model.named_parameters():
            # Random projections give nearly even rows, which look blank when there are 512 columns.
            if name.endswith(("q_proj.weight", "k_proj.weight")):
                values.mul_(2.5)
    words = [Tokenizer.from_vocabulary([*SPECIALS, *listed], "whitespace") for listed in (source, target)]
    card = {"name": folder.name, "examples": [{"source": example}]}
    save(folder, model, words[0], words[1], card, dtype="float32")


@pytest.fixture(scope="session")
def listed(request: pytest.FixtureRequest) -> str:
    """The folders of checkpoints that the app lists beside its own; ATLAS_TEST_CHECKPOINTS names ones made before."""
    if made := os.environ.get("ATLAS_TEST_CHECKPOINTS"):
        return made
    folders = (
        request.getfixturevalue("tiny_checkpoint").parent,
        request.getfixturevalue("special_checkpoints"),
    )
    return os.pathsep.join(map(str, folders))


@pytest.fixture(scope="session")
def server(listed: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app, which lists these checkpoints beside the shipped ones."""
    folder, own = tmp_path_factory.mktemp("server"), ("--server.address", "127.0.0.1")
    with served(folder, *own, env={"ATLAS_CHECKPOINTS": listed}) as started:
        yield started.address


@pytest.fixture(scope="session")
def naive() -> Naive:
    """The hand-made model, worked out by plain loops."""
    return Naive()


@pytest.fixture(scope="session")
def written(naive: Naive) -> Passed:
    """What it writes for the sentence of the golden tests."""
    return naive.translate(TEXT)


@pytest.fixture(scope="session")
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """One context for all tests, which keeps Streamlit's own scripts compiled; what a test stored there goes with it."""
    context = chromium.new_context(accept_downloads=True)
    context.set_default_timeout(WAIT)
    yield context
    context.close()


@pytest.fixture(scope="session")
def tabs(context: BrowserContext, server: str) -> Tabs:
    """The tabs on the app that are kept between tests."""
    return Tabs(context, server)


@pytest.fixture
def visit(request: pytest.FixtureRequest, context: BrowserContext, tabs: Tabs) -> Iterator[Visit]:
    """`visit("attention", kind="causal")` opens a page on the small checkpoint and waits for its first view.

    Each call loads a tab of its own, as a reader who follows a link does. In tests marked `turned` it is a tab that an
    earlier test left, turned to the new address without loading it, which takes a third of the work (0.6 s of processor
    with what it shows, 1.7 s when loaded; 4 s more on a page with charts). Mark a file or a test so
    (`pytestmark = pytest.mark.turned`) when it is about what a page shows or how it answers, not about its first moment,
    its link, or what a session keeps. `fresh=True` loads a tab in a marked test; one page for several questions
    costs less still. `tab` is one that the test had from `visit` and is done with. `shows` is what is waited for.
    """
    turned = request.node.get_closest_marker("turned") is not None

    def go(
        page: str = "",
        *,
        width: int = 1440,
        height: int = 1010,
        scheme: Literal["light", "dark"] = "light",
        motion: Literal["reduce", "no-preference"] = "no-preference",
        fresh: bool = not turned,
        tab: Page | None = None,
        shows: str = ".atlas .stage-root > *:visible",
        **params: str,
    ) -> Page:
        address = f"/{page}?{urlencode({'checkpoint': 'tiny', **params})}"
        screen = Screen(width, height, scheme, motion)
        opened = tabs.load(screen, address) if fresh else tabs.turn(screen, address, tab)
        opened.locator(shows).first.wait_for()
        return opened

    tabs.errors.clear()
    yield go
    tabs.rest(keep=request.node.stash.get(PASSED, False))
    context.clear_cookies()
    context.clear_permissions()
    assert not tabs.errors, tabs.errors
