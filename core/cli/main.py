"""The commands, and their errors: one line on stderr and exit code 2."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple, NoReturn

from core.errors import LONGEST, AtlasError, one_sentence

INTERRUPTED = 130


class Command(NamedTuple):
    """A command, and the module whose `add_NAME_arguments` and `NAME_command` define it."""

    name: str
    module: str
    summary: str


COMMANDS = (
    Command("app", "core.cli.app", "start the app in a browser"),
    Command("translate", "core.cli.checkpoint", "translate sentences"),
    Command("trace", "core.cli.checkpoint", "write everything the model computes for a sentence to a file"),
    Command("train", "core.cli.write", "train a model from a recipe"),
    Command("evaluate", "core.training.cli", "translate a test set and score it"),
    Command("verify", "core.cli.checkpoint", "check that what the maps show is what the model does"),
    Command("heads", "core.experiments.cli", "score every attention head over a corpus"),
    Command(
        "importance",
        "core.experiments.importance_cli",
        "measure what each head is worth, by leaving it out and by gradient",
    ),
    Command(
        "align", "core.experiments.cli", "link words by attention, and measure the links against a gold file"
    ),
    Command("propose", "core.experiments.propose", "find sentences and edits that change a translation"),
    Command("page", "core.cli.page", "write a model as one HTML page that runs in a browser"),
    Command(
        "site", "core.cli.page", "write a static site of the models, pictures, lessons and documentation"
    ),
    Command("import", "core.cli.write", "turn another project's model into a checkpoint"),
    Command(
        "example",
        "core.cli.write",
        "store what the app opens with: a worked example, the heads to show first, the atlas of all heads",
    ),
)


class _Parser(argparse.ArgumentParser):
    """A parser whose error is one sentence."""

    def error(self, message: str) -> NoReturn:
        text = one_sentence(message[:1].upper() + message[1:].rstrip("."), LONGEST - 60)
        print(f"{text}; see {self.prog} --help.", file=sys.stderr)
        raise SystemExit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (default: those of the process) → the exit code.

    0 success, 1 a check that does not hold, 2 a user's mistake, 130 interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        args = _parser(given).parse_args(given)
        code: int = args.run(args)
        sys.stdout.flush()
    except SystemExit as stop:  # --help, or an error of the parser
        return stop.code if isinstance(stop.code, int) else 2
    except AtlasError as error:
        return _complain(str(error))
    except BrokenPipeError:
        # The reader, such as `head`, closed the pipe; Python must not fail again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if error.strerror is None:
            raise
        return _complain(f"{error.filename or 'The disk'}: {error.strerror}; check the path and try again.")
    return code


def _parser(given: Sequence[str]) -> _Parser:
    """The parser of the command in `given`; the others are only named, so that nothing slow is imported."""
    parser = _Parser(
        prog="python -m core",
        description="Attention Atlas: train, run and look into encoder-decoder Transformers.",
        epilog="python -m core COMMAND --help describes a command.",
    )
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, title="commands", parser_class=_Parser
    )
    for command in COMMANDS:
        sub = commands.add_parser(command.name, help=command.summary, description=_sentence(command.summary))
        if command.name in given:
            module = import_module(command.module)
            getattr(module, f"add_{command.name}_arguments")(sub)
            run: Callable[[argparse.Namespace], int] = getattr(module, f"{command.name}_command")
            sub.set_defaults(run=run)
    return parser


def _sentence(summary: str) -> str:
    return f"{summary[:1].upper()}{summary[1:]}."


def _complain(message: str) -> int:
    print(" ".join(one_sentence(message).split()), file=sys.stderr)
    return 2
