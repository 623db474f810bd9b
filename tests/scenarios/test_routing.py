"""Jobs routed to two servers: the best split by formula, found by policies that decide at each arrival."""

from pathlib import Path

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.policies.points import inline_policy
from pmtwin.scenarios.environments.environment import ControlEnv
from tests.scenarios.routing import RATES, Bandit, BanditOptions, PlainBandit, Routing, best_share, expected_response_ms

BUSY = RATES["busy"]


def bandit(cls=Bandit, jobs=2000):
    return cls(BanditOptions(jobs=jobs))


def run(policy, windows=20, seed=3, **options):
    """(system after some windows, its measures in each)."""
    scenario = Routing.of(**options)
    system = scenario.system("busy", seed)
    system.decide("route", policy, seed)
    system.start(())
    measures = []
    for _ in range(windows):
        system.run_window()
        measures.append(system.measures())
    return system, measures


def learned_share(policy_state) -> float:
    return 0.5 + 0.1 * int(np.argmax(policy_state[0]))


def test_the_closed_formula_is_the_least_of_all_splits():
    options = Routing.Options()
    shares = np.linspace(0.5, 1.0, 5001)
    responses = [expected_response_ms(options, BUSY, share) for share in shares]
    assert best_share(options, BUSY) == pytest.approx(shares[int(np.argmin(responses))], abs=2e-4)


def test_random_routing_responds_as_two_queues_in_equilibrium():
    options = {"slow_per_s": 60.0, "jobs_per_window": 200_000}
    _, measures = run(inline_policy("random", Routing.points[0]), windows=2, **options)
    response = np.mean([each["response_ms"] for each in measures])
    assert response == pytest.approx(expected_response_ms(Routing.of(**options).options, BUSY, 0.5), rel=0.04)
    assert measures[0]["fast_share"] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_the_compiled_bandit_learns_the_best_split(seed):
    system, measures = run(bandit(), windows=1000, seed=seed)
    assert learned_share(system._deciders["route"].arrays) == pytest.approx(
        best_share(Routing.Options(), BUSY), abs=0.05
    )
    last = np.mean([each["response_ms"] for each in measures[500:]])
    assert last < 1.35 * expected_response_ms(Routing.Options(), BUSY, 0.7), "a tenth of the jobs explore"


def test_plain_python_learns_alike_on_the_simpy_engine():
    plain, _ = run(bandit(PlainBandit, 500), windows=40, engine="simpy")
    compiled, _ = run(bandit(Bandit, 500), windows=40, engine="simpy")
    assert plain._deciders["route"].learned[1].tolist() == compiled._deciders["route"].arrays[1].tolist()
    assert np.allclose(plain._deciders["route"].learned[0], compiled._deciders["route"].arrays[0], rtol=1e-12)


@pytest.mark.parametrize("spec", [f"{Path(__file__).with_name('routing.py')}:Bandit:2000", "linucb"])
def test_both_engines_give_the_same_bits(spec):
    policies = [(engine, inline_policy(spec, Routing.points[0])) for engine in ("simpy", "compiled")]
    systems = [run(policy, windows=20, engine=engine)[0] for engine, policy in policies]
    latencies = [system.requests()[1] for system in systems]
    assert np.array_equal(*latencies)
    for specified, compiled in zip(*(system._deciders["route"].arrays for system in systems), strict=True):
        assert np.array_equal(specified, compiled)


def test_plain_python_is_refused_by_the_compiled_engine():
    with pytest.raises(ValueError, match="plain Python"):
        run(bandit(PlainBandit))


FILE = Path(__file__).with_name("routing.py")
COMMANDS = {
    "evaluate --policies random fixed:slow-queue route=fixed:0 FILE:Bandit --steps 6 --load-steps 3 --seeds 2": 0,
    "train --policy route=linucb:alpha=0.5 --rounds 1 --round-windows 3 -o policy.npz": 0,
    "evaluate --policies FILE:PlainBandit --engine simpy --steps 2 --seeds 1 --report page": 0,
    "evaluate --policies FILE:PlainBandit --steps 2": "plain Python",
    "evaluate --policies way=random --steps 2": "decision point of routing",
    "simulate --windows 3": 0,
    "figures --dry-run": 0,
    "train -o policy.npz --dry-run": "two or more actions between windows",
    "recommend": "no settings",
    "plan": "no cost",
    "validate": "no real system",
    "infer -o host.json": "no priors",
    "export random -o policy.json": "no middleware in C++",
}
"""Command lines, and the exit code or what a refusal says in one line."""


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_works_on_it_from_outside_the_checkout(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command, *rest = line.replace("FILE", str(FILE)).split()
    given = ["--scenario", f"{FILE}:Routing"] if command == "export" else [f"{FILE}:Routing"]
    place = rest[:1] if command == "export" else []
    code = main([command, *place, *given, *rest[len(place) :]])
    out, expected = capsys.readouterr(), COMMANDS[line]
    if expected == 0:
        assert code == 0, out.err
        return
    assert code == 2
    assert expected in out.err and out.err.count("\n") == 1 and not list(tmp_path.iterdir())


def test_an_error_of_a_plain_policy_names_its_line_not_the_scenario(tmp_path, capsys):
    """SimPy raises a copy of an error, without the lines at fault."""
    file = tmp_path / "faulty.py"
    plain = "from pmtwin.policies import Choice\n\nclass Faulty(Choice):\n    def decide(self, features, mask):\n"
    file.write_text(f"{plain}        return 1 // 0\n")
    short = ("--engine", "simpy", "--steps", "1", "--seeds", "1", "--jobs", "1")
    assert main(["evaluate", f"{FILE}:Routing", "--policies", f"{file}:Faulty", *short]) == 2
    assert f"{file}:Faulty: decide() failed: ZeroDivisionError: " in (said := capsys.readouterr().err)
    assert f"({file}:5)" in said and "scenario" not in said


def test_the_declared_default_decides_wherever_nobody_is_named():
    env = ControlEnv(Routing.of(jobs_per_window=5000), "busy", episode_steps=None)
    env.reset(seed=1)
    assert env.carry_out(())[4]["fast_share"] == pytest.approx(0.5, abs=0.05), "random, not the first action"
