"""The thesis' host and load, inferred from what the thesis publishes: priors, evidence, and what a draw simulates."""
