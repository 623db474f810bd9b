"""Data as a second thing to place: what is copied is read, carried and written, and takes time."""

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.policies.equal_latency import EqualLatency
from pmtwin.scenarios.numa_threads.data_moves import Data
from pmtwin.scenarios.numa_threads.model import Model, costs_of
from pmtwin.scenarios.numa_threads.workloads import Workload
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.costs import INSERT
from pmtwin.sim.numa.load import GET, PUT


class To:
    """Always names the same node."""

    def __init__(self, node):
        self.node = node

    def copy_to(self, latencies, shares):
        assert np.all(latencies > 0.0) and shares.sum() == pytest.approx(1.0)
        return self.node


class Moved:
    """A small store before and after a window in which a policy has asked for copies."""

    def __init__(self, scenario, node):
        self.options, self.data = scenario.options, Data(scenario.options, To(node))
        self.model = Model(self.options, Workload(0.0))
        run = self.model.started("simpy", (1,), self.data.of_threads(self.options.threads))
        run.advance(self.options.window_s)
        self.before = run.window()
        self.data.decide(run, self.before, self.model)
        self.data.advance(run, self.model)
        self.plain = run.window()
        self.window = self.data.with_copies(self.plain, self.model)
        self.seconds = run.now_s


@pytest.fixture
def moved(small):
    """Makes a `Moved`."""
    return lambda node, **options: Moved(small(**options), node)


def test_what_is_read_at_the_source_is_carried_and_written_at_the_target(moved):
    after = moved(1, records=4_000, copy_share=0.005)
    values = after.data.copied.values
    assert values == pytest.approx(0.005 * after.options.records)
    np.testing.assert_allclose(after.data.shares, [0.995, 0.005])
    inserts = costs_of(after.options, after.model.workload, put=INSERT)
    read, written, link = (
        getattr(after.window, name) - getattr(after.plain, name)
        for name in ("read_bytes", "written_bytes", "link_bytes")
    )
    np.testing.assert_allclose(
        read, values * np.array([after.model.plain_costs.read_bytes[GET], inserts.read_bytes[PUT]])
    )
    np.testing.assert_allclose(written, values * np.array([0.0, inserts.written_bytes[PUT]]))
    np.testing.assert_allclose(link, [[0.0, read[0]], [0.0, 0.0]])
    moved_bytes = values * after.model.workload.value_bytes
    assert moved_bytes < written[1] < 1.2 * moved_bytes
    assert 0.9 * moved_bytes < read[0] <= 1.1 * moved_bytes  # the caches hold some of a small store


def test_copies_take_time_from_the_threads_and_need_time_themselves(moved):
    idle, some, much = (moved(node, records=10_000, copy_share=share) for node, share in ((-1, 1), (1, 0.002), (1, 1)))
    assert idle.data.copied.values == 0.0
    assert 0.0 < some.data.copied.values < much.data.copied.values < 10_000  # all of it takes longer than a window
    operations = [each.window.flow.sum() for each in (idle, some, much)]
    assert operations[0] >= operations[1] > operations[2]
    assert {round(each.seconds, 9) for each in (idle, some, much)} == {2 * idle.options.window_s}


def test_shares_stay_shares_when_the_last_value_leaves_a_node(moved):
    after = moved(1, data_away=0.999, copy_share=0.5)
    np.testing.assert_allclose(after.data.shares, [0.0, 1.0])


@pytest.mark.parametrize("node", [2, -2])
def test_a_node_that_is_not_there_is_refused(moved, node):
    with pytest.raises(InputError, match=r"node at point data: .*0 to 1, the nodes of the machine, or -1"):
        moved(node)


@pytest.mark.parametrize(
    ("latencies", "shares", "node"),
    [
        ([2.0, 1.0], [1.0, 0.0], 1),
        ([1.0, 2.0], [1.0, 0.0], -1),  # the slower node has no data
        ([1.0, 2.0], [0.5, 0.5], 0),
        ([1.0, 1.04], [0.5, 0.5], -1),  # alike
        ([3.0, 1.5, 1.0], [0.2, 0.8, 0.0], 2),
    ],
)
def test_values_go_to_the_fastest_node_until_all_are_alike(latencies, shares, node):
    assert EqualLatency.copy_to((np.array([0.05]),), np.array(latencies), np.array(shares)) == node


def test_data_moved_by_latency_serve_more_than_threads_alone(run):
    code, result, err = run(
        *("evaluate", "--workloads", "fillrandom", "--steps", "6", "--seeds", "1", "--jobs", "1"),
        *("--records", "4000", "--copy-share", "0.2", "--policies", "none", "rule", "linucb", "equal-latency"),
    )
    assert code == 0, err
    away = {spec: each["overall"]["data_away"]["mean"] for spec, each in result["policies"].items()}
    assert away.pop("equal-latency") > 0.1 and set(away.values()) == {0.0}
    speed = {spec: each["overall"]["ops_per_s"]["mean"] for spec, each in result["policies"].items()}
    assert speed["equal-latency"] > 1.03 * speed["none"]


def test_a_store_in_the_caches_is_copied_too(moved):
    after = moved(1, copy_share=0.02)
    assert after.data.copied.values == pytest.approx(0.02 * after.options.records)
    assert after.window.read_bytes[0] == after.plain.read_bytes[0]


def test_data_on_other_nodes_need_another_node(capsys):
    assert cli.main(["simulate", "numa-threads", "--nodes", "1", "--data-away", "0.1"]) == 2
    assert "data-away: 0.1 is not accepted; allowed: 0: the machine has one node" in capsys.readouterr().err
