"""Readers of measurement files: each registers the format that it recognises by its header."""

from calibrate.readers import lattester
from calibrate.readers.registry import read_sources, reader_names

__all__ = ["lattester", "read_sources", "reader_names"]
