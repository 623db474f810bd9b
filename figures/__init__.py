"""Each table and figure of the papers, computed, beside the published values."""
