"""Capabilities that a scenario may declare, one file each; `Scenario` has them all, with the answer "none" by default.

Read the core (`pmtwin.scenarios.scenario`), and of these files the ones that your scenario uses.
"""
