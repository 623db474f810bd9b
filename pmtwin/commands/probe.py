"""`pmtwin probe`: measures the memory below a directory for `pmtwin calibrate`."""

from __future__ import annotations

import os
import time

from pmtwin.probe.config import DESCRIPTION, EXAMPLES, Config
from pmtwin.probe.options import operations_of, plan_of
from pmtwin.probe.show import show_comparison, show_plan
from pmtwin.scenarios.registry import DEFAULT, load_scenario
from pmtwin.sim.common.lazy import object_at
from pmtwin.sim.errors import InputError, check_range

__all__ = ["DESCRIPTION", "EXAMPLES", "Config", "run"]


def run(config: Config) -> int:
    """Probe, or compare two probes."""
    began = time.monotonic()
    if config.compare:
        from pmtwin.calibrate.probing.compare import compare

        show_comparison(config.compare, compare(*config.compare), config.json)
        return 0
    if config.host:
        object_at(load_scenario(DEFAULT).host_probe)(config)
        return 0
    _check(config)
    if config.kv:
        from pmtwin.probe.kv import probe_kv

        probe_kv(config)
        return 0
    if config.dry_run:
        from pmtwin.probe.run import check_result

        if config.output:
            check_result(config)
        plan = plan_of(config, {})
        show_plan(plan, None if config.full and config.time is None else plan.seconds, config.json)
        return 0
    from pmtwin.probe.run import probe

    return probe(config, began)


def _check(config: Config) -> None:
    needed = {
        "--path": "" if config.path or config.node is not None else "a directory on the memory to measure, or --node N",
        "--output": "" if config.output or config.dry_run else "the file of the result",
    }
    if missing := {name: allowed for name, allowed in needed.items() if allowed}:
        raise InputError(", ".join(missing), None, "; ".join(missing.values()))
    if config.threads is not None:
        usable = len(os.sched_getaffinity(0))
        check_range("--threads", config.threads, 1, usable, "(processors that this process may use)")
    operations_of(config.operations)
