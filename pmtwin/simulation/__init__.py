"""Options of `pmtwin simulate`, and the tables of its `--explain`."""
