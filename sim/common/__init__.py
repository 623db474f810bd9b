"""Helpers for all packages: lazy imports, users' Python files, processes and threads, texts of system errors."""
