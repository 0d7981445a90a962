"""Decoding: one sentence step by step with everything recorded, or many sentences at once.

The modules `strategies`, `inputs` and `example` do not import torch.
"""
