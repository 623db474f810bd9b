"""The whole two-tiered storage as a scenario: which model runs, what decides in it, and where policies differ."""

import json
from contextlib import closing

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.policies.points import by_point
from pmtwin.policies.replacement import replacement_policy
from pmtwin.scenarios import load_scenario
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.two_tier.scenario import TwoTier, WholeTwoTier
from pmtwin.scenarios.two_tier.whole_loads import LOADS
from pmtwin.sim.errors import InputError

SMALL = {
    "model": "whole", "processes": 2, "pages": 300, "cache_lines": 12, "client_threads": 4, "requests_per_window": 100,
}  # fmt: skip

PLAIN = """
from pmtwin.policies.inline import Replacement

class Oldest(Replacement):
    def start(self, lines, key):
        self.order = []
    def victim(self, pins):
        from pmtwin.policies.replacement import is_pinned
        return next(line for line in self.order if not is_pinned(pins, line))
    def evict(self, line, page):
        self.order.remove(line)
    def admit(self, line):
        self.order.append(line)
"""


@pytest.fixture(scope="module")
def scenario():
    return load_scenario("two-tier")


def started(scenario, load: str, threads: int, policy: str | None = None, seed: int = 0):
    system = scenario.system(load, seed)
    if policy:
        system.decide("replacement", replacement_policy(policy), seed)
    system.start((threads,))
    return system


def windows(scenario, load: str, threads: int, policy: str, count: int = 25) -> dict[str, np.ndarray]:
    """Measure -> its values in windows behind the warm-up, over two seeds."""
    rows = []
    for seed in range(2):
        with closing(started(scenario, load, threads, policy, seed)) as system:
            for number in range(count):
                system.run_window()
                rows += [system.measures()] if number >= 5 else []
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def test_the_model_follows_from_options_and_policies(scenario):
    assert type(scenario()) is type(scenario.of(rate=50.0)) is type(scenario.of(model="process")) is TwoTier
    for values in ({"model": "whole"}, {"skew": 1.1}, {"cache_lines": 64}, {"p99_goal_ms": 100.0}):
        assert type(scenario.of(**values)) is WholeTwoTier
    assert scenario.values_beside({}, ["fixed:4", "random"], by_point) == {}
    for spec in ("lru", "weight-sharing:beta=0.5", "threads=fixed:4+replacement=hedge"):
        assert scenario.values_beside({}, ["fixed:4", spec], by_point) == {"model": "whole"}
    with pytest.raises(InputError, match="process has no caches, in which policy lru decides"):
        scenario.values_beside({"model": "process"}, ["lru"], by_point)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"model": "process", "pages": 5}, "pages 5 belongs to --model whole"),
        ({"skew": 1.0, "miss_rate": 0.1}, "miss_rate 0.1 belongs to --model process"),
    ],
)
def test_options_of_the_other_model_are_refused(scenario, values, words):
    with pytest.raises(InputError, match=words):
        scenario.of(**values)


def test_the_formulas_know_no_windows(scenario):
    with pytest.raises(InputError, match="compiled or simpy"):
        scenario.of(model="whole", engine="analytic").system("calm", 0)


def test_both_engines_show_the_same_under_changing_threads_and_loads(scenario):
    engines = [started(scenario.of(engine=name, **SMALL), "busy", 2, "hedge") for name in ("compiled", "simpy")]
    rng = np.random.default_rng(3)
    for load in [*LOADS, *LOADS]:
        threads = (int(rng.integers(1, 9)),)
        for system in engines:
            system.set_context(load)
            system.apply(threads)
            system.run_window()
        compiled, simpy = engines
        assert compiled.measures() == simpy.measures()
        assert (compiled.requests()[1] == simpy.requests()[1]).all()
        assert compiled.observation().tolist() == simpy.observation().tolist()
        states = [system.deciding("replacement") for system in engines]
        assert all((a.hedge.weights == b.hedge.weights).all() for a, b in zip(*states, strict=True))


def test_the_default_policy_is_that_of_the_option(scenario):
    lfu = scenario.of(**SMALL, replacement="lfu")
    assert [point.default for point in lfu.points] == ["lfu"]
    shown = []
    for problem in (lfu, scenario.of(**SMALL)):
        with closing(started(problem, "busy", 4)) as system:
            for _ in range(5):
                system.run_window()
            shown.append(system.measures())
    assert shown[0] != shown[1]


