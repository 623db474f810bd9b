"""Readers and writers behind one queue: its limits, and what the share of writers moves."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.device import law, load_profile
from pmtwin.sim.device.effects.media_queue import MediaQueue, Side, queued_bandwidth_mib_s
from pmtwin.sim.device.prediction import predict

SHARES = np.linspace(0.02, 0.98, 25)


@pytest.fixture(scope="module")
def profile():
    """A device of which no mix was measured."""
    return replace(load_profile(), effects=None)


def side(parameters, share, issue, media, line_use=1.0):
    share = np.asarray(share, dtype=float)
    return Side(parameters, share, np.full(share.shape, issue), np.full(share.shape, media), line_use)


def columns(**more):
    given = {"operation": "mixed", "pattern": "random", "dimms": 6.0, "power_w": 15.0, "write_operation": "ntstore"}
    given |= {"access_size_bytes": 256.0, **more}
    return {name: np.array([value]) for name, value in given.items()}


@pytest.mark.parametrize("writer_bytes", [0.1, 0.9, 8.0])
@pytest.mark.parametrize(("issue", "media"), [(3_000.0, 30_000.0), (30_000.0, 9_000.0), (10_000.0, 10_000.0)])
def test_a_side_that_is_alone_is_the_law_itself(profile, issue, media, writer_bytes):
    reads = side(profile.parameters["load"], [1.0, 0.0], 5_000.0, 4_000.0)
    writes = side(profile.parameters["ntstore"], [0.0, 1.0], issue, media)
    read, write = queued_bandwidth_mib_s(reads, writes, writer_bytes)
    law_of = [law.join_bounds(each.parameters, each.issue, each.media) for each in (reads, writes)]
    assert read == pytest.approx([law_of[0][0], 0.0]) and write == pytest.approx([0.0, law_of[1][1]])


@pytest.mark.parametrize("issue", [2_000.0, 9_000.0, 50_000.0])
def test_sides_that_are_alike_are_one_workload(profile, issue):
    parameters = profile.parameters["load"]
    reads, writes = (side(parameters, share, issue, 9_000.0) for share in (1.0 - SHARES, SHARES))
    read, write = queued_bandwidth_mib_s(reads, writes, writer_bytes=1.0)
    whole = law.join_bounds(parameters, reads.issue, reads.media)
    assert read == pytest.approx((1.0 - SHARES) * whole) and write == pytest.approx(SHARES * whole)


@pytest.mark.parametrize("writer_bytes", [0.25, 0.9, 3.0])
def test_more_writers_write_more_and_leave_less_to_readers(profile, writer_bytes):
    reads = side(profile.parameters["load"], 1.0 - SHARES, 40_000.0, 36_000.0)
    writes = side(profile.parameters["ntstore"], SHARES, 20_000.0, 10_000.0)
    read, write = queued_bandwidth_mib_s(reads, writes, writer_bytes)
    assert np.all(np.diff(read) < 0) and np.all(np.diff(write) > 0)
    assert np.all(read / reads.media + write / writes.media <= 1.0)


def test_a_writer_that_keeps_more_waiting_gets_more(profile):
    reads = side(profile.parameters["load"], 0.5, 40_000.0, 36_000.0)
    writes = side(profile.parameters["ntstore"], 0.5, 20_000.0, 10_000.0)
    few, many = (queued_bandwidth_mib_s(reads, writes, writer_bytes) for writer_bytes in (0.3, 3.0))
    assert many[1] > 1.2 * few[1] and many[0] < few[0]
    partial = replace(writes, line_use=0.25)
    assert queued_bandwidth_mib_s(reads, partial, 1.2) == pytest.approx(queued_bandwidth_mib_s(reads, writes, 0.3))


def test_sides_that_leave_the_media_idle_do_not_meet(profile):
    reads = side(profile.parameters["load"], 0.5, 1_000.0, 60_000.0)
    writes = side(profile.parameters["ntstore"], 0.5, 400.0, 20_000.0)
    assert queued_bandwidth_mib_s(reads, writes) == pytest.approx((500.0, 200.0), rel=0.01)


def test_a_measured_queue_stands_before_what_is_assumed(profile):
    unlike = columns(read_threads=8.0, write_threads=8.0, threads=16.0, write_access_size_bytes=4096.0)
    box = {"pattern": "random", "access_size_bytes": [256.0, 4096.0], "threads": [16.0, 16.0], "dimms": [6.0, 6.0]}
    entry = {"parameters": {"writer_bytes": 0.2}, "fitted_range": [box], "log_half_width": [0.1]}
    known = replace(profile, effects={MediaQueue.name: {"ntstore": entry}})
    assumed, measured = (predict(each, unlike) for each in (profile, known))
    assert measured["write_bandwidth_mib_s"] < 0.9 * assumed["write_bandwidth_mib_s"]
    assert assumed["extrapolated"][0] and not measured["extrapolated"][0]
    outside = predict(known, unlike | {"write_access_size_bytes": np.array([16384.0])})
    assert outside["extrapolated"][0]


def test_mixes_measured_as_parts_of_their_ends_keep_their_law():
    whole = load_profile()
    like = columns(access_size_bytes=64.0, read_threads=8.0, write_threads=8.0, threads=16.0)
    ends = [predict(whole, like | {"operation": np.array([name])}) for name in ("load", "ntstore")]
    overlap = whole.effects["mixes"]["ntstore"]["parameters"]["overlap"]
    written = predict(whole, like)["write_bandwidth_mib_s"]
    assert written == pytest.approx(0.5 * ends[1]["bandwidth_mib_s"] * (1.0 + overlap))
