"""Pure functions of recorded numbers: what the heads do, where the model looks, how the stream flows.

Everything here is numpy on the CPU and imports without torch, so a page can draw a stored example
before the model is loaded. Definitions and sources are in the functions' docstrings.
"""
