"""The list of planted faults still fits the sources and the tests it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutations import ROOT, MisplacedError, find
from tests.planted import FAULTS, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_text_of_a_fault_occurs_once_and_its_tests_exist(fault: Fault) -> None:
    find(fault, ROOT)
    assert fault.tests
    for test in fault.tests:
        path, _, name = test.partition("::")
        assert f"def {name.split('[')[0]}(" in (ROOT / path).read_text("utf-8"), test


def test_names_are_not_used_twice() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(names) == len(set(names))


def test_a_text_that_is_gone_or_not_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ui").mkdir()
    fault = Fault("a name", "x = 1", "x = 2", ("tests/a.py::test_a",))
    with pytest.raises(MisplacedError, match="nowhere"):
        find(fault, tmp_path)
    (tmp_path / "ui" / "one.py").write_text("x = 1\n")
    assert find(fault, tmp_path).name == "one.py"
    (tmp_path / "ui" / "two.py").write_text("x = 1\n")
    with pytest.raises(MisplacedError, match=r"one\.py \(1\), .*two\.py \(1\)"):
        find(fault, tmp_path)
