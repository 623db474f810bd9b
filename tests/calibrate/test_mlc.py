"""Intel MLC's text: latencies of the near node, and under load."""

import re

import pytest

from pmtwin.calibrate.context import LoadedLatency
from pmtwin.calibrate.latencies import fit_queue_line
from pmtwin.calibrate.readers import read_sources
from pmtwin.sim.errors import InputError

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


def test_latencies_are_read_and_bandwidths_of_unknown_threads_are_not(mlc_file):
    read, _ = read_sources([mlc_file()])
    assert len(read) == 0
    assert [(each.operation, each.pattern, each.latency_ns) for each in read.context.latencies] == [
        ("load", "random", 81.6)
    ]
    assert len(read.context.loaded) == 7
    assert read.context.loaded[0].bandwidth_mib_s == pytest.approx(214620.3e6 / 2**20)
    assert (read.sources[0].reader, read.sources[0].rows, read.sources[0].usable) == ("mlc", 8, 0)
    assert "unknown number of threads" in read.context.notes[0]


def test_an_underflowed_latency_is_dropped(mlc_file):
    read, _ = read_sources([mlc_file(OUTPUT.replace("189.04", "18446744073709551615"))])
    assert read.dropped == {"latency underflowed: unphysical": 1}
    assert len(read.context.loaded) == 6


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("(in ns)...", "(in clocks)...", "in ns, as MLC prints"),
        ("Bandwidths are in MB/sec", "Bandwidths are in GB/sec", "mlc.log:9: bandwidths"),
        ("Delay	(ns)	MB/sec", "Delay	(ns)	GB/sec", "columns in ns and MB/sec"),
        (" 00050	189.04	 206108.4", " 00050	189.04", "mlc.log:35: line.*at least 3 numbers"),
        (" 00050	189.04	 206108.4", " 00050	slow	 206108.4", "mlc.log:35: line.*at least 3 numbers"),
    ],
)
def test_another_unit_or_a_broken_line_is_named(mlc_file, old, new, named):
    assert old in OUTPUT
    with pytest.raises(InputError, match=named):
        read_sources([mlc_file(OUTPUT.replace(old, new))])


def test_a_cut_off_output_is_refused(mlc_file):
    with pytest.raises(InputError, match="truncated"):
        read_sources([mlc_file(OUTPUT[: OUTPUT.index("\t\tNuma node")])])


def test_the_time_of_a_line_is_found_again_from_latency_under_load():
    idle, line, peak = 170.0, 40.0, 14_000.0
    shares = [0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95]
    loaded = [LoadedLatency(idle + line * rho / (2 * (1 - rho)), rho * peak) for rho in shares]
    found, error = fit_queue_line(loaded)
    assert found == pytest.approx(line, rel=0.05) and error < 0.5


def test_idle_latency_alone_is_one_line(tmp_path):
    path = tmp_path / "idle.txt"
    head = "Intel(R) Memory Latency Checker - v3.9a\nCommand line parameters: --idle_latency\n\n"
    path.write_text(
        f"{head}Using buffer size of 200.000MiB\nEach iteration took 215.3 base frequency clocks (\t86.1\tns)\n"
    )
    read, _ = read_sources([path])
    assert [each.latency_ns for each in read.context.latencies] == [86.1]


def test_bandwidths_alone_are_refused_with_the_reason(tmp_path):
    path = tmp_path / "bw.txt"
    path.write_text(
        "Intel(R) Memory Latency Checker - v3.11\nMeasuring Memory Bandwidths between nodes within system\n"
        "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n       0\t107000.1\n"
    )
    with pytest.raises(InputError, match="unknown number of threads"):
        read_sources([path])
