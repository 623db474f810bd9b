"""How many processors a process may use: its own control group limits it, or any around it, of either version."""

import os

import pytest

from pmtwin.machine import machine
from pmtwin.sim.common.threads import usable_processors, usable_threads

ALL = len(os.sched_getaffinity(0))
HALF_2 = {"cpu.max": "50000 100000\n"}
HALF_1 = {"cpu.cfs_quota_us": "50000\n", "cpu.cfs_period_us": "100000\n"}
FREE_1 = {"cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n"}


def lay_out(root, own_groups: str, groups: dict[str, dict[str, str]]):
    """A machine whose process is in these groups."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(own_groups)
    for folder, files in groups.items():
        (root / "sys/fs/cgroup" / folder).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (root / "sys/fs/cgroup" / folder / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("own_groups", "groups"),
    [
        ("0::/\n", {"": HALF_2}),
        ("0::/user.slice/run.service\n", {"user.slice/run.service": HALF_2}),
        ("0::/a/b/c\n", {"a": HALF_2, "a/b": {"cpu.max": "max 100000\n"}, "a/b/c": {"cpu.max": "900000 100000\n"}}),
        ("0::/../outside\n", {"": HALF_2}),  # seen from a container
        ("0::/docker/0123\n", {"": HALF_2}),
        ("12:cpu,cpuacct:/docker/0123\n3:memory:/\n", {"cpu,cpuacct/docker/0123": HALF_1}),
        ("4:cpuacct,cpu:/slurm/job_7/step_0\n", {"cpu/slurm/job_7": HALF_1, "cpu/slurm/job_7/step_0": FREE_1}),
        ("4:cpu:/docker/0123\n", {"cpu": HALF_1}),
        ("5:cpu:/a\n0::/b\n", {"cpu/a": FREE_1, "unified/b": HALF_2}),
    ],
)
def test_a_limit_of_any_group_around_a_process_holds(tmp_path, own_groups, groups):
    root = lay_out(tmp_path, own_groups, groups)
    assert (usable_threads(root), usable_processors(root)) == (0.5, 1)


@pytest.mark.parametrize(
    ("own_groups", "groups"),
    [
        ("", {}),
        ("0::/a\n", {"a": {"cpu.max": "max 100000\n"}, "other": HALF_2}),
        ("4:cpuset:/a\n", {"cpu/a": HALF_1, "cpuset/a": HALF_1}),  # another tree
        ("4:cpu:/a\n", {"cpu/a": FREE_1}),
        ("0::/a\n", {"a": {"cpu.max": "\n"}}),
        ("0::/a\n", {"a": {"cpu.max": "99900000 100000\n"}}),
    ],
)
def test_without_a_limit_the_affinity_counts(tmp_path, own_groups, groups):
    assert usable_threads(lay_out(tmp_path, own_groups, groups)) == ALL


def test_a_service_with_half_a_processor(shared_cases):
    root = shared_cases / "32-cgroup-cpu/root"
    assert (usable_processors(root), machine.cpu(root)["usable_threads"]) == (1, 0.5)
