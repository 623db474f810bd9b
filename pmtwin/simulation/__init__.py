"""What `pmtwin simulate` does, beside its command."""
