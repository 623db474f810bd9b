"""Synthetic traffic, the tables of misses made from it, and the errors of waiting times."""

import itertools
import json
from types import SimpleNamespace

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.console.progress import progress
from pmtwin.figures.drawing.style import styled
from pmtwin.policies.replacement import make_cache, replay
from pmtwin.scenarios.two_tier import traffic
from pmtwin.scenarios.two_tier.figures import misses, regret, sizes, waiting
from pmtwin.scenarios.two_tier.figures.pipeline import PIPELINE


def test_a_page_expires_at_its_maximum_of_requests():
    """Request by request: the third for a rank whose pages have two at most is for a new page."""
    pages = traffic.irm(5_000, np.random.default_rng(2), pages=30, skew=0.7, lifetime=100.0)
    popularity = np.arange(1, 31) ** -0.7
    most = np.maximum(np.round(100.0 * popularity / popularity.sum()), 1.0)
    seen: dict[int, int] = {}
    for page in pages.tolist():
        rank, generation = page % 30, page // 30
        number = seen.get(rank, 0)
        assert generation == number // most[rank]
        seen[rank] = number + 1
    assert len(set(pages.tolist())) > 500


def test_ages_are_exponential_and_pages_arrive_at_random():
    pages = traffic.poisson(200_000, np.random.default_rng(1), arrivals=0.0, age=45.0)
    age = pages.max() - pages
    assert pages.min() == 0 and age.mean() == pytest.approx(44.5, rel=0.02)
    drifting = traffic.poisson(200_000, np.random.default_rng(1), arrivals=0.01, age=45.0)
    assert drifting[-1_000:].mean() - drifting[:1_000].mean() == pytest.approx(2_000, rel=0.1)


def test_two_pages_exchange_ranks_when_popularity_drifts():
    """The most popular page stays so for a while and is not for ever."""
    pages = traffic.drifting(40_000, np.random.default_rng(3), pages=50, skew=2.0, gap=100)
    early, late = (np.bincount(part, minlength=50) for part in (pages[:1_000], pages[-10_000:]))
    assert early.argmax() == 0 and late[0] < 0.5 * late.sum()
    assert len(pages) == 40_000 and pages.max() < 50
    still = traffic.drifting(1_000, np.random.default_rng(3), gap=1_000)
    assert np.bincount(still).argmax() == 0


def test_phases_have_equal_lengths_and_new_pages():
    pages = traffic.phases(4_001, np.random.default_rng(4), count=4)
    parts = np.split(pages, [1_000, 2_000, 3_000])
    assert len(pages) == 4_001
    assert all(before.max() < after.min() for before, after in itertools.pairwise(parts))


def test_lru_and_lfu_come_near_the_published_tables():
    """Mean absolute difference over the rows of Tables V and VI, of 10 seeds."""
    campaign = PIPELINE.quick
    work = SimpleNamespace(
        setting=SimpleNamespace(campaign=campaign, seed=0), progress=lambda names=None, desc="", **kw: names
    )
    report = misses.compute(work)
    for model, limits in {"poisson": {"lru": 10.0, "lfu": 14.0}, "irm": {"lru": 6.0, "lfu": 5.0}}.items():
        for number, spec in enumerate(("lru", "lfu")):
            table = misses.MODELS[model][1]
            off = [report[model][spec][str(n)]["mean"] / row[number] - 1.0 for n, row in table.items()]
            assert 100.0 * np.abs(off).mean() < limits[spec]
    assert report["poisson"]["weight-sharing"]["20000"]["mean"] < report["poisson"]["lru"]["20000"]["mean"]
    rendered = misses.render_irm({"misses": report})
    assert rendered.tables[0].rows[-1][0] == 20_000 and len(rendered.statements) == 2


