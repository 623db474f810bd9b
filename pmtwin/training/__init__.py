"""What `pmtwin train` does, beside its options: the run, its cluster and its summary."""
