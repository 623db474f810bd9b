"""Figures of the scenario: what the paper publishes beside what comes out here."""
