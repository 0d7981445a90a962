"""Side-by-side measurements against peers, one command each; results as JSON and Markdown in `results/`."""
