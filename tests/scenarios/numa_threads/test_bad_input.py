"""What cannot be is refused in one line, with exit code 2: machines, placements, weights, files, processes."""

import numpy as np
import pytest

from pmtwin.policies import make_policy
from pmtwin.policies.learned import save_learned
from pmtwin.scenarios.numa_threads import core_decisions
from pmtwin.scenarios.numa_threads.placements import SETTINGS
from pmtwin.sim.control import Column
from pmtwin.sim.decisions import DecisionPoint
from pmtwin.sim.errors import InputError

EVALUATE = ("evaluate", "--workloads", "mixed-50", "--steps", "5", "--seeds", "2", "--jobs", "1", "--policies")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--nodes", "0"), "nodes: 0 is not accepted; allowed: 1 to 8"),
        (("--nodes", "300"), "nodes: 300 is not accepted; allowed: 1 to 8"),
        (("--pool-node", "2"), "--pool-node: 2 is not accepted; allowed: a node of the machine, 0 to 1"),
        (("--local-weight", "0.5"), "sum of the weights: '1.05'"),
        (("--records", "100000000"), "records: 100000000 is not accepted; allowed: at most"),
        (
            ("--workload", "changing", "--records", "100000", "--module-gb", "2"),
            "records: 100000 is not accepted; allowed: at most 19,999 values of 400,000 B in the memory of a node",
        ),
        (("--believed-profile", "nope"), "--believed-profile: 'nope' is no shipped profile and no file; allowed: "),
        (("--start", "far", "--nodes", "1"), "start: 'far' is not accepted; allowed: spread or near"),
        (("--workload", "mixed-101"), "workload: 'mixed-101' is not accepted"),
        (("--placement", "48,5,0"), "placement: "),
        (("--placement", "48,0,0"), "placement: '48,0,0' is not accepted; allowed: near_cores above 0 for 48 threads"),
        (
            ("--placement", "0,12,0"),
            "placement: '0,12,0' is not accepted; allowed: threads_near above 0 for 12 logical",
        ),
    ],
)
def test_what_cannot_be_is_one_line(run, words, said):
    code, result, err = run("simulate", "--windows", "1", *words)
    assert (code, result, err.count("\n")) == (2, None, 1) and said in err


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("linucb:alpha=-1", "alpha: -1.0 is not accepted; allowed: 0 to"),
        ("core=linucb:alpha=nan", "alpha: nan is not accepted; allowed: 0 to"),
        (
            "fixed:48,0,0",
            "'fixed:48,0,0' is not accepted; allowed: near_cores above 0 for 48 threads near the data; 0,0,0",
        ),
        ("fixed:48,0,36", "allowed: near_cores above 0 for 48 threads near the data; 0,0,36 is all threads far"),
        ("lru", "allowed: best-constant, best-fixed, clairvoyant[:KEY=VALUE,...], fixed:N[,N...], gp-ucb"),
        ("fixed:0,12,0", "'fixed:0,12,0' is not accepted; allowed: threads_near above 0 for 12 logical cores near"),
    ],
)
def test_a_policy_that_cannot_be_is_one_line(run, spec, said):
    code, _, err = run(*EVALUATE, spec)
    assert code == 2 and said in err and err.count("\n") == 1


@pytest.mark.parametrize("setting", [(0, 0, 0), (0, 0, 36), (6, 2, 0), (6, 2, 4)])
def test_placements_that_say_one_thing_are_played(setting):
    assert SETTINGS.stated("placement", setting) == setting


@pytest.mark.parametrize(
    ("numbers", "value", "said"),
    [
        (5, 0.0, "numbers of a context: 13 is not accepted; allowed: 6, which the policy was trained for"),
        (12, np.nan, "is not accepted; allowed: one whose numbers are all finite"),
    ],
)
def test_a_file_of_another_context_or_without_numbers_is_one_line(run, tmp_path, numbers, value, said):
    features = tuple(Column(f"number_{place}", -1.0, 1.0) for place in range(numbers))
    point = DecisionPoint("core", "a window", features=features, actions=("0", "1"), masked=True)
    policy = make_policy("linucb", kind="choice").at(point)
    state = policy.state(point, 0)
    state.arrays[1][:] = value
    policy.memory = policy.memory_of([state])
    code, _, err = run(*EVALUATE, f"linucb:{save_learned(tmp_path / 'other.npz', {'': policy}, {})}")
    assert code == 2 and said in err and err.count("\n") == 1


def test_a_context_that_is_no_number_is_one_line(run, monkeypatch):
    monkeypatch.setattr(core_decisions, "context", lambda *_: np.full(12, np.nan))
    code, _, err = run(*EVALUATE, "linucb", "--start", "far")
    assert code == 2 and "Traceback" not in err
    said = "policy linucb: a feature of its context: 'nan' is not accepted; allowed: a number"
    assert err.splitlines()[-1] == f"pmtwin evaluate: {said}"  # notes of the compiler may stand before it


def test_a_learned_file_with_objects_in_it_is_one_line(run, tmp_path):
    """Objects would be code; none is loaded."""
    np.savez(tmp_path / "objects.npz", learned=np.array([{"alpha": 0.3}], dtype=object))
    code, _, err = run(*EVALUATE, f"linucb:{tmp_path / 'objects.npz'}")
    assert code == 2 and err.count("\n") == 1
    assert "not a policy file of pmtwin, or it is damaged" in err


def test_a_value_too_large_for_the_memory_is_refused_in_python_too(small):
    with pytest.raises(InputError, match=r"records: .* in the memory of a node"):
        small(value_bytes=1e8, records=10_000, module_gb=1.0)
