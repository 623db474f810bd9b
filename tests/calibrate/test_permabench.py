"""PerMA-Bench: its result file, the flattened table and the mixes say the same and lose the same."""

import json
import re

import numpy as np
import pytest

from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.calibrate.readers.cleaning import COPY
from pmtwin.sim.errors import InputError

CONFIG = {
    "access_size": 256,
    "exec_mode": "random",
    "memory_range": 10737418240,
    "memory_type": "pmem",
    "min_io_chunk_size": 67108864,
    "numa_pattern": "near",
    "number_operations": 200000000,
    "number_partitions": 1,
    "number_threads": 4,
    "operation": "read",
    "prefault_file": True,
    "random_distribution": "uniform",
}
RESULTS = {
    "accessed_bytes": 51200000000,
    "bandwidth": 9.925,
    "execution_time": 4.8044,
    "thread_bandwidth_avg": 2.481,
    "thread_bandwidth_std_dev": 0.011,
}
CHAIN = {key: CONFIG[key] for key in CONFIG if key not in ("access_size", "operation", "random_distribution")}
CHAIN |= {"custom_operations": "rp_64", "exec_mode": "custom", "number_threads": 1}
LATENCY = {"avg": 428.8, "lower_quartile": 412, "max": 4671, "median": 424, "min": 50, "percentile_90": 448}
LATENCY |= {"percentile_95": 463, "percentile_99": 616, "percentile_999": 684, "percentile_9999": 881}
LATENCY |= {"std_dev": 46.3, "upper_quartile": 434}
CHAIN_RESULTS = {"execution_time": 20.9, "latency": LATENCY, "num_operations": 100139008, "ops_per_second": 4780706.4}


def run(config=None, results=None) -> dict:
    """A run of random reads with some values changed; None removes one."""
    parts = CONFIG | (config or {}), RESULTS | (results or {})
    config, results = ({key: value for key, value in part.items() if value is not None} for part in parts)
    return {"config": config, "results": results}


@pytest.fixture
def result_file(tmp_path):
    """Function of runs that writes PerMA-Bench's result file."""

    def write(*runs: dict, bm_type: str = "single") -> str:
        benchmark = {"bm_name": "random_reads", "bm_type": bm_type, "matrix_args": ["number_threads"]}
        path = tmp_path / "results-2021-11-21.json"
        path.write_text(json.dumps([benchmark | {"benchmarks": list(runs)}], indent=2))
        return path

    return write


@pytest.fixture
def table_file(tmp_path):
    """Function of runs (and columns to add to each) that writes the flattened table."""

    def write(*runs: dict, **added: list) -> str:
        rows = []
        for index, each in enumerate(runs):
            row = {name: values[index] for name, values in added.items()}
            row |= {f"cfg_{key}": value for key, value in each["config"].items()}
            results = {key: value for key, value in each["results"].items() if key != "latency"}
            row |= {f"res_{key}": value for key, value in results.items()}
            row |= {f"lat_{key}": value for key, value in each["results"].get("latency", {}).items()}
            rows.append(row)
        header = list(dict.fromkeys(name for row in rows for name in row))
        header += [] if "cfg_persist_instruction" in header else ["cfg_persist_instruction"]
        lines = [",".join(header), *(",".join(str(row.get(name, "")) for name in header) for row in rows)]
        path = tmp_path / "flat.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


WRITE = {"operation": "write", "persist_instruction": "nocache"}


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


def test_halves_of_a_parallel_benchmark_disturb_each_other(result_file):
    dram = CONFIG | {"memory_type": "dram"}
    halves = {"config": {"pmem_log": CONFIG, "dram_index": dram}, "results": {"pmem_log": [], "dram_index": []}}
    read, _ = read_sources([result_file(halves, bm_type="parallel")])
    assert read.dropped == {"ran beside another benchmark": 2}


def deeper(parallel: dict) -> dict:
    """The same parallel run as PerMA-Bench's authors published it: numbers one level deeper."""
    results = {name: {"results": numbers[0]} for name, numbers in parallel["results"].items()}
    return parallel | {"results": results}


def halves(read=None, write=None) -> dict:
    """A parallel run of random reads of 256 B beside random non-temporal stores of 4 KiB, with some values changed."""
    written = {"operation": "write", "persist_instruction": "nocache", "access_size": 4096, "number_threads": 12}
    config = {"page_in": CONFIG | (read or {}), "page_out": CONFIG | written | (write or {})}
    return {"config": config, "results": {"page_in": [RESULTS], "page_out": [RESULTS | {"bandwidth": 4.5}]}}


