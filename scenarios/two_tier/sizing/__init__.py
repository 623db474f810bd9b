"""Sizing: lines, processes, threads and page size for a request rate and a limit of p99."""
