"""For who learns how a Transformer works: every operation with its numbers, built on the core and never imported by it."""
