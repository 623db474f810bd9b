"""Figures, tables and report of the thread-pool scenario, beside what the thesis published."""
