"""A table in the columns of `pmtwin predict` with what was measured."""

import pytest

from pmtwin.calibrate.context import Latency, LoadedLatency, Mix, Varied
from pmtwin.cli import main
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.errors import InputError

HEADER = "operation,pattern,access_size_bytes,threads,dimms,bandwidth_mib_s,latency_ns"
PLAIN = "random,64,6,8000,load,8,,,,,\n"
"""A row of use, beside those that are left out."""


@pytest.fixture
def tidy(reader_of):
    """Function of a table that writes it to a file and reads it."""
    return reader_of("tidy.csv")


def test_rows_are_bandwidths_latencies_or_both(tidy):
    rows = "load,random,64,1,6,300,305\nntstore,sequential,4096,8,6,9000,\nload,random,256,1,6,,330\n"
    read = tidy(f"{HEADER}\n{rows}", media="pmem")
    assert read.operation.tolist() == ["load", "ntstore"] and read.bandwidth_mib_s.tolist() == [300.0, 9000.0]
    assert read.context.latencies == (Latency("load", "random", 64, 305.0), Latency("load", "random", 256, 330.0))
    assert (read.sources[0].reader, read.sources[0].rows, read.sources[0].usable) == ("predict-table", 3, 2)
    assert read.context.media == "pmem" and read.context.notes == ()


def test_every_row_of_no_use_is_counted_with_its_reason(tidy):
    rows = "load,random,64,1,6,,\nload,random,64,8,6,,400\nload,random,64,8,6,9e9,\nload,random,32,8,6,100,\n"
    read = tidy(f"{HEADER}\n{rows}load,random,64,8,6,5000,400\n")
    assert len(read) == 1 and sum(read.dropped.values()) == 4 and len(read.dropped) == 4
    assert read.sources[0].rows == 5


def test_mixes_effects_and_latency_under_load_are_told(tidy):
    header = "operation,pattern,access_size_bytes,threads,read_threads,write_threads,write_operation,numa,stride_bytes"
    rows = (
        "mixed,random,256,,6,2,ntstore,,,5000,\n"
        "load,random,64,8,,,,remote,,3000,\n"
        "load,sequential,64,8,,,,,512,3000,\n"
        "load,sequential,64,8,,,,remote,512,3000,\n"
        "load,sequential,64,8,,,,,,8000,410\n"
    )
    read = tidy(f"{header},bandwidth_mib_s,read_latency_ns\n{rows}", dimms=8)
    assert read.context.mixes == (Mix("ntstore", "random", 256.0, 8.0, 8.0, 0.25, False, 5000.0),)
    assert read.context.varied == (
        Varied("load", "random", 64.0, 8.0, 8.0, 3000.0, "remote", True),
        Varied("load", "sequential", 64.0, 8.0, 8.0, 3000.0, "strides", 512.0),
    )
    assert read.context.loaded == (LoadedLatency(410.0, 8000.0),)
    assert len(read) == 1 and read.dropped == {"strides and remote at once: each effect is known by itself": 1}
    assert read.sources[0].rows == 5


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("load,8,,,,both,", "threads on both nodes at once"),
        ("load,8,,,,both,same", "threads on both nodes at once"),
        ("ntstore,8,,,,both,", "threads on both nodes at once"),
        ("mixed,,6,2,ntstore,both,", "threads on both nodes at once"),
        ("mixed,,6,2,ntstore,remote,", "remote of a mix: not covered by this law"),
        ("load,8,,,,remote,other", "reads of lines that the other NUMA node used last"),
    ],
)
def test_a_row_is_left_out_for_what_its_user_wrote(tidy, row, reason):
    header = "operation,threads,read_threads,write_threads,write_operation,numa,last_node"
    read = tidy(f"pattern,access_size_bytes,dimms,bandwidth_mib_s,{header}\nrandom,64,6,9000,{row}\n{PLAIN}")
    assert read.dropped == {reason: 1} and not read.context.varied and not read.context.mixes


def test_an_effect_that_an_operation_does_not_have_drops_no_row(tidy):
    header = "pattern,access_size_bytes,dimms,bandwidth_mib_s,operation,threads,numa,last_node"
    rows = "random,64,6,9000,ntstore,8,,other\nrandom,64,6,4000,ntstore,8,remote,other\n"
    read = tidy(f"{header}\n{rows}")
    assert read.bandwidth_mib_s.tolist() == [9000.0] and not read.dropped
    assert [varied.effect for varied in read.context.varied] == ["remote"]


