"""Training: tasks, data, batches, the loop, and what it records.

Importing this package does not import torch; the modules that need it import it themselves.
"""

from __future__ import annotations
