"""What a cache may have; nothing here loads numba."""

MOST_LINES = 1 << 28
"""Of a cache."""
