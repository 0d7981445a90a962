"""What one visitor looks at: the selection, its link, and the session that keeps it."""
