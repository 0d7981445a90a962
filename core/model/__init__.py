"""The Transformer itself, from tokens to logits, and what can be recorded and edited on the way.

Reading order: config, transformer, layers, attention (with masks and the cache of a decode), linear; then hooks, trace.
"""
