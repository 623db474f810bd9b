"""Block devices: the table of the paper, what lacks there, and the time of an access alone."""

import pytest

from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.devices import CONFIGS, DEFAULT, DEVICES, TABLE_3, BlockDevice, devices_of

H, M, L = DEVICES["H"], DEVICES["M"], DEVICES["L"]


def test_an_access_alone_takes_latency_and_transfer():
    assert H.alone_ns(write=False, size=4096) == 10_000 + 4096 / 2.4
    assert M.alone_ns(write=True, size=8192) == 52_000 + 8192 / 0.51


def test_a_disk_seeks_unless_the_access_is_sequential():
    seek = L.alone_ns(False, 4096) - L.alone_ns(False, 4096, sequential=True)
    assert seek == pytest.approx(8.5e6 + 30e9 / 7200)


def test_a_disk_caches_writes_or_writes_them_at_once():
    assert L.alone_ns(True, 4096) == 100_000 + 4096 / 0.21
    assert L.alone_ns(True, 4096, cached=False) == L.alone_ns(False, 4096)


def test_servers_are_accesses_in_progress_by_little():
    servers = {name: (device.servers(False), device.servers(True)) for name, device in DEVICES.items()}
    assert servers == {"PMEM": (9, 1), "H": (6, 5), "M": (10, 2), "LSSD": (5, 1), "L": (1, 1)}


def test_what_the_table_lacks_is_named():
    assert H.source("read_gb_s") == TABLE_3
    assert M.source("read_iops") == DEFAULT  # the table's 895,000 cannot be
    assert all(hasattr(device, field) for device in DEVICES.values() for field in device.defaults)


def test_configurations_begin_with_their_fastest_device():
    for config in CONFIGS:
        times = [device.alone_ns(False, 4096) for device in devices_of(config)]
        assert times == sorted(times)
    assert devices_of("H+L") == devices_of("cost")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("perv", r"devices: 'perv' is not accepted; allowed: .*perf"),
        ("H+X", r"device: 'X'"),
        ("PMEM+H+M+LSSD+L", r"devices: .* allowed: 2 to 4 different devices"),
        ("H+H", r"2 to 4 different devices"),
        ("H", r"devices: 'H'"),
    ],
)
def test_a_configuration_that_is_none_is_refused(config, message):
    with pytest.raises(InputError, match=message):
        devices_of(config)


def test_a_device_without_bandwidth_is_refused():
    with pytest.raises(InputError, match="read_gb_s of device X: 0"):
        BlockDevice(name="X", read_gb_s=0, write_gb_s=1, read_us=1, write_us=1, capacity_gb=1)
