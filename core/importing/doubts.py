"""Which values of an import nothing has checked. Needs no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from core.importing.options import Finding

# Sizes that shapes would contradict; every other told or assumed value is taken on trust.
_SHAPED: Final = frozenset(
    ("d_model", "d_ff", "encoder_layers", "decoder_layers", "source_vocab_size", "target_vocab_size")
)


def unsure(finding: Finding) -> bool:
    """Whether a value was told or assumed and no shape in the file would contradict another."""
    return finding.how in ("told", "assumed") and finding.name not in _SHAPED
