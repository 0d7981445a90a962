"""Tests that still expect the screens of before, by the beginning of their name; each line is work to do, and the list only shrinks.

They are not run: most would wait a minute for a word that is no longer there. Bring one up to the new screen and take its line out.
"""

from __future__ import annotations

from typing import Final

BEHIND: Final[dict[str, str]] = {}
"""A test's node id, or how it begins → what is not held until it is brought up."""
