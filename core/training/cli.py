"""The `train` and `evaluate` commands of `python -m core`, and the recipe that they make for a file of one's own pairs.

Of own pairs the columns are found; vocabulary and model size follow from their number. No torch.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np

from core.errors import InputError, TrainingError
from core.files import check_out, read_lines, write_lines
from core.training.config import (
    DataConfig,
    LoopConfig,
    SourceConfig,
    TokenizerConfig,
    TrainingConfig,
    load_config,
)
from core.training.data import Pair, write_pairs

FEWEST: Final = 20
_SAMPLE: Final = 1000
_HELD_BACK: Final = 200
_TARGET_NAMES: Final = {"target", "tgt", "trg", "translation", "output", "reference"}
_SOURCE_NAMES: Final = {"source", "src", "sentence", "text", "input", "original"}
_LANGUAGES: Final = frozenset(
    "ar bg cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sr sv th tr uk vi zh".split()  # noqa: SIM905
)
_NUMBER: Final = re.compile(r"[-+]?\d+([.,]\d+)?")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class Size:
    """What is trained on up to `pairs` pairs."""

    pairs: float
    vocabulary: int
    d_model: int
    layers: int
    heads: int
    dropout: float
    epochs: int
    batch_tokens: int


SIZES: Final = (
    Size(2_000, 1_000, 64, 2, 4, 0.3, 120, 1024),
    Size(10_000, 2_000, 128, 2, 4, 0.3, 40, 2048),
    Size(50_000, 4_000, 128, 3, 4, 0.2, 20, 2048),
    Size(200_000, 8_000, 256, 3, 8, 0.1, 8, 4096),
    Size(math.inf, 8_000, 256, 4, 8, 0.1, 4, 4096),
)


@dataclass(frozen=True)
class Columns:
    """The two columns (from 0) that hold a sentence and its translation, and what the first row calls them."""

    source: int
    target: int
    header: tuple[str, ...] = ()

    @property
    def languages(self) -> tuple[str, str]:
        """The columns' names where both are codes of languages; else empty."""
        named = tuple(self.header[index] if self.header else "" for index in (self.source, self.target))
        return (named[0], named[1]) if set(named) <= _LANGUAGES else ("", "")


