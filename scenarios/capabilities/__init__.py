"""Capabilities that a scenario may declare, one file each; `Scenario` has them all, undeclared by default.

To write a scenario, read the core (`pmtwin.scenarios.scenario`) and the files of the capabilities that it uses.
"""
