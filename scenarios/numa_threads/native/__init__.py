"""Threads of real processes, placed by the same policies as the simulated ones."""
