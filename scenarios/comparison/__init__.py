"""Runs of policies in the same contexts, their comparison, and their ranking."""
