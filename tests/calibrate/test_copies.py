"""What a file holds twice (`cat a a > b`) counts once, whichever reader; the rest is counted as copies."""

import json
from pathlib import Path

import pytest

from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.readers.cleaning import COPY
from tests.calibrate.made_fio import job, moved, printed
from tests.calibrate.test_probe import CONTEXT, case

MLC = [path.read_text() for path in sorted((Path(__file__).parent / "mlc").glob("*.txt"))]
TIDY = """operation,pattern,access_size_bytes,threads,bandwidth_mib_s
load,random,256,4,9925
load,random,256,8,17000
load,random,256,4,9925
"""
TABLE = """exec_mode,operation,persist_instruction,access_size,number_threads,bandwidth
random,read,,4096,4,9.5
random,read,,4096,8,12.5
"""
PROBE = json.dumps({"context": CONTEXT, "benchmarks": [case(), case(threads=1, latency_p50_ns=310.0)]}, indent=1)
FIO = printed(job("a", read=moved(7372800)))
FILES = {"mlc 3.1": MLC[0], "mlc 3.11": MLC[1], "mlc 3.9": MLC[2], "table": TIDY, "probe": PROBE, "fio": FIO}


@pytest.fixture
def read(tmp_path):
    """Function of text that gives what was measured, without places, and rows of no use by reason."""

    def run(text: str) -> tuple[tuple, dict]:
        (tmp_path / "x").write_text(text)
        measured, _ = read_sources([tmp_path / "x"])
        about = measured.context
        values = [(each.latency_ns,) for each in about.latencies]
        values += [(each.latency_ns, each.bandwidth_mib_s) for each in about.loaded]
        values += [(each.read_share, each.bandwidth_mib_s) for each in about.peaks]
        return (measured.threads.tolist(), measured.bandwidth_mib_s.tolist(), values), dict(measured.dropped)

    return run


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_a_file_appended_to_itself_is_measured_once(read, text, times):
    (once, dropped), (appended, counted) = read(text), read("\n".join([text] * times))
    assert appended == once
    rows = len(once[0]) + len(once[2]) + sum(dropped.values())
    assert counted == dropped | {COPY: (times - 1) * rows}


def test_another_run_of_mlc_between_two_copies_counts(read):
    first, other = (MLC[2].replace("250.6", latency) for latency in ("250.6", "250.7"))
    (appended, counted), (both, _) = read(f"{first}\n{other}\n$ ./mlc\n{first}"), read(f"{first}\n{other}")
    assert appended == both and counted[COPY] > 0
    assert {(250.6,), (250.7,)} <= set(appended[2])


def test_a_table_with_other_rows_behind_its_header_again_counts(read):
    (threads, *_), dropped = read(TIDY + TIDY.replace("9925", "9926"))
    assert len(threads) == 6 and COPY not in dropped
