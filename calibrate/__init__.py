"""Fits of profiles to measurements: readers, cleaning, fitting, uncertainty, the fit report."""
