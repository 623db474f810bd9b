"""Both engines, and a copy of a run, give the same bits, and lose nothing: on random clusters whose limits change."""

import copy
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.lustre.running import Cluster, Load, start_run
from tests.sim.lustre.clusters import drawn

WINDOWS = ((0.15, 8, 0.0), (0.3, 40, 0.0), (0.5, 256, 0.0), (0.7, 1, 4000.0), (0.9, 30, 300.0))


def assert_same(first, second):
    for name, value, expected in zip(first._fields, first, second, strict=True):
        np.testing.assert_array_equal(value, expected, err_msg=name)


def assert_conserved(reading, run, window):
    """Requests and bytes are answered or present, and no limit is passed."""
    cluster, load = run.cluster, run.load
    at_disks = reading.came - reading.done
    assert (at_disks >= 0).all() and (reading.working <= cluster.server_threads).all()
    np.testing.assert_array_equal(at_disks.sum(axis=1), reading.working)
    assert (reading.commands <= reading.done).all() and (
        reading.waiting * (reading.working < cluster.server_threads) == 0
    ).all()
    by_server = reading.bytes.reshape(cluster.clients, cluster.servers, 2).sum(axis=0)
    assert (by_server <= reading.disk_bytes).all(), "what is answered was on a disk"
    reads, writes = reading.bytes[:, 0] // load.unit_bytes, reading.bytes[:, 1] // load.unit_bytes
    np.testing.assert_array_equal(reads, reading.rpcs[:, 0])
    assert (writes >= reading.rpcs[:, 1]).all()
    kept = reading.accepted - reading.hits[:, 1]  # units that became dirty
    np.testing.assert_array_equal((kept - writes) * load.unit_bytes, reading.dirty)
    assert (reading.dirty <= max(cluster.dirty_mb * (1 << 20), load.unit_bytes)).all()
    assert (reading.in_flight <= max(window, 256)).all()
    assert (reading.busy_ns <= reading.now_s * 1e9 * (1 + 1e-12)).all()
    assert (reading.moving_ns <= reading.busy_ns + 1e8).all()  # of the command under way all is counted at once


@pytest.mark.parametrize("number", range(24))
def test_both_engines_give_the_same_bits_and_lose_nothing(number):
    cluster, load = drawn(number)
    runs = [start_run(cluster, load, engine, number) for engine in ("compiled", "simpy")]
    for until_s, window, gap_us in WINDOWS:
        for run in runs:
            run.set_limits(window, gap_us)
            run.advance(until_s)
        first, second = (run.reading() for run in runs)
        assert_same(first, second)
        assert_conserved(first, runs[0], window)
    assert first.events > 30 and first.done.sum() > 0


def test_a_copy_goes_on_with_the_same_bits_and_windows_change_nothing():
    cluster, load = drawn(5)
    run, pieces = start_run(cluster, load, seed=3), start_run(cluster, load, seed=3)
    run.advance(0.3)
    other = copy.deepcopy(run)
    for copied in (run, other):
        copied.advance(0.9)
    assert_same(run.reading(), other.reading())
    for until in np.linspace(0.01, 0.9, 61):
        pieces.advance(float(until))
    pieces.advance(0.9)
    assert_same(run.reading(), pieces.reading())


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
def test_a_limit_that_is_raised_holds_from_then_on(engine):
    """An OSC that waits for the end of a long gap sends at the end of the short one, not when it had meant to."""
    cluster, load = Cluster(servers=1, clients=2, foreign_s=0.0, dirty_mb=1.0), Load(read_share=0.0, data_gb=1.0)
    run = start_run(cluster, load, engine)
    run.set_limits(256, 400_000.0)
    run.advance(0.02)
    run.set_limits(256, 50_000.0)
    run.advance(0.33)
    reading = run.reading()
    assert (reading.rpcs.sum(axis=1) + reading.in_flight).tolist() == [7, 7], "at 0, 50, ... 300 ms"


def test_readers_only_read_and_the_others_only_write():
    cluster = Cluster(servers=2, clients=2, foreign_s=0.0)
    for load in (Load(read_share=0.0, data_gb=1.0, threads=3, readers=1), Load(pattern="stream", readers=2)):
        runs = [start_run(cluster, load, engine, 4) for engine in ("compiled", "simpy")]
        for run in runs:
            run.advance(0.6)
        assert_same(runs[0].reading(), runs[1].reading())
        assert (runs[0].reading().bytes.sum(axis=0) > 0).all()
        alone = start_run(cluster, replace(load, readers=load.threads), seed=4)
        alone.advance(0.6)
        assert alone.reading().accepted.sum() == 0 < alone.reading().bytes[:, 0].sum()


def test_another_seed_brings_other_requests():
    cluster, load = drawn(0)
    first, second = (start_run(cluster, load, seed=seed) for seed in (1, 2))
    for run in (first, second):
        run.advance(0.5)
    assert (first.reading().disk_bytes != second.reading().disk_bytes).any()
