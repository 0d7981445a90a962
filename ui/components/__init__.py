"""Small custom views without a Node build: a function builds what a view draws, another mounts it on the page."""
