"""The steps of `pmtwin run`, from calibration to report."""
