"""Nodes of processors: lists that stand for them, and the machine's own."""

import pytest

from pmtwin.scenarios.numa_threads.native.topology import topology
from pmtwin.sim.errors import InputError


def of(*lists, usable=range(8)):
    return topology(lists, "nodes", usable=set(usable))


def test_lists_stand_for_nodes():
    nodes = of("0,2", "4-5")
    assert (nodes.nodes, nodes.cpus, nodes.emulated) == (((0, 2), (4, 5)), [0, 2, 4, 5], True)
    assert nodes.machine == {"nodes": 2, "cores": 2, "threads_per_core": 1}


@pytest.mark.parametrize(
    ("lists", "told"),
    [
        (("0", "0"), "has processor 0 twice"),
        (("0-1", "1-2"), "has processor 1 twice"),
        (("0,0", "1"), "has processor 0 twice"),
        (("0", "9"), "has processor 9, which is not there; allowed: those that this process may use: 0, 1, 2"),
        (("0",), "2 to 8 lists of processors"),
        (tuple("012345670"), "2 to 8 lists of processors"),
        (("0-1", "2"), "as many processors in each node"),
        (("0", "one"), "a list of processors such as 0-3,8"),
        (("0", ""), "a list of processors such as 0-3,8"),
    ],
)
def test_what_is_no_node_is_refused(lists, told):
    with pytest.raises(InputError, match=told):
        of(*lists)


@pytest.fixture
def machine(tmp_path):
    """Lays out a machine: nodes of processors, and siblings."""

    def lay_out(nodes, siblings=()):
        for number, cpus in nodes.items():
            folder = tmp_path / f"sys/devices/system/node/node{number}"
            folder.mkdir(parents=True)
            (folder / "cpulist").write_text(f"{cpus}\n")
        for pair in siblings:
            for cpu in pair:
                folder = tmp_path / f"sys/devices/system/cpu/cpu{cpu}/topology"
                folder.mkdir(parents=True)
                (folder / "thread_siblings_list").write_text(",".join(map(str, pair)))
        return lambda usable=range(16): topology((), "nodes", tmp_path, set(usable))

    return lay_out


def test_the_machines_nodes_have_one_processor_of_each_core_before_its_siblings(machine):
    nodes = machine({0: "0-3", 10: "4-7"}, [(0, 1), (2, 3), (4, 6), (5, 7)])()
    assert nodes.nodes == ((0, 2, 1, 3), (4, 5, 6, 7))
    assert nodes.machine == {"nodes": 2, "cores": 2, "threads_per_core": 2}
    assert (nodes.emulated, nodes.numbers) == (False, (0, 10))


def test_nodes_have_as_many_processors_as_the_smallest_and_those_without_are_left_out(machine):
    nodes = machine({0: "0-3", 1: "", 2: "4-7"})(usable=[0, 1, 2, 4, 5])
    assert (nodes.nodes, nodes.numbers) == (((0, 1), (4, 5)), (0, 2))
    assert nodes.machine == {"nodes": 2, "cores": 2, "threads_per_core": 1}


def test_a_machine_with_one_node_asks_for_lists(machine):
    with pytest.raises(InputError, match=r"nodes is missing: .* lists .* such as 0 1; this machine has one node"):
        machine({0: "0-3"})(usable=[0, 1, 2, 3])
