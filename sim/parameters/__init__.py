"""Parameters of the twin: unit, plausible range and source of each, and their values."""
