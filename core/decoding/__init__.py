"""Decoding: one sentence step by step with everything it saw, or many sentences at once."""

from core.decoding.batch import translate_batch
from core.decoding.beam import BeamSearch
from core.decoding.rows import Row
from core.decoding.session import Candidate, DecodeSession
from core.decoding.strategies import CutOff
from core.decoding.tree import Hypothesis, TreeNode

__all__ = [
    "BeamSearch",
    "Candidate",
    "CutOff",
    "DecodeSession",
    "Hypothesis",
    "Row",
    "TreeNode",
    "translate_batch",
]
