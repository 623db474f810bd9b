"""Tables and figures of the two-tiered storage, computed, beside the published values."""
