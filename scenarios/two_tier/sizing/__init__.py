"""Sizing: lines, processes, threads and page size for a rate and a percentile of the response."""
