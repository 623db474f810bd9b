"""The probe's JSON, as Google Benchmark writes it: cases of bandwidth, of mixes and of latency."""

import json
import re

import pytest

from pmtwin.calibrate.build import calibrate
from pmtwin.calibrate.context import DIMMS_ASSUMED
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.sim.errors import InputError

CONTEXT = {
    "date": "2026-11-20T10:00:00+00:00",
    "host_name": "host",
    "executable": "./probe",
    "num_cpus": 36,
    "mhz_per_cpu": 2600,
    "cpu_scaling_enabled": False,
    "caches": [{"type": "Data", "level": 1, "size": 32768, "num_sharing": 2}],
    "load_avg": [0.1, 0.2, 0.1],
    "library_build_type": "release",
    "json_schema_version": 1,
    "media": "pmem",
    "dimms": "6",
    "numa": "local",
    "fence_interval_bytes": "0",
}


def case(label: str = "operation=load pattern=random", threads: int = 4, **counters) -> dict:
    name = f"bandwidth/256/real_time/threads:{threads}"
    own = {"name": name, "family_index": 0, "per_family_instance_index": 0, "run_name": name, "run_type": "iteration"}
    own |= {"repetitions": 1, "repetition_index": 0, "threads": threads, "iterations": 4096, "real_time": 102.4}
    own |= {"cpu_time": 409.5, "time_unit": "ns", "label": label, "access_size_bytes": 256.0}
    return own | (counters or {"bandwidth_mib_s": 9925.0})


@pytest.fixture
def probe_file(tmp_path):
    """Function of cases (and changes to the context) that writes the probe's output."""

    def write(*cases: dict, **context) -> str:
        path = tmp_path / "probe.json"
        path.write_text(json.dumps({"context": CONTEXT | context, "benchmarks": list(cases)}, indent=2))
        return path

    return write


def test_cases_of_every_kind_are_read(probe_file):
    path = probe_file(
        case(),
        case("operation=store_clwb pattern=sequential", threads=2, bandwidth_mib_s=1500.0),
        case("operation=mixed pattern=random write_operation=ntstore", bandwidth_mib_s=5000.0, write_ratio=0.25),
        case("operation=load pattern=random", threads=1, latency_p50_ns=310.0, latency_p99_ns=620.0),
    )
    read, _ = read_sources([path])
    assert read.operation.tolist() == ["load", "store_clwb"]
    assert read.pattern.tolist() == ["random", "sequential"]
    assert read.threads.tolist() == [4, 2] and read.dimms.tolist() == [6, 6]
    assert read.bandwidth_mib_s.tolist() == [9925, 1500]
    (mix,) = read.context.mixes
    assert (mix.write_operation, mix.write_ratio, mix.by_access) == ("ntstore", 0.25, False)
    assert [each.latency_ns for each in read.context.latencies] == [310.0]
    assert read.context.media == "pmem" and read.context.notes == ()
    assert (read.sources[0].reader, read.sources[0].rows, read.sources[0].usable) == ("probe", 4, 2)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (case() | {"run_type": "aggregate", "aggregate_name": "median"}, "summary of repetitions"),
        (case() | {"error_occurred": True, "error_message": "no device"}, "the case failed"),
        (case(bandwidth_mib_s=2e6), "above what the memory channels carry"),
        (case(bandwidth_mib_s=0.0), "no finite number above 0"),
        (case(threads=1, latency_p50_ns=1.8446744073709552e19), "latency underflowed"),
        (case(threads=8, latency_p50_ns=400.0), "latency of several threads"),
    ],
)
def test_a_case_of_no_use_is_counted_with_its_reason(probe_file, broken, reason):
    read, _ = read_sources([probe_file(case(), broken)])
    assert len(read) == 1
    ((result, count),) = read.dropped.items()
    assert reason in result and count == 1


