"""No cache gives one sentence or one model what it kept of another; a cache that has no probe here fails.

Each site is asked for two models and two sentences, first with empty caches each time, then all in one session: a key
without the sentence, or without the model, gives two of them the same.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.browser.golden_model import NAME, OTHER_TEXT, SOURCE, TARGET, TEXT, write_golden
from tests.ui.shared.cache_probes import PROBES, TEXTS, UNKEYED, Case, Probe, plain, with_jobs
from tests.ui.shared.cache_sites import ROOT, cache_sites
from ui.heads import atlas
from ui.heads.atlas import Corpus
from ui.shared import checkpoints as listing
from ui.shared import context, models
from ui.shared.cache import BoundedCache
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


@pytest.fixture
def folders(listed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(listing, "FOLDER", listed)
    monkeypatch.delenv(listing.EXTRA, raising=False)
    models.forget()
    yield listed
    models.forget()


def cases(probe: Probe) -> list[Case]:
    """Every model with every sentence and one translation for all; last two again with what the model writes itself."""
    models = probe.models if "model" in probe.by else probe.models[:1]
    texts = TEXTS if "sentence" in probe.by else TEXTS[:1]
    given = [Case(model, text, GIVEN) for model, text in itertools.product(models, texts)]
    return [*given, *(replace(each, target="") for each in given[:2])]


def alone(probe: Probe) -> Iterator[Any]:
    """What each case comes to when nothing was kept before."""
    for case in cases(probe):
        models.forget()
        yield plain(probe.value(case))


def together(probe: Probe) -> list[Any]:
    """What each case comes to after the others, twice round in one session."""
    models.forget()
    return [plain(probe.value(case)) for case in cases(probe) * 2]


def test_every_cache_has_a_probe_or_a_reason() -> None:
    found = cache_sites()
    assert len(found) > 50, "the search finds what there is"
    assert not found - PROBES.keys() - UNKEYED.keys(), "a new cache: give it a probe"
    assert not (PROBES.keys() | UNKEYED.keys()) - found, "no cache is there any more"


@pytest.mark.sampled(8)
@pytest.mark.parametrize("site", SITES)
def test_what_is_kept_is_the_own_sentences_and_models(folders: Path, site: str) -> None:
    probe = PROBES[site]
    assert site.startswith(ARGUMENTS) or site in sites_asked(probe), "the probe reaches its site"
    expected = list(alone(probe))
    given = [value for case, value in zip(cases(probe), expected, strict=True) if case.target]
    for one, two in itertools.combinations(given, 2):
        assert one != two, "the probe tells its cases apart"
    assert together(probe) == expected * 2


ARGUMENTS = ("core/", "ui/style/", "ui/web/")  # cached by Python itself, by all that they are given


def sites_asked(probe: Probe) -> set[str]:
    """The functions, as `cache_sites` names them, for which a key was made or a cache asked when the probe was."""
    found: set[str] = set()

    def noted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            frame: FrameType | None = sys._getframe(1)
            while frame is not None:
                name = frame.f_code.co_qualname.partition(".<locals>")[0]
                found.add(f"{frame.f_code.co_filename.removeprefix(f'{ROOT}/')}::{name}")
                frame = frame.f_back
            return real(*given, **named)

        return call

    models.forget()
    with pytest.MonkeyPatch.context() as patch:
        for owner, names in (
            *((CheckpointView, ("key",)), (DecodeView, ("key",))),
            *((context, ("kept", "drawing")), (BoundedCache, ("get", "peek"))),
        ):
            for name in names:
                patch.setattr(owner, name, noted(getattr(owner, name)))
        probe.value(cases(probe)[0])
    return found


def test_a_corpus_keeps_the_name_that_its_own_visitor_gave(folders: Path) -> None:
    """Two visitors bring the same sentences: what one called them is not told to the other."""
    mine, yours = (Corpus(name, ((TEXT, ""),)) for name in ("mine.txt", "yours.txt"))
    entry = listing.find("a")[0]
    measure = with_jobs(lambda case: atlas.start(CheckpointView(entry), mine))
    measure(Case("a", TEXT))
    for corpus in (mine, yours):
        found = atlas.roles_on(entry, corpus)
        assert found and found.name == corpus.name
