"""The engine of the live page beside core, over many sentences and texts; the suite runs a few (tests/ui/web/test_engine.py).

    python -m tests.page_parity [--sentences 200] [--texts 5000] [--only NAME …] [--data DIR]

For each model: how many greedy translations are the same, the largest difference of each kind of map, what float16
changes, and the processor's time a sentence and a step. For each kind of tokenizer: how many texts have the same ids.
`--data` is a folder with `multi30k-test_2016_flickr.en-de-fr.tsv.gz`; without it the two translators read their own
recipes' sentences. Exit code 1 where anything differs.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import torch

import core
from core.checkpoints.bundle import Bundle
from core.decoding.search import translate_batch
from core.errors import InputError
from core.tokenizer import Tokenizer
from core.training.tasks import Dates, Reverse, hashed_split
from tests.live_page import TOLERANCE, agreement, expected, gap, read
from tests.page_tokenizers import TOKENIZERS, corpus, texts
from ui.export.live.pack import rounded_to_halves, tokenizer_layout

ROOT: Final = Path(__file__).parents[1]
_TEST: Final = "multi30k-test_2016_flickr.en-de-fr.tsv.gz"

Case = tuple[Bundle, list[list[int]]]


def held_back(data: Path | None, column: int, count: int) -> list[str]:
    """`count` sentences that no shipped model was trained on; without `data`, sentences of the recipes."""
    if data is None:
        return random.Random(0).choices(corpus(), k=count)
    lines = gzip.decompress((data / _TEST).read_bytes()).decode("utf-8").splitlines()
    return [line.split("\t")[column] for line in lines[:count]]


def generated(task: Dates | Reverse, count: int) -> list[str]:
    """`count` questions of the task's test split."""
    rng, results = random.Random(0), []
    while len(results) < count:
        question, answer = task.generate(rng)
        if hashed_split(answer) == "test":
            results.append(question)
    return results


def shipped(name: str, sources: Sequence[str]) -> Case:
    """A checkpoint of the project, and the ids of `sources`."""
    checkpoint = core.load(ROOT / "checkpoints" / name, "cpu")
    return checkpoint, [checkpoint.encode_source(text) for text in sources]


def random_layout(family: str, count: int) -> Case:
    """A random model of Hugging Face, imported (tests/parity), and random sources of 3 to 30 tokens."""
    from tests.parity.test_hugging_face import build, plan, stored, without_duplicates

    theirs = build(family)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = plan(stored(Path(folder), family, theirs, without_duplicates(theirs)), family).checkpoint
    rng, size = random.Random(1), checkpoint.config.source_vocab_size
    rows = [[rng.randrange(3, size - 3) for _ in range(rng.randint(3, 30))] for _ in range(count)]
    return checkpoint, rows


def cases(data: Path | None, count: int) -> dict[str, Callable[[], Case]]:
    """Every model by its name."""
    made: dict[str, Callable[[], Case]] = {
        "en-fr": lambda: shipped("en-fr", held_back(data, 0, count)),
        "de-en": lambda: shipped("de-en", held_back(data, 1, count)),
        "dates": lambda: shipped("dates", generated(Dates(), count)),
    }
    for letter in "be":
        name = f"tutorials/tutorial-{letter}"
        made[f"tutorial-{letter}"] = lambda name=name: shipped(name, generated(Reverse(), count))  # type: ignore[misc]
    for family in ("t5-v1.0", "t5-v1.1", "marian", "mbart"):
        made[family] = lambda family=family: random_layout(family, count)  # type: ignore[misc]
    return made


def of_float16(checkpoint: Bundle, sources: Sequence[Sequence[int]]) -> str:
    """What rounding the weights to float16 changes in core's own results."""
    halves = rounded_to_halves(checkpoint)
    both = zip(checkpoint.model.parameters(), halves.model.parameters(), strict=True)
    if all(torch.equal(one, other) for one, other in both):
        return "float16 changes nothing: the checkpoint is stored so"
    same, largest = 0, 0.0
    for source in sources:
        written = translate_batch(checkpoint.model, [source])[0]
        same += written == translate_batch(halves.model, [source])[0]
        exact, rounded = (expected(each, source, written) for each in (checkpoint, halves))
        largest = max(largest, *(gap(exact[kind], rounded[kind]) for kind in exact))
    return f"float16 keeps {same} of {len(sources)} translations; maps change by at most {largest:.1e}"


def compare_models(data: Path | None, count: int, only: Sequence[str]) -> bool:
    """Print one line a model; whether all agree."""
    agreed = True
    for name, make in cases(data, count).items():
        if only and name not in only:
            continue
        checkpoint, sources = make()
        results = agreement(checkpoint, sources)
        gaps = ", ".join(f"{kind} {value:.1e}" for kind, value in results.gaps.items())
        print(
            f"{name}: {results.same} of {results.sentences} the same; largest difference {gaps}; "
            f"{results.milliseconds / results.sentences:.1f} ms a sentence, {results.milliseconds / results.steps:.2f} ms a token; "
            f"{of_float16(checkpoint, sources)}",
            flush=True,
        )
        agreed &= results.same == results.sentences and max(results.gaps.values()) <= TOLERANCE
    return agreed


def different(tokenizer: Tokenizer, given: Sequence[str]) -> tuple[list[str], list[str]]:
    """The texts of which the page makes other ids than core without a warning, and with one.

    A text that one refuses must be refused by both.
    """
    without, warned = [], []
    readings = read(tokenizer_layout(tokenizer), given)["readings"]
    for text, reading in zip(given, readings, strict=True):
        if wanted_ids(tokenizer, text) != reading["ids"]:
            (warned if reading["doubtful"] else without).append(text)
    return without, warned


def wanted_ids(tokenizer: Tokenizer, text: str) -> list[int] | None:
    """The ids of a text in core; None where it is refused."""
    try:
        reading = tokenizer.read(text)
    except InputError:
        return None
    return list(reading.ids) if reading.readable else None


def compare_tokenizers(count: int, only: Sequence[str]) -> bool:
    """Print one line a kind of tokenizer; whether all texts have the same ids, or a warning."""
    agreed, given = True, texts(count)
    for name, make in TOKENIZERS.items():
        if only and name not in only:
            continue
        other, warned = different(make(), given)
        shown = "".join(f"\n    {text[:60]!r}" for text in other[:5])
        same = count - len(other) - len(warned)
        print(
            f"{name}: {same} of {count} texts have the same ids; the page warns of {len(warned)} others, not of {len(other)}{shown}",
            flush=True,
        )
        agreed &= not other
    return agreed


def main() -> int:
    """Run the comparisons that the command line asks for → the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    models = compare_models(given.data, given.sentences, given.only)
    return 0 if compare_tokenizers(given.texts, given.only) and models else 1


if __name__ == "__main__":
    sys.exit(main())
