"""`pmtwin probe --host`: checks what was asked, measures, writes the file, and prints what it found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin.config.next_command import next_line
from pmtwin.console.output import about, begins_anew, message, print_json, print_table
from pmtwin.console.progress import progress
from pmtwin.middleware.settings import NativeSettings
from pmtwin.probe.options import check_new_file, new_file
from pmtwin.scenarios.nvm_middleware.duration import FIT_S
from pmtwin.scenarios.nvm_middleware.host import experiments
from pmtwin.scenarios.nvm_middleware.host import probe as host_probe
from pmtwin.scenarios.nvm_middleware.host.options import ROUND_S, ROUNDS
from pmtwin.scenarios.nvm_middleware.host.steadiness import steadiness_note
from pmtwin.sim.common.number_forms import rounded
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import ConflictError
from pmtwin.sim.files.writing import write_json
from pmtwin.sim.parameters.values import PARAMETERS

if TYPE_CHECKING:
    from pmtwin.probe.config import Config


def probe_host(config: Config) -> None:
    """Measure the host's parameters and write them to `--output`.

    Raises:
        InputError: for a value that is not accepted.
        MissingDependencyError: the middleware, or the store, is not built.
    """
    for name in ("time", "target_error"):
        if (value := getattr(config, name)) is not None:
            raise ConflictError(
                f"--{name.replace('_', '-')}",
                value,
                "does not go with --host, which has a fixed duration; remove one of the two",
            )
    if config.resume:
        raise ConflictError("--resume", True, "does not go with --host, which cannot be resumed; remove one of the two")
    if config.path and config.store != "pmemkv":
        raise ConflictError("--path", config.path, "belongs to --store pmemkv; add that, or remove this option")
    settings = NativeSettings(store=config.store, path=config.path, pool_mib=config.pool_mib, keys=config.keys)
    host_probe.check_store(settings)
    load_profile(config.profile)
    check_new_file(config)
    if config.dry_run:
        cells, windows = [cell.name for cell in experiments.cells(settings.keys)], host_probe.steps(settings)
        seconds = ROUNDS * ROUND_S + FIT_S
        if config.json:
            print_json({"windows": windows, "windows_of_a_round": cells, "about_seconds": seconds})
        else:
            print_table([(cell,) for cell in cells], ("windows of a round",))
            print(f"{windows:,} windows in all, {about(seconds)}")
        return
    output = new_file(config)
    with begins_anew(), progress(desc="windows", total=host_probe.steps(settings)) as bar:
        document = host_probe.host_document(settings, config.profile, bar.update)
    write_json(output, document, field="--output")
    if config.json:
        print_json({name: document[name] for name in ("format", "version", "context", "parameters")})
    else:
        print_table([_row(name, entry) for name, entry in document["parameters"].items()], _HEADER)
    if note := steadiness_note(document["samples"]):
        message(note)
    message(next_command(config, output))


def next_command(config: Config, output: Path) -> str:
    """The line of the command that validates over the same store on the measured host."""
    path = ["--path", config.path, "--pool-mib", config.pool_mib] if config.path else []
    words = ["--store", config.store, *path, "--host", output, "--profile", config.profile, "--keys", config.keys]
    return next_line("validate", *words)


_HEADER = ("parameter", "value", "95 % interval", "unit", "origin", "source")


def _row(name: str, entry: dict) -> tuple:
    interval = f"{rounded(entry['low'])} to {rounded(entry['high'])}" if "low" in entry else ""
    return name, rounded(entry["value"]), interval, PARAMETERS[name].unit, entry["origin"], entry["source"]
