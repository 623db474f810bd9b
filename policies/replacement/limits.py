"""Limits of caches; the module loads no numba."""

MOST_LINES = 1 << 28
"""Largest number of lines of a cache."""
