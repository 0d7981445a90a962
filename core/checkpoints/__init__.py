"""A checkpoint folder: what is in it, loaded, saved and replaced whole. Knows nothing of decoding."""
