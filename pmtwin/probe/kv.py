"""What `pmtwin probe --kv` does: the counts and the software's own time of key-value operations, in one file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from pmtwin.config.next_command import next_line
from pmtwin.console.output import begins_anew, message, print_json, print_table
from pmtwin.console.progress import progress
from pmtwin.machine import kv_programs
from pmtwin.probe.options import check_new_file, new_file
from pmtwin.sim.device.access_profile import KEY_BYTES
from pmtwin.sim.errors import InputError, check_range
from pmtwin.sim.files.writing import write_text

if TYPE_CHECKING:
    from pmtwin.probe.config import Config

SIZES = (0, 8, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 1048576)
"""Of the values; what puts read is traced up to 128 KiB of them, and derived above."""

TRACED = 8
ROUNDS = 5
SECONDS = 0.02
"""Of a sample; each round has one of every size."""


def probe_kv(config: Config) -> None:
    """Count and time, and write what was found; interrupted, nothing is written.

    Raises:
        InputError: the directory or the result cannot be used, or the keys are too short or long.
        MissingDependencyError: the native programs were not built.
    """
    key_bytes = KEY_BYTES if config.key_bytes is None else config.key_bytes
    check_range("--key-bytes", key_bytes, 8, 4096, "B")
    check_new_file(config)
    if config.dry_run:
        if config.json:
            print_json({"value_bytes": list(SIZES)})
        else:
            print_table([(f"{size} B",) for size in SIZES], ("values",))
        return
    if config.path is None:
        raise InputError("--path", None, "a directory on the memory to measure")
    folder, output = config.path, new_file(config)
    with begins_anew(), progress(desc="sizes and rounds", total=_steps()) as bar:
        document = access_document(folder, key_bytes, bar.update)
    write_text(output, _to_text(document), "--output")
    message(next_line("calibrate", "probe.json", "--access-profile", output, "-o", "my-device.json"))


def access_document(directory: str, key_bytes: int, progress: Callable[[], object]) -> dict:
    """What `pmtwin.calibrate.access_profile` reads; some minutes.

    Args:
        directory: of the pool, which is removed afterwards; any memory file system will do.
        key_bytes: of each key.
        progress: called `_steps()` times.

    Raises:
        InputError: the directory cannot be used.
        MissingDependencyError: the native programs were not built.
    """
    counted = []
    for size in SIZES:
        counted.append(kv_programs.count(directory, (size,), key_bytes, TRACED))
        progress()
    cases = [case for document in counted for case in document["cases"]]
    times = kv_programs.time_hot(directory, SIZES, (1,), ROUNDS, SECONDS, progress, key_bytes)
    return counted[0] | {"cases": cases, "times": times}


def _steps() -> int:
    """How often `access_document` tells of progress."""
    return len(SIZES) + ROUNDS


def _to_text(document: dict) -> str:
    """The file's content."""
    return json.dumps(document, indent=1) + "\n"
