"""Largest sizes of networks; `middleware/policy`, which reads exported ones, refuses larger layers."""

MOST_UNITS = 4096
"""Units of a layer."""

MOST_ATOMS = 400
"""Atoms of an action's distribution: with nine actions the output layer has 3600 units. C51 has 51 atoms."""