@pytest.mark.parametrize("modules", ["128", "256"])
def test_the_published_files_hold_what_their_table_holds(shared_data, modules):
    """So that the profile of either is the same: a fit sees nothing else."""
    folder = shared_data / "permabench"
    of_json, _ = read_sources([folder / "raw" / f"apache-{modules}.json.gz"])
    of_table, _ = read_sources([folder / "permabench_100series.csv.gz"], ReadOptions(machine=f"pmem_apache-{modules}"))
    assert len(of_json) == 135 and len(of_json.context.mixes) == 9 and of_json.dropped == of_table.dropped
    for name in ("operation", "pattern", "dimms", "power_w", "threads", "access_size_bytes", "bandwidth_mib_s"):
        np.testing.assert_array_equal(getattr(of_json, name), getattr(of_table, name))
    assert of_json.context == of_table.context


def test_a_read_beside_a_write_is_a_mix(result_file, table_file):
    run_of = halves()
    sides = [
        {"config": run_of["config"][name], "results": run_of["results"][name][0]} for name in ("page_out", "page_in")
    ]
    table = table_file(run(), *sides, bm=["random_reads", "pages", "pages"], idx=[0, 3, 3],
                       bm_type=["single", "parallel", "parallel"])  # fmt: skip
    of_table, of_json = (read_sources([path])[0] for path in (table, result_file(run_of, bm_type="parallel")))
    (mix,) = of_json.context.mixes
    assert of_table.context.mixes == of_json.context.mixes
    assert (mix.write_operation, mix.access_size_bytes, mix.write_access_size_bytes) == ("ntstore", 256.0, 4096.0)
    assert (mix.threads, mix.write_ratio, mix.by_access) == (16.0, 0.75, False)
    assert mix.bandwidth_mib_s == pytest.approx(1024.0 * (9.925 + 4.5)) == mix.read_mib_s + mix.write_mib_s
    assert not of_json.dropped and of_json.context.other_rows == 2
    as_published = read_sources([result_file(deeper(run_of), bm_type="parallel")])[0]
    assert as_published.context.mixes == of_json.context.mixes and not as_published.dropped


def test_halves_without_a_number_cost_their_run_alone(result_file):
    broken = deeper(halves())
    broken["results"]["page_in"] = {"results": {"execution_time": 10.0}}
    read, _ = read_sources([result_file(deeper(halves()), broken, bm_type="parallel")])
    ((reason, count),) = read.dropped.items()
    assert len(read.context.mixes) == 1 and count == 2 and "bandwidth is missing" in reason


@pytest.mark.parametrize(
    "changed",
    [
        {"write": {"memory_type": "dram"}},
        {"write": {"operation": "read"}},
        {"read": {"numa_pattern": "far"}},
        {"read": {"exec_mode": "custom"}},
    ],
)
def test_halves_that_are_no_mix_are_counted(result_file, table_file, changed):
    read, _ = read_sources([result_file(halves(**changed), bm_type="parallel")])
    assert not read.context.mixes and sum(read.dropped.values()) == 2


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


MIXES = """numa,exec_mode,access_size_bytes,threads,write_ratio,persist_instruction,\
read_bandwidth_gib_s,write_bandwidth_gib_s
near,random,64,16,0.0,,15.4,
near,random,64,16,0.2,cache,12.0,0.6
near,random,64,16,1.0,cache,,3.0
far,random,64,16,0.4,cache,7.5,0.8
none,random,64,16,0.4,cache,7.4,0.8
"""


def test_mixes_stand_beside_the_pure_rows(tmp_path):
    path = tmp_path / "numa.csv"
    path.write_text(MIXES)
    read, _ = read_sources([path])
    assert read.operation.tolist() == ["load", "store_clwb"]
    (mix,) = read.context.mixes
    assert (mix.write_ratio, mix.by_access) == (0.2, False)
    assert mix.bandwidth_mib_s == pytest.approx(12.6 * 1024)
    assert read.dropped == {"remote NUMA node": 1, "threads not pinned to a NUMA node": 1}
    path.write_text(MIXES.replace("16,0.2", "16,1.2"))
    spoilt, _ = read_sources([path])
    assert len(spoilt) == 2 and [reason for reason in spoilt.dropped if "numa.csv:3: write_ratio: 1.2" in reason]


def test_the_fenced_writes_of_one_thread_tell_the_idle_latency_of_a_write(result_file):
    first = {"number_threads": 1, "access_size": 64, "persist_instruction": "cache"}
    speed = {"bandwidth": 64 / 560.0 * 1e9 / 2**30, "accessed_bytes": None}
    read, _ = read_sources([result_file(run(WRITE | first, speed), run(WRITE | first | {"number_threads": 4}))])
    (latency,) = read.context.latencies
    assert (latency.operation, latency.pattern, latency.access_size_bytes) == ("store_clwb", "random", 64)
    assert latency.latency_ns == pytest.approx(560.0)
    cached, _ = read_sources([result_file(run(WRITE | first | {"persist_instruction": "none"}, speed))])
    assert cached.context.latencies == ()


def test_a_header_with_an_open_quote_is_named(tmp_path):
    path = tmp_path / "numa.csv"
    path.write_text(MIXES.replace("write_bandwidth_gib_s\n", 'write_bandwidth_gib_s,"a\n'))
    with pytest.raises(InputError, match="column numa is missing"):
        read_sources([path])
