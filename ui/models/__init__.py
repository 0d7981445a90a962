"""The Checkpoints page: the gallery, and what is inside a model."""
