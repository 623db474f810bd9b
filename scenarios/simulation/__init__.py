"""One run of a system, and what happens in it."""
