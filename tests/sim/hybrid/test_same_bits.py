"""Both engines give the same bits, and lose nothing, whatever the options and whatever decides."""

import numpy as np
import pytest

from tests.sim.hybrid.storages import AnyMove, AnyPlan, random_case, started

SEEDS = range(40)


@pytest.fixture(params=SEEDS, scope="module")
def case(request):
    """Options and requests, and the readings and the policies' arrays of both engines after each of three windows."""
    options, pages = random_case(request.param)
    migrate = AnyPlan if request.param % 3 == 0 else AnyMove
    runs = [started(options, pages, engine, migrate()) for engine in ("compiled", "simpy")]
    windows = []
    for until in (50, 120, 400):
        for run, _ in runs:
            run.advance(until)
        windows.append([(run.reading(), *run.last(), run.device_of(), *_learned(policies)) for run, policies in runs])
    return options, pages, windows


def _learned(policies):
    """Copies of the arrays of both policies."""
    return [array.copy() for state in (policies.place, policies.migrate) for array in state.arrays]


def test_engines_agree_to_the_last_bit(case):
    _, _, windows = case
    for (reading, *columns), (specified, *expected) in windows:
        assert reading[:3] == specified[:3]
        for column, other in zip((*reading[3:], *columns), (*specified[3:], *expected), strict=True):
            assert column.dtype == other.dtype
            assert np.array_equal(column, other)


def test_pages_are_conserved(case):
    options, pages, windows = case
    devices = options.block_devices
    for reading, latency_ns, _, device_of, *arrays in (window[0] for window in windows):
        held, counts = np.bincount(device_of, minlength=len(devices)), reading.counts
        coming = reading.used - held  # on their way
        assert held.sum() == len(pages.home)
        assert (coming >= 0).all() and coming.sum() <= 1 + options.queue
        assert arrays[3][1] == counts["moves"]
        assert counts["promoted"] == 0 or options.reads == "promote"
        assert counts["evictions"] == 0 or options.full_device == "evict"
        most = round(options.fast / 100 * len(pages.home))
        assert all(used <= most << number for number, used in enumerate(reading.used[:-1]))
        assert reading.answered >= len(latency_ns)
        assert counts["promotions"] <= counts["moves"] and counts["ping_pong"] <= counts["moves"]
        assert (reading.busy_ns <= reading.now_ns).all()
        least = np.min([device.alone_ns(write, 512, True, True) for device in devices for write in (True, False)])
        assert latency_ns.min() >= least


def test_a_thread_that_waits_is_answered_in_its_order(case):
    options, pages, windows = case
    if options.arrivals == "open":
        return
    rows = windows[-1][0][2]
    for thread in range(pages.stream.threads):
        sent = np.flatnonzero(pages.stream.thread == thread)
        places = np.searchsorted(sent, rows[np.isin(rows, sent)])
        assert ((places[1:] - places[:-1]) % len(sent) == 1).all()
