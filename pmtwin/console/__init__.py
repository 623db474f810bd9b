"""The terminal: output, progress, interrupts, streams, and files that are there already."""
