"""The pages of Inside: one head, positions, norms, lenses, cost."""
