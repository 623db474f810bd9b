"""Parameters of a simulator without measurements, inferred from statements about its results.

Priors are a table, evidence is data, the posterior is a set of weighted draws. Nothing here knows a scenario.
"""
