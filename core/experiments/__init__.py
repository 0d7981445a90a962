"""Experiments that run a model under hooks, often over many sentences, and store the results."""
