"""`pip install .`: everything the app and the library need, under one name, `attention_atlas`.

In the repository the packages are `core`, `ui` and `pages`, names that an environment shares with others. The wheel holds
them inside `attention_atlas`, so their imports, and the sentences that name them to a user, are rewritten on the way.
What the wheel depends on is read from requirements.txt: what only the app needs is the extra `app`.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
NAME = "attention_atlas"
TREES = ("core", "ui", "pages", "lessons", "checkpoints", ".streamlit")
APP = ("streamlit", "plotly")
LEFT_OUT = shutil.ignore_patterns(
    "__pycache__", "node_modules", "*.ts", "*.mjs", "package*.json", "tsconfig.json"
)
TEXTS = (".py", ".po", ".md")
_PACKAGES = "core|ui|pages"
_PUBLIC = "check|figure|from_generate|from_maps|from_run|import_checkpoint|load|patch|save|show|trace|trace_many|watch|wrap"
REWRITES = (
    (re.compile(rf"^(\s*(?:from|import) )({_PACKAGES})(?=[. ])", re.MULTILINE), rf"\1{NAME}.\2"),
    (re.compile(rf"""(["'])({_PACKAGES})(\.[a-z_]+)"""), rf"\1{NAME}.\2\3"),  # a module named as text
    (
        re.compile(rf"(?<![\w.])core\.({_PUBLIC})\b(?=[ (,.;]|$)"),
        rf"{NAME}.\1",
    ),  # what a sentence tells to call
    (re.compile(r"python -m core\b(?!\.)"), "attention-atlas"),
    (re.compile(r"^(\s*)import core$", re.MULTILINE), rf"\1import {NAME}"),
)


def installed(text: str) -> str:
    """The text of a file as it stands in the wheel."""
    for pattern, new in REWRITES:
        text = pattern.sub(new, text)
    return text


class Inside(build_py):
    """Copies the trees into the one package."""

    def run(self) -> None:
        if self.editable_mode:
            raise SystemExit(
                "An editable install has nothing to offer: in the repository, `import core` and `python -m core` work."
            )
        target = Path(self.build_lib) / NAME
        shutil.rmtree(target, ignore_errors=True)
        for tree in TREES:
            shutil.copytree(ROOT / tree, target / tree, ignore=LEFT_OUT)
        (
            target / "ui" / "web" / "__main__.py"
        ).unlink()  # writes types for the browser code, which is not here
        shutil.copy2(ROOT / "app.py", target / "app.py")
        for name in ("__init__.py", "__main__.py"):
            shutil.copy2(ROOT / "core" / name, target / name)
        for file in (each for each in target.rglob("*") if each.suffix in TEXTS):
            if file.is_relative_to(target / "checkpoints"):
                continue
            before = file.read_text(encoding="utf-8")
            if (after := installed(before)) != before:
                file.write_text(after, encoding="utf-8")


def requirements() -> tuple[list[str], list[str]]:
    """What the library needs, as the oldest version that was run; what the app needs, as the one version that was."""
    library, app = [], []
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            if re.split(r"[\[=]", line)[0] in APP:
                app.append(line)
            else:
                library.append(line.replace("==", ">="))
    return library, app


LIBRARY, FOR_THE_APP = requirements()
setup(
    packages=[NAME],
    package_dir={NAME: "core"},
    install_requires=LIBRARY,
    extras_require={"app": FOR_THE_APP},
    cmdclass={"build_py": Inside},
)
