"""A node without processors in the scenario: data go there, threads do not, and it has a profile of its own."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.scenarios.numa_threads.data_moves import Data
from pmtwin.scenarios.numa_threads.model import Model, costs_of
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.plausible import plausible_systems
from pmtwin.scenarios.numa_threads.workloads import Workload
from pmtwin.sim.device import load_profile
from pmtwin.sim.host.samples import SystemSamples
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.running import ENGINES

CXL = {"nodes": 2, "memory_nodes": 1, "memory_profile": "dram-ddr4"}
WORDS = ("--nodes", "2", "--memory-nodes", "1", "--memory-profile", "dram-ddr4")
EVALUATE = ("evaluate", "--workloads", "fillrandom", "--steps", "6", "--seeds", "1", "--jobs", "1", *WORDS)


def test_only_data_go_there(run):
    code, result, err = run(*EVALUATE, "--records", "4000", "--copy-share", "0.2", "--policies",
                            "none", "rule", "linucb", "fixed:6,2,0", "equal-latency")  # fmt: skip
    assert code == 0, err
    names = ("ops_per_s", "data_away", "local_share", "node_migrations")
    overall = {spec: each["overall"] for spec, each in result["policies"].items()}
    means = {spec: {name: each[name]["mean"] for name in names} for spec, each in overall.items()}
    moved = means.pop("equal-latency")
    assert 0.1 < 1.0 - moved["local_share"] < moved["data_away"]  # which is that of the window's end
    assert moved["node_migrations"] == 0.0 and moved["ops_per_s"] > 0.9 * means["none"]["ops_per_s"]
    assert all((each["data_away"], each["local_share"], each["node_migrations"]) == (0.0, 1.0, 0.0)
               for each in means.values())  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_has_such_a_node(small, engine):
    """Three nodes, one of them without processors, and a third of the data there."""
    scenario = small(**CXL | {"nodes": 3}, data_away=2 / 3, engine=engine)
    system = scenario.system("fillrandom", seed=1)
    system.start((6, 2, 4))
    for _ in range(2):
        system.run_window()
    shown = system.measures()
    flow = system._run.state.flow.sum(axis=2)
    assert not flow[:, 2].any() and flow[2].sum() / flow.sum() == pytest.approx(1 / 3, abs=0.1)
    assert shown["near_use"] > 0.0 and shown["ops_per_s"] > 0.0
    assert np.isfinite([value for name, value in shown.items() if name != "real_s"]).all()
    assert np.isfinite(system.observation()).all()


@pytest.mark.parametrize("policy", ["rule", "linucb", "core=random"])
def test_most_data_there_leave_the_threads_on_nodes_with_processors(run, policy):
    words = [word if word != "2" else "3" for word in EVALUATE]
    code, result, err = run(*words, "--data-away", "0.9", "--way-back", "--policies", policy)
    assert code == 0, err
    assert result["policies"][policy]["overall"]["ops_per_s"]["mean"] > 0.0


class ToTheLast:
    """Names the node without processors."""

    def copy_to(self, latencies, shares):
        return len(shares) - 1


def test_no_more_is_copied_than_it_has_room_for(small):
    scenario = small(**CXL, records=1_000, copy_share=1.0, memory_node_gb=0.0016, window_s=0.1)
    data, model = Data(scenario.options, ToTheLast()), Model(scenario.options, Workload(0.0))
    run = model.started("simpy", (1,), data.of_threads(scenario.options.threads))
    run.advance(0.1)
    for _ in range(2):
        data.decide(run, run.window(), model)
        data.advance(run, model)
    assert data.shares[1] == pytest.approx(1.6e6 / scenario.options.pool_bytes(scenario.options.value_bytes))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--memory-nodes", "1"), "memory-profile is missing: that of the nodes without processors"),
        (("--memory-profile", "dram-ddr4"), "belongs to nodes without processors; add --memory-nodes"),
        (("--memory-nodes", "2", "--memory-profile", "dram-ddr4"), "memory-nodes: 2 is not accepted; allowed: 0 to 1"),
        ((*WORDS, "--pool-node", "1"), "pool-node: 1 is not accepted; allowed: a node of the machine with processors"),
        ((*WORDS, "--start", "far"), "start: 'far' is not accepted; allowed: spread or near: the machine has one node"),
        ((*WORDS, "--get-us", "3"), "memory-nodes: 1 is not accepted; allowed: 0 where times are stated"),
        ((*WORDS[:-1], "no-such-profile"), "no-such-profile"),
        ((*WORDS, "--data-away", "1", "--memory-node-gb", "0.001"), "pool_bytes: "),
    ],
)
def test_what_such_a_machine_cannot_be_is_one_line(run, words, said):
    code, result, err = run("simulate", "--workload", "fillrandom", "--windows", "1", *words)
    assert (code, result) == (2, None) and said in err and len(err.splitlines()) == 1, err


def test_a_thread_that_is_placed_there_is_one_line(run, tmp_path):
    (tmp_path / "own.py").write_text(
        "from pmtwin.policies import Placement\n\nclass There(Placement):\n    draws = False\n\n"
        "    def start(self, point, key):\n        pass\n\n    def place(self, node, accesses):\n        return 1\n"
    )
    code, _, err = run(*EVALUATE, "--policies", f"{tmp_path / 'own.py'}:There")
    assert code == 2
    assert "node at point thread: 1 is not accepted; allowed: 0 to 0, the nodes of the machine with processors" in err


def test_sampled_devices_are_those_of_such_nodes_too():
    samples = SystemSamples(device_samples=4)
    alone, both = (plausible_systems("optane-dcpmm-100", samples, memory) for memory in ("", "dram-ddr4"))
    assert [system.profile for system in alone] == [system.profile for system in both]
    assert [str(system.beside.errors) for system in alone] == [str(system.beside.errors) for system in both]
    errors = [(system.beside.errors.device[0], system.beside.memory_errors.device[0]) for system in both]
    assert len(np.unique(errors)) == 8  # independent of one another
    options = NumaOptions(machine=Machine(nodes=2, memory_nodes=1), memory_profile="dram-ddr4", samples=samples)
    counts = np.zeros((1, 2, 2, 2))
    counts[0, 1, 1, 0] = 12.0  # readers of the data there, from afar
    times = [sum(costs_of(options, Workload(1.0, value_bytes=4e5), sample).times(counts)) for sample in range(4)]
    assert len({float(costs[0, 1, 1, 0]) for costs in times}) == 4


def test_a_memory_without_uncertainty_is_not_sampled(run, tmp_path):
    path = replace(load_profile("dram-ddr4"), uncertainty=None).save(tmp_path / "certain.json")
    words = ("simulate", "--workload", "fillrandom", "--windows", "1", "--nodes", "2", "--memory-nodes", "1")
    words += ("--memory-profile", str(path), "--engine", "analytic")
    code, _, err = run(*words, "--device-samples", "2")
    assert code == 2 and len(err.splitlines()) == 1
    assert "memory-profile" in err and "one that states its uncertainty, with --device-samples" in err
    assert run(*words, "--host-samples", "2")[0] == 0


def test_a_real_process_has_no_such_node(capsys):
    words = ("--engine", "native", "--node-cpus", "0", "1", "--memory-nodes", "1", "--memory-profile", "dram-ddr4")
    assert cli.main(["evaluate", "numa-threads", *words, "--policies", "rule"]) == 2
    assert "does not go with engine native" in capsys.readouterr().err
