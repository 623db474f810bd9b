"""The terminal: output, progress, interrupts, streams, and the guard of existing files."""
