"""Processors and processes that cannot be are refused in one line, with exit code 2."""

import os

import pytest

from pmtwin import cli


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--node-cpus", "0", "0-1"), "'0 0-1' has processor 0 twice; allowed: each processor in one node, once"),
        (("--node-cpus", "0", "4000"), "has processor 4000, which is not there; allowed: those that this process may"),
        (("--node-cpus", "0", "x"), "node-cpus: 'x' is not accepted"),
    ],
)
def test_processors_that_cannot_stand_for_nodes_are_one_line(capsys, words, said):
    words = ("evaluate", "numa-threads", "--engine", "native", *words, "--policies", "rule", "--steps", "1")
    assert cli.main([*words, "--seeds", "1"]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_a_process_that_is_not_there_or_not_ours_is_one_line(capsys, monkeypatch, two_cpus, process):
    command = ["evaluate", "numa-threads", "--engine", "native", "--node-cpus", *two_cpus, "--policies", "rule"]
    ended = process(1)
    ended.kill()
    ended.wait()
    for pid, said in ((ended.pid, "is gone; allowed: the number of a process that runs"), (os.getpid(), "of user")):
        assert cli.main([*command, "--steps", "1", "--seeds", "1", "--pid", str(pid)]) == 2
        err = capsys.readouterr().err
        assert f"pid: {pid}" in err and said in err and err.count("\n") == 1, err
        monkeypatch.setattr(os, "geteuid", lambda: os.stat("/proc/self").st_uid + 1)
