"""What `pmtwin list` prints, and completion in shells."""
