"""Both engines, and a copy of a run, give the same bits: on random machines that change while they run."""

import copy
import pickle

import numpy as np
import pytest

from pmtwin.sim.numa import speed_rows
from pmtwin.sim.numa.run import Run
from tests.sim.numa.machines import Drawn, change, draw, draw_store

MACHINES, STORES = 24, 8


def assert_same(first: Run, second: Run) -> None:
    """All counters, times and places are equal to the last bit."""
    for one, other in zip(first.window(), second.window(), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(first.core_of, second.core_of)
    assert first.now_s == second.now_s


def go_on(rng: np.random.Generator, runs: list[Run], drawn: Drawn, windows: int) -> None:
    """Random windows, and random changes between them."""
    for _ in range(windows):
        until = runs[0].now_s + rng.exponential(0.03)
        for run in runs:
            run.advance(until)
        assert_same(*runs)
        change(rng, runs, drawn)


@pytest.mark.parametrize("number", range(MACHINES))
def test_both_engines_give_the_same_bits(number):
    rng = np.random.default_rng([number, 38])
    drawn = draw(rng)
    go_on(rng, [drawn.start("compiled"), drawn.start("simpy")], drawn, 5)


@pytest.mark.parametrize("number", range(STORES))
def test_both_engines_give_the_same_bits_with_the_stores_costs(number):
    rng = np.random.default_rng([number, 42])
    drawn = draw_store(rng)
    go_on(rng, [drawn.start("compiled"), drawn.start("simpy")], drawn, 3)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda run: pickle.loads(pickle.dumps(run))])
@pytest.mark.parametrize("number", range(4))
def test_a_copy_goes_on_with_the_same_bits(number, copied):
    rng = np.random.default_rng([number, 39])
    drawn = draw(rng)
    run = drawn.start()
    run.advance(0.05)
    go_on(rng, [run, copied(run)], drawn, 8)


@pytest.mark.parametrize("number", range(4))
def test_a_table_of_speeds_that_begins_anew_changes_nothing(monkeypatch, number):
    rng = np.random.default_rng([number, 40])
    drawn = draw(rng)
    usual, small = drawn.start(), drawn.start()
    usual.advance(0.1)
    monkeypatch.setattr(speed_rows, "MOST_ROWS", 1)
    small.advance(0.1)
    assert_same(usual, small)
    kept, renewed = (np.count_nonzero(run.state.speeds.places != speed_rows.MISSING) for run in (usual, small))
    assert renewed < kept


def test_windows_change_nothing():
    """A run in one piece ends where one in many windows does."""
    drawn = draw(np.random.default_rng(3))
    whole, pieces = drawn.start(), drawn.start()
    whole.advance(0.4)
    for _ in range(80):
        pieces.advance(min(pieces.now_s + 0.005, 0.4))
    pieces.advance(0.4)
    np.testing.assert_array_equal(whole.state.flow, pieces.state.flow)
    np.testing.assert_array_equal(whole.state.thread["latency_ns"], pieces.state.thread["latency_ns"])


def test_another_seed_gives_other_operations():
    drawn = draw(np.random.default_rng(1))._replace()
    load = type(drawn.load)(read_share=0.5)
    runs = [Drawn(drawn.machine, drawn.kernel, load, drawn.threads, seed).start() for seed in (1, 2)]
    for run in runs:
        run.advance(0.1)
    assert not np.array_equal(runs[0].state.thread["done"], runs[1].state.thread["done"])
