"""The measurements of `pmtwin probe`, and their output."""
