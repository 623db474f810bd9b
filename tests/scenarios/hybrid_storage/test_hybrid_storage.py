"""The scenario: windows of workloads, policies of both points, agents, bad input."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from pmtwin import make_environment
from pmtwin.cli import main
from pmtwin.policies import make_policy
from pmtwin.scenarios.hybrid_storage import HybridStorage
from pmtwin.scenarios.hybrid_storage.workloads import WORKLOADS
from pmtwin.sim.errors import InputError

OWN = Path(__file__).parent / "my_placement.py"
SMALL = {"length": 600, "requests_per_window": 100, "footprint_pages": 600}


def windows(spec, workload="ssd-02", setting=(0, 0), **options):
    """Measures of three windows under a policy."""
    scenario = HybridStorage.of(**SMALL | options)
    with closing(scenario.system(workload, 5)) as system:
        for point, policy in make_policy(spec, scenario).inline.items():
            system.decide(point, policy, 3)
        system.start(setting)
        rows = []
        for _ in range(3):
            system.run_window()
            rows.append(dict(system.measures()))
        return rows


def total(measure, rows):
    """Sum of a measure over the windows."""
    return sum(row[measure] for row in rows)


@pytest.mark.parametrize("spec", ["write-lru", "heat", "static-set"])
def test_engines_give_the_same_measures(spec):
    rows = [windows(spec, "mix1", (5, 1), engine=engine, devices="tri") for engine in ("compiled", "simpy")]
    assert rows[0] == rows[1]


def test_all_pages_on_the_first_device_are_the_measure_of_the_rest():
    assert [row["slowdown"] for row in windows("fast-only")] == [1.0] * 3
    assert [row["throughput"] for row in windows("fast-only")] == [1.0] * 3
    for spec in ("slow-only", "write-lru", "lru-clean"):
        assert min(row["slowdown"] for row in windows(spec, "YCSB-B")) >= 1.0


def test_writes_to_the_last_device_alone_are_not_amplified():
    assert [row["write_amplification"] for row in windows("slow-only")] == [1.0] * 3


def test_policies_of_a_users_own_decide_in_a_file():
    rows = windows(f"place={OWN}:SmallWritesFast+migrate={OWN}:PromoteRead", "LUN2", engine="simpy")
    assert total("moves", rows) > 0


def test_a_name_of_two_kinds_decides_at_both_points():
    assert windows("lru-clean", "LUN4") == windows("place=lru-clean+migrate=lru-clean", "LUN4")
    assert total("moves", windows("lru-clean", "LUN4")) > 0 == total("moves", windows("place=lru-clean", "LUN4"))


def test_a_setting_keeps_pages_free_and_promotes():
    assert total("evictions", windows("write-lru", "LUN4")) > 0 == total("moves", windows("write-lru", "LUN4"))
    kept = windows("write-lru", "LUN4", (50, 0))
    assert total("moves", kept) > 0 == total("promotions", kept)
    assert total("promotions", windows("write-lru", "LUN2", (10, 1))) > 0


def test_it_is_a_gymnasium_environment():
    env = make_environment("hybrid-storage", context="ssd-02", episode_steps=4, normalize=True, **SMALL)
    check_env(env, skip_render_check=True)


def test_a_trace_takes_the_place_of_the_workloads(tmp_path, capsys):
    random = np.random.default_rng(0)
    rows = [f"{80 * n},{n % 2},{'RW'[n % 3 == 0]},{4096 * int(random.integers(50))},4096" for n in range(400)]
    trace = tmp_path / "trace.csv"
    trace.write_text("\n".join(["time_us,dev,op,offset,size", *rows]))
    command = ["evaluate", "hybrid-storage", "--trace", str(trace), "--requests-per-window", "50"]
    assert main([*command, "--policies", "write-lru", "heat", "--seeds", "1", "--jobs", "1"]) == 0
    assert "4 windows a run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--devices", "perv"], "devices: 'perv' is not accepted"),
        (["--devices", "PMEM+H+M+LSSD+L"], "2 to 4 different devices"),
        (["--workloads", "nope"], "nope"),
        (["--fast", "0"], "fast: 0"),
        (["--fast", "101"], "fast"),
        (["--volumes", "together"], "belongs to --trace"),
        (["--trace", "absent.csv"], "absent.csv"),
    ],
)
def test_bad_input_is_one_line(arguments, message, capsys):
    assert main(["evaluate", "hybrid-storage", "--policies", "cde", "--seeds", "1", "--jobs", "1", *arguments]) == 2
    text = capsys.readouterr().err.strip()
    assert message in text.splitlines()[-1]


def test_every_workload_is_a_context():
    assert HybridStorage.contexts.names == tuple(WORKLOADS)


def test_shape_and_trace_exclude_each_other(tmp_path):
    with pytest.raises(InputError, match=r"skew: 1\.2 .*does not go with --trace|skew 1\.2 does not go with --trace"):
        HybridStorage.of(trace=tmp_path / "x.csv", skew=1.2)