@pytest.mark.parametrize("policy", ["min", "weight-sharing:experts=lru+min"])
def test_nobody_knows_the_future_here(scenario, policy):
    with pytest.raises(InputError, match="without knowledge of coming requests"):
        started(scenario.of(**SMALL), "busy", 4, policy)


def test_too_few_threads_are_slow_and_too_many_make_the_misses_queue(scenario):
    """Popular pages: with one thread requests wait for it; with many the clients' misses wait for the I/O threads."""
    whole = scenario.of(model="whole")
    few, right, many = (windows(whole, "skewed", threads, "lru") for threads in (1, 6, 16))
    assert few["mean_response_ms"].mean() > 3 * right["mean_response_ms"].mean() > few["thread_wait_ms"].mean() / 10
    assert many["p99_ms"].mean() > 1.5 * right["p99_ms"].mean()
    assert many["mean_response_ms"].mean() < right["mean_response_ms"].mean()
    assert right["idle_threads"].mean() < many["idle_threads"].mean()


def test_counts_of_use_help_where_popularity_lasts_and_mislead_where_it_drifts(scenario):
    whole = scenario.of(model="whole")
    misses = {
        (load, policy): windows(whole, load, 4, policy)["miss_ratio"].mean()
        for load in ("busy", "drifting")
        for policy in ("lru", "lfu", "s3-fifo")
    }
    assert misses["busy", "lfu"] < 0.9 * misses["busy", "lru"]
    assert misses["drifting", "lfu"] > 1.1 * misses["drifting", "lru"] > 1.1 * misses["drifting", "s3-fifo"]


def test_evaluate_sets_replacement_policies_against_each_other(capsys, tmp_path):
    (tmp_path / "mine.py").write_text(PLAIN)
    policies = ["lru", f"{tmp_path}/mine.py:Oldest", "threads=fixed:1+replacement=lru"]
    rest = "--engine simpy --seeds 2 --steps 4 --load-steps 2 --jobs 1 --json"
    words = ["evaluate", "two-tier", "--policies", *policies, *rest.split()]
    for name, value in SMALL.items():
        words += [] if name == "model" else [f"--{name.replace('_', '-')}", str(value)]
    assert cli.main(words) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["configuration"]["arguments"]["model"] == "whole"
    assert len(result["policies"]) == 3
    assert {"mean_response_ms", "p99_ms", "miss_ratio", "disk_ms"} <= set(str(result).replace("'", " ").split())


def test_goals_of_the_whole_system(scenario):
    assert [str(goal) for goal in scenario.of(model="whole").goals] == [
        "mean_response_ms at most 50", "p99_ms at most 300",
    ]  # fmt: skip
    given = scenario.of(model="whole", response_goal_ms=20.0)
    assert given.goals[0].limit == 20.0
    assert given.reward({"mean_response_ms": 10.0, "p99_ms": 600.0}) == -1.0
    assert scenario().goals[0].limit == 20.0


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        (("--policies", "lru"), {"steps": "400", "load_steps": "50", "windows": "4000"}),
        (("--policies", "lru", "--steps", "60"), {"steps": "60", "load_steps": "50"}),
        (("--policies", "fixed:2"), {"steps": "4000", "load_steps": "200"}),
    ],
)
def test_runs_of_the_whole_system_are_shorter_unless_their_length_is_given(words, rows, capsys):
    assert cli.main(["evaluate", "two-tier", *words, "--dry-run"]) == 0
    shown = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert rows.items() <= shown.items()
    assert {"model", "load", "threads"} <= set(shown)


def test_a_record_has_the_load_that_ran_and_nothing_for_which_a_trace_stands(scenario, tmp_path):
    trace = scenario.of(requests_from=tmp_path / "t.csv", page_bytes=65_536)
    assert trace.context_record(OWN) == {"client_rate": 100.0}
    assert not {"pages", "pattern", "requests", "skew", "drift", "client_rate"} & set(trace.record())
    assert f"100 requests/s of a client, pages of {tmp_path / 't.csv'}" in trace.setup([OWN])["load"]
    whole = scenario.of(model="whole")
    assert whole.context_record("drifting") == {"load": "drifting", "client_rate": 40.0, "skew": 1.3, "drift": 64}
