"""A file is known by its content; one that is cut off, binary or of no format is refused by name."""

import gzip
import json
import os

import pytest

from pmtwin.calibrate.context import Context, join_contexts
from pmtwin.calibrate.readers import read_sources
from pmtwin.sim.errors import InputError

PERMABENCH = [{"bm_name": "random_reads", "bm_type": "single", "benchmarks": []}]
FIO = {"fio version": "fio-3.28", "jobs": [{"jobname": "a", "read": {"bw": 0}, "write": {"bw": 0}}]}
PROBE = {"context": {}, "benchmarks": [{"name": "a", "run_type": "aggregate"}]}
MLC = "Intel(R) Memory Latency Checker - v3.9\nMeasuring idle latencies (in ns)...\n       0\t  81.6\t\n"


@pytest.mark.parametrize(
    ("content", "reader"),
    [
        (json.dumps(PERMABENCH), "permabench-json"),
        (json.dumps(FIO), "fio"),
        (json.dumps(PROBE), "probe"),
        (MLC, "mlc"),
    ],
)
@pytest.mark.parametrize("name", ["x.csv", "x.json", "x"])
def test_the_name_of_a_file_does_not_matter(tmp_path, content, reader, name):
    path = tmp_path / name
    path.write_text(content)
    assert read_sources([path])[0].sources[0].reader == reader


@pytest.mark.parametrize(
    ("before", "value"), [("", PERMABENCH), ("", FIO), ("", PROBE), ("fio: a warning\nfio-3.28\n", FIO)]
)
def test_json_that_was_cut_off_is_named_with_its_line(tmp_path, before, value):
    path = tmp_path / "cut.json"
    text = before + json.dumps(value, indent=1)
    path.write_text(text[: len(text) - 8])
    with pytest.raises(InputError, match=r"source: '.*cut.json' is cut off at its end, line \d+; "):
        read_sources([path])


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "empty"),
        (b"  \n\n", "empty"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is a picture"),
        (b"\xc3({}", "UTF-8"),
        (b"a;b\n1;2\n", "semicolons between the columns"),
        (b"fence_size,clwb_size,throughput,access_size,threads,op,interleaving\n1,1,1,1,1,1,1\n", "with --effects"),
        (b"[" * 100_000, "too deeply nested"),
        (b'{"a": 1}', "JSON of another kind"),
        (b"just a text\n", "without the marks of any format"),
        (b"a" * 200_000, "without the marks of any format"),
        (b"sep=,\r\noperation,pattern,access_size_bytes\r\n", "the header is in line 2: remove the lines before it"),
        (b"Operation,Pattern,access_size_bytes\n", "'Operation' is operation, 'Pattern' is pattern"),
    ],
)
def test_a_file_of_no_format_is_refused(tmp_path, content, named):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=named) as caught:
        read_sources([path])
    assert "x.json" in str(caught.value)


def test_a_missing_column_is_named_by_the_nearest_format(tmp_path):
    path = tmp_path / "flat.csv"
    path.write_text(
        "cfg_exec_mode,cfg_memory_type,cfg_access_size,cfg_operation,cfg_persist_instruction,res_bandwidth\n"
    )
    path.write_text(path.read_text() + "random,pmem,64,read,,1.6\n")
    with pytest.raises(InputError, match="a header without cfg_number_threads"):
        read_sources([path])


def test_one_profile_is_of_one_kind_of_memory():
    assert join_contexts([Context("pmem"), Context("")]).media == "pmem"
    with pytest.raises(InputError, match=r"'dram, pmem' .* one kind of memory"):
        join_contexts([Context("pmem"), Context("dram")])


def test_notes_that_two_files_share_are_told_once():
    assert join_contexts([Context(notes=("a", "b")), Context(notes=("b",))]).notes == ("a", "b")


def test_gzip_is_known_by_its_content_too(tmp_path):
    path = tmp_path / "results"
    path.write_bytes(gzip.compress(MLC.encode()))
    assert read_sources([path])[0].sources[0].reader == "mlc"


def test_a_pipe_is_a_source(shared_cases):
    path = shared_cases / "34-pipe-inputs" / "few.csv"
    reader, writer = os.pipe()
    os.write(writer, gzip.compress(path.read_bytes()))
    os.close(writer)
    piped, plain = (read_sources([source])[0] for source in (f"/dev/fd/{reader}", path))
    os.close(reader)
    assert piped.bandwidth_mib_s.tolist() == plain.bandwidth_mib_s.tolist() and len(plain) == 5
    assert [source.name for source in piped.sources] == [str(reader)]


def test_a_pipe_that_nobody_writes_into_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr("pmtwin.sim.files.input_file.WAIT_SECONDS", 0.05)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="a pipe without a writer"):
        read_sources([tmp_path / "pipe"])


def test_mlc_text_beside_the_json_of_fio_is_read_too(tmp_path):
    job = {"bw": 4096000, "bw_bytes": 4194304000, "io_bytes": 41943040000, "total_ios": 10240000, "runtime": 10000}
    options = {"ioengine": "mmap", "rw": "randread", "bs": "4k", "size": "4g"}
    empty = {"bw": 0, "bw_bytes": 0, "io_bytes": 0, "total_ios": 0, "runtime": 0}
    fio = FIO | {"jobs": [{"jobname": "a", "groupid": 0, "read": job, "write": empty, "job options": options}]}
    path = tmp_path / "all.txt"
    path.write_text(f"{MLC}\n$ fio job.fio\n{json.dumps(fio, indent=1)}\n$ exit\n")
    read, _ = read_sources([path])
    assert read.sources[0].reader == "fio, mlc" and len(read) == 1
    assert [each.latency_ns for each in read.context.latencies] == [81.6]
    assert (read.sources[0].rows, read.context.other_rows) == (2, 1)
