"""Start of a cluster's run, by the name of its engine."""

from __future__ import annotations

from pmtwin.sim.errors import unknown_name
from pmtwin.sim.lustre.cluster import COMPILED, ENGINES, SIMPY, Cluster
from pmtwin.sim.lustre.compiled import CompiledRun
from pmtwin.sim.lustre.load import Load
from pmtwin.sim.lustre.run import Reading, Run, Seed

__all__ = ["COMPILED", "ENGINES", "SIMPY", "Cluster", "Load", "Reading", "Run", "start_run"]


def start_run(cluster: Cluster, load: Load, engine: str = COMPILED, seed: Seed = 0) -> Run:
    """A cluster at time 0, whose threads begin.

    Args:
        engine: of `ENGINES`; both give the same bits.

    Raises:
        InputError: for data that the disks have no room for, units that are too large, or another engine.
    """
    if engine == COMPILED:
        return CompiledRun(cluster, load, seed)
    if engine != SIMPY:
        raise unknown_name("engine", engine, ENGINES)
    from pmtwin.sim.lustre.specification import SpecifiedRun

    return SpecifiedRun(cluster, load, seed)
