"""Parameters of a simulator that nobody has measured, inferred from statements about what it simulates.

Priors are a table, evidence is data, the posterior is a set of weighted draws. Nothing here knows a scenario.
"""
