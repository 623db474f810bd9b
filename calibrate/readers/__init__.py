"""Readers of measurement files: each registers the format that it recognises by its content."""

from pmtwin.calibrate.readers import (
    fio,
    lattester,
    mlc,
    permabench_json,
    permabench_mixes,
    permabench_table,
    probe,
    tidy,
)
from pmtwin.calibrate.readers.document import ReadOptions
from pmtwin.calibrate.readers.registry import read_sources, reader_names

__all__ = [
    "ReadOptions",
    "fio",
    "lattester",
    "mlc",
    "permabench_json",
    "permabench_mixes",
    "permabench_table",
    "probe",
    "read_sources",
    "reader_names",
    "tidy",
]
