"""Agents inside the storage: the same bits on both engines, of copies and of the same seed; training; other devices."""

import copy
from contextlib import closing

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.policies import make_policy
from pmtwin.scenarios.hybrid_storage import HybridStorage

QUICK = "warm_up=60,every=40,copy=80,batch=16,batches=4,replay=200"
SMALL = {"length": 800, "requests_per_window": 100, "footprint_pages": 600, "idle_ms": 0.1}
SPECS = {
    "harmonia": f"harmonia:{QUICK},moves=3,answers=20",
    "cde+rl-migr": f"place=cde+migrate=harmonia:{QUICK},reward=difference,credit=all",
    "sibyl": f"sibyl:{QUICK},reward=code,inputs=numbers",
    "sapm": f"sapm:{QUICK},moves=2",
}


def begun(spec, seed=5, workload="mix1", **options):
    """A storage under a policy, before its first window."""
    scenario = HybridStorage.of(**SMALL | options)
    system = scenario.system(workload, seed)
    for point, policy in make_policy(spec, scenario).inline.items():
        system.decide(point, policy, 3)
    system.start((0, 0))
    return system


def windows(system, count=3):
    """Measures of some windows."""
    rows = []
    for _ in range(count):
        system.run_window()
        rows.append(dict(system.measures()))
    return rows


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_engines_agree_to_the_last_bit_and_copies_go_on(spec):
    rows, learned = [], []
    for engine in ("compiled", "simpy"):
        with closing(begun(spec, engine=engine, devices="tri")) as system:
            first = windows(system)
            if engine == "compiled":
                other = copy.deepcopy(system)
                assert windows(other) == windows(copy.deepcopy(system))
            rows.append(first + windows(system))
            learned.append([system.deciding(point)[0].arrays for point in ("place", "migrate")])
    assert rows[0] == rows[1]
    for compiled, specified in zip(*learned, strict=True):
        assert all(np.array_equal(one, two) for one, two in zip(compiled, specified, strict=True))


def test_a_copy_goes_on_as_the_storage_does():
    with closing(begun(SPECS["sapm"])) as system:
        windows(system)
        other = copy.deepcopy(system)
        assert windows(other) == windows(system)


def test_seeds_matter_and_the_same_seed_gives_the_same_bits():
    rows = [windows(begun(SPECS["harmonia"], seed)) for seed in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]


def test_what_both_agents_have_learned_is_kept_in_one_file_for_the_same_devices(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ["--length", "800", "--requests-per-window", "100", "--footprint-pages", "600"]
    words = ["--rounds", "1", "--round-windows", "1", "--jobs", "1", "-o", "learned.npz"]
    spec = SPECS["harmonia"]
    assert main(["train", "hybrid-storage", "--policy", spec, *options, *words]) == 0
    printed = capsys.readouterr()
    assert "place" in printed.out and "migrate" in printed.out
    used = f"place={spec},file=learned.npz+migrate={spec},file=learned.npz"
    usual = ["evaluate", "hybrid-storage", "--workloads", "LUN4", "--seeds", "1", "--jobs", "1", *options]
    assert main([*usual, "--policies", used]) == 0
    capsys.readouterr()
    for devices in ("cost", "tri"):
        assert main([*usual, "--policies", used, "--devices", devices]) == 2
        line = capsys.readouterr().err.strip().splitlines()[-1]
        assert "devices: 'H+" in line and "allowed: H+M, which the policy was trained for" in line


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("harmonia:gama=0.5", "gamma"),
        ("harmonia:gamma=1", "gamma: 1"),
        ("harmonia:low=5,high=1", "range of returns"),
        ("sibyl:reward=mine", "paper"),
        ("place=sibyl+migrate=sibyl", "sibyl"),
    ],
)
def test_bad_options_are_one_line(spec, message, capsys):
    words = ["--policies", spec, "--seeds", "1", "--jobs", "1", "--workloads", "LUN4"]
    assert main(["evaluate", "hybrid-storage", *words]) == 2
    assert message in capsys.readouterr().err.strip().splitlines()[-1]
