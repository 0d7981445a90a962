"""The errors a user can cause.

Every message is one sentence that names what was given, what is allowed and what to do, so that the
command line and the pages can show it as it is.
"""

from __future__ import annotations


class AtlasError(ValueError):
    """Base of every mistake a user can make."""


class ConfigError(AtlasError):
    """A model or training option has a value that is not allowed."""


class InputError(AtlasError):
    """A sentence, token or file given as input cannot be used."""


class CheckpointError(AtlasError):
    """A checkpoint folder cannot be read, or what it holds does not fit together."""


class TrainingError(AtlasError):
    """Training cannot start or go on as configured."""
