"""Hard disks with their elevator: order, merges, expiry, times, and the same bits on both engines."""

from statistics import fmean

import numpy as np
import pytest

from pmtwin.sim.errors import InputError
from pmtwin.sim.stations.deadline import Deadline
from pmtwin.sim.stations.hard_disk import HardDisk
from tests.sim.stations.disks import MIB, READ, WRITE, Asked, compiled, drawn, specified

ONE_AT_A_TIME = HardDisk(drive_depth=1)
FAR = 1 << 33
"""Bytes that no seek is over quickly, and no merge joins."""


def order(asked, hard_disk=ONE_AT_A_TIME, **deadline):
    """Numbers of the requests in the order of their ends, the same on both engines."""
    ends, counters = specified(asked, hard_disk, Deadline(**deadline))
    assert compiled(asked, hard_disk, Deadline(**deadline)) == (ends, counters)
    return [number for _, number in ends]


@pytest.mark.parametrize("number", range(30))
def test_both_engines_give_the_same_bits_and_lose_nothing(number):
    rng = np.random.default_rng([number, 40])
    asked = drawn(rng)
    depth, patience = int(rng.integers(1, 32)), float(rng.choice([20.0, 2000.0]))
    hard_disk = HardDisk(drive_depth=depth, drive_patience_ms=patience)
    deadline = Deadline(
        slots=int(rng.choice([2, 16, 128])), fifo_batch=int(rng.choice([1, 4, 16])),
        read_expire_ms=float(rng.choice([5.0, 500.0])), write_expire_ms=float(rng.choice([20.0, 5000.0])),
        writes_starved=int(rng.integers(0, 4)), command_kib=int(rng.choice([8, 64, 1024])),
    )  # fmt: skip
    ends, counters = compiled(asked, hard_disk, deadline)
    assert specified(asked, hard_disk, deadline) == (ends, counters)
    assert sorted(who for _, who in ends) == list(range(len(asked)))
    kinds = [[each for each in asked if each.kind == kind] for kind in (READ, WRITE)]
    assert counters["came"] == counters["done"] == [len(each) for each in kinds]
    assert counters["bytes"] == [sum(each.length for each in some) for some in kinds]
    assert all(commands <= done for commands, done in zip(counters["commands"], counters["done"], strict=True))
    assert 0.0 <= counters["moving_ns"] <= counters["busy_ns"] <= ends[-1][0]
    transfer_ns = counters["busy_ns"] - counters["moving_ns"]
    rates = [count * cost for count, cost in zip(counters["bytes"], (1e3 / 113, 1e3 / 106), strict=True)]
    assert transfer_ns == pytest.approx(sum(rates), rel=1e-6)


def test_a_batch_goes_up_from_the_oldest_and_starts_again_with_the_oldest():
    places = [5, 7, 2, 9, 1, 6]
    asked = [Asked(float(number), place * FAR, 4096, WRITE) for number, place in enumerate(places)]
    # the first goes at once; then 7 and what is above it; then 2, the oldest left, and what is above
    assert [places[number] for number in order(asked)] == [5, 7, 9, 2, 6, 1]


def test_a_batch_ends_after_its_number_of_requests():
    places = [3, 1, 4, 9, 2, 8]
    asked = [Asked(float(number), place * FAR, 4096, WRITE) for number, place in enumerate(places)]
    read = Asked(25e6, 6 * FAR, 4096, READ)
    named = [*places, "read"]
    assert [named[number] for number in order([*asked, read], fifo_batch=3)] == [3, 1, 2, 4, "read", 9, 8]
    assert [places[number] for number in order(asked, fifo_batch=3)] == [3, 1, 2, 4, 8, 9]


def test_reads_are_first_until_writes_have_starved():
    asked = [Asked(0.0, 0, 4096, READ)]
    asked += [Asked(1.0, FAR, 4096, WRITE)]
    asked += [Asked(2.0 + number, (9 - number) * FAR, 4096, READ) for number in range(4)]
    assert order(asked, fifo_batch=1) == [0, 2, 3, 1, 4, 5]
    assert order(asked, fifo_batch=1, writes_starved=0) == [0, 1, 2, 3, 4, 5]


