"""Remote DRAM: a factor on each access, and a link that carries so much."""

import numpy as np
import pytest

from pmtwin.calibrate.effects import fit_effects
from pmtwin.calibrate.effects.remote_dram import remote_of_dram
from pmtwin.calibrate.effects.rows import read_effect_tables
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.effects.remote import linked_mib_s
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.files.csv_table import parse_table

HEADER = "access_size,avgpower,interleaving,media,operation,stride_size,task_type,threads,throughput\n"
THREADS = (1, 2, 4, 8, 16)
SIDES = {"read": "load", "write": "ntstore"}


@pytest.fixture(scope="module")
def profile():
    return load_profile("dram-ddr4")


def sweep(rows):
    return parse_table((HEADER + "".join(rows)).encode(), "sweep.csv", field="--effects")


def made(factor, link, sizes=(64, 256, 4096), operation="Load"):
    """LATTester's rows of both nodes' DRAM."""
    rows = []
    for size in sizes:
        for threads in THREADS:
            local = 5000.0 * threads * (size / 256) ** 0.05
            for media, speed in (("ldram", local), ("rdram", linked_mib_s(local / factor, link))):
                rows.append(f"{size},0,1,{media},{operation},0,RandBW,{threads},{speed}\n")
    return sweep(rows)


def bandwidth(profile, threads, **more):
    columns = {"operation": "load", "pattern": "random", "access_size_bytes": 4096.0, "dimms": 6.0, "power_w": 15.0}
    points = {name: np.full(len(threads), value) for name, value in (columns | more).items()}
    return predict(profile, points | {"threads": np.array(threads, dtype=float)})["bandwidth_mib_s"]


def test_the_factor_and_the_link_that_made_the_sweep_come_back():
    entry = remote_of_dram("load", [made(1.7, 30_000.0)])
    assert entry["parameters"]["time_factor"] == pytest.approx(1.7, rel=1e-3)
    assert entry["link_mib_s"] == pytest.approx(30_000.0, rel=1e-3)
    assert entry["fitted_range"][0]["threads"] == [1.0, 16.0]


def test_few_pairs_and_other_operations_tell_nothing():
    assert remote_of_dram("load", [made(1.7, 30_000.0, sizes=(64, 256))]) is None
    assert remote_of_dram("ntstore", [made(1.7, 30_000.0)]) is None
    assert remote_of_dram("load", []) is None


def test_only_dram_learns_of_dram(profile):
    tables = [made(1.7, 30_000.0)]
    assert list(fit_effects(profile, tables, media="dram")["remote"]) == ["load"]
    assert "remote" not in fit_effects(profile, tables, media="pmem")


def test_strides_of_persistent_memory_tell_nothing_of_dram(profile):
    speeds = {(256 << i, t): 1500.0 * t / (1.0 + 0.3 * i) for i in range(6) for t in (1, 2, 4, 8)}
    rows = [f"64,15000,1,lpmem,Load,{stride},StrideBW,{t},{speed}\n" for (stride, t), speed in speeds.items()]
    assert "strides" in fit_effects(profile, [sweep(rows)], media="pmem")
    assert not fit_effects(profile, [sweep(rows)], media="dram")


def test_the_shipped_profile_is_what_the_sweep_measured(profile, shared_data):
    path = shared_data / "optane/lattester_bandwidth.csv"
    if not path.is_file():
        pytest.skip("the published measurements are not in ../shared/data")
    tables = read_effect_tables([path])
    for operation, theirs in profile.effects["remote"].items():
        entry = remote_of_dram(operation, tables)
        assert entry["parameters"] == pytest.approx(theirs["parameters"], rel=1e-3)
        assert entry["link_mib_s"] == pytest.approx(theirs["link_mib_s"], rel=1e-3)
        assert entry["errors_percent"][0][0] < 3.0  # out of fold


def test_few_threads_have_the_factor_and_many_the_link(profile):
    entry = profile.effects["remote"]["load"]
    local, remote = bandwidth(profile, [1, 32]), bandwidth(profile, [1, 32], remote=1.0)
    assert local[0] / remote[0] == pytest.approx(entry["parameters"]["time_factor"], rel=1e-3)
    assert 0.9 * entry["link_mib_s"] < remote[1] < entry["link_mib_s"] < local[1] / entry["parameters"]["time_factor"]


@pytest.mark.parametrize("remote", [0.5, 1.0])
@pytest.mark.parametrize("operation", ["load", "ntstore"])
def test_dimms_that_are_not_interleaved_share_the_link(profile, operation, remote):
    at = {"access_size_bytes": 1024.0, "operation": operation, "remote": remote}
    threads = [4, 12, 24, 48]
    separate, together = (bandwidth(profile, threads, interleaved=whole, **at) for whole in (False, True))
    entry = profile.effects["remote"][operation]
    local = bandwidth(profile, threads, **(at | {"remote": 0.0, "interleaved": False}))
    over_link = linked_mib_s(remote * local / entry["parameters"]["time_factor"], entry["link_mib_s"])
    assert separate == pytest.approx((1.0 - remote) * local + over_link)
    assert np.all(remote * over_link < entry["link_mib_s"])
    assert operation == "ntstore" or np.all(separate <= together)  # separate DIMMs take more local writes, too


def test_a_mix_uses_both_directions_of_the_link(profile):
    more = {"access_size_bytes": 256.0, "operation": "mixed", "write_operation": "ntstore", "remote": 1.0}
    columns = {"pattern": "random", "dimms": 6.0, "power_w": 15.0, "read_threads": 24.0, "write_threads": 24.0}
    result = predict(profile, {name: np.array([value]) for name, value in (columns | more).items()})
    links = {side: profile.effects["remote"][name]["link_mib_s"] for side, name in SIDES.items()}
    assert all(result[f"{side}_bandwidth_mib_s"][0] < link for side, link in links.items())
    assert links["read"] < result["bandwidth_mib_s"][0] < sum(links.values())


def test_half_of_the_threads_load_the_link_by_half(profile):
    entry, local = profile.effects["remote"]["load"], bandwidth(profile, [4, 32])
    both = bandwidth(profile, [4, 32], remote=0.5)
    over_link = linked_mib_s(0.5 * local / entry["parameters"]["time_factor"], entry["link_mib_s"])
    assert both == pytest.approx(0.5 * local + over_link)
