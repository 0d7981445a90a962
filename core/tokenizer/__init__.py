"""Text ↔ token ids, and labels a person can read. Needs no torch."""

from core.tokenizer.tokenizer import Specials, Tokenizer

__all__ = ["Specials", "Tokenizer"]
