"""The engines: one model, run in different ways."""
