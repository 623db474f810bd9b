"""What requests ask for: kinds, sizes and stalls come in the shares that the workload and the profile say."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.scenarios.nvm_middleware.model.requests import Draws, draw_block
from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.parameters.values import resolve

COUNT = 50_000
KEY = np.uint64(5)


def draw(load: ClassWorkload, profile=None, first: int = 0, count: int = COUNT, **values: float) -> Draws:
    other = ClassWorkload(1, 0.0, 64, 64)
    model = build_model(profile or load_profile(), Workload("test", load, other), resolve(values), direct=False)
    return Draws(*draw_block(model.records, KEY, 0, first, count))


@pytest.mark.parametrize("write_ratio", [0.0, 0.2, 0.5, 1.0])
def test_writes_come_in_the_ratio_asked_for(write_ratio):
    kinds = draw(ClassWorkload(10, write_ratio, 64, 64)).kind
    assert kinds.mean() == pytest.approx(write_ratio, abs=0.008)
    assert set(kinds) <= {0, 1}


def test_inserts_and_removes_come_in_the_shares_of_the_writes():
    kinds = draw(ClassWorkload(10, 0.5, 64, 64, insert_share=0.3, remove_share=0.2)).kind
    shares = np.bincount(kinds, minlength=6) / COUNT
    assert shares == pytest.approx([0.5, 0.25, 0.0, 0.0, 0.15, 0.1], abs=0.008)


def test_shares_decide_which_of_the_writes_and_nothing_else():
    plain, split = draw(ClassWorkload(10, 0.5, 64, 64)), draw(ClassWorkload(10, 0.5, 64, 64, insert_share=1.0))
    assert np.array_equal(plain.kind == 1, split.kind == 4)
    assert not np.any(split.kind == 1)


def test_blocks_are_pieces_of_one_sequence():
    load = ClassWorkload(10, 0.5, 64, 900, 1e5)
    whole, piece = draw(load, count=300), draw(load, first=120, count=50)
    for all_of_it, part in zip(whole, piece, strict=True):
        assert all_of_it[120:170].tolist() == part.tolist()


def test_each_size_is_as_likely_as_any_other():
    sizes = np.arange(1.0, 257.0) * 16
    software = draw(ClassWorkload(10, 0.0, sizes, 64), get_software_ns=1_000, get_copy_ns_per_byte=0.5).software_ns
    drawn = np.round((software - 1_000) / 0.5 / 16).astype(int)
    assert sorted(set(drawn)) == list(range(1, 257))
    assert np.bincount(drawn)[1:].std() == pytest.approx(np.sqrt(COUNT / 256), rel=0.25)


def test_noise_leaves_the_mean_alone():
    read = ClassWorkload(10, 0.0, 1_000, 64)
    draws = draw(read, cpu_noise_sigma=0.5)
    assert draws.cpu_noise.mean() == pytest.approx(1.0, abs=0.01)
    quiet = load_profile()
    quiet = replace(quiet, tail=replace(quiet.tail, write_body_sigma=0.0))
    alone = draw(read, quiet).device_ns
    assert set(alone) == {alone[0]}
    assert draws.device_ns.mean() == pytest.approx(alone[0], rel=0.005)


def test_writes_of_many_lines_stall_and_reads_never():
    """A put of 64 KiB writes 512 lines and 5 more, a tenth of them to hot blocks."""
    profile = load_profile()
    stalls = draw(ClassWorkload(10, 1.0, 64, 65_536), profile, hot_write_share=0.1).stall_ns
    lines = 2 * 65_536 / 256 + 5
    long = stalls > 2 * profile.tail.rare_stall_high_ns
    assert long.mean() == pytest.approx(lines * profile.tail.stall_probability * 0.1, rel=0.15)
    assert stalls[long].mean() == pytest.approx(profile.tail.stall_ns, rel=0.01)
    assert draw(ClassWorkload(10, 0.0, 65_536, 64), profile, hot_write_share=1.0).stall_ns.max() == 0.0


def test_rarer_stalls_need_no_hot_blocks():
    tail = load_profile().tail
    stalls = draw(ClassWorkload(10, 1.0, 64, 65_536), hot_write_share=0.0, count=500_000).stall_ns
    assert np.mean(stalls > 0.0) == pytest.approx((2 * 65_536 / 256 + 5) * tail.rare_stall_probability, rel=0.2)
    assert tail.rare_stall_low_ns < stalls[stalls > 0.0].min()
    assert stalls.max() < tail.rare_stall_high_ns


def test_larger_values_stall_more_often():
    sizes = np.repeat([256.0, 1_048_576.0], 128)
    draws = draw(ClassWorkload(10, 1.0, 64, sizes))
    large = draws.device_ns > np.median(draws.device_ns)
    assert np.mean(draws.stall_ns[large] > 0.0) == pytest.approx(8192 * (0.1 * 6.25e-5 + 1e-6), rel=0.1)
    assert np.mean(draws.stall_ns[~large] > 0.0) < 0.001


def test_a_device_that_never_stalls_is_a_device_too():
    profile = load_profile("dram-ddr4")
    assert draw(ClassWorkload(10, 1.0, 64, 65_536), profile, hot_write_share=1.0).stall_ns.max() == 0.0
