"""Gymnasium environments of a scenario: one system, or many at once."""
