"""LATTester's CSV: what is usable, why the rest is not, and what no cleaning mends."""

import gzip
import lzma
import re

import numpy as np
import pytest

from pmtwin.calibrate.readers import read_sources, reader_names
from pmtwin.sim.errors import InputError


def test_a_row_becomes_a_measurement(lattester_file):
    path = lattester_file(
        {"operation": "Store+Flush", "ewr": 0.91},
        {"operation": "NTStore", "interleaving": 0, "task_type": "StrideBW", "stride_size": 256, "avgpower": 18000},
    )
    read, skipped = read_sources([path])
    assert skipped == []
    assert read.operation.tolist() == ["store_clwb", "ntstore"]
    assert read.pattern.tolist() == ["random", "sequential"]
    assert read.dimms.tolist() == [6, 1]
    assert read.power_w.tolist() == [15, 18]
    assert read.bandwidth_mib_s.tolist() == [10545.0, 10545.0]
    assert read.effective_write_ratio[0] == 0.91


def test_a_budget_of_10000_is_the_default_of_15_watt(lattester_file):
    read, _ = read_sources([lattester_file({"avgpower": 10000}, {"avgpower": 12500})])
    assert read.power_w.tolist() == [15, 12.5]


def test_an_impossible_write_ratio_is_missing_not_wrong(lattester_file):
    read, _ = read_sources([lattester_file({"ewr": 0.005}, {"ewr": 7.0}, {"ewr": ""})])
    assert len(read) == 3 and not any(read.effective_write_ratio > 0)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"media": "ldram"}, "not persistent memory"),
        ({"local": 0}, "remote NUMA node"),
        ({"avgpower": 0}, "no power budget"),
        ({"tag": "f6b5"}, "fence after each access"),
        ({"task_type": "StrideBW", "stride_size": 0, "throughput": 2.3e6}, "served by the CPU cache"),
        ({"task_type": "StrideBW", "stride_size": 64}, "served by the CPU cache"),
        ({"task_type": "StrideBW", "stride_size": 4096}, "stride above the access size"),
        ({"access_size": 32}, "below a cache line"),
        ({"throughput": 0}, "no finite number above 0"),
        ({"throughput": "nan"}, "no finite number above 0"),
        ({"throughput": 2.3e6}, "unphysical"),
        ({"interleaving": 0, "throughput": 30_000}, "unphysical"),
        ({"throughput": 63.9 * 4}, "counter quantisation"),
    ],
)
def test_a_row_of_no_use_is_dropped_and_counted(lattester_file, row, reason):
    read, _ = read_sources([lattester_file(*[{}] * 9, row)])
    assert len(read) == 9
    ((result, count),) = read.dropped.items()
    assert reason in result and count == 1
    assert (read.sources[0].rows, read.sources[0].usable) == (10, 9)


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"throughput": "fast"}, "sweep.csv:2: throughput: 'fast' .* a number"),
        ({"threads": ""}, "sweep.csv:2: threads: '' .* a number"),
        ({"operation": "Loads"}, "sweep.csv:2: operation: 'Loads'.*did you mean 'Load'"),
        ({"task_type": "SeqBW"}, "sweep.csv:2: task_type: 'SeqBW'"),
        ({"ewr": "x"}, "sweep.csv:2: ewr: 'x' .* a number"),
    ],
)
def test_a_cell_that_nothing_mends_is_named_and_costs_no_other_row(lattester_file, row, named):
    with pytest.raises(InputError, match=named):
        read_sources([lattester_file(row)])
    read, _ = read_sources([lattester_file(row, {}, {})])
    ((reason, count),) = read.dropped.items()
    assert len(read) == 2 and count == 1 and re.search(named, reason)
    assert len(read.context.effect_tables[0].rows) == 2


@pytest.mark.parametrize("column", ["threads", "access_size", "interleaving", "avgpower", "stride_size", "local"])
@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "-1", "1.5"])
def test_a_number_that_its_column_cannot_hold_is_named_alone(lattester_file, column, cell):
    with pytest.raises(InputError, match=f"sweep.csv:2: {column}: '{cell}' is not accepted; allowed: ") as error:
        read_sources([lattester_file({column: cell})])
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("column", "cell"),
    [("threads", 0), ("access_size", 0), ("interleaving", 2), ("local", 2), ("avgpower", 9999), ("avgpower", 20_001)],
)
def test_a_number_just_outside_is_refused(lattester_file, column, cell):
    with pytest.raises(InputError, match=f"sweep.csv:2: {column}: '{cell}'"):
        read_sources([lattester_file({column: cell})])


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "-1"])
def test_impossible_throughput_is_dropped_and_counted(lattester_file, cell):
    read, _ = read_sources([lattester_file(*[{}] * 9, {"throughput": cell})])
    assert dict(read.dropped) == {"bandwidth is no finite number above 0": 1}
    assert len(read) == 9


