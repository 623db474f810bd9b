"""Shipped regressions: a file of estimates each (`pmtwin.sim.regression.file`)."""
