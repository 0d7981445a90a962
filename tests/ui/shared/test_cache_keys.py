"""No cache gives one sentence or one model what it kept of another; a cache that has no probe here fails.

Each site is asked for two models and two sentences, first with empty caches each time, then all in one session. A second
test plants the fault itself: the sentence, or the model, is taken out of the site's key, and the first test has to see it.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import AtlasError
from tests.browser.golden_model import NAME, OTHER_TEXT, SOURCE, TARGET, TEXT, write_golden
from tests.ui.shared.cache_probes import PROBES, TEXTS, UNKEYED, Case, Probe, plain, with_jobs
from tests.ui.shared.cache_sites import ROOT, cache_sites
from ui.heads import atlas
from ui.heads.atlas import Corpus
from ui.shared import checkpoints as listing
from ui.shared import context, models
from ui.shared.checkpoints import Entry
from ui.shared.context import CheckpointView, DecodeView

SITES = list(PROBES)
GIVEN = "pluie tombe vers calme"


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders that are alike in all but what a probe tells apart: weights, words, cards, tables of positions."""
    import torch

    from core.api import load
    from core.checkpoints.bundle import save
    from core.decoding.example import write_example
    from core.experiments.corpus_run import write_atlas
    from core.experiments.importance import write_importance
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer
    from core.tokenizer import Tokenizer

    root = tmp_path_factory.mktemp("listed")
    write_golden(root)
    (root / NAME).rename(root / "a")
    first = load(root / "a", device="cpu")
    words = [Tokenizer.from_vocabulary(list(each), "whitespace") for each in (SOURCE, TARGET)]
    turned = [
        Tokenizer.from_vocabulary([*each[:4], *reversed(each[4:])], "whitespace") for each in (SOURCE, TARGET)
    ]

    def write(
        name: str, model: Any, source: Any, target: Any, examples: list[str], config: ModelConfig
    ) -> None:
        card = {"name": name, "examples": [{"source": text} for text in examples]}
        save(root / name, model, source, target, card, dtype="float32")
        loaded = load(root / name, device="cpu")
        if examples:
            write_example(loaded)
            write_atlas(loaded, [(text, "") for text in examples])

    generator = torch.Generator().manual_seed(4)
    other = Transformer(first.config)
    with torch.no_grad():
        for one, two in zip(other.parameters(), first.model.parameters(), strict=True):
            one.copy_(two + 0.2 * two.std() * torch.randn(two.shape, generator=generator))
    write_example(first)
    write("b", other, *words, [OTHER_TEXT, TEXT], first.config)
    for measured in (first, load(root / "b", device="cpu")):
        write_importance(measured)
    write("c", other, turned[0], words[1], [TEXT], first.config)
    for kind, positions in (("learned", "learned"), ("relative", "relative_buckets")):
        for number in (1, 2):
            torch.manual_seed(number)
            config = replace(first.config, positions=positions)
            model = Transformer(config)
            for name, each in model.named_parameters():
                if "bias.table" in name or "positions" in name:
                    torch.nn.init.normal_(each)
            write(f"{kind}-{number}", model, *words, [TEXT], config)
    for number, tokenizers in ((1, words), (2, turned)):
        write(f"bare-{number}", other, *tokenizers, [], first.config)
    for folder, gold in (("a", "0-0"), ("b", "1-1")):
        (root / folder / "gold.txt").write_text(f"{TEXT} ||| pluie ||| {gold}\n")
    return root


@pytest.fixture(scope="module")
def known() -> dict[int, list[Any]]:
    return {}