@pytest.mark.parametrize("cell", ["nan", "inf", "-1"])
def test_an_impossible_write_ratio_never_reaches_the_fit(lattester_file, cell):
    read, _ = read_sources([lattester_file({"ewr": cell}, {"throughput": 10545.5, "ewr": 0.5})])
    assert np.isnan(read.effective_write_ratio).tolist() == [True, False]
    assert read.bandwidth_mib_s[1] == 10545.5


def test_throughput_in_another_unit_is_refused(lattester_file):
    with pytest.raises(InputError, match=r"'2 of 4, such as sweep.csv:4-5' are below that of any memory: GiB/s or"):
        read_sources([lattester_file({}, {}, {"throughput": 10.5}, {"throughput": 10.7})])


def test_a_missing_column_is_named(lattester_file):
    header = "access_size,avgpower,interleaving,media,operation,stride_size,task_type,throughput"
    with pytest.raises(InputError, match="a header without threads"):
        read_sources([lattester_file({}, header=header)])


def test_a_folder_gives_its_measurements_and_names_the_rest(lattester_file, tmp_path):
    path = lattester_file({}, {})
    (tmp_path / "more.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    path = lattester_file({}, {"threads": 8})
    (tmp_path / "other.csv").write_text("a,a\n1,2\n")
    (tmp_path / "notes.txt").write_text("no table")
    for name, content in (("empty.csv", b""), ("page.csv", b"<html>"), ("cut.csv.xz", lzma.compress(bytes(99))[:30])):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "most.csv.xz").write_bytes(lzma.compress(lattester_file({}, {"threads": 6}).read_bytes()))
    path = lattester_file({}, {"threads": 8})
    read, skipped = read_sources([tmp_path])
    assert len(read) == 6
    assert skipped == [
        "cut.csv.xz (is truncated or damaged (Compressed file ended before the end-of-stream marker was reached))",
        "empty.csv (is empty)",
        "notes.txt",
        "other.csv",
        "page.csv (is a web page or XML)",
    ]
    assert [source.name for source in read.sources] == ["more.csv.gz", "most.csv.xz", "sweep.csv"]


def test_a_copy_does_not_count_as_a_second_measurement(lattester_file, tmp_path):
    path = lattester_file({}, {})
    (tmp_path / "copy").write_bytes(gzip.compress(path.read_bytes()))
    read, skipped = read_sources([path, tmp_path / "copy"])
    assert len(read) == 2 and skipped == ["copy (same content as sweep.csv)"]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "empty"),
        (b"\x00\x01", "binary"),
        (b"a,b\n1,2\n", "without the marks of any format"),
        (b"access_size,avgpower\n64", "truncated"),
    ],
)
def test_a_file_that_is_no_sweep_is_refused(content, named, tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=named):
        read_sources([path])


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_sources([tmp_path / "none.csv"])
    with pytest.raises(InputError, match="files that end in"):
        read_sources([tmp_path])
    broken = tmp_path / "x.csv.gz"
    broken.write_bytes(gzip.compress(b"a,b\n" * 100)[:-9])
    with pytest.raises(InputError, match="is truncated or damaged"):
        read_sources([broken])


def test_the_formats_are_listed():
    assert reader_names() == [
        "fio",
        "lattester",
        "mlc",
        "permabench-json",
        "permabench-mixes",
        "permabench-table",
        "predict-table",
        "probe",
    ]


@pytest.mark.parametrize("written", ['"10,545.0"', '"10545,0"', '"10.545,0"', "10\N{NARROW NO-BREAK SPACE}545"])
def test_numbers_are_read_as_spreadsheets_of_any_country_write_them(lattester_file, written):
    read, _ = read_sources([lattester_file({"throughput": written}, {"throughput": written})])
    assert read.bandwidth_mib_s.tolist() == [10545.0, 10545.0]
