"""Pure functions of recorded numbers: head scores, alignments, contributions, norms, and their wording.

Everything here is numpy on the CPU and imports without torch, so a page can draw a stored example
before the model is loaded. Definitions and sources are in the functions' docstrings.
"""
