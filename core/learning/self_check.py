"""`core.check`: hand over a function or a module and hear which pitfall it matches.

    import core
    core.check.attention(my_attention)            # fn(q, k, v) or fn(q, k, v, mask), or a module with projections
    core.check.positional(my_table)               # fn(length, d_model) → (length, d_model), or a module
    core.check.mask(my_mask)                      # fn(length) or fn(tokens) → who may attend
    core.check.layer_norm(MyNorm(64))             # fn(x) → the same shape
    core.check.model(my_transformer)              # module(source, target) → logits

Each gives a `Verdict`, which is true when nothing was found, prints itself in words, and names the pitfall
(`core.learning.pitfalls`) and the example that shows it. Layouts, polarities and formulas that are only different are
not faults. What is handed over is called, never changed: modules are copied first.
"""

from __future__ import annotations

from core.learning.check_attention import attention
from core.learning.check_model import model
from core.learning.check_parts import layer_norm, mask, positional
from core.learning.verdict import Verdict

__all__ = ["Verdict", "attention", "layer_norm", "mask", "model", "positional"]
