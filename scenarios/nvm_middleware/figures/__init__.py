"""Figures, tables and report of the thread-pool scenario, beside the thesis' values."""
