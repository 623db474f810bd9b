"""Fits of regressions to measured runs, by ordinary least squares or without negative estimates."""
