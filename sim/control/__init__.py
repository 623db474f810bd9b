"""Declaration of a control problem: columns, measures, goals, settings."""

from pmtwin.sim.control.declared import (
    HIGHER,
    LOG,
    LOWER,
    Column,
    Goal,
    Measure,
    observed_columns,
    shown_measures,
)
from pmtwin.sim.control.settings import NO_SETTINGS, Settings, logarithmic

__all__ = [
    "HIGHER",
    "LOG",
    "LOWER",
    "NO_SETTINGS",
    "Column",
    "Goal",
    "Measure",
    "Settings",
    "logarithmic",
    "observed_columns",
    "shown_measures",
]
