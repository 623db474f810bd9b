"""Formulas of queues: waiting, sojourn times, transients."""
