"""Figures, tables and checked statements from the values of experiments, a module each."""
