"""`pmtwin-plain-chase` and `pmtwin-plain-accesses`: a pointer chase and loops of accesses that share no code with the
probe."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator, Sequence

from pmtwin.bench import SEED
from pmtwin.calibrate.probing.native import PACKAGES, find_program
from pmtwin.sim.common.native_parts import how_to_get
from pmtwin.sim.common.processes import pipes_of
from pmtwin.sim.errors import MissingDependencyError, PmtwinError

CHASE, ACCESSES = "pmtwin-plain-chase", "pmtwin-plain-accesses"


def find(name: str) -> str:
    """Path of a program.

    Raises:
        MissingDependencyError: if the program or the probe was not built.
    """
    program = find_program().with_name(name)
    if not program.is_file():
        raise MissingDependencyError(f"{program.name} is not built: {how_to_get(PACKAGES)}")
    return str(program)


@contextlib.contextmanager
def chase(program: str, region_bytes: int, huge_pages: bool) -> Iterator[Callable[[float], float]]:
    """Context of the pointer chase on a new region; yields a function seconds -> ns per hop.

    Raises:
        PmtwinError: if the program cannot allocate the memory.
    """
    command = [program, str(region_bytes), str(SEED), "huge" if huge_pages else "small"]
    with _conversation(command, CHASE, region_bytes) as ask:
        first = ask(100_000)
        yield lambda seconds: ask(max(1, int(seconds * 1e9 / first)))


@contextlib.contextmanager
def accesses(program: str, path: str, region_bytes: int, vectors: str) -> Iterator[Callable[..., float]]:
    """Context of the access loops on a new file; yields a function (operation, pattern, access size, seconds) -> MiB/s.

    Args:
        program, path, region_bytes: the program, directory and size of the file.
        vectors: vector instructions: sse2, avx2 or avx512.

    Raises:
        PmtwinError: if the program cannot allocate the memory.
    """
    with _conversation([program, path, str(region_bytes), str(SEED), vectors], ACCESSES, region_bytes) as ask:
        yield ask


@contextlib.contextmanager
def _conversation(command: Sequence[str], name: str, region_bytes: int) -> Iterator[Callable[..., float]]:
    """Context of a running program; yields a function that sends the words of a request and returns the answer."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    written, answers = pipes_of(process)
    try:
        if answers.readline().strip() != "ready":
            raise PmtwinError(f"{name} failed: it needs {region_bytes >> 20} MiB of memory")

        def ask(*words: object) -> float:
            with contextlib.suppress(BrokenPipeError):  # it has ended, and answers nothing
                written.write(" ".join(map(str, words)) + "\n")
                written.flush()
            answer = answers.readline()
            if not answer:
                raise PmtwinError(f"{name} ended before it answered")
            return float(answer)

        yield ask
    finally:
        process.kill()
        process.communicate()
