"""Output of `pmtwin list`, and completion in shells."""
