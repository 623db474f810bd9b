"""What the kernel tells of a process' threads, and processes that are refused."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from pmtwin.scenarios.numa_threads.native import process_files
from pmtwin.scenarios.numa_threads.native.process_files import ENDED, ThreadFiles, check_process, pages_of_nodes
from pmtwin.sim.errors import InputError

NOBODY = 65534


@pytest.fixture
def running(process):
    """A process of three threads."""
    return process(3)


@pytest.fixture
def files(running):
    """Its files, which are closed again."""
    files = ThreadFiles(running.pid)
    yield files
    files.close()
    links = [path.readlink() for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    assert not [link for link in links if str(link).startswith(f"/proc/{running.pid}/")]


def test_threads_have_counters_that_grow(files, running):
    threads = files.ids()
    assert threads == running.threads() and len(threads) == 3
    first = files.look(threads)
    while (files.look(threads)["cpu_ns"] == first["cpu_ns"]).any():
        pass
    seen = files.look(threads)
    assert set(seen["cpu"]) <= os.sched_getaffinity(0)
    assert (seen["system_ns"] <= seen["cpu_ns"] + 20_000_000).all()  # told by ticks
    assert (seen["began"] == first["began"]).all() and first["minor_faults"][0] > 0


@pytest.mark.parametrize("most", [0, 2, 9])
def test_counters_are_the_kernels_whether_files_stay_open_or_not(files, running, monkeypatch, most):
    monkeypatch.setattr(process_files, "MOST_KEPT", most)
    os.kill(running.pid, signal.SIGSTOP)  # what it has done stays the same
    tasks = Path(f"/proc/{running.pid}/task")
    while any(" T " not in (tasks / str(thread) / "stat").read_text() for thread in running.threads()):
        time.sleep(0.001)
    try:
        for _ in range(3):
            seen = files.look(running.threads())
            for thread, cpu_ns, wait_ns in zip(running.threads(), seen["cpu_ns"], seen["wait_ns"], strict=True):
                told = (tasks / str(thread) / "schedstat").read_text().split()
                assert [cpu_ns, wait_ns] == [int(word) for word in told[:2]]
    finally:
        os.kill(running.pid, signal.SIGCONT)


def test_a_thread_that_has_ended_tells_nothing_and_neither_does_another_process(files, running, process):
    short = running.begin(0.01)
    while short in running.threads():
        files.look([short])
    assert files.look([short, process(1).pid])["cpu"].tolist() == [ENDED, ENDED]


def test_a_number_that_the_kernel_gives_again_is_another_thread(files, running):
    """Files kept of the thread before tell nothing of it."""
    last = Path("/proc/sys/kernel/ns_last_pid")
    if not os.access(last, os.W_OK):
        pytest.skip("this user cannot choose the number of the next thread")
    short = running.begin(0.05)
    first = files.look([short])
    while short in running.threads():
        pass
    for _ in range(100):  # other programs start threads too
        last.write_text(str(short - 1))
        if running.begin() == short:
            break
    else:
        pytest.skip("others were always faster")
    assert files.look([short])["cpu"] == ENDED
    again = files.look([short])
    assert again["cpu"] != ENDED and again["began"] > first["began"]


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


@pytest.fixture
def of_another_user():
    """Number of a process of root, or for root of somebody else."""
    if os.geteuid():
        yield 1
        return
    with subprocess.Popen(["sleep", "60"], user=NOBODY) as sleeping:
        yield sleeping.pid
        sleeping.kill()


def test_a_process_of_another_user_is_refused(of_another_user):
    pid, user = of_another_user, 0 if os.geteuid() else NOBODY
    said = f"pid: {pid} is a process of user {user}; allowed: a process of the user who runs this command "
    with pytest.raises(InputError, match=said):
        check_process(pid)