def test_what_has_expired_is_next():
    places = [1, 2, 3, 4, 5, 6]
    asked = [Asked(0.0, 9 * FAR, 4096, WRITE), Asked(1.0, 8 * FAR, 4096, WRITE)]
    asked += [Asked(2.0 + number, place * FAR, 4096, WRITE) for number, place in enumerate(places)]
    late = [Asked(60e6, FAR // 2, 4096, WRITE)]
    patient, hasty = (order(asked + late, fifo_batch=2, write_expire_ms=ms) for ms in (5000.0, 40.0))
    assert patient == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert hasty == patient, "the oldest is next already"
    asked = [Asked(0.0, 0, 4096, WRITE)] + [Asked(1.0, place * FAR, 4096, WRITE) for place in (5, 1, 2, 3, 4, 6)]
    patient, hasty = (order(asked, fifo_batch=1, write_expire_ms=ms) for ms in (5000.0, 0.0))
    assert patient == [0, 1, 6, 2, 3, 4, 5] and hasty == [0, 1, 2, 3, 4, 5, 6]


def test_requests_that_touch_are_one_command():
    first = [Asked(0.0, FAR, 4096, WRITE)]
    touching = [Asked(1.0 + number, place * 8192, 8192, WRITE) for number, place in enumerate((2, 3, 1, 5))]
    _, counters = specified(first + touching, ONE_AT_A_TIME, Deadline())
    assert counters["commands"] == [0, 3] and counters["done"] == [0, 5]
    ends, _ = compiled(first + touching, ONE_AT_A_TIME, Deadline())
    assert len({time for time, number in ends if number in (1, 2, 3)}) == 1
    small = specified(first + touching, ONE_AT_A_TIME, Deadline(command_kib=16))[1]
    assert small["commands"] == [0, 4], "three would be too large"


def test_requests_that_find_no_slot_wait_in_order():
    asked = [Asked(float(number), (9 - number) * FAR, 4096, WRITE) for number in range(6)]
    assert order(asked, slots=1) == [0, 1, 2, 3, 4, 5]


def test_data_in_order_pass_at_the_disks_rate():
    for kind, rate in ((READ, 113e6), (WRITE, 106e6)):
        asked = [Asked(0.0, number * MIB, MIB, kind) for number in range(50)]
        ends, _ = specified(asked, HardDisk(), Deadline())
        assert 50 * MIB / (ends[-1][0] * 1e-9) == pytest.approx(rate, rel=1e-6)


def test_a_read_that_goes_on_later_waits_for_no_rotation():
    asked = [Asked(0.0, 0, MIB, READ), Asked(1e9, MIB, MIB, READ), Asked(2e9, 2 * MIB, MIB, WRITE)]
    ends, _ = specified(asked, HardDisk(), Deadline())
    assert ends[1][0] - 1e9 == pytest.approx(MIB * 1e3 / 113)
    assert ends[2][0] - 2e9 > MIB * 1e3 / 106


def test_one_random_access_at_a_time_takes_mean_seek_half_a_rotation_and_transfer():
    rng = np.random.default_rng(7)
    places = rng.integers(0, 500 * 10**9 // 8192, 4000) * 8192
    asked = [Asked(1e8 * number, int(place), 8192, READ) for number, place in enumerate(places)]
    ends, _ = compiled(asked, HardDisk(), Deadline())
    times = [time - asked[number].at_ns for time, number in ends]
    assert fmean(times) * 1e-6 == pytest.approx(12.0 + 60e3 / 7200 / 2 + 8192e-3 / 113, rel=0.01)


def test_more_commands_in_the_drive_are_served_faster():
    rng = np.random.default_rng(8)
    places = rng.integers(0, 500 * 10**9 // 8192, 1000) * 8192
    asked = [Asked(0.0, int(place), 8192, WRITE) for place in places]
    disks = [(HardDisk(drive_depth=depth), Deadline(slots=depth)) for depth in (1, 8, 31)]
    last = [compiled(asked, *disk)[0][-1][0] for disk in disks]
    assert last[0] > 1.2 * last[1] > 1.2 * 1.1 * last[2]


def test_seeks_take_their_stated_times():
    disk = HardDisk()
    root, share = disk.seek_terms
    distance = np.abs(np.diff(np.random.default_rng(1).random((400_000, 2)))).ravel()
    assert np.mean(1.0 + root * np.sqrt(distance) + share * distance) == pytest.approx(12.0, rel=2e-3)
    assert 1.0 + root + share == pytest.approx(20.0)
    with pytest.raises(InputError, match=r"mean_seek_ms: 19\.0 is not accepted; allowed: 7\.33333 to 14\.9333 ms"):
        HardDisk(mean_seek_ms=19.0)
