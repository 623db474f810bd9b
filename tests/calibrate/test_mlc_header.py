"""MLC's text says before its rows what they are of: buffer, caches, order, traffic, node, unit."""

import json

import pytest

from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.readers.cleaning import CACHED, TOO_SLOW
from pmtwin.calibrate.readers.mlc import (
    MIXED_LOAD,
    ONE_THREAD,
    OTHER_NODE,
    RANDOM_PEAK,
    SOME_CORES,
    TRAFFIC_UNKNOWN,
)
from pmtwin.calibrate.readers.mlc_header import caches_mib
from pmtwin.calibrate.readers.mlc_runs import SMALLER_BUFFER
from pmtwin.cli import main
from pmtwin.sim.errors import InputError

TITLE = "Intel(R) Memory Latency Checker - v3.10\n"


def idle(options: str, mib: float | None, ns: float, clocks: str = "base frequency clocks") -> str:
    """A run of --idle_latency; `mib`: of the buffer that it prints."""
    used = "" if mib is None else f"Using buffer size of {mib:.3f}MiB\n"
    command = f"Command line parameters: --idle_latency {options}\n\n"
    return f"{TITLE}{command}{used}Each iteration took {ns * 2.1:.1f} {clocks} (\t{ns}\tns)\n\n"


def matrix(
    options: str = "", traffic: str = "Using Read-only traffic type\n", unit: str = "MB/sec", mb=107000.1
) -> str:
    """A run of --bandwidth_matrix of one socket."""
    head = f"Command line parameters: --bandwidth_matrix {options}\n\n"
    head += "Measuring Memory Bandwidths between nodes within system\n"
    rows = f"\t\tNuma node\nNuma node\t     0\t\n       0\t{mb}\t\n\n"
    return f"{TITLE}{head}Bandwidths are in {unit} (see the readme)\n{traffic}{rows}"


@pytest.fixture
def told(reader_of):
    """Function of a text that gives its measurements; nothing of use is no error."""
    return reader_of("mlc.txt")


def latencies(read) -> list[float]:
    return [each.latency_ns for each in read.context.latencies]


