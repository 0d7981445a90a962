"""`python -m tests.parity`: measures every family again and writes the three tables of docs/importing.md."""

from __future__ import annotations

from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parents[2] / "docs" / "importing.md"
NAMES_TABLE: Final = "names"
FAMILIES_TABLE: Final = "families"
PUBLISHED_TABLE: Final = "published"


def replaced(text: str, name: str, table: str) -> str:
    """The page with the table between its two comments `name` replaced."""
    before, begin, rest = text.partition(f"<!-- {name}: python -m tests.parity -->\n")
    _, end, after = rest.partition(f"\n<!-- end of {name} -->")
    assert begin and end, f"docs/importing.md has no table {name}"
    return f"{before}{begin}{table}{end}{after}"


def main() -> None:
    """Write the three tables."""
    import torch

    from tests.parity import published
    from tests.parity.families import table
    from tests.parity.parameter_names import tables
    from tests.parity.toolkits import rows

    torch.set_num_threads(1)
    page = replaced(DOCS.read_text("utf-8"), NAMES_TABLE, tables())
    page = replaced(page, FAMILIES_TABLE, "\n".join([*table(), *rows()]))
    DOCS.write_text(replaced(page, PUBLISHED_TABLE, "\n".join(published.table())), "utf-8")


if __name__ == "__main__":
    main()
