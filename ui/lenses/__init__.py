"""The Lenses page: what the decoder would write early, and from early layers of the encoder."""