def test_of_buffers_of_all_levels_the_one_of_memory_counts(shared_cases, tmp_path, capsys):
    case, output = shared_cases / "07-mlc-cache-levels", tmp_path / "device.json"
    read, _ = read_sources([case / "idle-by-buffer.txt"])
    assert latencies(read) == [96.9]
    assert read.dropped == {"buffer fits the caches (65.0469 MiB by the text)": 3}
    words = ["--prior", "family", "--media", "dram", "--dimms", "4", "-o", str(output)]
    assert main(["calibrate", *map(str, (case / "idle-by-buffer.txt", case / "few.csv")), *words]) == 0
    assert "idle-by-buffer.txt:6, 13, 20" in capsys.readouterr().out
    point = ["--operation", "load", "--pattern", "random", "--size", "64", "--threads", "1", "--json"]
    assert main(["predict", "--profile", str(output), *point]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["latency_ns"] == pytest.approx(97.0, rel=0.03)


@pytest.mark.parametrize(("options", "mib"), [("-c0 -L -b10m", 10), ("-c0 -L -b10m", None), ("-b200000", 195.312)])
def test_a_chosen_buffer_on_unknown_caches_counts_from_half_a_gib_on(told, options, mib):
    """The first is that of perf-book: 12.5 ns, of an L3."""
    read = told(idle(options, mib, 45.5) + idle("", 200.0, 86.1))
    assert latencies(read) == [86.1]
    assert read.dropped == {"buffer fits the caches (not stated, at most 512 MiB taken)": 1}
    assert latencies(told(idle("-b2g", 2048.0, 97.1))) == [97.1]


@pytest.mark.parametrize(
    ("line", "mib"),
    [
        ("L3 cache (64 MB shared)", 64.0),
        ("L3 cache:                    32768K", 32.0),
        ("L3:                           210 MiB (2 instances)", 105.0),
        ("L1d cache: 32K\nL2 cache: 1024K\nL3 cache: 36608K", 36.78125),
        ("cache size\t: 39424 KB", 38.5),
        ("CPU: 16 cores, 24 MB of L3", 24.0),
        ("Last level cache 1.5 GB", 1536.0),
        ("L1 cache (48 KB a core)\nL2 cache (1 MB a core)", None),
        ("Local Socket L2->L2 HIT latency 46.9", None),
        ("Buffer of 10 MB", None),
    ],
)
def test_caches_are_found_as_people_and_programs_state_them(line, mib):
    assert caches_mib(line.splitlines()) == mib


def test_the_caches_of_the_text_decide_on_a_buffer(told):
    stated = "L3 cache: 36 MiB\n"
    assert latencies(told(stated + idle("-b100m", 100.0, 86.1))) == [86.1]
    assert told(idle("-b100m", 100.0, 86.1) + matrix()).dropped.total() == 1
    assert latencies(told("L3 cache: 300 MiB\n" + idle("-b100m", 100.0, 60.1) + matrix())) == []


def test_of_buffers_above_the_caches_the_largest_counts(told):
    read = told(
        "L3 cache: 32 MB\n" + "".join(idle(f"-b{n}m", n, ns) for n, ns in ((50, 45.0), (1024, 90.0), (2048, 91)))
    )
    assert latencies(read) == [90.0, 91.0] and read.dropped == {SMALLER_BUFFER: 1}


def test_a_decimal_comma_in_the_buffer_is_no_thousand(told):
    text = idle("-b300m", 300.0, 86.1).replace("300.000", "300,000").replace("86.1", "86,1")
    assert latencies(told(f"L3: 32 MB\n{text}")) == [86.1]
    assert told(f"L3: 500 MB\n{text}{matrix()}").dropped.total() == 1


@pytest.mark.parametrize(
    ("options", "heading", "media", "pattern"),
    [
        ("-r", "", "pmem", "random"),
        ("", " for random access", "pmem", "random"),
        ("", " for sequential access", "pmem", "sequential"),
        ("", "", "pmem", "sequential"),
        ("", "", "dram", "random"),
        ("", " for sequential access", "", "random"),
    ],
)
def test_the_order_of_accesses_is_that_of_the_text_and_dram_serves_both_alike(told, options, heading, media, pattern):
    command = f"Command line parameters: --latency_matrix {options}\nMeasuring idle latencies{heading} (in ns)...\n"
    read = told(f"{TITLE}{command}Numa node 0\n       0\t171.2\n", media=media)
    assert [(each.pattern, each.latency_ns) for each in read.context.latencies] == [(pattern, 171.2)]
    stated = options == "-r" or "random" in heading
    assert any("sequential accesses" in note for note in read.context.notes) != stated


def test_the_kind_of_memory_that_another_file_states_counts_for_mlc_too(told, tmp_path, lattester_file):
    told(idle("", 200.0, 171.2))
    read, _ = read_sources([tmp_path / "mlc.txt", lattester_file({})])
    assert [each.pattern for each in read.context.latencies] == ["sequential"]


def test_prefetchers_that_cannot_be_turned_off_make_accesses_random(told):
    text = idle("", 200.0, 300.0).replace("Each", "*** So, enabling random access for latency measurements\nEach")
    (latency,) = told(text, media="pmem").context.latencies
    assert latency.pattern == "random"


@pytest.mark.parametrize(
    ("options", "traffic", "expected"),
    [
        ("", "Using Read-only traffic type\n", (1.0, False)),
        ("-W5", "", (0.5, False)),
        ("-W 6", "Using Read-only traffic type\n", (0.0, True)),
        ("-W10", "", (2 / 3, True)),
        ("", "Using traffic with 3:1 Reads-Writes\n", (0.75, False)),
        ("", "Using 2:1 Reads-Non Temporal Writes traffic\n", (2 / 3, True)),
    ],
)
def test_the_traffic_of_a_matrix_is_that_of_its_header(told, options, traffic, expected):
    (peak,) = told(matrix(options, traffic)).context.peaks
    assert (peak.read_share, peak.non_temporal) == (pytest.approx(expected[0]), expected[1])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("-W99", TRAFFIC_UNKNOWN),
        ("-r", RANDOM_PEAK),
        ("-k3", ONE_THREAD),
        ("-m 0x4", ONE_THREAD),
        ("-b1m", "buffer of each thread fits its share of the caches (not stated, at most 512 MiB taken)"),
    ],
)
def test_a_bandwidth_that_is_no_peak_is_dropped_with_the_reason(told, options, reason):
    read = told(matrix(options) + idle("", 200.0, 90.0))
    assert read.context.peaks == () and read.dropped == {reason: 1}


@pytest.mark.parametrize("options", ["-k1-", "-k", "-m", "-b", "-bx", "-j", "-i", "-c0 -i"])
def test_an_option_that_is_cut_off_states_nothing(told, options):
    read = told(matrix(options))
    assert len(read.context.peaks) == 1 and not read.dropped


def test_a_peak_of_some_cores_is_said_to_be_one(told):
    read = told(matrix("-k1-15"))
    assert len(read.context.peaks) == 1 and SOME_CORES in read.context.notes


@pytest.mark.parametrize(
    ("unit", "number", "mib_s"),
    [("GB/sec", 107.0, 107e9 / 2**20), ("GiB/s", 100.0, 102400.0), ("MB/sec", "107.0 GB/s", 107e9 / 2**20)],
)
def test_a_unit_that_is_stated_is_read(told, unit, number, mib_s):
    (peak,) = told(matrix(unit=unit, mb=number)).context.peaks
    assert peak.bandwidth_mib_s == pytest.approx(mib_s)


