"""`pmtwin run`: the whole loop, from calibration to one report."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import ClassVar

from pmtwin.config.shared import Replacing
from pmtwin.console.output import message, print_json
from pmtwin.pipeline.options import PipelineConfig
from pmtwin.scenarios.registry import FORM, scenario_names
from pmtwin.sim.errors import InputError

EXAMPLES = ("pmtwin run --dry-run", "pmtwin run -o results", "pmtwin run --full --jobs 2")


@dataclass(frozen=True, kw_only=True)
class Config(PipelineConfig, Replacing):
    """Options of `pmtwin run`."""

    command: ClassVar[str] = "run"


def run(config: Config) -> int:
    """Run what is not done yet, write the figures and the report; returns 0, or 1 if the validation does not pass.

    Raises:
        InputError: for a report or a record of another origin where this run would write its own.
    """
    from pmtwin.console.overwrite_guard import RUN, check_output, check_report
    from pmtwin.loop.running import RECORD, print_plan, run_loop, setting_of
    from pmtwin.pipeline.declared import pipeline_of
    from pmtwin.report.page import FILE

    if config.names:
        raise InputError("scenario", config.names[0], f"{', '.join(scenario_names())}, or {FORM}")
    if (earlier := config.output / RECORD).exists():  # a report beside the record of a run is of that run
        check_output(earlier, "-o", RUN, config.force)
    else:
        check_report(config.output, config.command, config.force, page=FILE, option="-o")
    setting = setting_of(config)
    if config.dry_run:
        pipeline = pipeline_of(config.scenario)
        print_plan(setting, list(pipeline.entries), config.output, config.json, pipeline.besides())
        return 0
    began = time.perf_counter()
    made = run_loop(setting, config.output)
    message(f"report: {made['report']} after {time.perf_counter() - began:.0f} s")
    if config.json:
        print_json(json.loads(json.dumps(made, default=str)))
    verdict = made["validation"]
    if verdict is None:
        return 0
    message(f"validation: {verdict['headline']}")
    if not verdict["passed"]:
        message("\n".join(f"- {line}" for line in (*verdict["reasons"], *verdict["warnings"])))
    return 0 if verdict["passed"] else 1
