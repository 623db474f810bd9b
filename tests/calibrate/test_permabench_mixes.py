"""PerMA-Bench: runs of two benchmarks side by side are mixes of reads and writes."""

import numpy as np
import pytest

from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.sim.errors import InputError
from tests.calibrate.made_permabench import CONFIG, deeper, halves, run


def test_halves_of_a_parallel_benchmark_disturb_each_other(result_file):
    dram = CONFIG | {"memory_type": "dram"}
    halves = {"config": {"pmem_log": CONFIG, "dram_index": dram}, "results": {"pmem_log": [], "dram_index": []}}
    read, _ = read_sources([result_file(halves, bm_type="parallel")])
    assert read.dropped == {"ran beside another benchmark": 2}


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


def test_a_header_with_an_open_quote_is_named(tmp_path):
    path = tmp_path / "numa.csv"
    path.write_text(MIXES.replace("write_bandwidth_gib_s\n", 'write_bandwidth_gib_s,"a\n'))
    with pytest.raises(InputError, match="column numa is missing"):
        read_sources([path])
