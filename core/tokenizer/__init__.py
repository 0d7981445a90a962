"""Text ↔ token ids, and labels a person can read. Needs no torch."""

from core.tokenizer.files import Frame
from core.tokenizer.tokenizer import Specials, Tokenizer

__all__ = ["Frame", "Specials", "Tokenizer"]
