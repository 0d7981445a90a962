"""Tests that still expect the screens of before, by the beginning of their name; each line is work to do, and the list only shrinks.

They are not run: most would wait a minute for a word that is no longer there. Bring one up to the new screen and take its line out.
"""

from __future__ import annotations

from typing import Final

BEHIND: Final[dict[str, str]] = {
    "tests/browser/test_import.py::test_the_gallery_opens_a_model_and_two_are_compared": "on Differences, reached from "
    "Gallery by its tab, the address has no desk, and the next choice leads back to Gallery",
    "tests/browser/test_waiting.py::test_on_a_page_with_nothing_yet": "the notice stands at the top of an empty page too",
}
"""A test's node id, or how it begins → what is not held until it is brought up."""
