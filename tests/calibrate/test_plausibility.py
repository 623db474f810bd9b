"""One range of bandwidths and latencies for every reader: what no memory has is dropped and counted with its line."""

import json

import pytest

from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.calibrate.readers.cleaning import CACHED, TOO_SLOW, bandwidth_fault, latency_fault
from pmtwin.calibrate.readers.plausibility import places_text
from pmtwin.cli import main
from pmtwin.sim.errors import InputError

HEADER = "operation,pattern,access_size_bytes,threads,dimms,bandwidth_mib_s,latency_ns\n"
DRAM = [("load,random,64,1", 5.9), ("load,random,4096,8", 46.0), ("load,sequential,4096,1", 14.0)]
DRAM += [("ntstore,sequential,4096,4", 21.2), ("store_clwb,random,256,8", 12.6)]
"""Bandwidths of a DRAM in GiB/s."""


@pytest.fixture
def table(tmp_path):
    """Function of rows of a table that writes it to a file."""

    def write(*rows: str):
        path = tmp_path / "rows.csv"
        path.write_text(HEADER + "".join(f"{row}\n" for row in rows))
        return path

    return write


def test_peaks_that_no_channel_carries_are_cached_and_the_latencies_stay(shared_cases, tmp_path, capsys):
    """An App Direct file system: 1.9 TB/s are of the caches."""
    case, output = shared_cases / "08-mlc-appdirect-impossible", tmp_path / "device.json"
    words = ["--prior", "family", "--media", "pmem", "--dimms", "6"]
    read, _ = read_sources([case / "mlc.txt"], ReadOptions(media="pmem", dimms=6))
    assert read.context.peaks == () and read.dropped[CACHED] == 6
    assert {each.latency_ns for each in read.context.latencies} == {171.2}
    assert main(["calibrate", str(case / "mlc.txt"), *words, "-o", str(output)]) == 0
    assert f"6  {CACHED}" in capsys.readouterr().out
    point = ["--operation", "load", "--pattern", "sequential", "--size", "4KiB", "--threads", "16", "--json"]
    assert main(["predict", "--profile", str(output), *point]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["bandwidth_mib_s"] < 6 * 24_414


def test_without_a_number_of_modules_a_peak_may_be_that_of_the_largest_socket(tmp_path):
    path = tmp_path / "mlc.txt"
    text = "Intel(R) Memory Latency Checker - v3.11\nMeasuring Memory Bandwidths between nodes within system\n"
    path.write_text(f"{text}Using Read-only traffic type\n       0\t564843.5\n")
    assert len(read_sources([path])[0].context.peaks) == 1
    assert read_sources([path], ReadOptions(dimms=4))[0].dropped == {CACHED: 1}
    assert read_sources([path], ReadOptions(media="pmem"))[0].dropped == {CACHED: 1}


@pytest.mark.parametrize("factor", [1.0, 1.0737])
def test_a_table_in_gib_or_gb_is_refused_by_name(table, factor):
    path = table(*(f"{point},4,{speed * factor:.2f}," for point, speed in DRAM))
    with pytest.raises(InputError, match=r"'5 of 5, such as rows.csv:2-6' are below .*GiB/s or GB/s\?.*MiB/s of all"):
        read_sources([path])


def test_a_mix_of_units_is_refused_by_its_lines(table):
    rows = [f"{point},4,{speed * 1024:.1f}," for point, speed in DRAM]
    rows += [f"{point},4,{speed:.1f}," for point, speed in DRAM[:3]]
    with pytest.raises(InputError, match=r"'3 of 8, such as rows.csv:7-9' are below"):
        read_sources([table(*rows)])


def test_one_row_in_another_unit_costs_no_other(table):
    rows = [f"{point},4,{speed * 1024:.1f}," for point, speed in DRAM]
    read, _ = read_sources([table(*rows, "load,random,4096,8,4,46.0,")])
    assert len(read) == 5 and read.dropped == {TOO_SLOW: 1}
    assert [place.rpartition(":")[2] for place in read.dropped.places[TOO_SLOW]] == ["7"]


def test_bytes_per_second_are_refused_with_the_prior_and_without(table, tmp_path, capsys):
    path = table(*(f"{point},4,{speed * 2**30:.0f}," for point, speed in DRAM))
    for words in ([], ["--prior", "family"]):
        assert main(["calibrate", str(path), *words, "--dry-run"]) == 2
        assert "KiB/s or bytes/s, or served by a cache?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("latency", "reason"),
    [
        (0.097, "not in ns"),
        (14.5, "of a cache"),
        (29.0, "of a cache"),
        (250_000, "above 10 us"),
        (1.8e19, "underflow"),
    ],
)
def test_a_latency_that_no_memory_has_is_dropped_beside_a_bandwidth_that_stays(table, latency, reason):
    read, _ = read_sources([table(f"load,random,64,1,4,6050,{latency}", f"load,random,64,1,4,,{latency}")])
    assert len(read) == 1 and read.context.latencies == ()
    assert [name for name in read.dropped if reason in name] and sum(read.dropped.values()) == 1
    assert any("left out of rows that are used otherwise: 1 of " in note for note in read.context.notes)
    assert (read.sources[0].rows, read.context.other_rows, read.context.both_rows) == (2, 0, 0)


def test_a_kept_latency_beside_a_bandwidth_of_no_use_makes_the_row_one_of_latencies(table):
    read, _ = read_sources([table("load,random,64,1,4,9e9,97", "load,random,64,2,4,9000,")])
    assert len(read) == 1 and [each.latency_ns for each in read.context.latencies] == [97.0]
    assert (read.sources[0].rows, read.context.other_rows, read.context.both_rows) == (2, 1, 0)
    assert CACHED in read.context.notes[0] and not read.dropped


@pytest.mark.parametrize(
    ("operation", "size", "slow", "fine"),
    [("load", 256, 240, 2008), ("load", 64, 60, 1126), ("store_clwb", 64, 15, 238), ("store", 4096, 70, 307)],
)
def test_the_slowest_measured_module_lies_far_above_the_floor(operation, size, slow, fine):
    assert bandwidth_fault(slow, size, 1.0, "pmem", operation) == TOO_SLOW
    assert bandwidth_fault(fine / 3.0, size, 1.0, "pmem", operation) == ""


def test_accesses_of_many_lines_may_take_as_long_as_their_bytes():
    assert latency_fault(10e6, "load", "sequential", 1 << 20) == ""
    assert latency_fault(10e6, "load", "sequential", 64) != ""


def test_lines_are_told_in_short():
    places = [f"/a/mlc.txt:{line}" for line in (12, 13, 14, 6, 20)] + ["b.csv:3"]
    assert places_text(places) == "mlc.txt:6, 12-14, 20, b.csv:3"
    assert places_text(places, most=2) == "mlc.txt:6, 12-14 and 2 more"
    assert places_text(["runs.json: [14] page_in[0]"]) == "-"
