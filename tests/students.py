"""Tiny models as a student saves them: a state dict named as in PyTorch's translation tutorial, and vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

SPECIALS = ("<unk>", "<pad>", "<bos>", "<eos>")
ENGLISH = (*SPECIALS, "a", "man", "dog", "red", "bike", "the", "runs", "sees")
ARABIC = (*SPECIALS, "رجل", "كلب", "أحمر", "دراجة", "يركب", "يرى", "البيت", "مدرسة", "كتاب", "في", "على")
HEBREW = (*SPECIALS, "איש", "כלב", "אדום", "אופניים", "רוכב", "רואה", "הבית", "ספר")
LETTERS = (*SPECIALS, *"abcdefghijklmnopqrstuvwxyz .")
HEADS = 2


def write_student(folder: Path, source: Sequence[str], target: Sequence[str]) -> dict[str, Path]:
    """`student.pt`, `source.txt` and `target.txt` in `folder`: one layer a stack, 16 wide, HEADS heads, random."""
    import torch
    from torch import nn

    class Embedding(nn.Module):
        def __init__(self, size: int) -> None:
            super().__init__()
            self.embedding = nn.Embedding(size, 16)

    class Translation(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.transformer = nn.Transformer(16, HEADS, 1, 1, 32, batch_first=True)
            self.generator = nn.Linear(16, len(target))
            self.src_tok_emb = Embedding(len(source))
            self.tgt_tok_emb = Embedding(len(target))

    torch.manual_seed(1)
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: folder / name for name in ("student.pt", "source.txt", "target.txt")}
    torch.save(Translation().state_dict(), files["student.pt"])
    for name, tokens in (("source.txt", source), ("target.txt", target)):
        files[name].write_text("\n".join(tokens) + "\n", encoding="utf-8")
    return files
