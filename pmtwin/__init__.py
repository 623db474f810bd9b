"""pmtwin: a calibrated twin of a persistent-memory storage middleware."""

__version__ = "0.1.0"
