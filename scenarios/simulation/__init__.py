"""One run of a system: its results, and their explanation."""
