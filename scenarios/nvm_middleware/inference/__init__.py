"""The thesis' host and load, inferred from the thesis' tables: priors, evidence, and the simulation of a draw."""
