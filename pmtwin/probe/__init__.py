"""What `pmtwin probe` does, beside its options."""
