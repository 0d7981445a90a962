"""The commands, and their errors: one line on stderr and exit code 2; `app` and `page`, which need the folder ui."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from core.errors import LONGEST, AtlasError, InputError, one_sentence
from core.version import __version__

INTERRUPTED = 130


class Command(NamedTuple):
    """A command, and the module whose `add_NAME_arguments` and `NAME_command` define it."""

    name: str
    module: str
    summary: str


COMMANDS = (
    Command("app", "core.cli.main", "start the app in a browser"),
    Command("translate", "core.cli.checkpoint", "translate sentences"),
    Command("trace", "core.cli.checkpoint", "write everything the model computes for a sentence to a file"),
    Command("train", "core.cli.checkpoint", "train a model from a recipe"),
    Command("evaluate", "core.training.cli", "translate a test set and score it"),
    Command("verify", "core.cli.checkpoint", "check that what the maps show is what the model does"),
    Command("heads", "core.experiments.cli", "score every attention head over a corpus"),
    Command(
        "importance",
        "core.experiments.importance_cli",
        "measure what each head is worth, by leaving it out and by gradient",
    ),
    Command(
        "patch",
        "core.experiments.patching_cli",
        "find which part of the model carries the difference between two sentences",
    ),
    Command(
        "faithfulness",
        "core.experiments.faithfulness_cli",
        "compare measures of attribution: which of them finds the source words that the model needs",
    ),
    Command(
        "align", "core.experiments.cli", "link words by attention, and measure the links against a gold file"
    ),
    Command("page", "core.cli.main", "write a model as one HTML page that runs in a browser"),
    Command("import", "core.cli.checkpoint", "turn another project's model into a checkpoint"),
    Command(
        "example",
        "core.cli.checkpoint",
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
    parser.add_argument("--version", action="version", version=f"Attention Atlas {__version__}")
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


SCRIPT: Final = Path(__file__).resolve().parents[2] / "app.py"
EXTRA: Final = "ATLAS_CHECKPOINTS"


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is not a port; give one from 1 to 65535.")
    return port


def add_app_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core app`."""
    parser.add_argument("--port", type=_port, metavar="N", help="the port to listen on (default: 8501)")
    parser.add_argument(
        "--checkpoints",
        action="append",
        metavar="DIR",
        help="a folder of checkpoints, or one model's, to list beside the shipped ones (may be given again)",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")


def app_command(args: argparse.Namespace) -> int:
    """Run `python -m core app` until it is stopped."""
    for package in ("streamlit", "plotly"):
        if find_spec(package) is None:
            raise InputError(
                f"The app needs {package}, which is not installed; run: pip install 'attention-atlas[app]'"
            )
    for folder in args.checkpoints or ():
        if not Path(folder).is_dir():
            raise InputError(
                f"{folder!r} is not a folder; --checkpoints takes a folder of checkpoints or one model's."
            )
    listed = [*(os.environ.get(EXTRA, "").split(os.pathsep)), *(args.checkpoints or ())]
    environment = {**os.environ, EXTRA: os.pathsep.join(str(Path(each).resolve()) for each in listed if each)}
    command = [sys.executable, "-m", "streamlit", "run", str(SCRIPT)]
    if args.port is not None:
        command.append(f"--server.port={args.port}")
    if args.no_browser:
        command.append("--server.headless=true")
    return subprocess.run(command, env=environment, check=False).returncode


PAGE: Final = "ui.export.live.page"
"""What builds the page, imported when it is asked for: `core` knows nothing of the app (see `core.notebook`)."""
_BUILT: Final = "The page is built by"


def add_page_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core page`."""
    parser.add_argument(
        "checkpoint", metavar="CHECKPOINT", help="the checkpoint's folder, or the name of a shipped model"
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="the page to write, such as atlas.html")


def page_command(args: argparse.Namespace) -> int:
    """Run `python -m core page`."""
    from core.api import load
    from core.notebook import app_module

    checkpoint = load(args.checkpoint, device="cpu")
    size = app_module(PAGE, _BUILT).write_page(checkpoint, Path(args.out))
    print(f"{args.out}: {size / 1e6:.1f} MB")
    return 0
