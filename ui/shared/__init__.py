"""What the pages show, without drawing it: every cache, decodes, maps, and the types that views draw."""
