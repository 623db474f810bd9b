"""Write a policy as a file that steers a middleware in C++, without Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.shared import Printed, Replacing
from pmtwin.output import flatten, print_json, print_table
from pmtwin.policies.steering import exportable_names
from pmtwin.replacing import STEERING, check_output
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import option

HELP = "a policy as a file that steers a middleware from C++, without Python"


@dataclass(frozen=True, kw_only=True)
class Config(ScenarioConfig, Printed, Replacing):
    """Options of `pmtwin export`; of the scenario's, the goals count."""

    command: ClassVar[str] = "export"
    scenario_flag: ClassVar[bool] = True
    policy: str = option(
        help=f"policy to write: {', '.join(exportable_names())} (pmtwin list policies: how they are written)",
        positional=True,
        metavar="SPEC",
    )
    output: Path = option(help="the file to write", short="-o", metavar="FILE.json", recorded=False)


def run(config: Config) -> int:
    """Write the file; returns 0.

    Raises:
        InputError: for a scenario without such a middleware, a spec that names no policy or one without a form in C++,
            a goal out of range, a bad path.
    """
    from pmtwin.policies import PolicyContext, make_policy
    from pmtwin.policies.steering import write_steering

    if not config.scenario.steered:
        raise InputError("--scenario", config.scenario.spec, "a scenario whose policies a middleware in C++ reads")
    check_output(config.output, "--output", STEERING, config.force)
    policy = make_policy(config.policy)
    path = write_steering(config.output, policy, PolicyContext.of(config.scenario), "--output")
    result = {"policy": policy.spec, "file": str(path), "bytes": path.stat().st_size}
    if config.json:
        print_json(result)
    else:
        print_table(flatten(result))
    return 0
