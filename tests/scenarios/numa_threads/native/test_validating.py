"""`pmtwin validate numa-threads`: the twin beside threads of our own store."""

import json
import re
from itertools import count

import pytest

from pmtwin.cli import main
from pmtwin.scenarios.numa_threads import NumaThreads
from pmtwin.scenarios.numa_threads.native.topology import Topology
from pmtwin.scenarios.numa_threads.validation import controller
from pmtwin.scenarios.numa_threads.validation.measured import MeasuredThreads, SideOptions
from pmtwin.sim.numa.load import FAR, GET, NEAR, PUT
from pmtwin.validation import ValidationPlan, grid_cases


@pytest.fixture
def validated(built, two_cpus, capsys, monkeypatch):
    """The result of a short validation with these arguments."""
    monkeypatch.setattr(controller, "WINDOWS", 1)

    def run(*arguments):
        command = ["validate", "numa-threads", "--nodes", *two_cpus, "--workloads", "mixed-50", "--seeds", "1"]
        command += ["--window-s", "0.1", "--warmup-windows", "1", "--engine", "simpy"]
        main([*command, *arguments])
        return capsys.readouterr().out

    return run


def test_the_twin_predicts_from_a_lone_thread_what_was_measured(validated):
    result = json.loads(validated("--windows", "1", "--json", "--put-far", "4", "--get-far", "4"))
    near, both, far = (entry["ops_per_cpu_s"]["predicted"]["mean"] for entry in result["comparisons"])
    lone = result["configuration"]["lone_thread"]
    assert near == pytest.approx(2e6 / (lone["get_us"] + lone["put_us"]), rel=0.05)
    assert near / far == pytest.approx(4.0, rel=0.05)
    assert near > both > far
    assert all("measured" in entry["ops_per_cpu_s"] for entry in result["comparisons"])
    assert result["verdict"]["name"].endswith("verified (emulated)")


def test_what_is_printed_tells_nodes_and_what_was_measured(validated, two_cpus):
    text = validated("--windows", "1")
    assert f"{two_cpus[0]}; {two_cpus[1]} (lists of processors stand for them)" in text
    assert "these set the twin's times" in text
    assert re.search(
        r"^controller +\d+\.\d+% of a processor, 64 threads, policy rule, windows of 1 s$", text, re.MULTILINE
    )
    assert re.search(r"the twin's is the measured one in [01] of 1 workloads", text)
    assert re.search(r"Every comparison\npolicy +workload +ops_per_cpu_s predicted +ops_per_cpu_s measured\n", text)


def test_the_same_policy_decides_on_both_sides(validated):
    far = ("--put-far", "9", "--get-far", "9")
    result = json.loads(validated("--json", *far, "--steps", "2", "--policies", "rule", "fixed:0,0,36"))
    assert [entry["group"] for entry in result["comparisons"]] == ["policies' own paths", "fixed placement"]
    for side in ("predicted", "measured"):
        ops = {entry["policy"]: entry["ops_per_cpu_s"][side]["mean"] for entry in result["comparisons"]}
        assert ops["rule"] > 2.0 * ops["fixed:0,0,36"], side


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--nodes", "0", "0"], "--nodes: '0 0' has processor 0 twice"),
        (["--nodes", "0", "4095"], "has processor 4095, which is not there"),
        (
            ["--nodes", "0", "1", "--policies", "rule", "equal-latency"],
            "'equal-latency' decides inside the windows, where the real system asks only at core and thread",
        ),
        (["--nodes", "0", "1", "--engine", "native"], "an engine of the twin: compiled or simpy"),
    ],
)
def test_bad_nodes_are_one_line(two_cpus, capsys, arguments, told):
    assert main(["validate", "numa-threads", *arguments]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_ten_seeds_of_one_window_are_usual(two_cpus, capsys):
    command = ["validate", "numa-threads", "--nodes", *two_cpus, "--dry-run", "--json", "--workloads", "mixed-50"]
    for given, seeds, windows in (([], 10, 1), (["--seeds", "4", "--windows", "3"], 4, 3)):
        assert main([*command, *given]) == 0
        planned = json.loads(capsys.readouterr().out)
        assert (planned["seeds"], planned["windows"]) == (seeds, 3 * seeds * windows)


@pytest.fixture
def lone_threads(side, monkeypatch):
    """Kind of a lone thread -> finished runs when it ran, of so many runs."""
    monkeypatch.setattr(controller, "controller_share", lambda options: 0.0)
    monkeypatch.setattr(side, "_lone_us", lambda distance, operation, finished: finished)

    def made(runs):
        plan = ValidationPlan(grid_cases(side.grids["sides"], 1)[:1], side.predicted, side.measured, seeds=runs)
        windows = count()
        with side.between(plan, None) as between:
            for done in range(runs + 1):
                between.step(done, runs, lambda: next(windows))
        assert next(windows) == between.windows
        return side._lone

    return made


def test_a_lone_thread_gets_and_puts_in_turn_between_the_runs_and_does_both_at_both_ends(lone_threads):
    assert lone_threads(1) == {(NEAR, GET): [0, 1], (NEAR, PUT): [0, 1]}


def test_every_second_run_has_a_lone_thread_before_it(lone_threads):
    assert lone_threads(9) == {(NEAR, GET): [0, 4, 8, 9], (NEAR, PUT): [0, 2, 6, 9]}


@pytest.fixture
def side(two_cpus):
    """The real side on two lists."""
    return MeasuredThreads.of(NumaThreads, {}, SideOptions(nodes=two_cpus))


@pytest.fixture
def plan(side):
    """A plan of its grid."""
    return ValidationPlan(grid_cases(side.grids["sides"], 1), side.predicted, side.measured)


LONE = {(NEAR, GET): [1.0, 9.0, 2.0], (NEAR, PUT): [4.0], (FAR, GET): [3.0], (FAR, PUT): [2.0]}
"""us of a lone thread, whose puts far from the data happened to be the faster ones."""


def test_the_medians_of_a_lone_thread_near_the_data_are_the_twins_times(side, plan):
    side._lone = {kind: LONE[kind] for kind in ((NEAR, GET), (NEAR, PUT))}
    times = side.outcome(plan)[0].predicted.options.times
    assert (times.get_us, times.put_us, times.get_far, times.put_far) == (2.0, 4.0, None, None)
    assert side.medium == "emulated"


@pytest.mark.parametrize(("had", "warned"), [([0.99, 0.5, 0.95], False), ([0.99, 0.5, 0.6], True)])
def test_other_programs_are_told_of(side, plan, had, warned):
    side._lone, side._had = LONE, had
    warnings = side.outcome(plan)[1]["warnings"]
    assert [each.startswith("other programs ran: a lone thread had its processor for 60% ") for each in warnings] == [
        True
    ] * warned


def test_on_real_nodes_a_far_one_sets_the_factors(side, plan):
    side.nodes, side._lone = Topology(((0,), (1,)), 1, False, (0, 1)), LONE
    times = side.outcome(plan)[0].predicted.options.times
    assert (times.get_us, times.put_us, times.get_far, times.put_far) == (2.0, 4.0, 1.5, 1.0)
    assert side.medium == "dram"


def test_the_twins_machine_is_the_one_that_the_threads_run_on(side):
    assert side.predicted.options.machine == side.measured.options.machine
    assert (side.predicted.options.machine.nodes, side.predicted.options.machine.processors) == (2, 2)
    assert side.predicted.options.native is None