@pytest.fixture
def folders(listed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(listing, "FOLDER", listed)
    monkeypatch.delenv(listing.EXTRA, raising=False)
    models.forget()
    yield listed
    models.forget()


def cases(probe: Probe) -> list[Case]:
    """Every model with every sentence and one translation for all; last the first again with what the model writes itself."""
    models = probe.models if "model" in probe.by else probe.models[:1]
    texts = TEXTS if "sentence" in probe.by else TEXTS[:1]
    given = [Case(model, text, GIVEN) for model, text in itertools.product(models, texts)]
    return [*given, replace(given[0], target="")]


def alone(probe: Probe, known: dict[int, list[Any]]) -> list[Any]:
    """What each case comes to when nothing was kept before; worked out once for all tests of the probe."""
    if id(probe) not in known:
        found = known[id(probe)] = []
        for case in cases(probe):
            models.forget()
            found.append(plain(probe.value(case)))
    return known[id(probe)]


def together(probe: Probe) -> list[Any]:
    """What each case comes to after the others, twice round in one session."""
    models.forget()
    return [plain(probe.value(case)) for case in cases(probe) * 2]


def test_every_cache_has_a_probe_or_a_reason() -> None:
    found = cache_sites()
    assert len(found) > 50, "the search finds what there is"
    assert not found - PROBES.keys() - UNKEYED.keys(), "a new cache: give it a probe"
    assert not (PROBES.keys() | UNKEYED.keys()) - found, "no cache is there any more"


@pytest.mark.sampled(30)
@pytest.mark.parametrize("site", SITES)
def test_what_is_kept_is_the_own_sentences_and_models(
    folders: Path, known: dict[int, list[Any]], site: str
) -> None:
    probe = PROBES[site]
    expected = alone(probe, known)
    for one, two in itertools.combinations(expected[:-1], 2):
        assert one != two, "the probe tells its cases apart"
    assert together(probe) == expected * 2


# -- the fault itself -------------------------------------------------------------------------------------------


def blind(key: Any, to: str) -> Any:
    """A key without the sentence, or without the model."""
    if isinstance(key, tuple):
        if to == "sentence" and key and all(isinstance(each, int) for each in key):
            return ()
        if key and isinstance(key[0], str) and key[0].endswith(".md"):  # the file of a lesson
            return ()
        return tuple(blind(each, to) for each in key)
    if isinstance(key, bytes):
        return b""
    if isinstance(key, str):
        if to == "model":
            return "" if str(listing.FOLDER) in key or len(key) == 64 else key
        return "" if any(text in key for text in TEXTS) or len(key) in (20, 64) or key[-1:] in "01" else key
    return key


def plant(site: str, probe: Probe, to: str, patch: pytest.MonkeyPatch) -> None:
    """Take what tells two sentences (or models) apart out of the key of one site."""
    if probe.cache is not None:
        for name in ("get", "peek"):
            real = getattr(probe.cache, name)
            patch.setattr(probe.cache, name, _without(real, to), raising=False)
        return
    path, function = site.split("::")
    for owner in (CheckpointView, DecodeView):
        patch.setattr(owner, "key", _blinded(owner.key, ROOT / path, function, lambda key: blind(key, to)))
    for keeper in ("kept", "drawing"):
        real = getattr(context, keeper)
        patch.setattr(context, keeper, _blinded_keeper(keeper, real, ROOT / path, function, to))


def _without(real: Callable[..., Any], to: str) -> Callable[..., Any]:
    return lambda key, *more: real(blind(key, to), *more)


def _asked_by(path: Path, function: str) -> bool:
    """Whether a keeper was called by this function, or for it by the probes."""
    frames = []
    frame = sys._getframe(2)
    while frame is not None and len(frames) < 8:
        file, name = Path(frame.f_code.co_filename), frame.f_code.co_qualname.split(".<locals>")[0]
        if file != Path(context.__file__):  # the keepers call each other
            frames.append((file, name))
        frame = frame.f_back  # type: ignore[assignment]
    # A site that starts a job is asked for its value by another function of its file.
    started = function.startswith("start") and frames[0][0] == path
    return frames[0] in ((path, function), (PROBED, frames[0][1])) or started


def _blinded(
    real: Callable[..., Any], path: Path, function: str, change: Callable[[Any], Any]
) -> Callable[..., Any]:
    """`key` of a view, changed where this function asks for it."""

    def key(self: CheckpointView, *name: Any) -> Any:
        made = real(self, *name)
        return change(made) if _asked_by(path, function) else made

    return key


def _blinded_keeper(
    keeper: str, real: Callable[..., Any], path: Path, function: str, to: str
) -> Callable[..., Any]:
    def call(*given: Any) -> Any:
        if not _asked_by(path, function):
            return real(*given)
        if keeper == "drawing":
            return real(blind(given[0], to), *given[1:])
        entry, name, *make = given
        known: Any = replace(entry, stamp=blind(entry.stamp, to)) if isinstance(entry, Entry) else entry
        if not isinstance(entry, Entry) and to == "model":
            known.stamp = ""
        return real(known, blind(name, to), *make)

    return call


PROBED = Path(__file__).with_name("cache_probes.py")
ARGUMENTS = ("core/", "ui/style/", "ui/web/")  # cached by Python itself, by all that they are given
PLANTED = [(site, to) for site in SITES for to in sorted(PROBES[site].by) if not site.startswith(ARGUMENTS)]


@pytest.mark.thorough  # what the test above can see; its own faults
@pytest.mark.parametrize(("site", "to"), PLANTED, ids=[f"{site} without the {to}" for site, to in PLANTED])
def test_a_key_without_the_sentence_or_the_model_is_seen(
    folders: Path, known: dict[int, list[Any]], site: str, to: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = PROBES[site]
    expected = alone(probe, known)
    plant(site, probe, to, monkeypatch)
    try:
        found = together(probe)
    except (AtlasError, IndexError, ValueError):  # another sentence's numbers may not even fit this one
        return
    assert found != expected * 2


def test_a_corpus_keeps_the_name_that_its_own_visitor_gave(folders: Path) -> None:
    """Two visitors bring the same sentences: what one called them is not told to the other."""
    mine, yours = (Corpus(name, ((TEXT, ""),)) for name in ("mine.txt", "yours.txt"))
    entry = listing.find("a")[0]
    measure = with_jobs(lambda case: atlas.start(CheckpointView(entry), mine))
    measure(Case("a", TEXT))
    for corpus in (mine, yours):
        found = atlas.measured(entry, corpus)
        assert found and found.name == corpus.name
