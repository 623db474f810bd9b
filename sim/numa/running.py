"""Start of a run, by the name of its engine."""

from __future__ import annotations

from pmtwin.sim.errors import unknown_name
from pmtwin.sim.numa.compiled import CompiledRun
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.mean_values import AnalyticRun
from pmtwin.sim.numa.run import Run, Seed
from pmtwin.sim.numa.speed_rows import Costs

__all__ = ["ENGINES", "SIMULATORS", "Run", "start_run"]

COMPILED, SIMPY, ANALYTIC = "compiled", "simpy", "analytic"
SIMULATORS = (COMPILED, SIMPY)
"""Engines that simulate event by event, and give the same bits."""

ENGINES = (*SIMULATORS, ANALYTIC)


def start_run(
    machine: Machine,
    kernel: Kernel,
    load: Load,
    threads: Threads,
    costs: Costs,
    engine: str = COMPILED,
    seed: Seed = 0,
) -> Run:
    """A run whose threads have come to their cores, at time 0.

    Args:
        engine: of `ENGINES`.

    Raises:
        InputError: for threads that the machine has no place for, or an engine that there is not.
    """
    if engine == COMPILED:
        return CompiledRun(machine, kernel, load, threads, costs, seed)
    if engine == ANALYTIC:
        return AnalyticRun(machine, kernel, load, threads, costs, seed)
    if engine != SIMPY:
        raise unknown_name("engine", engine, ENGINES)
    from pmtwin.sim.numa.specification import SpecifiedRun

    return SpecifiedRun(machine, kernel, load, threads, costs, seed)
