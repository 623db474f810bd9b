"""Studies behind numbers of the docs, run by hand from a checkout: `python -m studies.NAME`."""
