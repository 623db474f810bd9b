"""What the kernel tells of a process' threads, and processes that are refused."""

import os
from pathlib import Path

import pytest

from pmtwin.scenarios.numa_threads.native.process_files import ThreadFiles, check_process, pages_of_nodes
from pmtwin.sim.errors import InputError


@pytest.fixture
def files(process):
    """Files of a process of three threads."""
    return ThreadFiles(process(3).pid)


def test_threads_have_counters_that_grow(files):
    threads = files.ids()
    assert len(threads) == 3
    first = {thread: files.look(thread) for thread in threads}
    while any(files.look(thread).cpu_ns == first[thread].cpu_ns for thread in threads):
        pass
    for thread in threads:
        seen = files.look(thread)
        assert seen.cpu in os.sched_getaffinity(0)
        assert seen.system_ns <= seen.cpu_ns + 20_000_000  # told by ticks
    assert first[threads[0]].minor_faults > 0


def test_a_thread_that_is_not_there_is_none(files, process):
    assert files.look(process(1).pid) is None


def test_the_memory_of_a_process_lies_on_nodes():
    held = pages_of_nodes(os.getpid())
    if not held:
        pytest.skip("this kernel has no numa_maps")
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    assert 0.2 < sum(held.values()) / resident < 5


def test_a_process_that_has_ended_is_gone(ended):
    with pytest.raises(InputError, match=f"pid: {ended.pid} is gone; allowed: the number of a process that runs"):
        check_process(ended.pid)
    ended.wait()
    with pytest.raises(InputError, match="is gone"):
        check_process(ended.pid)


def test_a_process_of_another_user_is_refused(process, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.stat("/proc/self").st_uid + 1)
    with pytest.raises(InputError, match=r"is a process of user \d+; allowed: a process of the user who runs this"):
        check_process(process(1).pid)
