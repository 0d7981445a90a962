"""The Heads page: what every head does over a corpus."""
