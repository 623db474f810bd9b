"""`pmtwin simulate` on runs of a moment."""

import json
from pathlib import Path

from pmtwin import cli

QUICK = ["--windows", "4", "--requests-per-window", "200", "--warmup-windows", "1"]


ADMISSION = Path(__file__).resolve().parents[1] / "scenarios" / "admission.py"


QUARTILES = ["min", "q1", "median", "q3", "max"]


def simulate(capsys, *arguments, options=tuple(QUICK)):
    assert cli.main(["simulate", "nvm-middleware", *options, *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)
