"""What the options of `pmtwin probe` mean."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin.console.overwrite_guard import check_output
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.device.law import OPERATIONS
from pmtwin.sim.errors import InputError, check_range, unknown_name

if TYPE_CHECKING:
    from pmtwin.probe.config import Config

if TYPE_CHECKING:
    from pmtwin.calibrate.probing.state import Plan

TIME_SHARE = 0.95
"""Of --time; the end of the command takes the rest."""

WHOLE_S = 285.0
"""Limit of a whole probe, which has the time to set up 16 times the cache on a machine with other work."""

SHORT_MULTIPLE = 4
"""Default size of the region of a shorter probe, in last-level caches; the set-up of 16 may take all of its time."""


def operations_of(names: str | None) -> tuple[str, ...]:
    """The instructions to measure, from their names with commas between.

    Raises:
        InputError: for an unknown one.
    """
    from pmtwin.calibrate.probing.plan import DEFAULT_OPERATIONS

    if names is None:
        return DEFAULT_OPERATIONS
    operations = tuple(dict.fromkeys(name.strip() for name in names.split(",")))
    for name in operations:
        if name not in OPERATIONS:
            raise unknown_name("--operations", name, OPERATIONS)
    return operations


def plan_of(config: Config, context: dict) -> Plan:
    """What to measure, and for how long.

    Args:
        config: the options.
        context: what the native probe says of the machine; without it, all processors are near the memory.

    Raises:
        InputError: more threads than processors near the memory, or an unknown operation.
    """
    from pmtwin.calibrate.probing.plan import PRESETS
    from pmtwin.calibrate.probing.state import Plan

    preset, limit = PRESETS[_preset_name(config)], limit_s(config)
    most = int(context.get("local_threads", len(os.sched_getaffinity(0))))
    if config.threads is not None:
        check_range("--threads", config.threads, 1, most, "(processors near the memory)")
        most = config.threads
    dimms = config.dimms or int(context.get("dimms", FULL_SET_DIMMS))
    remote = min(most, int(context.get("remote_threads", 0)))
    return Plan(
        preset, operations_of(config.operations), most, float(dimms), limit, config.target_error, config.seed, remote
    )


def _preset_name(config: Config) -> str:
    return "quick" if config.quick else "full" if config.full else "default"


def limit_s(config: Config) -> float:
    """Seconds that the measurement may take; infinite for all points."""
    from pmtwin.calibrate.probing.plan import PRESETS

    return PRESETS[_preset_name(config)].seconds if config.time is None else TIME_SHARE * config.time


def asked(config: Config) -> dict:
    """Options that must be unchanged when an interrupted probe is resumed; its time and error goal may change."""
    names = ("threads", "dimms", "region_bytes", "memory_node", "isa", "seed", "quick", "full")
    return {
        **({"node": config.node} if config.path is None else {"path": os.path.realpath(config.path)}),
        "operations": ",".join(operations_of(config.operations)),
        **{name: getattr(config, name) for name in names},
    }


def native_options(config: Config, known_region_bytes: int | None = None) -> list[str]:
    """Command-line options of the native probe.

    Args:
        config: options of `pmtwin probe`.
        known_region_bytes: size of the region of the interrupted probe that is resumed.
    """
    given = {"--path": config.path, "--node": config.node}
    given |= {"--region-bytes": config.region_bytes or known_region_bytes}
    if limit_s(config) < WHOLE_S:
        given |= {"--cache-multiple": SHORT_MULTIPLE}
    given |= {"--memory-node": config.memory_node, "--isa": config.isa}
    return [word for option, value in given.items() if value is not None for word in (option, str(value))]


def check_new_file(config: Config) -> None:
    """Check that `--output` is a new file and can be written; a dry run may leave it out.

    Raises:
        InputError: see `new_file`.
    """
    if config.output or not config.dry_run:
        new_file(config)


def new_file(config: Config) -> Path:
    """Path of `--output`.

    Raises:
        InputError: if the option is missing, the file cannot be written, or exists and `--force` is not given.
    """
    return check_output(output_of(config), "--output", None, config.force)


def output_of(config: Config) -> str:
    """Value of `--output`.

    Raises:
        InputError: if the option is missing.
    """
    if not config.output:
        raise InputError("--output", None, "the file of the result")
    return config.output
