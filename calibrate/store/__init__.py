"""Parameters of a key-value store from measured operations (`pmtwin calibrate --store`)."""
