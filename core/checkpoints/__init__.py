"""Checkpoint folders: their files, loaded, saved and replaced atomically. Independent of decoding."""
