"""Statistics, percentiles and the Morris screening."""