def test_gigabytes_under_a_heading_of_megabytes_are_named(told):
    read = told(matrix(mb=107.0) + idle("", 200.0, 90.0))
    assert read.context.peaks == () and "GiB/s or GB/s?" in next(iter(read.dropped))


def test_latency_under_a_load_of_writes_is_dropped_by_option_and_by_header(told):
    head = "Measuring Loaded Latencies for the system\n{}Inject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n=====\n"
    rows = " 00000\t131.12\t134910.4\n 00050\t122.98\t130704.2\n"
    for command, traffic in (("-W5", ""), ("", "Using 1:1 Reads-Writes traffic\n")):
        text = f"{TITLE}Command line parameters: --loaded_latency {command}\n{head.format(traffic)}{rows}"
        assert told(text + idle("", 200.0, 90.0)).dropped == {MIXED_LOAD: 2}
    turned = head.format("").replace("(ns)\tMB/sec", "GB/sec\t(ns)")
    (first, _) = told(f"{TITLE}{turned} 00000 134.9 131.12\n 00050 130.7 122.98\n").context.loaded
    assert (first.latency_ns, first.bandwidth_mib_s) == (131.12, pytest.approx(134.9e9 / 2**20))


def test_memory_of_another_node_than_that_of_the_first_run_does_not_count(told):
    read = told(idle("-c0 -j0", 200.0, 81.6) + idle("-c0 -j1", 200.0, 139.2) + idle("-c0 -i24", 200.0, 140.0))
    assert latencies(read) == [81.6] and read.dropped == {OTHER_NODE: 2}
    read = told(idle("-c0 -j2", 2000.0, 391.0) + matrix("-j2", mb=19489.0))
    assert latencies(read) == [391.0] and any("of node 2, as its options say" in note for note in read.context.notes)
    read = told(idle("-c4 -i0", 2000.0, 81.6))
    assert any("memory of the node of core 0, as its options say" in note for note in read.context.notes)


def test_peaks_of_two_machines_in_one_text_are_each_shared_among_its_own_sockets(told):
    peak = "Measuring Peak Injection Memory Bandwidths for the system\nALL Reads        :\t{}\n"
    nodes = "Measuring idle latencies (in ns)...\n       0\t81.6\t139.2\n       1\t139.6\t81.8\n"
    two, one = (TITLE + nodes + peak.format(200000.0), TITLE + nodes.rsplit("       1", 1)[0] + peak.format(90000.0))
    for text in (two + one, one + two):
        read = told(text.replace("81.6", "120.6", 1))
        assert sorted(round(each.bandwidth_mib_s * 2**20 / 1e6) for each in read.context.peaks) == [90000, 100000]
        assert any(note.startswith("warning: idle latencies of 81.6 to 120.6 ns") for note in read.context.notes)


@pytest.mark.parametrize(("factor", "reason"), [(0.001, TOO_SLOW), (1.0, None), (20.0, CACHED)])
def test_latencies_under_load_stand_or_fall_with_the_end_of_their_series(told, factor, reason):
    rows = [(0, 131.1, 134910.4), (50, 122.9, 130704.2), (700, 88.3, 13390.1), (20000, 82.2, 2229.8)]
    text = "".join(f" {delay:05d}\t{ns}\t{mb * factor:.1f}\n" for delay, ns, mb in rows)
    head = "Measuring Loaded Latencies for the system\nDelay\t(ns)\tMB/sec\n"
    read = told(f"{TITLE}{head}{text}{idle('', 200.0, 90.0)}", dimms=6)
    assert read.dropped == ({reason: 4} if reason else {}) and len(read.context.loaded) == (0 if reason else 4)


def test_peaks_of_unlike_machines_in_one_text_are_warned_of(told):
    notes = told(matrix(mb=107000.1) + matrix(mb=28000.1)).context.notes
    assert "warning: read peaks of a node of 26.08 to 99.65 GiB/s in one text: of several machines or nodes?" in notes
    assert not any("warning" in note for note in told(matrix(mb=107000.1) + matrix(mb=104000.1)).context.notes)


def test_a_text_of_caches_alone_says_so(told, tmp_path, capsys):
    told(idle("-b10m", 10.0, 12.5))
    assert main(["calibrate", str(tmp_path / "mlc.txt"), "--prior", "family", "--dry-run"]) == 2
    assert "1 dropped: buffer fits the caches (not stated, at most 512 MiB taken)" in capsys.readouterr().err


def test_a_heading_alone_is_cut_off(told):
    with pytest.raises(InputError, match="truncated"):
        told(f"{TITLE}Measuring idle latencies (in ns)...\n\t\tNuma node\n")
