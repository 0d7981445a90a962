"""The wizard of the Checkpoints page that imports a visitor's own model."""
