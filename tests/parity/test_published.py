"""The sizes of published models: rows and tokens differ, and logits, maps, output and source ids are the library's."""

from __future__ import annotations

import pytest

from tests.parity.comparing import TOLERANCE
from tests.parity.published import PUBLISHED, found

pytest.importorskip("transformers")
QUICK = ("t5", "bart-large-cnn, bart-large-xsum")


@pytest.mark.parametrize(
    "title", [each if each in QUICK else pytest.param(each, marks=pytest.mark.thorough) for each in PUBLISHED]
)
def test_a_published_size_is_read_and_decoded_as_its_own_library_does(title: str) -> None:
    gaps, same = found(PUBLISHED[title])
    assert gaps.largest <= TOLERANCE
    assert gaps.written
    assert same
