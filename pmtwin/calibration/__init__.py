"""`pmtwin calibrate`: a device profile, a store or a regression from measurements."""
