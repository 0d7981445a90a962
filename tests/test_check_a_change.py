"""`python -m tests` runs the tests that belong to a file, and no others."""

from __future__ import annotations

from pathlib import Path

from tests.__main__ import belonging_tests, commands


def tree(root: Path) -> None:
    for name in (
        "tests/core/decoding/test_search.py",
        "tests/core/model/test_model.py",
        "core/model/layers.py",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def test_a_file_s_tests_are_those_of_its_name_or_its_folder(tmp_path: Path) -> None:
    tree(tmp_path)
    assert belonging_tests(["core/decoding/search.py"], tmp_path) == ["tests/core/decoding/test_search.py"]
    assert belonging_tests(["core/decoding/path.py"], tmp_path) == ["tests/core/decoding"]
    assert belonging_tests(["core/nowhere/new.py"], tmp_path) == ["tests/core"]
    assert belonging_tests(["tests/core/model/test_model.py", "README.md"], tmp_path) == [
        "tests/core/model/test_model.py",
        "tests/test_docs.py",
    ]


def test_types_are_checked_for_the_package_and_style_for_the_file(tmp_path: Path) -> None:
    tree(tmp_path)
    ruff, layout, types, tests = commands(["core/model/layers.py"], browser=False, root=tmp_path)
    assert ruff[-1] == layout[-1] == "core/model/layers.py"
    assert types[-1] == "core/model"
    assert "not browser and not gpu" in tests
    assert "tests/core/model" in tests
