"""A hybrid storage in operation on either engine, which give the same bits."""

from __future__ import annotations

from pmtwin.sim.hybrid.options import HybridOptions
from pmtwin.sim.hybrid.run import Deciders, Reading, Run
from pmtwin.sim.hybrid.stream import Paged

__all__ = ["COMPILED", "ENGINES", "SIMPY", "Deciders", "Reading", "Run", "start_run"]

COMPILED, SIMPY = "compiled", "simpy"
ENGINES = (COMPILED, SIMPY)


def start_run(
    options: HybridOptions,
    paged: Paged,
    deciders: Deciders | None,
    engine: str = COMPILED,
    window: int = 1000,
    key: int = 0,
) -> Run:
    """A storage before its first request.

    Args:
        deciders: the policies; None: the first device holds all pages, and nothing is decided.
        window: answered requests that `last` gives.
        key: of the random numbers, uint64.

    Raises:
        InputError: if the first device holds no page.
    """
    if engine == COMPILED:
        from pmtwin.sim.hybrid.compiled import CompiledRun

        return CompiledRun(options, paged, deciders, window, key)
    from pmtwin.sim.hybrid.specification import SpecifiedRun

    return SpecifiedRun(options, paged, deciders, window, key)
