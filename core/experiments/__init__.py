"""What runs a model over many sentences under hooks, and keeps what it found."""