def test_the_context_says_what_was_measured(probe_file):
    remote, _ = read_sources([probe_file(case(), numa="remote")])
    assert len(remote) == 0 and remote.dropped == {"remote NUMA node": 1}
    fenced, _ = read_sources([probe_file(case(), media="dram", dimms="2", fence_interval_bytes="64")])
    assert fenced.context.media == "dram" and fenced.dimms.tolist() == [2]
    assert "fence after each access" in fenced.context.notes[0]


@pytest.mark.parametrize(
    ("broken", "named"),
    [
        (case("operation=loads pattern=random"), "operation: 'loads'.*did you mean 'load'"),
        (case("operation=load"), "pattern is missing"),
        (case("operation=mixed pattern=random write_operation=store", bandwidth_mib_s=1.0), "write_ratio is missing"),
        (case("operation=mixed pattern=random", bandwidth_mib_s=1.0, write_ratio=0.5), "write_operation is missing"),
        (case(bandwidth_mib_s="fast"), "bandwidth_mib_s: 'fast'"),
        (case(bandwidth_gib_s=9.7), "bandwidth_gib_s: 9.7 .* MiB/s"),
        (case(bytes_per_second=1e9), "a counter bandwidth_mib_s or latency_p50_ns"),
        (case(threads=0), "threads: 0"),
        (case(threads="4"), "threads: '4' .* a number"),
        (case(threads=2.5), "threads: 2.5 .* a whole number from 1 to 65,536"),
        (case(access_size_bytes="256", bandwidth_mib_s=9.0), "access_size_bytes: '256' .* a number"),
        (case(access_size_bytes=1e308, bandwidth_mib_s=9.0), r"access_size_bytes: 1e\+308 .* 1 to 1,099,511,627,776"),
        (case(access_size_bytes=10**400, bandwidth_mib_s=9.0), r"access_size_bytes: 10{100,}\.\.\. is not accepted"),
        (case(access_size_bytes=True, bandwidth_mib_s=9.0), "access_size_bytes: true"),
        (case(bandwidth_mib_s="9925.0"), "bandwidth_mib_s: '9925.0' .* a number"),
        (case(threads=1, latency_p50_ns="80"), "latency_p50_ns: '80' .* a number"),
        (case(bandwidth_mib_s=9.0, cpu_share="1.0"), "cpu_share: '1.0'"),
        (case(bandwidth_mib_s=9.0, stride_bytes="512"), "stride_bytes: '512'"),
        (case() | {"name": 5}, "name: 5 .* text"),
        (case() | {"label": ["operation=load"]}, r"label: \['operation=load'\] .* text"),
        (case() | {"run_type": "mean"}, "run_type: 'mean' .* aggregate, iteration"),
        (case() | {"error_occurred": "false"}, "error_occurred: 'false' .* true or false"),
        (case() | {"visit": "1"}, "visit: '1' .* a whole number"),
    ],
)
def test_a_value_that_nothing_mends_costs_its_case_alone(probe_file, broken, named):
    read, _ = read_sources([probe_file(case(), broken)])
    ((reason, count),) = read.dropped.items()
    assert len(read) == 1 and count == 1 and re.search(named, reason) and "benchmarks[1]" in reason
    with pytest.raises(InputError, match=named):
        read_sources([probe_file(broken)])


def test_another_schema_or_no_case_is_refused(probe_file):
    with pytest.raises(InputError, match="json_schema_version: 2"):
        read_sources([probe_file(case(), json_schema_version=2)])
    with pytest.raises(InputError, match="at least one case"):
        read_sources([probe_file()])
    with pytest.raises(InputError, match="json_schema_version: true"):
        read_sources([probe_file(case(), json_schema_version=True)])
    with pytest.raises(InputError, match=r"context.dimms: 17"):
        read_sources([probe_file(case(), dimms="17")])


@pytest.mark.parametrize(
    ("field", "value"),
    [("media", 5), ("media", None), ("numa", "Remote"), ("numa", None), ("fence_interval_bytes", "often")],
)
def test_a_context_that_does_not_say_what_was_measured_is_refused(probe_file, field, value):
    shown = " is missing" if value is None else f": {value!r}"
    with pytest.raises(InputError, match=rf"context\.{field}{shown}"):
        read_sources([probe_file(case(), **{field: value})])


