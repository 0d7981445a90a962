"""What an installed Attention Atlas does, for `.ci/newest`: a trace, a notebook view, a figure, a page. Run where the wheel is installed."""

from __future__ import annotations

from pathlib import Path

import attention_atlas as atlas  # type: ignore[import-not-found]
from streamlit.testing.v1 import AppTest

DATE = "12 May 2021"


def main() -> None:
    """Raise AssertionError for what is not as it must be."""
    installed = Path(atlas.__file__).parent
    assert not (Path.cwd() / "core").exists(), "the repository's own code would be tested"
    checkpoint = atlas.load(installed / "checkpoints" / "dates", device="cpu")
    trace = atlas.trace(checkpoint, DATE)
    rows = trace.weights("decoder", "cross").sum(-1)
    assert abs(rows - 1).max() < 1e-5, "rows of weights sum to 1"
    assert len(atlas.show(trace).page) > 50_000
    atlas.figure(trace, head=(0, 0), model=checkpoint).save("head.svg")
    assert "<svg" in Path("head.svg").read_text("utf-8")

    page = AppTest.from_file(str(installed / "app.py"), default_timeout=120)
    page.query_params["checkpoint"], page.query_params["text"] = "dates", DATE
    page.run()
    assert not page.exception, [error.value for error in page.exception]
    print("newest releases: a trace, a notebook view, a figure and a page are as they should be.")


if __name__ == "__main__":
    main()
