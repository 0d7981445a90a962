"""`core.check`: hand over a function or a module and hear which pitfall it matches.

    import core
    core.check.attention(my_attention)            # a function of q, k, v, masks or not, or a module with projections
    core.check.positional(my_table)               # fn(length, d_model) → (length, d_model), or a module
    core.check.mask(my_mask)                      # fn(length) or fn(tokens) → who may attend
    core.check.layer_norm(MyNorm(64))             # fn(x) → the same shape
    core.check.model(my_transformer)              # module(source, target) → logits
    core.check.attention(module, call=lambda m, x, mask: m(x, x, x, mask))

Each returns a `Verdict`, which is true when the code is correct and prints itself in words. A faulty one names what is
wrong, the pitfall (`core.learning.pitfalls`) where there is one, and the example that shows it. An undecided one accuses
of nothing: the code could not be called, and the call to write is printed, or something could not be measured. Layouts,
polarities and formulas that are only different are not faults. What is handed over is called, never changed: modules
are copied first, and the copy gets seeded random weights where weights would hide a mistake.
"""

from __future__ import annotations

from core.learning.check_attention import attention
from core.learning.check_model import model
from core.learning.check_parts import layer_norm, mask, positional
from core.learning.verdict import Verdict

__all__ = ["Verdict", "attention", "layer_norm", "mask", "model", "positional"]
