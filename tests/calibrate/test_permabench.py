"""PerMA-Bench: its result file and the flattened table say the same and lose the same."""

import re

import pytest

from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.calibrate.readers.cleaning import COPY
from pmtwin.sim.errors import InputError
from tests.calibrate.made_permabench import CHAIN, CHAIN_RESULTS, CONFIG, LATENCY, WRITE, run


@pytest.mark.parametrize("kind", ["result_file", "table_file"])
def test_both_forms_give_the_same_measurements(kind, request):
    path = request.getfixturevalue(kind)(run(), run(WRITE), {"config": CHAIN, "results": CHAIN_RESULTS})
    read, _ = read_sources([path])
    assert read.operation.tolist() == ["load", "ntstore"]
    assert read.pattern.tolist() == ["random", "random"]
    assert read.bandwidth_mib_s == pytest.approx([9.925 * 1024] * 2)
    assert read.dimms.tolist() == [6, 6] and read.threads.tolist() == [4, 4]
    assert [(each.operation, each.latency_ns) for each in read.context.latencies] == [("load", 424)]
    assert read.context.media == "pmem"
    assert any("6 assumed" in note for note in read.context.notes)
    source = read.sources[0]
    assert (source.rows, source.usable) == (3, 2)


@pytest.mark.parametrize(
    ("instruction", "operation"),
    [
        ("nocache", "ntstore"),
        ("cache", "store_clwb"),
        ("none", "store"),
        ("ntstore", "ntstore"),
        ("clwb", "store_clwb"),
    ],
)
def test_each_way_of_persisting_is_an_operation(result_file, instruction, operation):
    read, _ = read_sources([result_file(run(WRITE | {"persist_instruction": instruction}))])
    assert read.operation.tolist() == [operation]


CACHED = {"bandwidth": 900.0, "accessed_bytes": None}


@pytest.mark.parametrize(
    ("config", "results", "reason"),
    [
        (WRITE | {"persist_instruction": "cacheinv"}, {}, "clflushopt"),
        ({"numa_pattern": "far"}, {}, "remote NUMA node"),
        ({"random_distribution": "zipf"}, {}, "skewed"),
        ({"exec_mode": "sequential_desc"}, {}, "descending"),
        ({"access_size": 32}, {}, "below a cache line"),
        ({"memory_range": 1 << 20}, {}, "memory_range of 1048576 B fits the CPU's cache"),
        ({}, CACHED, "above what the memory channels carry"),
        ({"prefault_file": False}, {}, "page faults"),
        ({"dram_operation_ratio": 0.5}, {}, "partly served by DRAM"),
        ({}, {"bandwidth": 0.0, "accessed_bytes": None}, "no finite number above 0"),
        ({}, {"bandwidth": float("nan"), "accessed_bytes": None}, "no finite number above 0"),
    ],
)
def test_a_run_of_no_use_is_counted_with_its_reason(result_file, config, results, reason):
    read, _ = read_sources([result_file(run(), run(config, results))])
    assert len(read) == 1
    ((result, count),) = read.dropped.items()
    assert reason in result and count == 1


def test_decimal_gigabytes_are_another_unit(result_file):
    decimal = run(results={"bandwidth": 9.925 * 1.0737})
    with pytest.raises(InputError, match=r"bandwidth: '1 of 1 rows impossible.*GiB/s"):
        read_sources([result_file(decimal)])


def test_runs_without_results_leave_the_others(result_file):
    read, _ = read_sources([result_file(run(), run() | {"results": {}})])
    assert len(read) == 1 and read.dropped == {"the run has no results": 1}


@pytest.mark.parametrize(
    ("chain", "median", "reason"),
    [
        ({"custom_operations": "rp_64,wp_64_cache"}, 429, "custom chain of accesses"),
        ({"number_threads": 16}, 458, "custom chain of accesses"),
        ({}, 18446744073709551000, "underflowed"),
        ({}, None, "without latencies"),
    ],
)
def test_only_a_single_dependent_read_of_one_thread_is_an_idle_latency(result_file, chain, median, reason):
    results = CHAIN_RESULTS | {"latency": LATENCY | {"median": median}}
    read, _ = read_sources([result_file(run(), {"config": CHAIN | chain, "results": results})])
    assert read.context.latencies == ()
    assert [reason in result for result in read.dropped] == [True]


def test_bandwidth_in_another_unit_is_refused(result_file):
    in_mib = run(results={"bandwidth": 9.925 * 1024})
    with pytest.raises(InputError, match=r"bandwidth: '1 of 2 rows impossible.*GiB/s"):
        read_sources([result_file(run(), in_mib)], ReadOptions())


