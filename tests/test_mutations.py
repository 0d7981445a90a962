"""The planted faults still fit the definitions and the tests they name, and a misplaced one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutations import FAULTS, ROOT, Fault, MisplacedError, definition, find


def test_every_fault_has_its_definition_and_its_tests() -> None:
    for fault in FAULTS:
        find(fault, ROOT)
        assert fault.tests
        for test in fault.tests:
            path, _, name = test.partition("::")
            assert f"def {name.split('[')[0]}(" in (ROOT / path).read_text("utf-8"), test


def test_there_are_at_most_sixty_each_with_a_name_of_its_own() -> None:
    assert 0 < len({fault.name for fault in FAULTS}) == len(FAULTS) <= 60


def test_a_text_is_looked_for_in_its_definition_alone(tmp_path: Path) -> None:
    (tmp_path / "ui").mkdir()
    file = tmp_path / "ui" / "one.py"
    file.write_text("def a():\n    x = 1\n\n\nclass B:\n    def a(self):\n        x = 1\n")
    fault = Fault("a name", "one:B.a", "x = 1", "x = 2", ("tests/a.py::test_a",))
    path, at = find(fault, tmp_path)
    assert (path, at) == (file, file.read_text().rindex("x = 1"))
    for wrong in ("one:B", "one:b", "two:a"):
        misplaced = Fault("a name", wrong, "y = 1" if wrong == "one:B" else "x = 1", "x = 2", ())
        with pytest.raises(MisplacedError, match="0 definitions"):
            find(misplaced, tmp_path)
    (tmp_path / "ui" / "deep").mkdir()
    (tmp_path / "ui" / "deep" / "one.py").write_text(file.read_text())
    with pytest.raises(MisplacedError, match="2 definitions"):
        find(fault, tmp_path)


def test_a_definition_of_the_browser_code_ends_where_the_next_begins() -> None:
    text = "export class Map {\n  draw() {\n    one();\n  }\n\n  private end(): void {\n    two();\n  }\n}\n\nconst x = () => three();\n"
    start, end = definition(text, "draw", python=False) or (0, 0)
    assert "one()" in text[start:end]
    assert "two()" not in text[start:end]
    start, end = definition(text, "x", python=False) or (0, 0)
    assert text[start:end] == "const x = () => three();\n"