def own_recipe(
    file: str | Path,
    out: str | Path,
    work: str | Path | None = None,
    columns: tuple[int, int] | None = None,
    max_steps: int | None = None,
    device: str = "auto",
) -> tuple[TrainingConfig, list[str]]:
    """The recipe for a file of pairs, and what was found and chosen, a line each.

    The pairs are copied to the work folder, cleaned. Raises InputError or TrainingError with one sentence.
    """
    path, out = Path(file), Path(out)
    rows = _rows(path)
    chosen = Columns(*columns) if columns is not None else find_columns(rows, path.name)
    pairs = _pairs(rows[1:] if chosen.header else rows, chosen)
    if len(pairs) < FEWEST:
        raise InputError(
            f"{path.name} gives {len(pairs)} pairs from columns {chosen.source} and {chosen.target}; at least {FEWEST} are "
            "needed, or say which columns with --columns A,B."
        )
    folder = Path(work) if work is not None else Path("runs") / out.name
    copy = _copied(folder / f"{path.name.split('.')[0]}.pairs.tsv", pairs)
    languages = chosen.languages if any(chosen.languages) else _languages_of(path.name)
    size = next(each for each in SIZES if len(pairs) <= each.pairs)
    characters = by_characters(pairs)
    tokens = [_tokens(text, characters) for pair in pairs for text in pair]
    longest = min(200, max(24, math.ceil(float(np.quantile(tokens, 0.99)))))
    held_back = min(_HELD_BACK, max(4, len(pairs) // 20))
    steps = round(size.epochs * sum(tokens) / 2 / size.batch_tokens)
    config = TrainingConfig(
        name=out.name,
        description=f"Trained on {len(pairs):,} pairs of {path.name}.",
        out=out,
        work=folder,
        model={
            "d_model": size.d_model,
            "encoder_layers": size.layers,
            "decoder_layers": size.layers,
            "heads": size.heads,
            "d_ff": 4 * size.d_model,
            "max_length": 2 * longest,
            "dropout": size.dropout,
            "norm_placement": "pre",
            "final_norm": True,
        },
        tokenizer=TokenizerConfig(
            kind="characters" if characters else "bpe", vocab_size=size.vocabulary, shared=True
        ),
        data=DataConfig(
            sources=(SourceConfig(path=str(copy.resolve()), held_back=held_back),),
            max_tokens=longest,
            source_language=languages[0],
            target_language=languages[1],
            description=(
                f"{len(pairs):,} pairs of {path.name}, columns {chosen.source} and {chosen.target}, each once; {held_back} of "
                "them are held back.",
                "Vocabulary, model and length of the training were chosen from the number of pairs.",
            ),
        ),
        training=LoopConfig(
            max_steps=max_steps or min(20_000, max(200, steps)),
            batch_tokens=size.batch_tokens,
            learning_rate=3e-3,
            optimizer="muon",
            warmup_steps=min(200, max(20, steps // 20)),
            cooldown=0.5,
            evaluate_every=10**9,  # `core.training.run` looks by the clock
            evaluate_pairs=100,
            log_every=10**9,
            average_every=max(1, steps // 60),
            device=device,
        ),
    )
    return config, list(_chosen_lines(path, chosen, pairs, config, len(rows)))


def _chosen_lines(
    path: Path, columns: Columns, pairs: Sequence[Pair], config: TrainingConfig, rows: int
) -> Sequence[str]:
    sized, model, held = config.tokenizer, config.model, config.data.sources[0].held_back
    vocabulary = "characters" if sized.kind == "characters" else f"up to {sized.vocab_size:,} subwords"
    dropped = rows - bool(columns.header) - len(pairs)
    return (
        f"{path.name}: {len(pairs):,} pairs from columns {columns.source} and {columns.target}"
        f"{f'; {dropped:,} lines without a new pair left out' if dropped else ''}.",
        f"The first: {pairs[0].source[:80]} → {pairs[0].target[:80]}  (the other way round: --columns "
        f"{columns.target},{columns.source})",
        f"Chosen for that many: a vocabulary of {vocabulary}, {model['encoder_layers']} + {model['decoder_layers']} layers of "
        f"width {model['d_model']}, {model['heads']} heads, {config.training.max_steps:,} steps; {held} pairs are held back.",
    )


def _rows(path: Path) -> list[list[str]]:
    """The cells of each line: tabs between them, or what a CSV file has there."""
    lines = [line for line in read_lines(path) if line.strip()]
    sample = lines[:_SAMPLE]
    if not lines or sum("\t" in line for line in sample) >= len(sample) / 2:
        return [[cell.strip() for cell in line.split("\t")] for line in lines]
    widths = {mark: Counter(map(len, csv.reader(sample, delimiter=mark))) for mark in ",;|"}
    mark = max(widths, key=lambda each: max((n for width, n in widths[each].items() if width > 1), default=0))
    try:
        read = csv.reader(io.StringIO("\n".join(lines)), delimiter=mark)
        return [[cell.strip() for cell in row] for row in read]
    except csv.Error as error:
        raise InputError(
            f"{path.name} is not a table of columns ({error}); put a tab between them."
        ) from None


def find_columns(rows: Sequence[Sequence[str]], name: str = "the file") -> Columns:
    """The columns of a sentence and its translation. Raises InputError where they are not clear."""
    header = _header(rows[0]) if rows else ()
    sample = rows[1 : _SAMPLE + 1] if header else rows[:_SAMPLE]
    width = Counter(map(len, sample)).most_common(1)[0][0] if sample else 0
    sample = [row for row in sample if len(row) >= width]
    texts = [index for index in range(width) if width == 2 or _is_text([row[index] for row in sample])]
    if len(texts) < 2:
        raise InputError(
            f"{name} has {width} column{'s' * (width != 1)} and {len(texts)} of sentences, where two are needed; put a tab "
            "between sentence and translation, or say which with --columns A,B."
        )
    if len(header) == width:
        sides = [
            next((i for i in texts if header[i] in words), None) for words in (_SOURCE_NAMES, _TARGET_NAMES)
        ]
        if sides[0] is not None and sides[1] is not None:
            return Columns(sides[0], sides[1], header)
    if len(texts) > 2:
        texts = list(max(combinations(texts, 2), key=lambda two: _lengths_agree(sample, *two)))
    return Columns(texts[0], texts[1], header if len(header) == width else ())


def _header(row: Sequence[str]) -> tuple[str, ...]:
    """The row in small letters if it names columns, else empty."""
    names = tuple(cell.lower() for cell in row)
    known = [name for name in names if name in _LANGUAGES | _SOURCE_NAMES | _TARGET_NAMES]
    return names if len(set(known)) >= 2 else ()


def _is_text(cells: Sequence[str]) -> bool:
    """Whether a column of more than two holds sentences: no numbers, labels, addresses or credits."""
    filled = [cell for cell in cells if cell]
    if len(filled) < 0.8 * len(cells) or not filled:
        return False
    if (
        all(_NUMBER.fullmatch(cell) for cell in filled)
        or sum("://" in cell for cell in filled) > len(filled) / 2
    ):
        return False
    few = len(filled) >= 20 and len(set(filled)) <= max(3, len(filled) // 50)
    start = Counter(cell[:10] for cell in filled).most_common(1)[0][1]
    return not few and not (len(filled) >= 20 and start > 0.9 * len(filled))


def _lengths_agree(rows: Sequence[Sequence[str]], first: int, second: int) -> float:
    """How far the lengths of two columns go together: translations are long where sentences are."""
    lengths = np.log1p([[len(row[first]), len(row[second])] for row in rows])
    if lengths.std(axis=0).min() == 0:
        return 0.0
    return float(np.corrcoef(lengths.T)[0, 1])


def _pairs(rows: Sequence[Sequence[str]], columns: Columns) -> list[Pair]:
    """Each pair once, in the order of the file, without empty sides."""
    last = max(columns.source, columns.target)
    pairs = (Pair(row[columns.source], row[columns.target]) for row in rows if len(row) > last)
    clean = (Pair(*(" ".join(text.split()) for text in pair)) for pair in pairs)
    return [pair for pair in dict.fromkeys(clean) if pair.source and pair.target]


def _copied(copy: Path, pairs: Sequence[Pair]) -> Path:
    """The pairs in the work folder. Raises TrainingError if an unfinished run there has others."""
    try:
        before = read_lines(copy) if copy.exists() else None
        if before is not None and before != [f"{pair.source}\t{pair.target}" for pair in pairs]:
            raise TrainingError(
                f"{str(copy.parent)!r} has a run on other pairs; give another --work folder, or start again with --restart."
            )
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_pairs(copy, pairs)
    except OSError as error:
        raise TrainingError(
            f"{str(copy)!r} cannot be written ({error.strerror}); give another --work folder."
        ) from None
    return copy


def _languages_of(name: str) -> tuple[str, str]:
    """The languages that a file's name ends in: mine.en-fr.tsv."""
    match = re.search(r"(?<![a-z])([a-z]{2})[-_]([a-z]{2})(?![a-z])", name.lower())
    codes = match.groups() if match else ("", "")
    return (codes[0], codes[1]) if set(codes) <= _LANGUAGES else ("", "")


def by_characters(pairs: Sequence[Pair]) -> bool:
    """Whether letters are better tokens than subwords: a side without words that recur, such as dates or digits."""
    sample = pairs[:_SAMPLE]
    for side in ("source", "target"):
        texts = [str(getattr(pair, side)) for pair in sample]
        words = [word for text in texts for word in _WORD.findall(text)]
        per_text = len(texts) and sum(len(text.split()) for text in texts) / len(texts)
        if per_text <= 1.2 and max(map(len, texts)) <= 40 and words:
            return True
    return False


def _tokens(text: str, characters: bool) -> int:
    """About how many tokens a text becomes, with its end."""
    return len(text) + 1 if characters else max(len(_WORD.findall(text)), len(text) // 3) + 1


RECIPES = Path(__file__).parent / "recipes"
INTERRUPTED = 130


def add_train_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core train`."""
    names = ", ".join(sorted(file.stem for file in RECIPES.glob("*.toml")))
    parser.add_argument(
        "config",
        nargs="?",
        metavar="CONFIG.toml",
        help=f"the recipe's file, or a packaged recipe: {names}",
    )
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        help="in place of a recipe: sentences and their translations, a pair a line (.tsv, .csv, .gz); everything else is "
        "chosen from them",
    )
    parser.add_argument(
        "--columns", metavar="A,B", help="with --pairs: the columns of sentence and translation, from 0"
    )
    parser.add_argument("--out", metavar="DIR", help="checkpoint folder to write (default: checkpoints/NAME)")
    parser.add_argument("--work", metavar="DIR", help="folder of the unfinished run (default: runs/NAME)")
    parser.add_argument("--data-dir", metavar="DIR", help="what {data} stands for in the recipe's paths")
    parser.add_argument(
        "--max-steps", type=int, metavar="N", help="train this many steps instead of the recipe's"
    )
    parser.add_argument("--device", metavar="NAME", help="auto, cpu, cuda or mps")
    parser.add_argument(
        "--start-from", metavar="DIR", help="go on from the weights and tokenizers of this checkpoint"
    )
    parser.add_argument("--restart", action="store_true", help="forget an unfinished run and start again")


def train_command(args: argparse.Namespace, finished: Callable[[Path], None] | None = None) -> int:
    """Run `python -m core train`: 0 when training is over, 130 when interrupted (the same command resumes it).

    `finished` is called with the checkpoint's folder once it is written, in the process that wrote it.
    """
    from core.training.run import train

    if args.pairs is not None:
        return _train_on_pairs(args, finished)
    if args.config is None:
        raise InputError("There is nothing to train; give a recipe, or your own pairs with --pairs FILE.")
    if args.columns is not None:
        raise InputError("--columns is about the file of --pairs; a recipe names its own columns.")
    packaged = RECIPES / f"{args.config}.toml"
    config = load_config(
        packaged if packaged.is_file() and not Path(args.config).is_file() else args.config,
        out=args.out,
        work=args.work,
        data_dir=args.data_dir,
        max_steps=args.max_steps,
        device=args.device,
        start_from=args.start_from,
    )
    return 0 if train(config, restart=args.restart, finished=finished) else INTERRUPTED


def _train_on_pairs(args: argparse.Namespace, finished: Callable[[Path], None] | None) -> int:
    """Train on the pairs of one file, with everything chosen from them."""
    for name in ("config", "data_dir", "start_from"):
        if getattr(args, name) is not None:
            raise InputError(
                "--pairs stands for a whole recipe; leave out the recipe, --data-dir and --start-from."
            )
    if args.out is None:
        raise InputError("--pairs needs --out DIR, the checkpoint folder to write.")
    from core.training.run import followed, never_silent, train
    from core.training.snapshots import forget_run

    columns = _column_numbers(args.columns)
    work = Path(args.work) if args.work is not None else Path("runs") / Path(args.out).name
    with never_silent():
        if args.restart:
            forget_run(work)
        config, lines = own_recipe(args.pairs, args.out, work, columns, args.max_steps, args.device or "auto")
        print(*lines, "Reading the pairs and building the vocabulary.", sep="\n", flush=True)
        return 0 if train(config, finished=finished, follow=followed) else INTERRUPTED


def _column_numbers(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    first, _, second = text.partition(",")
    if not (first.strip().isdecimal() and second.strip().isdecimal() and first.strip() != second.strip()):
        raise InputError(f"--columns {text!r} does not name two columns; write A,B, such as 0,1.")
    return int(first), int(second)


def add_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core evaluate`."""
    form = "one sentence a line, or FILE:COLUMN of a tab-separated file (columns from 0); .gz is read too"
    parser.add_argument("--checkpoint", required=True, metavar="DIR", help="the checkpoint's folder")
    parser.add_argument("--source", metavar="FILE", help=f"sentences to translate: {form}")
    parser.add_argument("--reference", metavar="FILE", help="their translations, likewise")
    parser.add_argument(
        "--keep",
        metavar="FILE",
        help="in place of both: sentences and the names and numbers that their translations must keep, tab-separated",
    )
    parser.add_argument(
        "--beam", type=int, default=5, metavar="N", help="beam size; 1 is greedy (default: 5)"
    )
    parser.add_argument("--language", metavar="CODE", help="target language for Moses (default: the card's)")
    parser.add_argument("--device", metavar="NAME", help="cpu, cuda or mps (default: the first there is)")
    parser.add_argument("--write", metavar="FILE", help="also write the translations, one a line")
    parser.add_argument("--json", action="store_true", help="print the scores as JSON")


def evaluate_command(args: argparse.Namespace) -> int:
    """Run `python -m core evaluate`: translate a test set and print its scores."""
    from core.api import load
    from core.training.evaluate import (
        keeps,
        read_required,
        read_test_set,
        score,
        score_of_sources,
        table,
        translate_texts,
    )

    if args.beam < 1:
        raise InputError(f"--beam is {args.beam}; give 1 for greedy search or more for a beam.")
    if args.write:
        check_out(args.write, ".txt")
    if args.keep is not None and (args.source is not None or args.reference is not None):
        raise InputError("--keep has its own sentences; give it alone, or --source with --reference.")
    if args.keep is None and (args.source is None or args.reference is None):
        raise InputError("Give --source with --reference, or --keep.")
    required = read_required(args.keep) if args.keep is not None else []
    sources, references = (
        ([text for text, _ in required], []) if required else read_test_set(args.source, args.reference)
    )
    ck = load(args.checkpoint, device=args.device)
    language = args.language or str(ck.card.get("target_language") or "en")
    began = time.monotonic()
    written = translate_texts(
        ck.model, ck.source_tokenizer, ck.target_tokenizer, sources, beam_size=args.beam
    )
    took = time.monotonic() - began
    if args.write:
        write_lines(args.write, written)
    if required:
        lost = [
            (text, line)
            for (text, items), line in zip(required, written, strict=True)
            if not keeps(line, items)
        ]
        if args.json:
            print(
                json.dumps(
                    {"sentences": len(required), "kept": len(required) - len(lost), "lost": dict(lost)}
                )
            )
        else:
            for text, line in lost:
                print(f"{text} → {line}")
            print(f"{len(required) - len(lost)} of {len(required)} translations keep what they must.")
        return 0
    quality = score(written, references, language)
    several = score_of_sources(sources, written, references, language)
    if args.json:
        scores = {**asdict(quality), "beam": args.beam, "seconds": round(took, 2)}
        print(json.dumps({**scores, **({"multi_reference": asdict(several)} if several else {})}, indent=2))
    else:
        print(table(quality, beam_size=args.beam, seconds=took, several=several))
    return 0
