"""The fit report: one HTML page with PNG plots beside it; a reader sees in ten seconds where not to trust the model."""
