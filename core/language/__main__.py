"""`python -m core.language`: bring every catalogue up to the code, and say what it lacks."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from core.language.catalogue import CATALOGUES, Message, messages


def updated(file: Path, wanted: list[Message]) -> Catalog:
    """The catalogue in `file` with exactly the wanted messages, in alphabetical order, keeping their translations."""
    with file.open("rb") as opened:
        known = read_po(opened, locale=file.stem)
    fresh = Catalog(locale=file.stem, project="Attention Atlas", fuzzy=False)
    for each in wanted:
        before = known.get(each.text)
        kept = before.string if before is not None and before.id == each.key else ""
        fresh.add(each.key, string=kept, locations=[])
    return fresh


def missing(catalogue: Catalog) -> list[str]:
    """Messages without a translation."""
    return [
        str(each.id)
        for each in catalogue
        if each.id and not (all(each.string) if isinstance(each.string, tuple | list) else each.string)
    ]


def main(argv: list[str] | None = None) -> int:
    """Rewrite the catalogues (or with `--check` only look); 1 where a message lacks its translation."""
    parser = argparse.ArgumentParser(prog="python -m core.language", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change no file")
    arguments = parser.parse_args(argv)
    wanted, lacking = messages(), 0
    for file in sorted(CATALOGUES.glob("*.po")):
        fresh = updated(file, wanted)
        if not arguments.check:
            with file.open("wb") as opened:
                write_po(opened, fresh, width=100, sort_output=True, no_location=True, omit_header=False)
        without = missing(fresh)
        lacking += len(without)
        print(f"{file.name}: {len(fresh)} messages, {len(without)} without a translation")
        for each in without:
            print(f"  {each}")
    return 1 if lacking else 0


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the reader, such as `head`, has closed the pipe
        sys.exit(main())
