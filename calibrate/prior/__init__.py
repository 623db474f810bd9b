"""Few-shot calibration: what the shipped devices tell of one that was hardly measured (`pmtwin calibrate --prior`)."""
