"""Engine `analytic` below the middleware: windows, changes from one to the next, and what it refuses."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec, cli
from pmtwin.scenarios.nvm_middleware.model.analytic.predict import predict
from pmtwin.scenarios.nvm_middleware.model.engines import engine_names
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.sim import InputError
from pmtwin.sim.engines import exact_engine_names, start_network
from pmtwin.sim.host.file import read_host

HOST = read_host("inferred").values


def started(engine="analytic", pools=(15, 5), tied=False, seed=0, **options):
    twin = Middleware(replace(phase_workload(1), tied=tied), engine=engine, seed=seed, parameters=HOST, **options)
    twin.start(*pools)
    return twin


def test_it_is_an_engine_but_not_one_that_simulates():
    assert engine_names() == ["analytic", "compiled", "simpy"]
    assert exact_engine_names() == ["compiled", "simpy"]


@pytest.mark.parametrize("tied", [False, True])
def test_windows_come_to_rest_at_what_is_predicted(tied):
    twin = started(tied=tied)
    for _ in range(6):
        stats = twin.run_window()
    result = predict(twin._model, (15, 5))
    assert (stats.interactive_ops, stats.batch_ops) == pytest.approx(tuple(result.ops[0]), rel=2e-3)
    assert (stats.mean_us, stats.mean_batch_us) == pytest.approx(tuple(result.mean_us[0]), rel=2e-3)
    assert (stats.p99_us, stats.p99_batch_us) == pytest.approx(tuple(result.percentile_us[0, :, 1]), rel=0.01)
    assert stats.completed == 5_000


def test_a_window_does_not_depend_on_the_seed():
    first, second = (started(seed=seed) for seed in (1, 2))
    for _ in range(3):
        assert first.run_window() == second.run_window()
        assert all(np.array_equal(a, b) for a, b in zip(first.latencies(), second.latencies(), strict=True))


@pytest.mark.parametrize("tied", [False, True])
def test_lines_grow_and_shrink_from_window_to_window(tied):
    """After a change of pools the line that has become too long takes as long as in the simulation."""
    twins = [started(engine, tied=tied, seed=3) for engine in ("compiled", "analytic")]
    queues = np.zeros((2, 12, 2))
    for window in range(12):
        for k, twin in enumerate(twins):
            if window == 5:
                twin.resize(6, 16)
            if window == 9:
                twin.set_workload(replace(phase_workload(1, 80e3, 80e3), tied=tied))
            twin.run_window()
            state = twin.get_state()
            queues[k, window] = state.interactive_queue_size, state.batch_queue_size
    assert queues[1, 5, 0] == pytest.approx(queues[0, 5, 0], abs=60)
    assert queues[1, 9, 0] == pytest.approx(queues[0, 9, 0], abs=60)
    assert queues[1, 11] == pytest.approx(queues[0, 11], abs=3)
    assert queues[1, 4, 1] == pytest.approx(queues[0, 4, 1], rel=0.05)


FAST = {
    "handoff_ns": 900, "handoff_contention_threads": 1e6, "kv_contention_threads": 1e6, "get_software_ns": 33,
    "get_copy_ns_per_byte": 0, "get_chain_accesses": 0, "put_software_ns": 1_460, "put_copy_ns_per_byte": 0.17,
    "put_write_factor": 1.07, "put_chain_accesses": 0, "worker_wakeup_ns": 2_700,
    "client_wakeup_ns": 0, "spinning_clients": 0, "timeslice_ns": 0, "put_persists": 0, "cpu_noise_sigma": 0.06,
}  # fmt: skip
"""As measured on a virtual machine: most of a request's time is in the device."""


@pytest.mark.parametrize("holds", [0.0, 1.0])
@pytest.mark.parametrize("pools", [(1, 1), (4, 4), (15, 15)])
def test_few_processors_with_sleeping_workers_are_near_the_simulation(holds, pools):
    """Below saturation as well as in closed loop, where no worker sleeps, whether accesses hold a processor or not."""
    values = {**HOST, "cores": 2, "threads_per_core": 1, "workers_poll": 0, "access_holds_cpu": holds, **FAST}
    for rate, tolerance in ((150e3, 0.05), (None, 0.1)):
        ops = []
        for engine in ("compiled", "analytic"):
            twin = Middleware(phase_workload(3, rate, rate), "dram-ddr4", engine=engine, parameters=values)
            twin.start(*pools)
            ops.append([twin.run_window() for _ in range(4)][-1].throughput_ops)
        assert ops[1] == pytest.approx(ops[0], rel=tolerance)


def test_a_drained_window_is_refused():
    twin = started(tied=True, window=WindowSpec(seconds=0.02))
    with pytest.raises(InputError, match="compiled or simpy with drained windows"):
        twin.run_window()


def test_no_middleware_is_refused():
    with pytest.raises(InputError, match="engine"):
        Middleware(phase_workload(1), engine="analytic", mode="direct")


def test_a_network_of_stations_is_refused():
    with pytest.raises(InputError, match="allowed: compiled, simpy"):
        start_network(None, "analytic")


SIMULATE = ["simulate", "nvm-middleware", "--engine", "analytic", "--phase", "1", "--pools", "15,5", "--windows", "6"]


def reported(arguments, capsys):
    assert cli.main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("load", ["steady", "varying"])
def test_the_command_gives_the_same_again_and_is_near_the_simulation(load, capsys):
    first, second = (reported([*SIMULATE, "--load", load], capsys) for _ in range(2))
    assert first == second
    assert first["engine"] == "analytic"
    simulated = reported([*SIMULATE, "--load", load, "--engine", "compiled"], capsys)
    for measure, tolerance in (("throughput_ops", 0.05), ("p99_us", 0.1)):
        medians = [report[measure]["median"] for report in (first, simulated)]
        assert medians[0] == pytest.approx(medians[1], rel=tolerance)


def test_policies_are_evaluated_on_it(capsys):
    command = (
        "evaluate nvm-middleware --engine analytic --policies fixed:15,5 random --steps 6 --phase-steps 3 --seeds 2"
    )
    first, second = (reported([*command.split(), "--jobs", "1"], capsys) for _ in range(2))
    assert first == second


def test_policies_are_trained_on_it(tmp_path):
    command = "train nvm-middleware --engine analytic --requests-per-window 20 --episodes 1 --dataset-episodes 1"
    assert cli.main([*command.split(), "--campaign", "0.0005", "--jobs", "1", "-o", str(tmp_path / "q.npz")]) == 0


def test_other_engines_do_not_load_it():
    """The start of `pmtwin simulate` neither imports nor compiles the formulas: of them it knows the demands alone."""
    script = (
        "import sys; import pmtwin.cli; from pmtwin import Middleware;"
        "from pmtwin.scenarios.nvm_middleware.phases import phase_workload; Middleware(phase_workload(1)).start(5, 5);"
        "print([name for name in sys.modules if 'model.analytic.' in name])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['pmtwin.scenarios.nvm_middleware.model.analytic.demands']"
