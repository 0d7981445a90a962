"""The static site of what ships: front page, pictures that move, lessons, documentation, and the models as live pages."""
