"""The fluid limit of the whole system beside the simulation, with few requests and with many."""

import json

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.scenarios.two_tier.figures.fluid_limit import drawn
from pmtwin.scenarios.two_tier.storage.costs import read_costs
from pmtwin.scenarios.two_tier.storage.fluid import doubts, fluid_of
from pmtwin.scenarios.two_tier.storage.running import simulate_system
from pmtwin.scenarios.two_tier.storage.workloads import WORKLOADS

EXAMPLE = ("simulate", "two-tier", "--example", "table-viii", "--json")


def error(of_formula: float, simulated: float) -> float:
    return abs(np.log(of_formula / simulated))


def test_few_requests_read_few_pages():
    """1,000 requests for 32,768 pages: 3 I/O threads read for 11 s, not the 350 s that all pages take."""
    system = WORKLOADS["table-viii"].system(3, read_costs()[0])._replace(requests=1000)
    times, fluid = simulate_system(system), fluid_of(system)
    assert times.response_s == pytest.approx(fluid["response_s"], rel=0.05)
    assert times.disk_s == pytest.approx(fluid["disk_s"], rel=0.05)
    assert not doubts(system)


def test_more_requests_take_longer_and_read_every_page_in_the_end():
    system = WORKLOADS["table-ix"].system(64, read_costs()[0])
    counts = [int(count) for count in np.geomspace(1, 10**9, 60)]
    times = [fluid_of(system._replace(requests=count)) for count in counts]
    for name in ("response_s", "disk_s"):
        assert np.all(np.diff(np.log([each[name] for each in times])) >= -1e-4), name
    assert times[-1]["disk_s"] == pytest.approx(times[-5]["disk_s"], rel=1e-6)
    assert times[0]["disk_s"] < 0.1


def test_random_systems_beside_the_simulation():
    rng = np.random.default_rng(3)
    errors = {False: [], True: []}
    for number in range(80):
        system = drawn(rng)
        times, fluid = simulate_system(system, number), fluid_of(system)
        pairs = [(fluid[name], getattr(times, name)) for name in ("response_s", "disk_s", "completion_s")]
        errors[bool(doubts(system))].append([error(*pair) for pair in pairs])
    trusted, doubted = np.array(errors[False]), np.array(errors[True])
    assert min(len(trusted), len(doubted)) >= 20
    assert np.all(np.median(trusted, axis=0) < 0.1)
    assert np.all(trusted[:, 2] < 0.6) and np.all(doubted < 1.5)


def test_too_few_requests_for_a_formula_are_said(capsys):
    assert cli.main([*EXAMPLE, "--engine", "analytic", "--processes", "512", "--requests", "1000"]) == 0
    assert "0.122 requests of a client thread" in json.loads(capsys.readouterr().out)["fluid_doubts"]
    assert cli.main([*EXAMPLE[:-1], "--engine", "analytic", "--processes", "512", "--requests", "1000"]) == 0
    assert "fluid limit: 0.122 requests" in capsys.readouterr().out
    assert cli.main([*EXAMPLE, "--engine", "analytic"]) == 0
    assert json.loads(capsys.readouterr().out)["fluid_doubts"] is None


def test_pages_in_order_have_no_formula(capsys):
    words = ("--pattern", "sequential", "--requests", "2000")
    assert cli.main([*EXAMPLE, *words, "--engine", "analytic"]) == 2
    assert "--pattern: 'sequential' is not accepted; allowed: uniform" in capsys.readouterr().err
    assert cli.main([*EXAMPLE, *words]) == 0
    assert json.loads(capsys.readouterr().out)["fluid"] is None
