"""What `pmtwin probe --kv` does: the counts and the software's own time of key-value operations, in one file."""

from __future__ import annotations

import json
from collections.abc import Callable

from pmtwin import kv_programs

SIZES = (0, 8, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 1048576)
"""Of the values; what puts read is traced up to 128 KiB of them, and derived above."""

TRACED = 8
ROUNDS = 5
SECONDS = 0.02
"""Of a sample; each round has one of every size."""


def access_document(directory: str, key_bytes: int, progress: Callable[[], object]) -> dict:
    """What `calibrate.access_profile` reads; some minutes.

    Args:
        directory: of the pool, which is removed afterwards; any memory file system will do.
        key_bytes: of each key.
        progress: called `steps()` times.

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


def steps() -> int:
    """How often `access_document` tells of progress."""
    return len(SIZES) + ROUNDS


def to_text(document: dict) -> str:
    """The file's content."""
    return json.dumps(document, indent=1) + "\n"
