"""`pmtwin calibrate` for a device: the profile with its report, or the plan of a dry run."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pmtwin.calibrate.disturbed import check_kept, kept_text
from pmtwin.calibrate.effects.rows import read_effect_tables
from pmtwin.calibrate.measurements import Measurements, group
from pmtwin.calibrate.one_thread_count import one_count_text
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.calibrate.specification import UNNAMED
from pmtwin.calibration.results import print_plan, print_result
from pmtwin.console.command_line import typed_command
from pmtwin.console.output import counted, message
from pmtwin.console.overwrite_guard import PROFILE, check_output, check_report
from pmtwin.console.progress import progress
from pmtwin.sim.device.profile import DEFAULT_PROFILE, Profile, load_profile
from pmtwin.sim.files.csv_table import Table

if TYPE_CHECKING:
    from pmtwin.calibrate.build import Calibration
    from pmtwin.calibrate.calibration import OperationCalibration
    from pmtwin.calibration.config import Config


def run_device(config: Config) -> None:
    """Read, clean and fit the measurements, print the error table, write the profile and the report."""
    from pmtwin.calibrate.access_profile import read_access_profile

    _check(config)
    effects = read_effect_tables(config.effects)
    access = read_access_profile(config.access_profile)  # an error of the file must come before the fit
    options = ReadOptions(config.dimms, config.machine, config.media or "", config.accept_disturbed)
    measurements, skipped = read_sources(config.sources, options)
    if not config.accept_disturbed:
        check_kept(measurements)
    if text := kept_text(measurements):
        message(text)
    if config.dry_run:
        configurations, _ = group(measurements)
        print_plan(measurements, configurations, skipped, config.prior, config.json)
        return
    if config.prior == "family":
        calibration = _calibrate_few(config, measurements)
    else:
        calibration = _calibrate(config, measurements, effects)
    _write(config, replace(calibration.profile, access_profile=access), calibration)
    print_result(config, calibration, skipped)
    if config.prior != "family" and (text := one_count_text(measurements)):
        message(text)  # not before the work, so that an error stays a single line
    if not (config.output or config.report):
        message("nothing was written: -o FILE keeps the profile, --report DIR the report")


def _write(config: Config, profile: Profile, calibration: Calibration) -> None:
    """Write the report, then the profile, so that an error in the report leaves neither behind."""
    if config.report:
        from pmtwin.calibrate.report.page import write_report

        _stage("drawing the report")
        page = write_report(calibration, config.report, typed_command())
        unjudged = "" if config.bootstrap else " (drawings of the fitted data alone: --bootstrap 0)"
        message(f"report: {page}{unjudged}")
    if config.output:
        profile.save(config.output)
        _stage(f"profile: {config.output}")


def _stage(text: str) -> None:
    """Print a line for a stage where no bar shows progress, so that a log is not silent for minutes."""
    if not sys.stderr.isatty():
        message(text)


def _check(config: Config) -> None:
    if config.like:
        load_profile(config.like)
    if config.output:
        check_output(config.output, "--output", PROFILE, config.force)
    if config.report:
        check_report(config.report, config.command, config.force)


def _calibrate(config: Config, measurements: Measurements, effects: Sequence[Table]) -> Calibration:
    from pmtwin.calibrate.build import calibrate, plan

    fitted, _ = plan(group(measurements)[0], measurements.dropped)
    replicates = f"{counted(config.bootstrap, 'replicate')} each"
    _stage(f"read {counted(len(measurements), 'usable bandwidth')}; fitting {', '.join(fitted)} ({replicates})")

    def shown(results: Iterable[OperationCalibration]) -> Iterator[OperationCalibration]:
        bar = progress(results, desc="operations", total=len(fitted), unit="fit")
        for operation, result in zip(fitted, bar, strict=True):
            _stage(f"fitted {operation}")
            yield result

    return calibrate(
        measurements,
        config.called,
        config.device,
        seed=config.seed,
        bootstrap=config.bootstrap,
        jobs=config.jobs,
        progress=shown,
        like=load_profile(config.like) if config.like else None,
        command=_command(config),
        effects=effects,
    )


def _calibrate_few(config: Config, measurements: Measurements) -> Calibration:
    from pmtwin.calibrate.prior.build import calibrate_few, check_few

    check_few(group(measurements)[0], measurements)
    _stage(f"read {counted(len(measurements), 'usable bandwidth')}; shipped devices fill in what was not measured")
    return calibrate_few(
        measurements, config.called, config.device, config.dimms, seed=config.seed, command=_command(config)
    )


def _command(config: Config) -> str:
    """Command line that reproduces the profile, with names of files without their folders."""
    words = ["pmtwin", "calibrate", *(os.path.basename(os.path.normpath(source)) for source in config.sources)]
    for name in ("machine", "dimms", "media", "like", "prior", "name", "device", "seed", "bootstrap"):
        value = getattr(config, name)
        if name == "bootstrap" and config.prior == "family":
            continue
        if value is not None and (name, value) not in (("prior", "none"), ("device", UNNAMED)):
            words += [f"--{name}", str(value)]
    if config.access_profile != DEFAULT_PROFILE:
        words += ["--access-profile", os.path.basename(config.access_profile)]
    if config.accept_disturbed:
        words.append("--accept-disturbed")
    if config.effects:
        words += ["--effects", *(os.path.basename(path) for path in config.effects)]
    return shlex.join(words)
