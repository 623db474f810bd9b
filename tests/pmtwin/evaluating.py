"""`pmtwin evaluate` on runs of a moment."""

import json

from pmtwin import cli

QUICK = ["--steps", "4", "--phase-steps", "2", "--seeds", "2", "--phases", "1", "3", "--requests-per-window", "100"]


def evaluate(capsys, *arguments):
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def ranking(lines):
    """The line with the names of the ranking's columns."""
    return next(line for line in lines if line.startswith("rank"))
