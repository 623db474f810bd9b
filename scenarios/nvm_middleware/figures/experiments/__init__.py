"""Experiments on the twin, each with values that its plots take."""
