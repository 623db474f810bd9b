"""Refits of regressions to runs, and their mechanistic counterpart."""
