"""What `pmtwin calibrate` does, beside its options: a device, a store or a regression from measurements."""
