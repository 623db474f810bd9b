"""`pmtwin bench durability`: kills the middleware and checks its store afterwards (`pmtwin-middleware-durability`)."""

from __future__ import annotations

from pmtwin.bench import SEED, Request
from pmtwin.bench.middleware import IN_MEMORY
from pmtwin.console.output import counted, message
from pmtwin.machine.native_programs import run_program
from pmtwin.sim.errors import CheckFailedError


def measure(request: Request) -> dict:
    """Kill a process under load `repeats` times, and as often during the creation of a pool.

    Returns:
        Counts `under_load`, with `resizes_per_s` (wanted: a thousand), and `during_creation`. The counts of values that
        are `lost`, `returned` after their removal or `torn`, of `unusable` pools and of files left over are 0.

    Raises:
        CheckFailedError: if one of these counts is above 0.
        InputError: if the directory cannot be used.
        MissingDependencyError: if the native program was not built.
    """
    message("pmtwin bench durability: about half a second a round")
    options = [f"--rounds={request.repeats}", f"--seed={SEED}"]
    result = run_program("pmtwin-middleware-durability", request.path, options, IN_MEMORY)
    load, creation = result["under_load"], result["during_creation"]
    bad = {name: load[name] for name in ("lost", "returned", "torn") if load[name]}
    bad |= {name: creation[name] for name in ("unusable", "leftovers") if creation[name]}
    if bad:
        raise CheckFailedError(f"after kill -9: {', '.join(f'{count} {name}' for name, count in bad.items())}")
    return {"seed": SEED, "path": request.path} | result


def show(report: dict) -> None:
    """Print the counts after the kills."""
    load, creation = report["under_load"], report["during_creation"]
    print(
        f"{counted(load['rounds'], 'kill')} under load: {load['acknowledged_puts']} acknowledged puts and "
        f"{load['acknowledged_removals']} removals, {load['resizes']} resizes ({load['resizes_per_s']:.0f} a second); "
        f"{load['lost']} lost, {load['returned']} returned after their removal, {load['torn']} torn, "
        f"{load['unacknowledged_present']} changed without an acknowledgement; reopened within "
        f"{load['slowest_reopening_ms']:.0f} ms"
    )
    print(
        f"{counted(creation['rounds'], 'kill')} during creation: {creation['absent']} without a pool, "
        f"{creation['whole']} with a whole one, {creation['unusable']} with an unusable one, "
        f"{creation['leftovers']} files left over"
    )
