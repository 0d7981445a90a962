"""The Alignment page."""
