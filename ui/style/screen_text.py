"""Text for the screen: content of files and visitors, sanitised and bounded before it is sent to a browser.

HTML is escaped where it is made; this module handles what escaping does not. A lone surrogate has no UTF-8 form and breaks
the whole page; Streamlit reads labels as Markdown, where every visitor's browser would fetch the address of a picture.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Final

from core.errors import LONGEST as LONGEST_MESSAGE
from core.errors import one_sentence

LONGEST: Final = 600
LONGEST_LABEL: Final = 160
LONGEST_SENTENCE: Final = LONGEST_MESSAGE
_MARKS: Final = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$&^=])")
# Joined with what follows, these begin an icon, a colour, an emoji, an address.
_BEGINNINGS: Final = re.compile(r"(:|@|\bwww)(?=\S)", re.IGNORECASE)
_WORD_JOINER: Final = "\u2060"
_FOLDERS: Final = re.compile(r"(?<![\w.:/~])~?(?:/[^/\s'\"“”:;,()<>]+)+/(?=[^/\s'\"“”:;,()<>])")


def plain(value: object, longest: int = LONGEST) -> str:
    """A text without control characters and lone surrogates, at most `longest` characters; "" for what is no text."""
    if not isinstance(value, str):
        return ""
    shown = "".join(map(_sendable, value[: longest + 1])).strip()
    return shown if len(value) <= longest else f"{shown[: longest - 1].rstrip()}…"


def label(value: object, longest: int = LONGEST_LABEL) -> str:
    """The same in one line for a Streamlit label, which reads Markdown: every sign of it stands for itself."""
    words = " ".join(plain(value, longest).split())
    return _BEGINNINGS.sub(rf"\1{_WORD_JOINER}", _MARKS.sub(r"\\\1", words))


def sentence(error: object, folder: Path | None = None, longest: int = LONGEST_SENTENCE) -> str:
    """An error's message for visitors: bounded, and without the server's folders; `folder` is replaced by its name."""
    text = str(error)
    for path in (folder, folder.parent) if folder is not None else ():
        if len(path.parts) > 1:
            text = text.replace(f"{path}/", "")
            text = text.replace(str(path), path.name)
    return one_sentence(plain(_FOLDERS.sub("", text), 10 * longest), longest)


def _sendable(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Cs":
        return "\ufffd"
    return " " if kind == "Cc" and char not in "\n\t" else char
