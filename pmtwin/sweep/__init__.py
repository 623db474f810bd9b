"""Trainings as one plan: every combination of listed option values is one run of `pmtwin train`."""
