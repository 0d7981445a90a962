"""Text ↔ token ids, and readable labels. Needs no torch."""

from core.tokenizer.files import Frame, Specials
from core.tokenizer.tokenizer import Reading, Tokenizer

__all__ = ["Frame", "Reading", "Specials", "Tokenizer"]
