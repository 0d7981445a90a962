"""Finds experiments that change a translation: over example sentences, each edit of a list is run on each of them.

A lesson whose edit leaves every word as it is teaches that the edited part is superfluous. This measures where an edit
shows, and how often it does not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.analysis.readout import word_difference
from core.errors import InputError
from core.experiments.edits import Edits
from core.experiments.what_if import rewrite, what_if

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle


@dataclass(frozen=True)
class Measured:
    """One edit on one sentence: what greedy search writes without and with it.

    `words` are changed, counted as missing or extra ones, whichever are more; `kept` is what a token of the translation
    keeps of its probability, as the geometric mean.
    """

    edits: str
    text: str
    before: str
    after: str
    words: int
    kept: float


def candidates(checkpoint: Bundle) -> list[str]:
    """Edits of the lessons' kinds: masks opened, positions shuffled, layers and single heads of cross-attention ablated."""
    config = checkpoint.config
    heads = [f"zc{layer}-{head}" for layer in range(config.decoder_layers) for head in range(config.heads)]
    layers = [f"zc{layer}" for layer in range(config.decoder_layers)]
    return ["n", "o4", "o8", *(f"r{seed}" for seed in range(4)), "ze", "zd", "zc", *layers, *heads]


def propose(checkpoint: Bundle, texts: Sequence[str], edits: Sequence[str]) -> Iterator[Measured]:
    """Every edit on every sentence. Raises `InputError` for an edit that no sentence of the model can have."""
    for text in texts:
        source = checkpoint.source_tokenizer.encode(text)
        written = rewrite(checkpoint, source, Edits())
        for each in edits:
            edited = what_if(checkpoint, source, written, Edits.parse(each))
            spell = checkpoint.target_tokenizer.decode
            before, after = spell(edited.unedited), spell(edited.rewritten)
            runs = word_difference(before, after)
            counts = [
                sum(len(words.split()) for kind, words in runs if kind == wanted)
                for wanted in ("missing", "extra")
            ]
            places = list(edited.choices)
            change = edited.next_word("after")[places] - edited.next_word("before")[places]
            yield Measured(each, text, before, after, max(counts), float(np.exp(change.mean())))


def add_propose_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `python -m core propose`."""
    parser.add_argument("--checkpoint", required=True, metavar="DIR", help="the checkpoint's folder")
    parser.add_argument("--device", metavar="NAME", help="cpu, cuda or mps (default: the first there is)")
    parser.add_argument(
        "--edits", nargs="+", metavar="EDIT", help="edits as links write them, such as n zc2 r7"
    )
    parser.add_argument(
        "--text", nargs="+", metavar="SENTENCE", help="sentences instead of the example sentences"
    )
    parser.add_argument("--most", type=int, default=12, help="example sentences to measure (default 12)")
    parser.add_argument("--show", type=int, default=3, help="sentences to list for each edit (default 3)")


def propose_command(args: argparse.Namespace) -> int:
    """For each edit: on how many sentences the translation changes, and those where it changes most."""
    from core.api import load

    for name in ("most", "show"):
        if (number := getattr(args, name)) < 1:
            raise InputError(f"--{name} is {number}; give a whole number from 1 on.")
    checkpoint = load(args.checkpoint, device=args.device)
    texts = args.text or list(checkpoint.card.get("probe_sentences", ()))[: args.most]
    if not texts:
        raise InputError("The checkpoint has no example sentences; give some with --text.")
    edits = args.edits or candidates(checkpoint)
    measured = []
    for number, each in enumerate(propose(checkpoint, texts, edits), 1):
        measured.append(each)
        print(f"\r{number} of {len(texts) * len(edits)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    for edit in edits:
        own = [each for each in measured if each.edits == edit]
        changed = sorted((each for each in own if each.words), key=lambda each: (-each.words, each.kept))
        kept = float(np.median([each.kept for each in own]))
        print(f"{edit}: changes {len(changed)} of {len(own)} translations; a token keeps {kept:.0%} (median)")
        for each in changed[: args.show]:
            print(f"  {each.words} words, keeps {each.kept:.0%}: {each.text} | {each.before} → {each.after}")
    return 0
