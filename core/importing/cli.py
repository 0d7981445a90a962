"""The `import` command of `python -m core`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import InputError

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.importing.plan import ImportPlan

    Heads = Callable[[Checkpoint, Sequence[str]], dict[str, Any]]
    Measure = Callable[[Checkpoint, Sequence[str], str], None]

# By their names alone, so that `--help` reads neither torch nor the families' files.
LAYOUTS = ("auto", *sorted(path.stem for path in (Path(__file__).parent / "families").glob("*.toml")))
SPECIALS = ("pad", "bos", "eos", "unk")


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core import`."""
    parser.add_argument("path", metavar="PATH", help="a weights file, or the folder that holds it")
    parser.add_argument(
        "--out", metavar="DIR", help="checkpoint folder to write; without it, only the plan is shown"
    )
    parser.add_argument(
        "--layout", default="auto", choices=LAYOUTS, help="the family, if it is not to be detected"
    )
    parser.add_argument(
        "--map", metavar="FILE.toml", help="rules for a layout of your own (see docs/importing.md)"
    )
    parser.add_argument("--heads", type=int, metavar="N", help="attention heads of each layer")
    parser.add_argument(
        "--norm", choices=("post", "pre"), help="norm after (post) or before (pre) each sub-layer"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="OPTION=VALUE",
        help="any option of the model, such as activation=gelu",
    )
    parser.add_argument(
        "--tokenizer", metavar="FILE", help="tokenizer of both sides, or 'numbers' to write ids as text"
    )
    parser.add_argument("--source-vocabulary", metavar="FILE", help="source vocabulary, one token a line")
    parser.add_argument("--target-vocabulary", metavar="FILE", help="target vocabulary, one token a line")
    parser.add_argument(
        "--split", default="whitespace", choices=("chars", "whitespace", "regex"), help="how text is cut"
    )
    parser.add_argument("--pattern", metavar="REGEX", help="what one token looks like, for --split regex")
    parser.add_argument("--lowercase", action="store_true", help="the vocabulary is lower case")
    for role in SPECIALS:
        absent = ", or none" if role in ("eos", "unk") else ""
        parser.add_argument(
            f"--{role}", metavar="TOKEN", help=f"the {role} token of the target, or its id{absent}"
        )
    for side in ("source", "target"):
        parser.add_argument(
            f"--{side}-language", metavar="CODE", help=f"language of the {side}, such as fr_XX (mBART)"
        )
    parser.add_argument("--name", help="a name for the checkpoint's card")
    parser.add_argument(
        "--sentence",
        action="append",
        metavar="TEXT",
        help="source sentence to translate and to check the model on; three or more tell most",
    )
    parser.add_argument(
        "--expect",
        action="append",
        default=[],
        metavar="TEXT",
        help="the translation that the trained model is known to give for a --sentence, in their order",
    )
    parser.add_argument(
        "--max-bytes",
        type=int,
        default=500_000_000,
        metavar="N",
        help="largest file to read (default: 500,000,000)",
    )
    parser.add_argument(
        "--no-compare",
        action="store_true",
        help="do not compare with the model that transformers opens from the same folder",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def import_command(
    args: argparse.Namespace, heads: Heads | None = None, measure: Measure | None = None
) -> int:
    """Run `python -m core import`: 0 when the checkpoint is written, 1 if it was but a check or --expect fails, 2 if not.

    `heads` chooses the card's `default_heads` over the sentences given, or a text of the model's own vocabulary;
    `measure`
    gets the same sentences and the folder once it is written. Mistakes are raised as AtlasError, which the command line
    turns into one line and exit code 2.
    """
    from core.decoding.inputs import sample_text
    from core.importing.comparing import compared_card
    from core.importing.plan import plan_import
    from core.importing.trial import write_import

    plan = plan_import(
        args.path,
        args.layout,
        _answers(args),
        map_file=args.map,
        tokenizer=args.tokenizer,
        source_vocabulary=args.source_vocabulary,
        target_vocabulary=args.target_vocabulary,
        split=args.split,
        pattern=args.pattern,
        lowercase=args.lowercase,
        max_bytes=args.max_bytes,
    )
    for question in plan.questions:
        if not question.blocking:
            print(f"assumed: {question.text} Otherwise: {question.flag}", file=sys.stderr)
    plan = _with_scale(plan, args.sentence or (), args.expect)
    plan.require_ready()
    card: dict[str, Any] = {"name": args.name} if args.name else {}
    if not args.no_compare:
        card |= (compared := compared_card(plan))
        if compared:
            print(f"compared with transformers: {compared['agreement']}.", file=sys.stderr)
    if args.out is None:
        return _plan_only(plan, args.sentence, args.expect)
    sentences = args.sentence or [sample_text(plan.checkpoint)]
    if heads is not None:
        card["default_heads"] = heads(plan.checkpoint, sentences)
    report = write_import(plan, args.out, args.sentence, card, args.expect)
    if measure is not None:
        measure(plan.checkpoint, sentences, args.out)
    trust, trial = report["trust"], report["trial"]
    if args.json:
        print(json.dumps(report, ensure_ascii=False))
    else:
        print(f"{plan.layout.title}: {len(report['keys'])} keys, {report['parameters']:,} parameters.")
        trusted = f"All {len(trust['checks'])} checks of the trust report pass. {trust['proves']}"
        print(f"{trusted if trust['passed'] else 'SOME TRUST CHECKS FAIL.'} {trust['does_not_prove']}")
    _print_trial(trial, bool(args.json))
    if not args.json:
        print(f"Written to {args.out}; what went where is in import-report.md there.")
    return 0 if trust["passed"] and trial["matched"] is not False else 1


def _with_scale(plan: ImportPlan, sentences: Sequence[str], expected: Sequence[str]) -> ImportPlan:
    """The plan with the scale of scores measured, where the sentences decide it clearly; otherwise unchanged."""
    from core.importing.settings_trial import measured_scale

    name = "score_scale"
    if [question.name for question in plan.open_questions] != [name] or plan.problems:
        return plan
    if not sentences:
        print("three or more --sentence would settle score_scale by measuring both.", file=sys.stderr)
        return plan
    try_out = plan.answer(score_scale="head")
    if not try_out.ready:
        return plan
    scale, measurement = measured_scale(try_out.checkpoint, sentences, expected)
    if scale is None:
        print(f"score_scale is not clear: {measurement}.", file=sys.stderr)
        return plan
    print(f"measured: score_scale is {scale}: {measurement}.", file=sys.stderr)
    return plan.settle(name, scale, measurement)


def _plan_only(plan: ImportPlan, sentences: list[str] | None, expected: list[str]) -> int:
    """Without --out: print whether every key is assigned and, if sentences are given, what the model writes for them."""
    print(f"{plan.layout.title}: {len(plan.destinations)} keys, all placed; give --out DIR to write it.")
    if not sentences and not expected:
        return 0
    from core.importing.trial import try_import

    trial = try_import(plan, sentences, expected).to_json()
    _print_trial(trial, False)
    return 0 if trial["matched"] is not False else 1


def _print_trial(trial: dict[str, Any], quiet: bool) -> None:
    """Print what the model writes on stdout, unless `quiet`, and warnings on stderr."""
    for warning in trial["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    if quiet:
        return
    for each in trial["written"]:
        print(f"{'Made-up text' if trial['made_up'] else 'Reads'}: {each['source']}")
        rate = f"{each['mean_log_probability']:.3f} a token"
        print(f"Writes: {each['written']}  ({rate}, {each['tokens']} tokens)")
    for each in trial["expected"]:
        how = {"greedy": "as expected", "beam": "as expected, by beam search"}.get(each["matched"])
        print(f"Expected: {how or 'not what is written: ' + each['difference']}")
    if trial["not_checked"]:
        print(f"Not checked: {', '.join(trial['not_checked'])}.")


def _answers(args: argparse.Namespace) -> dict[str, Any]:
    answers: dict[str, Any] = {
        role: getattr(args, role) for role in SPECIALS if getattr(args, role) is not None
    }
    answers |= {f"{side}_language": getattr(args, f"{side}_language") for side in ("source", "target")}
    if args.heads is not None:
        answers["heads"] = args.heads
    if args.norm is not None:
        answers["norm_placement"] = args.norm
    for text in args.set:
        name, separator, value = text.partition("=")
        if not separator:
            raise InputError(f"--set {text!r} has no value; write OPTION=VALUE, such as activation=gelu.")
        answers[name.strip().replace("-", "_")] = _value(value.strip())
    return answers


def _value(text: str) -> Any:
    """The value of an option: numbers, true, false and null as such, anything else as a word."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if value is None or isinstance(value, (bool, int, float)) else text
