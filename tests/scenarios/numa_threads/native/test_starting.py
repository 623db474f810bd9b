"""What a run over a process is told of its memory."""

import pytest

from pmtwin.scenarios.numa_threads.native import starting
from pmtwin.scenarios.numa_threads.native.topology import Topology

OWN, LISTS = Topology(((0,), (1,)), 1, False, (0, 3)), Topology(((0,), (1,)), 1, True)


@pytest.mark.parametrize(
    ("nodes", "held", "near"),
    [
        (OWN, {0: 100, 3: 300}, [0.25, 0.75]),
        (OWN, {3: 300}, [0.0, 1.0]),
        (OWN, {}, [1.0, 0.0]),
        (LISTS, {0: 100, 3: 300}, [1.0, 0.0]),
    ],
)
def test_memory_is_near_by_the_kernels_pages_or_else_where_the_data_are_said_to_be(monkeypatch, nodes, held, near):
    monkeypatch.setattr(starting, "pages_of_nodes", lambda pid: held)
    assert starting._near_of_node(1, nodes, 0) == near


def test_data_that_lie_elsewhere_are_told():
    assert starting._elsewhere([0.25, 0.75], 0) == (
        "75% of the memory lies on node 1: --pool-node 1 brings the threads there"
    )
    assert starting._elsewhere([0.25, 0.75], 1) == starting._elsewhere([0.5, 0.5], 1) == ""