def test_regret_is_against_the_best_expert_of_each_run():
    work = SimpleNamespace(
        setting=SimpleNamespace(campaign=SimpleNamespace(seeds=3), seed=1), progress=lambda names, desc: names
    )
    values = regret.compute(work)
    runs = [
        {"lru": 10, "lfu": 20, "sieve": 8, "min": 4, "weight-sharing": 12},
        {"lru": 30, "lfu": 20, "sieve": 8, "min": 5, "weight-sharing": 22},
    ]
    summary = regret._summary("weight-sharing", runs)
    assert summary["regret"]["mean"] == pytest.approx(15.0) and summary["over_min"]["mean"] == pytest.approx(270.0)
    assert all(values[name]["hedge"]["regret"]["mean"] < 5.0 for name in ("IRM", "drift", "phases"))
    assert values["IRM"]["weight-sharing"]["regret"]["low"] > 5.0
    rows = regret.render({"regret": values}).tables[0].rows
    assert len(rows) == len(regret.TRAFFIC) * (len(regret.EXPERTS) + len(regret.LEARNERS) + 1)


def test_larger_caches_miss_less(monkeypatch):
    monkeypatch.setattr(sizes, "REQUESTS", 3_000)
    work = SimpleNamespace(
        setting=SimpleNamespace(campaign=SimpleNamespace(seeds=2), seed=1), progress=lambda names, desc: names
    )
    values = sizes.compute(work)
    means = {spec: [each["mean"] for each in row] for spec, row in values["IRM"].items()}
    assert means["lru"] == sorted(means["lru"], reverse=True)
    assert all(best <= other for spec in means for best, other in zip(means["min"], means[spec], strict=True))
    with styled():
        rendered = sizes.render({"sizes": values})
    assert len(rendered.tables[0].rows) == 2 * len(sizes.POLICIES) * len(sizes.LINES)
    assert "lru: " in rendered.drawings[0].alt


def test_misses_by_requests_are_those_of_one_replay():
    pages = traffic.irm(3_000, np.random.default_rng(5))
    seen = misses._misses("lru", pages, [500, 3_000])
    assert seen == {n: replay(make_cache("lru", 64), pages[:n]) for n in (500, 3_000)}


def test_errors_of_waiting_times_are_small_where_the_formula_is_exact():
    campaign = SimpleNamespace(settings=12, requests=200_000)
    setting = SimpleNamespace(campaign=campaign, seed=3)
    values = waiting.compute(
        SimpleNamespace(setting=setting, progress=lambda total, desc: progress(total=total, desc=desc))
    )
    exact = [abs(error) for servers, _, _, arrival_cov, error in values["settings"] if servers == arrival_cov == 1]
    assert len(values["settings"]) == 12 and exact and np.median(exact) < 10.0
    groups = [row[0] for row in waiting.render({"waiting": values}).tables[0].rows]
    assert "M/G/1" in groups and set(groups) <= set(waiting.GROUPS)


def test_replacement_policies_are_listed(capsys):
    assert cli.main(["list", "policies", "--json"]) == 0
    names = [each["name"] for each in json.loads(capsys.readouterr().out)["policies"]]
    assert {"lru", "min", "weight-sharing"} <= set(names)


def test_the_figures_are_declared(capsys):
    assert cli.main(["figures", "two-tier", "--dry-run", "--json"]) == 0
    assert "misses" in capsys.readouterr().out


def test_bench_measures_everything(capsys, monkeypatch):
    monkeypatch.setattr("pmtwin.bench.two_tier.REQUESTS", 20_000)
    monkeypatch.setattr("pmtwin.bench.two_tier.PROCESSES", 2)  # as many stations as in other tests: compiled once
    words = ["bench", "two-tier", "--repeats", "1", "--seconds", "0.001", "--json"]
    assert cli.main(words) == 0
    cases = {each["case"]: each["rates"] for each in json.loads(capsys.readouterr().out)["results"]}
    assert {"lru", "min", "weight-sharing"} <= set(cases["replay, 2,700 lines"])
    assert all(rate["median"] > 0 for rates in cases.values() for rate in rates.values())
