"""The `train` and `evaluate` commands of `python -m core`."""

from __future__ import annotations

import argparse

from core.training.config import load_config


def add_train_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core train`."""
    parser.add_argument("config", metavar="CONFIG.toml", help="the recipe, or the name of a packaged one: en-fr, dates")
    parser.add_argument("--out", metavar="DIR", help="checkpoint folder to write (default: the recipe's)")
    parser.add_argument("--work", metavar="DIR", help="folder of the unfinished run (default: .training beside it)")
    parser.add_argument("--data-dir", metavar="DIR", help="what {data} stands for in the recipe's paths")
    parser.add_argument("--max-steps", type=int, metavar="N", help="train this many steps")
    parser.add_argument("--device", metavar="NAME", help="auto, cpu, cuda or mps")
    parser.add_argument("--restart", action="store_true", help="forget an unfinished run and start again")


def train_command(args: argparse.Namespace) -> int:
    """Run `python -m core train`; 0 when the checkpoint is written, 130 when interrupted (the run can resume)."""
    from core.training.run import train

    config = load_config(
        args.config, out=args.out, work=args.work, data_dir=args.data_dir, max_steps=args.max_steps, device=args.device
    )
    return 0 if train(config, restart=args.restart) else 130
