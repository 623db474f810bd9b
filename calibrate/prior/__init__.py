"""Few-shot calibration: a sparsely measured device with the shipped devices as prior (`pmtwin calibrate --prior`)."""
