"""Who may upload, past which check, and into which folder."""
