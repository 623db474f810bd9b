"""The implementation of `pmtwin train`: options, run, cluster and summary."""
