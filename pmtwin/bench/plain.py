"""`pmtwin-plain-chase`: a pointer chase that shares no code with the probe."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator

from pmtwin.bench import SEED
from pmtwin.calibrate.probing.native import PACKAGES, find_program
from pmtwin.sim.errors import MissingDependencyError, PmtwinError
from pmtwin.sim.native_parts import how_to_get

NAME = "pmtwin-plain-chase"


def find() -> str:
    """Path of the program.

    Raises:
        MissingDependencyError: it, or the probe beside it, was not built.
    """
    program = find_program().with_name(NAME)
    if not program.is_file():
        raise MissingDependencyError(f"{program.name} is not built: {how_to_get(PACKAGES)}")
    return str(program)


@contextlib.contextmanager
def running(program: str, region_bytes: int, huge_pages: bool) -> Iterator[Callable[[float], float]]:
    """The program at work on a region of its own; yields a function seconds -> ns per hop.

    Raises:
        PmtwinError: it does not get the memory.
    """
    command = [program, str(region_bytes), str(SEED), "huge" if huge_pages else "small"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout.readline().strip() != "ready":
            raise PmtwinError(f"{NAME} failed: it needs {region_bytes >> 20} MiB of memory")

        def follow(hops: int) -> float:
            process.stdin.write(f"{hops}\n")
            process.stdin.flush()
            return float(process.stdout.readline())

        first = follow(100_000)
        yield lambda seconds: follow(max(1, int(seconds * 1e9 / first)))
    finally:
        process.kill()
        process.communicate()
