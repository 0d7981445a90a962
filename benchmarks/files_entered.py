"""The Python files of this project that one typed sentence goes through, from `app.py` to the page's first map.

    python -m benchmarks.files_entered [--until-end]

The Translate page is run with one sentence until the model is there, then with a new one under a profiler that notes the
file of every function called. `--until-end` goes on to the end of the run: the strip under the map, what it explains.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
FIRST, NEW = "A man is riding a bike.", "The boy plays the guitar near the lake."


class Entered:
    """Counts the functions called by file, until the view with the key `last` has been mounted."""

    def __init__(self, last: str) -> None:
        self.functions: dict[str, set[str]] = {}
        self.over = False
        self._last = last

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if self.over or not code.co_filename.startswith(str(ROOT)):
            return
        file = str(Path(code.co_filename).relative_to(ROOT))
        if event == "call" and (code.co_name != "<module>" or file == "app.py"):
            if file.startswith(("app.py", "pages/", "ui/", "core/")):
                self.functions.setdefault(file, set()).add(code.co_qualname)
        elif event == "return" and code.co_name == "mount":
            self.over = frame.f_locals.get("key") == self._last


def main() -> None:
    """Print each file with how many of its functions were called, and the counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.files_entered", description=__doc__)
    parser.add_argument("--until-end", action="store_true")
    asked = parser.parse_args()
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    app.query_params["checkpoint"] = "en-fr"
    app.query_params["text"] = FIRST
    app.run()
    for thread in threading.enumerate():
        if thread.name.startswith("preload-"):
            thread.join()
    app.run()
    entered = Entered("" if asked.until_end else "decode_stage")
    threading.setprofile(entered)
    try:
        app.text_input(key="widget_sentence").set_value(NEW).run()
    finally:
        threading.setprofile(None)
    if app.exception:
        sys.exit(str(app.exception))
    if not entered.over and not asked.until_end:
        sys.exit("No map was mounted; its key is no longer decode_stage.")
    for file, functions in sorted(entered.functions.items()):
        print(f"{len(functions):4} {file}")
    places = Counter(file.split("/")[0] for file in entered.functions)
    total = sum(map(len, entered.functions.values()))
    print(f"{len(entered.functions)} files {dict(places)}, {total} functions")


if __name__ == "__main__":
    main()
