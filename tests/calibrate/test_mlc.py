"""Intel MLC's text: latencies of the local node, and under load."""

import re
from pathlib import Path

import pytest

from pmtwin.calibrate.context import LoadedLatency
from pmtwin.calibrate.latencies import fit_queue_line
from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.readers.mlc import NO_HEADING, NOT_MEASURED, OF_CACHES, OTHER_NODE, UNIT, UNREAD
from pmtwin.sim.errors import InputError

FIXTURES = Path(__file__).parent / "mlc"
LAYOUTS = {
    "mlc-3.1.txt": ([68.3], [50810, 50745, 47550, 46411, 43206, 42060], 6, 6),
    "mlc-3.9-cxl.txt": ([250.6], [22107, 20987, 20521, 18912, 21804], 6, 3),
    "mlc-3.11-two-runs.txt": ([104.2, 103.9], [306122, 274311, 268420, 261808, 251117, 304871, 270032], 5, 1),
}
"""File -> (idle latencies in ns, peaks of one node in MB/s, latencies under load, rows that are of no use)."""

OUTPUT = """Intel(R) Memory Latency Checker - v3.9
Measuring idle latencies (in ns)...
		Numa node
Numa node	     0	     1
       0	  81.6	 139.2
       1	 139.6	  81.8

Measuring Peak Injection Memory Bandwidths for the system
Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
Using all the threads from each core if Hyper-threading is enabled
Using traffic with the following read-write ratios
ALL Reads        :	215106.5
3:1 Reads-Writes :	198204.8
2:1 Reads-Writes :	196120.3
1:1 Reads-Writes :	181904.1
Stream-triad like:	183410.7

Measuring Memory Bandwidths between nodes within system
Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
Using all the threads from each core if Hyper-threading is enabled
Using Read-only traffic type
		Numa node
Numa node	     0	     1
       0	107618.4	34414.2
       1	34408.8	107744.1

Measuring Loaded Latencies for the system
Using all the threads from each core if Hyper-threading is enabled
Using Read-only traffic type
Inject	Latency	Bandwidth
Delay	(ns)	MB/sec
==========================
 00000	241.20	 214620.3
 00002	238.87	 214410.9
 00050	189.04	 206108.4
 00100	124.52	 159204.7
 00200	 98.31	  93110.6
 00700	 86.40	  29402.2
 20000	 82.11	   1560.9

Measuring cache-to-cache transfer latency (in ns)...
Local Socket L2->L2 HIT  latency	46.9
Local Socket L2->L2 HITM latency	47.1
"""


@pytest.fixture
def mlc_file(tmp_path):
    """Function of a text that writes it to a file, with the tabs that MLC prints at the ends of lines."""

    def write(text: str = OUTPUT) -> str:
        path = tmp_path / "mlc.log"
        path.write_text(re.sub(r"(?m)([\d.])$", r"\1\t", text))
        return path

    return write


def test_latencies_and_peaks_are_read(mlc_file):
    read, _ = read_sources([mlc_file()])
    assert len(read) == 0
    assert [(each.operation, each.pattern, each.latency_ns) for each in read.context.latencies] == [
        ("load", "random", 81.6)
    ]
    assert len(read.context.loaded) == 7
    assert read.context.loaded[0].bandwidth_mib_s == pytest.approx(214620.3e6 / 2**20 / 2)  # of two sockets
    peaks = [(each.read_share, each.non_temporal) for each in read.context.peaks]
    assert peaks == [(1, False), (1, False), (0.75, False), (2 / 3, False), (0.5, False), (2 / 3, True)]
    one_node = [round(each.bandwidth_mib_s * 2**20 / 1e6, 1) for each in read.context.peaks]
    assert one_node == [107618.4, 107553.2, 99102.4, 98060.1, 90952.1, 91705.4]  # of two sockets
    assert (read.sources[0].reader, read.sources[0].rows, read.sources[0].usable) == ("mlc", 18, 0)
    assert read.dropped == {OTHER_NODE: 2, OF_CACHES: 2}


def test_an_underflowed_latency_is_dropped(mlc_file):
    read, _ = read_sources([mlc_file(OUTPUT.replace("189.04", "18446744073709551615"))])
    assert read.dropped["latency underflowed: unphysical"] == 1
    assert len(read.context.loaded) == 6


@pytest.mark.parametrize(
    ("old", "new", "reason", "rows"),
    [
        ("(in ns)...\n\t", "(in clocks)...\n\t", UNIT, 1),
        ("Delay	(ns)	MB/sec", "Delay	(ns)	widgets", UNIT, 7),
        (" 00050	189.04	 206108.4", " 00050	189.04", UNREAD, 1),
        (" 00050	189.04	 206108.4", " 00050	slow	 206108.4", UNREAD, 1),
        ("ALL Reads        :	215106.5", "ALL Reads        :", UNREAD, 1),
        ("Measuring Loaded Latencies for the system", "", NO_HEADING, 7),
    ],
)
def test_another_unit_or_a_broken_line_costs_no_other(mlc_file, old, new, reason, rows):
    assert old in OUTPUT
    read, _ = read_sources([mlc_file(OUTPUT.replace(old, new))])
    assert read.dropped[reason] == rows and read.sources[0].rows == 18
    assert len(read.dropped.places[reason]) == rows


