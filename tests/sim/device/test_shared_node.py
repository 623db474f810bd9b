"""Times of local and remote threads that access one node's memory at once."""

import numpy as np
import pytest

from pmtwin.sim.device import load_profile
from pmtwin.sim.device.payloads import ns_per_byte
from pmtwin.sim.device.shared_node import LOCAL, READ, REMOTE, WRITE, NodeAccesses, node_times
from pmtwin.sim.errors import InputError

STREAMS = NodeAccesses(400_000.0, 400_000.0, "ntstore")
SHORT = NodeAccesses(64.0, 64.0, "store_clwb")


@pytest.fixture(scope="module")
def profile():
    return load_profile()


def times(profile, accesses, *populations, dimms=6, **more):
    return node_times(profile, accesses, np.array(populations, dtype=float), dimms=dimms, **more)


def test_without_remote_threads_it_is_the_device_of_one_node(profile):
    """The same bits as the payloads of every other model."""
    for accesses in (STREAMS, SHORT):
        for operation, kind in (("load", READ), (accesses.write_operation, WRITE)):
            threads = np.array([1.0, 4.0, 16.0, 24.0])
            counts = np.zeros((4, 2, 2))
            counts[:, LOCAL, kind] = threads
            known = ns_per_byte(profile, np.full(4, operation), np.full(4, accesses.read_bytes), threads, 6)
            assert node_times(profile, accesses, counts, dimms=6).ns_per_byte[:, LOCAL, kind] == pytest.approx(
                known, rel=1e-14
            )


def test_remote_threads_alone_have_their_factor_and_change_no_entries(profile):
    result = times(profile, SHORT, [[16, 0], [0, 0]], [[0, 0], [16, 0]])
    factor = profile.effects["remote"]["load"]["parameters"]["time_factor"]
    local, remote = result.ns_per_byte[0, LOCAL, READ], result.ns_per_byte[1, REMOTE, READ]
    assert remote / local == pytest.approx(factor)
    assert list(result.directory_share) == [0.0, 0.0]


def test_lines_change_hands_by_who_else_uses_them(profile):
    populations = [[8, 0], [8, 0]], [[15, 0], [1, 0]], [[8, 0], [0, 8]], [[0, 8], [8, 0]]
    even, few, written, read = times(profile, SHORT, *populations).directory_share
    assert even == pytest.approx(0.5, abs=0.01)
    assert few == pytest.approx(15 / 16 / 16 + 15 / 16 / 16, rel=0.15)
    assert 0.3 < written < 0.5 < read < 0.7  # remote writes are slower, so that fewer lines are theirs
    for last_node, share in (("same", 0.0), ("other", 1.0)):
        assert times(profile, SHORT, *populations, last_node=last_node).directory_share == pytest.approx(share)


def test_where_nobody_reads_the_writers_lines_change_hands(profile):
    """A put reads too, though its thread counts as a writer."""
    written, mixed = times(profile, SHORT, [[0, 8], [0, 8]], [[4, 4], [4, 4]]).directory_share
    assert written == pytest.approx(mixed, rel=0.05) == pytest.approx(0.5, rel=0.05)


def test_both_nodes_read_as_measured(profile):
    """PerMA-Bench's unpinned threads read 5.5 GiB/s; the law's local ones read less than that benchmark's."""
    result = times(profile, SHORT, [[16, 0], [0, 0]], [[8, 0], [8, 0]])
    moved = [
        (counts / result.ns_per_byte[row])[:, READ].sum()
        for row, counts in enumerate(np.array([[[16, 0], [0, 0]], [[8, 0], [8, 0]]]))
    ]
    assert moved[1] == pytest.approx(5.5 * 2**30 / 1e9, rel=0.15)
    assert moved[1] < 0.7 * moved[0]


def test_the_media_write_no_more_than_they_can(profile):
    """Data and entries of saturated reads fill the time of the media."""
    counts = np.array([[[12.0, 0.0], [12.0, 0.0]]])
    directory = profile.effects["directory"]["load"]["parameters"]
    with_entries, without = (
        node_times(profile, SHORT, counts, dimms=6, last_node=last).ns_per_byte[0, LOCAL, READ] / 24
        for last in ("other", "same")
    )
    entries = directory["line_write_ns"] / directory["entries_per_write"] / 64.0 / 6.0
    assert with_entries == pytest.approx(without + entries, rel=0.05)


def test_streamed_entries_are_unknown_until_stated(profile):
    streams = [[12, 0], [12, 0]]
    unknown, one, four = (times(profile, STREAMS, streams, entries_per_write=n) for n in (None, 1, 4))
    at = 0, LOCAL, READ
    assert unknown.low[at] < four.ns_per_byte[at] < unknown.ns_per_byte[at] < one.ns_per_byte[at] < unknown.high[at]
    assert one.high[at] / one.low[at] < unknown.high[at] / unknown.low[at]


def test_kinds_without_threads_and_fractions_of_threads_have_times(profile):
    empty, few, one = [[0, 0], [0, 0]], [[0.25, 0], [0, 0]], [[1, 0], [0, 0]]
    result = times(profile, STREAMS, empty, few, one, [[0, 9], [3.5, 0]])
    assert np.all(np.isfinite(result.ns_per_byte)) and np.all(result.ns_per_byte > 0.0)
    assert result.ns_per_byte[1, LOCAL, READ] == result.ns_per_byte[2, LOCAL, READ]
    writer = times(profile, STREAMS, [[0, 1], [0, 0]]).ns_per_byte[0, :, WRITE]
    assert result.ns_per_byte[0] == pytest.approx(np.stack([result.ns_per_byte[2, :, READ], writer], axis=1))


def test_a_batch_is_its_rows(profile):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 20, (12, 2, 2)).astype(float)
    batch = node_times(profile, STREAMS, counts, dimms=4)
    for row in range(12):
        alone = node_times(profile, STREAMS, counts[row : row + 1], dimms=4)
        assert np.array_equal(batch.ns_per_byte[row], alone.ns_per_byte[0])


@pytest.mark.parametrize(
    ("counts", "more", "named"),
    [
        ([[1, 0]], {}, "counts"),
        ([[[-1, 0], [0, 0]]], {}, "counts"),
        ([[[np.nan, 0], [0, 0]]], {}, "counts"),
        ([[[1, 0], [0, 0]]], {"last_node": "mine"}, "last_node"),
        ([[[1, 0], [0, 0]]], {"entries_per_write": 5.0}, "entries_per_write"),
    ],
)
def test_wrong_arguments_are_refused(profile, counts, more, named):
    with pytest.raises(InputError, match=named):
        node_times(profile, SHORT, np.array(counts, dtype=float), dimms=6, **more)


def test_a_profile_of_one_node_is_refused():
    with pytest.raises(InputError, match=r"dram-ddr4.*directory of load"):
        times(load_profile("dram-ddr4"), SHORT, [[4, 0], [4, 0]])
