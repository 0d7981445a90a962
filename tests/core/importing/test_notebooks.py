"""The example notebooks of docs/notebooks run as they are, on tiny random models in place of the hub's."""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
BOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
pytest.importorskip("transformers")
pytest.importorskip("sentencepiece")


def hub(folder: Path, name: str) -> Path:
    """A folder as the hub has the model that a notebook asks for."""
    if "t5" in name:
        from tests.core.importing.examples import t5

        t5(folder)
        return folder / "flan-t5-small"
    from tests.parity.test_marian_folder import folder_of

    folder_of(folder)
    return folder


def executed(book: Path, folder: Path) -> list[Any]:
    """The cells after they ran, with the model's name replaced by a folder and a training cut short."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(book, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if name := re.search(r'^NAME = "(.*)"$', cell.source, re.M):
            cell.source = cell.source.replace(name[1], str(hub(folder, name[1])))
        cell.source = re.sub(r"^STEPS = \d+", "STEPS = 30", cell.source, flags=re.M)
    paths = nbformat.v4.new_code_cell(f"import sys; sys.path.insert(0, {str(ROOT)!r})")
    notebook.cells.insert(0, paths)
    where = folder / "work"
    where.mkdir()
    os.environ["HF_HUB_OFFLINE"] = "1"
    NotebookClient(
        notebook, timeout=400, kernel_name="python3", resources={"metadata": {"path": str(where)}}
    ).execute()
    return [cell for cell in notebook.cells[1:] if cell.cell_type == "code"]


def shown(cell: Any) -> str:
    """The HTML that a cell shows."""
    return "".join(str(each.get("data", {}).get("text/html", "")) for each in cell.outputs)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_a_notebook_runs_and_shows_its_views(tmp_path: Path, book: Path) -> None:
    cells = executed(book, tmp_path)
    drawing = [cell for cell in cells if re.match(r"(.*\n)*core\.(show|trace|figure)\(.*\)$", cell.source)]
    assert drawing
    for cell in drawing:
        page = shown(cell)
        if cell.source.startswith("core.figure"):
            assert page.startswith("<svg ") and "attention weight" in page
        else:
            assert "<iframe" in page and len(html.unescape(page)) > 50_000
    agreements = [shown(cell) for cell in cells if cell.source.endswith("\ncheckpoint")]
    assert all("largest difference from the original" in each for each in agreements)


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_a_view_takes_at_most_three_lines_of_ours(book: Path) -> None:
    """Until the first view: what a user of BertViz adds to their own code."""
    lines: list[str] = []
    for cell in json.loads(book.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"] and cell["execution_count"] is None
        ours = [
            line
            for line in "".join(cell["source"]).splitlines()
            if re.search(r"\bcore\b|\brecorder\b|\bcheckpoint\b", line)
        ]
        lines += [line for line in ours if "recorder" not in line]
        if any(re.match(r"core\.(show|trace)\(", line) for line in ours):
            break
    assert 0 < len(lines) <= (3 if book.stem != "own-transformer" else 5), lines
