"""Largest networks: each can be exported, and `middleware/policy` reads none with larger layers."""

MOST_UNITS = 4096
"""Of a layer."""

MOST_ATOMS = 400
"""Of each action's distribution: those of nine actions are one layer of outputs. C51 has 51."""