def test_one_bandwidth_that_does_not_fit_its_bytes_is_dropped(result_file):
    fine = (run({"number_threads": count}) for count in (1, 2, 4))
    read, _ = read_sources([result_file(*fine, run(results={"bandwidth": 5.0}))])
    assert len(read) == 3 and read.dropped == {"bandwidth does not fit the bytes over the time": 1}


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"operation": "reads"}, "operation: 'reads'.*did you mean 'read'"),
        ({"exec_mode": "rand"}, "exec_mode: 'rand'"),
        ({"number_threads": None}, "number_threads is missing: a number"),
        ({"number_threads": 0}, "number_threads: 0"),
        ({"access_size": "big"}, "access_size: 'big' .* a number"),
        ({"access_size": "256"}, "access_size: '256' .* a number"),
        ({"access_size": 1e308}, r"access_size: 1e\+308 .* 1,099,511,627,776"),
        (WRITE | {"persist_instruction": None}, "persist_instruction"),
        ({"memory_type": "disk"}, "memory_type: 'disk'"),
    ],
)
def test_a_value_that_nothing_mends_costs_its_run_alone(result_file, config, named):
    read, _ = read_sources([result_file(run(), run(config), run(config | {"number_partitions": 2}))])
    ((reason, count),) = read.dropped.items()
    assert len(read) == 1 and count == 2 and re.search(named, reason)
    assert reason.startswith("results-2021-11-21.json: [0] random_reads[1]: ")
    with pytest.raises(InputError, match=named) as caught:
        read_sources([result_file(run(config))])
    assert "results-2021-11-21.json" in str(caught.value)


def test_result_files_may_be_appended(result_file):
    path = result_file(run())
    first = path.read_text()
    path.write_text(first + "\n" + result_file(run(), run({"number_threads": 8})).read_text())
    read = read_sources([path])[0]
    assert read.threads.tolist() == [4, 8] and dict(read.dropped) == {COPY: 1}


@pytest.mark.parametrize("broken", [{"config": CONFIG}, {"config": [], "results": {}}, 7])
def test_a_run_that_is_none_costs_itself_alone(result_file, broken):
    read, _ = read_sources([result_file(run(), broken)])
    assert len(read) == 1 and sum(read.dropped.values()) == 1
    with pytest.raises(InputError, match=r"results is missing|config: \[|run: 7"):
        read_sources([result_file(broken)])


def test_of_two_kinds_of_memory_the_user_chooses(result_file):
    path = result_file(run(), run({"memory_type": "dram", "number_threads": 8}))
    with pytest.raises(InputError, match=r"memory_type: 'dram, pmem' .* choose one with --media"):
        read_sources([path])
    read, _ = read_sources([path], ReadOptions(media="dram"))
    assert read.threads.tolist() == [8] and read.context.media == "dram"
    assert read.dropped == {"of another kind of memory than dram": 1}


def test_a_table_of_several_machines_wants_one_named(table_file):
    path = table_file(run(), run({"number_threads": 8}), hw=["Optane-128", "Optane-256"])
    with pytest.raises(InputError, match=r"--machine is missing: one of the file's machines, Optane-128, Optane-256"):
        read_sources([path])
    with pytest.raises(InputError, match="did you mean 'Optane-256'"):
        read_sources([path], ReadOptions(machine="Optane-25"))
    assert read_sources([path], ReadOptions(machine="Optane-256"))[0].threads.tolist() == [8]


def test_the_column_dimms_counts_before_the_option(table_file):
    path = table_file(run(), run(), dimms=[1, 4])
    assert read_sources([path], ReadOptions(dimms=2))[0].dimms.tolist() == [1, 4]
    assert read_sources([table_file(run())], ReadOptions(dimms=2))[0].dimms.tolist() == [2]
    with pytest.raises(InputError, match=r"flat.csv:2: dimms: 17"):
        read_sources([table_file(run(), dimms=[17])])


def test_the_fenced_writes_of_one_thread_tell_the_idle_latency_of_a_write(result_file):
    first = {"number_threads": 1, "access_size": 64, "persist_instruction": "cache"}
    speed = {"bandwidth": 64 / 560.0 * 1e9 / 2**30, "accessed_bytes": None}
    read, _ = read_sources([result_file(run(WRITE | first, speed), run(WRITE | first | {"number_threads": 4}))])
    (latency,) = read.context.latencies
    assert (latency.operation, latency.pattern, latency.access_size_bytes) == ("store_clwb", "random", 64)
    assert latency.latency_ns == pytest.approx(560.0)
    cached, _ = read_sources([result_file(run(WRITE | first | {"persist_instruction": "none"}, speed))])
    assert cached.context.latencies == ()
