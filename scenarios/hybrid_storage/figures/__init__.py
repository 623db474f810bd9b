"""Figures of the scenario: what the Harmonia paper publishes beside what comes out here."""
