"""Inference of a simulator's parameters from published statements about results, without measurements.

Priors are a table, evidence is data, the posterior is a set of weighted draws. The package knows no scenario.
"""