def test_sides_of_a_mix_keep_what_is_their_own(tidy):
    header = "operation,pattern,access_size_bytes,read_threads,write_threads,write_operation,read_access_size_bytes"
    rows = (
        "mixed,random,256,6,2,ntstore,4096,sequential,,5000\n"
        "mixed,random,256,6,2,ntstore,4096,sequential,sequential,5000\n"
        "mixed,random,256,4,0,ntstore,4096,sequential,,5000\n"
        "mixed,random,64,6,2,ntstore,,,,4000\n"
    )
    read = tidy(f"{header},read_pattern,write_pattern,bandwidth_mib_s\n{rows}", dimms=8)
    at = {"threads": 8.0, "dimms": 8.0, "write_ratio": 0.25, "by_access": False, "bandwidth_mib_s": 5000.0}
    at |= {"write_operation": "ntstore", "access_size_bytes": 4096.0, "write_access_size_bytes": 256.0}
    assert read.context.mixes[:2] == (
        Mix(pattern="sequential", write_pattern="random", **at),
        Mix(pattern="sequential", write_pattern="sequential", **at),
    )
    assert read.context.mixes[2] == Mix("ntstore", "random", 64.0, 8.0, 8.0, 0.25, False, 4000.0)
    assert (read.pattern.tolist(), read.access_size_bytes.tolist()) == (["sequential"], [4096.0])


def test_what_is_assumed_or_left_out_is_noted(tidy):
    read = tidy("operation,pattern,access_size_bytes,threads,bandwidth_mib_s,host\nload,random,64,8,5000,a\n")
    assert read.dimms.tolist() == [6.0]
    assert [note.split(":")[0] for note in read.context.notes] == [
        "the number of DIMMs is not stated",
        "columns that were not used",
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"{HEADER}\nlaod,random,64,1,6,300,\n", r"tidy.csv:2: operation: 'laod'.*did you mean 'load'"),
        (f"{HEADER}\nload,random,64,1,6,fast,\n", r"tidy.csv:2: bandwidth_mib_s: 'fast'.*a number"),
        (f"{HEADER}\nload,random,64,0,6,300,\n", r"tidy.csv:2: threads: 0 "),
        (f"{HEADER}\nload,random,64,1,17,300,\n", r"tidy.csv:2: dimms: 17 .*1 to 16"),
        (HEADER.removesuffix("mib_s,latency_ns") + "gb_s\nload,random,64,1,6,3\n", "bandwidth_gb_s.*MiB/s"),
        (HEADER.replace("mib_s", "gb_s") + "\nload,random,64,1,6,3,97\n", "bandwidth_gb_s.* a unit that is not read"),
        (f"{HEADER},bandwidth_low_mib_s\nload,random,64,1,6,300,,250\n", "predictions, not measurements"),
        (HEADER.replace("threads", "thread") + "\nload,random,64,1,6,300,\n", "threads"),
        (HEADER.replace("access_size_bytes", "access_size") + "\nload,random,64,1,6,300,\n", "has 'access_size'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_what_to_do(tidy, text, named):
    with pytest.raises(InputError, match=named):
        tidy(text)


def test_an_empty_column_in_another_unit_costs_no_latencies(tidy):
    read = tidy(HEADER.replace("mib_s", "gb_s") + "\nload,random,64,1,6,,97\n")
    assert [latency.latency_ns for latency in read.context.latencies] == [97.0]


def test_calibrate_takes_the_table(tmp_path, capsys):
    device = load_profile()
    rows = [
        f"load,random,{size},{threads},6,{float(bandwidth_mib_s(device, 'load', 'random', size, threads)):.1f},"
        for size in (64, 256, 4096)
        for threads in (1, 4, 8, 16)
    ]
    table, profile = tmp_path / "mine.csv", tmp_path / "mine.json"
    table.write_text("\n".join([HEADER, *rows]) + "\n")
    assert main(["calibrate", str(table), "--media", "pmem", "--bootstrap", "0", "-o", str(profile)]) == 0
    assert "12 rows: 12 of bandwidth" in capsys.readouterr().out
    assert set(load_profile(profile).parameters) == {"load"}
