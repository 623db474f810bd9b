"""The loop of `pmtwin run`, from calibration to report."""
