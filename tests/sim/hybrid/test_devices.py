"""Block devices: the table of the paper, what lacks there, and the time of an access alone."""

import json
from dataclasses import replace

import pytest

from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.device_file import FORMAT, VERSION
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


def test_a_measured_device_takes_longer_after_a_pause():
    sleepy = replace(M, read_wake_us=40.0, wake_half_us=300.0)
    assert [sleepy.wake_ns(False, idle) for idle in (0.0, 3e5, 9e5)] == [0.0, 20e3, 30e3]
    assert sleepy.wake_ns(True, 1e9) == M.wake_ns(False, 1e9) == 0.0
    with pytest.raises(InputError, match=r"read_wake_us of device M: -1"):
        replace(M, read_wake_us=-1.0)


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
        ("perv", r"devices: 'perv' is not accepted; allowed: .*2 to 4 different devices.* \(did you mean 'perf'\?\)"),
        ("H+X", r"device: 'X'"),
        ("PMEM+H+M+LSSD+L", r"devices: .* allowed: 2 to 4 different devices"),
        ("H+H", r"2 to 4 different devices"),
        (
            "H",
            r"devices: 'H' is a single device; allowed: 2 to 4 different devices joined by \+, such as H\+M; or cost",
        ),
        ("mine.json", r"devices: 'mine.json' is a single device"),
    ],
)
def test_a_configuration_that_is_none_is_refused(config, message):
    with pytest.raises(InputError, match=message):
        devices_of(config)


def written(tmp_path, samples):
    """The file of a measured device, with samples."""
    device = {"name": "mine", "read_gb_s": 2.0, "write_gb_s": 1.0, "read_us": 10.0, "write_us": 12.0}
    record = {} if samples is None else {"samples": samples}
    head = {"format": FORMAT, "version": VERSION, "capacity_gb": 480.0, "record": record}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(head | device))
    return path


def test_a_sample_of_a_measured_device_is_named_by_its_number(tmp_path):
    path = written(tmp_path, [{"read_us": 9.0}, {"read_us": 11.0}])
    latencies = [devices_of(f"{path}{sample}+L")[0].read_us for sample in ("", "#0", "#1")]
    assert latencies == [10.0, 9.0, 11.0]


@pytest.mark.parametrize(
    ("samples", "number", "message"),
    [
        ([{}], "#1", r"mine.json: device_samples: 2 is not accepted; allowed: at most 1, the samples of the file"),
        (None, "#0", r"device_samples: 1 is not accepted; allowed: at most 0"),
        ([{}], "#x", r"device: '.*mine.json#x' is not accepted; allowed: FILE.json, H, L"),
        ([{}], "#-1", r"device: '.*mine.json#-1' is not accepted"),
        ([{}], "#", r"device: '.*mine.json#' is not accepted"),
        ([7], "#0", r"mine.json: record.samples\[0\]: 7 is not accepted; allowed: an object"),
        (7, "#0", r"mine.json: record.samples: 7 is not accepted; allowed: a list"),
        ([{"read_us": -1.0}], "#0", r"mine.json: read_us: -1.0 is not accepted"),
    ],
)
def test_a_sample_that_is_none_is_refused(tmp_path, samples, number, message):
    path = written(tmp_path, samples)
    with pytest.raises(InputError, match=message):
        devices_of(f"{path}{number}+L")


def test_a_device_without_bandwidth_is_refused():
    with pytest.raises(InputError, match="read_gb_s of device X: 0"):
        BlockDevice(name="X", read_gb_s=0, write_gb_s=1, read_us=1, write_us=1, capacity_gb=1)
