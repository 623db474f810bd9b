"""`pmtwin run`: the whole loop, from calibration to one report."""

from __future__ import annotations

import argparse
import json
import time

from pmtwin.commands.figures import add_run_options

HELP = "the whole loop: calibrate, simulate, train, evaluate, validate, report.html"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin run`."""
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run what is not done yet, write the figures and the report; returns 0, or 1 if the validation does not pass."""
    from pmtwin.figures.registry import FIGURES
    from pmtwin.output import message, print_json
    from pmtwin.pipeline.loop import besides_figures, dry_run, run_loop, setting_of

    setting = setting_of(args)
    if args.dry_run:
        return dry_run(args, setting, list(FIGURES.values()), more=besides_figures())
    began = time.perf_counter()
    made = run_loop(setting, args.output)
    message(f"report: {made['report']} after {time.perf_counter() - began:.0f} s")
    if args.json:
        print_json(json.loads(json.dumps(made, default=str)))
    verdict = made["validation"]
    if verdict is None:
        return 0
    message(f"validation: {verdict['name']}")
    if not verdict["passed"]:
        message("\n".join(f"- {line}" for line in (*verdict["reasons"], *verdict["warnings"])))
    return 0 if verdict["passed"] else 1
