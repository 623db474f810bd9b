"""The thread-pool scenario's part of the report."""