def test_without_dimms_in_the_context_the_option_counts_or_an_assumption_is_noted(probe_file):
    path = probe_file(case())
    context = {name: value for name, value in CONTEXT.items() if name != "dimms"}
    path.write_text(json.dumps({"context": context, "benchmarks": [case()]}))
    assert read_sources([path], ReadOptions(dimms=4))[0].dimms.tolist() == [4]
    assert "6 assumed" in read_sources([path])[0].context.notes[0]


def test_a_number_of_dimms_that_nobody_told_the_probe_is_assumed_and_the_option_counts(probe_file):
    unasked = {"media": "dram", "dimms": 6.0, "probe": {"asked": {"dimms": None}}}
    for context in (unasked, unasked | {"dimms": None}):
        path = probe_file(case(), **context)
        assert read_sources([path])[0].context.notes == (DIMMS_ASSUMED,)
        told, _ = read_sources([path], ReadOptions(dimms=2))
        assert told.dimms.tolist() == [2] and not told.context.dimms_assumed
    for context in (unasked | {"media": "pmem"}, unasked | {"probe": {"asked": {"dimms": 6}}}):
        assert not read_sources([probe_file(case(), **context)])[0].context.notes


@pytest.mark.parametrize(
    ("counters", "reason"),
    [
        ({"stride_bytes": 4096.0}, "stride above the access size"),
        ({"fence_interval_bytes": 256.0}, "fences in between"),
        ({"cpu_share": 0.4}, "others had the processor"),
    ],
)
def test_a_case_that_is_no_plain_access_is_dropped(probe_file, counters, reason):
    plain = {"stride_bytes": 0.0, "fence_interval_bytes": 0.0, "cpu_share": 0.99, "bandwidth_mib_s": 9925.0}
    read, _ = read_sources([probe_file(case(**plain), case(**plain | counters))])
    assert len(read) == 1
    ((result, count),) = read.dropped.items()
    assert reason in result and count == 1


def test_a_chase_that_other_work_disturbed_leaves_the_single_loads(probe_file):
    single = case("operation=load pattern=random kind=latency", threads=1, latency_p50_ns=95.0)
    chase = case("operation=load pattern=random kind=chase", threads=1, latency_mean_ns=90.0, cpu_share=1.0)
    kept, _ = read_sources([probe_file(case(), single, chase)])
    assert [each.latency_ns for each in kept.context.latencies] == [90.0]
    lost, _ = read_sources([probe_file(case(), single, chase | {"cpu_share": 0.5})])
    assert [each.latency_ns for each in lost.context.latencies] == [95.0]


def test_two_probes_are_two_sessions_whose_distance_is_known(probe_file, tmp_path):
    paths = []
    for name, factor in (("first", 1.0), ("second", 1.3)):
        rows = [
            case(threads=threads, bandwidth_mib_s=factor * 900.0 * threads) | {"access_size_bytes": 256.0 * size}
            for threads in (1, 2, 4)
            for size in (1, 2, 4)
        ]
        paths.append(probe_file(*rows, probe={"probe_id": name}).rename(tmp_path / f"{name}.json"))
    profile = calibrate(read_sources(paths)[0], "two", "x", bootstrap=2).profile
    assert profile.intervals["sessions"]["load"] == {"log_half_width": pytest.approx(0.2624, abs=1e-3), "groups": 2}
    single, _ = read_sources([probe_file(case(), virtualised=True)])
    assert set(single.session) == {""} and any("virtual machine" in note for note in single.context.notes)


def test_a_profile_of_a_region_that_the_cache_may_serve_says_so(probe_file):
    caches = [{"level": 3, "size": 480 << 20}]
    small, _ = read_sources([probe_file(case(), caches=caches, memory={"region_bytes": 1920 << 20})])
    assert any("the cache may serve up to 25 %" in note for note in small.context.notes)
    large, _ = read_sources([probe_file(case(), caches=caches, memory={"region_bytes": 7680 << 20})])
    assert large.context.notes == ()
