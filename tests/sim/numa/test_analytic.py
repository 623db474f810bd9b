"""Mean values against the simulated machine."""

import numpy as np
import pytest

from pmtwin.sim.numa.analytic import analytic
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.running import start_run
from tests.sim.numa.machines import StatedCosts


@pytest.mark.parametrize("read_share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("cores", [np.arange(12) % 10, np.array([0, 0, 0, 4, 4, 8, 9]), np.arange(16)])
def test_a_placement_runs_as_fast_as_its_mean_values(read_share, cores):
    machine, load = Machine(cores=4), Load(read_share=read_share)
    threads = Threads(count=len(cores), data=np.arange(len(cores)) % 2, start=cores)
    run = start_run(machine, Kernel(balance=False), load, threads, StatedCosts())
    run.advance(5.0)
    window, steady = run.window(), analytic(machine, load, threads, StatedCosts(), cores)
    assert steady.operations_per_s == pytest.approx(window.operations_per_s, rel=0.02)
    np.testing.assert_allclose(steady.thread_ops, window.thread["operations"] / 5.0, rtol=0.05)
    np.testing.assert_allclose(steady.flow_per_s, window.flow / 5.0, rtol=0.05, atol=1.0)