def test_a_cut_off_output_is_refused(mlc_file):
    with pytest.raises(InputError, match="truncated"):
        read_sources([mlc_file(OUTPUT[: OUTPUT.index("\t\tNuma node")])])


def test_the_time_of_a_line_is_found_again_from_latency_under_load():
    idle, line, peak = 170.0, 40.0, 14_000.0
    shares = [0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95]
    loaded = [LoadedLatency(idle + line * rho / (2 * (1 - rho)), rho * peak) for rho in shares]
    result, error = fit_queue_line(loaded)
    assert result == pytest.approx(line, rel=0.05) and error < 0.5


def test_idle_latency_alone_is_one_line(tmp_path):
    path = tmp_path / "idle.txt"
    head = "Intel(R) Memory Latency Checker - v3.9a\nCommand line parameters: --idle_latency\n\n"
    path.write_text(
        f"{head}Using buffer size of 200.000MiB\nEach iteration took 215.3 base frequency clocks (\t86.1\tns)\n"
    )
    read, _ = read_sources([path])
    assert [each.latency_ns for each in read.context.latencies] == [86.1]


@pytest.mark.parametrize("name", ["mlc-3.1.txt", "mlc-3.9-cxl.txt", "mlc-3.11-two-runs.txt"])
def test_layouts_of_several_versions_are_read(name):
    read, _ = read_sources([FIXTURES / name])
    context, (idle, peaks, loaded, dropped) = read.context, LAYOUTS[name]
    assert [each.latency_ns for each in context.latencies] == idle
    assert [round(each.bandwidth_mib_s * 2**20 / 1e6) for each in context.peaks] == peaks
    assert len(context.loaded) == loaded and sum(read.dropped.values()) == dropped
    assert read.sources[0].rows == len(idle) + len(peaks) + loaded + dropped


def test_runs_in_one_file_are_visits(tmp_path):
    read, _ = read_sources([FIXTURES / "mlc-3.11-two-runs.txt"])
    assert len({each.visit for each in read.context.latencies}) == 2


def test_bandwidths_alone_are_measurements(tmp_path):
    path = tmp_path / "bw.txt"
    path.write_text(
        "Intel(R) Memory Latency Checker - v3.11\nMeasuring Memory Bandwidths between nodes within system\n"
        "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n       0\t107000.1\n"
    )
    (peak,) = read_sources([path])[0].context.peaks
    assert (peak.read_share, round(peak.bandwidth_mib_s)) == (1.0, round(107000.1e6 / 2**20))


def test_a_maximum_without_a_matrix_is_of_one_socket_and_said_so(tmp_path):
    path = tmp_path / "max.txt"
    path.write_text(
        "Intel(R) Memory Latency Checker - v3.10\nMeasuring Maximum Memory Bandwidths for the system\n"
        "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\nALL Reads        :\t100000.0\t\n"
        "3:1 Reads-Writes :\t-\n"
    )
    read, _ = read_sources([path])
    assert len(read.context.peaks) == 1 and any("number of sockets" in note for note in read.context.notes)
    assert sum(read.dropped.values()) == 1


@pytest.mark.parametrize(
    "dressed",
    [
        lambda line: f"[ 12.345678] {line}",
        lambda line: f"2024-03-01T10:11:12Z {line}",
        lambda line: f"10:11:12.123 {line}",
        lambda line: f"\x1b[0m{line}\x1b[K",
        lambda line: f"> {line}\r",
        lambda line: f"| {line} |",
    ],
)
def test_what_logs_and_terminals_add_is_no_part_of_it(tmp_path, dressed):
    plain, path = FIXTURES / "mlc-3.1.txt", tmp_path / "dressed.txt"
    path.write_text("\n".join(map(dressed, plain.read_text().splitlines())))
    result, expected = (read_sources([each])[0].context for each in (path, plain))
    assert (result.peaks, result.loaded, result.notes) == (expected.peaks, expected.loaded, expected.notes)
    assert [each.latency_ns for each in result.latencies] == [each.latency_ns for each in expected.latencies]


def test_what_powershell_redirects_is_read(tmp_path):
    path = tmp_path / "wide.txt"
    path.write_text((FIXTURES / "mlc-3.1.txt").read_text(), encoding="utf-16")
    assert len(read_sources([path])[0].context.peaks) == 6
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="no whole text in UTF-16"):
        read_sources([path])


@pytest.mark.parametrize("dash", ["-", "\N{EN DASH}", "N/A"])
def test_any_dash_is_what_could_not_be_measured(tmp_path, dash):
    path = tmp_path / "dash.txt"
    path.write_text((FIXTURES / "mlc-3.1.txt").read_text().replace("101490.0", dash))
    read, _ = read_sources([path])
    assert read.dropped[NOT_MEASURED] == 1 and len(read.context.peaks) == 5


@pytest.mark.parametrize("before", ["", "[ 12.5] ", "[12:00:01] ", "A log, of MLC\n"])
def test_a_file_with_another_title_is_named_as_of_no_known_format(tmp_path, before):
    path = tmp_path / "mlc.txt"
    path.write_text(before + OUTPUT.replace("Intel(R) Memory Latency Checker", "Intel MLC"))
    with pytest.raises(InputError, match=r'has no known format \(text without .*Intel\(R\) Memory Latency Checker"'):
        read_sources([path])
