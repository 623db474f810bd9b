"""A run of `pmtwin probe`, from its checks to its result; it can be interrupted and resumed."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin.calibrate.disturbed import LEAST_KEPT, REMEDY
from pmtwin.calibrate.probing.document import document, own_probe_id, to_text, warnings_of
from pmtwin.calibrate.probing.journal import Journal, journal_path, probe_id_of
from pmtwin.calibrate.probing.left_over import left_over_files
from pmtwin.calibrate.probing.native import NativeProbe, find_program
from pmtwin.calibrate.probing.session import Session
from pmtwin.calibrate.probing.state import Plan
from pmtwin.config.next_command import next_line
from pmtwin.console.interrupts import exit_code
from pmtwin.console.output import message
from pmtwin.machine import machine
from pmtwin.machine.medium import medium_of_mount
from pmtwin.middleware.stores import remove_abandoned
from pmtwin.probe.options import TIME_SHARE, asked, native_options, output_of, plan_of
from pmtwin.probe.progress import bar_over
from pmtwin.probe.show import show_result
from pmtwin.probe.usable import usable
from pmtwin.sim.common.number_forms import percent
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.writing import check_writable, write_text

if TYPE_CHECKING:
    from pmtwin.probe.config import Config


WELL_KEPT = 0.9
"""Share of kept rows below which a probe warns at its end of other work on the machine."""

IDENTITY = ("host_name", "cpu_model", "media", "isa", "local_threads")


def probe(config: Config, began: float) -> int:
    """Measure and write the result; returns the exit code.

    Args:
        config: the options, checked.
        began: start of the command in s, by `time.monotonic`.

    Raises:
        InputError: if the directory, the result or the journal cannot be used.
        MissingDependencyError: if the native probe was not built.
    """
    find_program()
    output = check_result(config)
    journal_at = journal_path(output)
    journal = Journal(journal_at, asked(config), config.force)
    device = None
    try:
        _remove_left_over(config.path, output)
        device = NativeProbe(native_options(config, journal.region_bytes))
        if config.path:
            _confirm_media(device.context, config.path)
        journal.check_device(_identity(device.context))
        for warning in device.context.get("warnings", ()):
            message(f"warning: {warning}")
        if journal.resumed:
            message(f"going on with {journal_at}: {sum('case' in e for e in journal.entries)} visits are there")
        plan = plan_of(config, device.context)
        with bar_over(plan) as (start, show):
            session = Session(device, plan, journal, began, on_case=show)
            start(session)
            code = _run(session)
        _finish(config, output, journal, device.context, plan, session, code)
        return code
    except KeyboardInterrupt:
        if any("case" in entry for entry in journal.entries) and journal_at.exists():
            message(_goes_on(journal_at))  # entries of an earlier run: this one had not begun to measure
        raise
    finally:
        if device is not None:
            device.close()
        journal.close()


def _confirm_media(context: dict, path: str, root: Path = Path("/")) -> None:
    """Correct media "pmem" to "dram" where only the direct access suggests it: a guest and DRAM may have that too."""
    medium, description = medium_of_mount(machine.mount_of(path, root), root)
    if context.get("media") == "pmem" and medium != "pmem":
        context["media"] = "dram"
        context.setdefault("warnings", []).append(f"not taken for persistent memory: {path} is {description}")


def _run(session: Session) -> int:
    try:
        session.run()
    except KeyboardInterrupt as interrupt:
        return exit_code(interrupt)
    return 0


def _finish(config, output: Path, journal: Journal, context: dict, plan: Plan, session: Session, code: int) -> None:
    if not session.state.measurements:
        if not code:
            raise _too_short(plan, session.state.needed_s)
        message("interrupted before anything was measured")
        return
    result = document(journal, context, plan, session.state, session.elapsed_s(), code != 0)
    write_text(output, to_text(result), "--output")
    if not code:
        journal.remove()
    for warning in warnings_of(session.state):
        message(f"warning: {warning}")
    taken = usable(output)
    show_result(result, taken, config.output, config.json)
    if code:
        message(f"interrupted: {output} holds what is measured so far, marked as interrupted; {_goes_on(journal.path)}")
    else:
        message(_next_step(output, taken))


def _goes_on(journal_at: Path) -> str:
    return f"the same command goes on from {journal_at}"


def _next_step(output: Path, taken: dict) -> str:
    """Advice on the next command for a result; `taken`: from `usable`."""
    step = next_line("calibrate", output, "-o", "my-device.json", "--report", "fit")
    if taken["accepted"] and taken["would_fit"]:
        warning = f"warning: {taken['kept']}; {REMEDY}, or go on with\n" if taken["kept_share"] < WELL_KEPT else ""
        return f"{warning}{step}"
    reason = f"{percent(taken['kept_share'])} of the measured rows kept, {percent(LEAST_KEPT)} needed"
    if taken["accepted"]:
        reason = "probe again with more --time"
    too_little = f"too little for pmtwin calibrate: {reason}; {REMEDY}"
    if not taken["accept_disturbed"]["would_fit"]:
        return too_little
    return f"{too_little}, or fit disturbed rows too:\n{step.removeprefix('next: ')} --accept-disturbed"


def _too_short(plan: Plan, needed_s: float | None) -> InputError:
    """Error of a probe that measured nothing; `needed_s`: seconds for the set-up and the first case, if known."""
    seconds = f"{plan.seconds / TIME_SHARE:.3g} s"
    allowed = "more than the set-up of the probe takes: nothing was measured"
    if needed_s is not None:
        least = math.ceil(needed_s / TIME_SHARE)
        allowed = f"--time {least} or more (s), which the set-up and the first case take on this machine at present"
        allowed += "; less with a smaller --region-bytes, or without other work; 300 for a whole probe"
    return InputError("time", seconds, allowed, wrong="are too short")


def check_result(config: Config) -> Path:
    """Path of the result.

    Raises:
        InputError: if it cannot be written; without `--force`, if a file exists there that is not the result of this
            interrupted probe; or if `--resume` finds no journal.
    """
    output = check_writable(output_of(config), "--output")
    if os.path.lexists(output):
        probe_id = own_probe_id(output)
        if not config.force and (probe_id is None or probe_id != probe_id_of(journal_path(output))):
            wrong = "exists and is no result of a probe" if probe_id is None else "is the result of a finished probe"
            raise InputError("--output", str(output), "a new file, or --force to overwrite this one", wrong=wrong)
    if config.resume and not (journal := journal_path(output)).exists():
        raise InputError("--resume", str(journal), "the journal of an interrupted probe; there is none")
    return output


def _identity(context: dict) -> dict:
    return {name: context.get(name) for name in IDENTITY} | {"memory": context.get("memory")}


def _remove_left_over(directory: str | None, output: Path) -> None:
    """Remove partly written results and files in `directory` that killed probes left.

    The lock on the journal ensures that no probe with this result is running.
    """
    for path in left_over_files(output):
        path.unlink(missing_ok=True)
        message(f"removed {path}, which a killed probe left")
    if directory:
        remove_abandoned(directory)
