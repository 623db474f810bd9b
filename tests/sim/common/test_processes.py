"""Where processes of Joblib work that were kept from earlier work, and that they are kept."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

from joblib import delayed

from pmtwin.sim.common.processes import processes


def test_they_work_in_the_folder_of_the_process_that_starts_them(tmp_path, monkeypatch):
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        assert {Path(each) for each in processes(2)(delayed(os.getcwd)() for _ in range(4))} == {folder}


def grow(seconds: float) -> int:
    """Keeps 400 MB after its first task, as models and compiled code do; gives the number of the process."""
    import pmtwin  # as whatever of ours a worker runs

    kept = vars(pmtwin).setdefault("kept by a test", [])
    kept.append(b"x" * 400_000_000 if len(kept) == 1 else b"")
    time.sleep(seconds)
    return os.getpid()


def test_one_that_keeps_much_is_not_taken_for_a_leak():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        workers = set(processes(2)(delayed(grow)(0.6) for _ in range(10)))
    assert len(workers) <= 2 and said == []


KILLED = """
import os, signal
from joblib import delayed
from pmtwin.sim.common.processes import processes
from pmtwin.sim.errors import in_full  # of the package: its workers end with their parent
processes(2)(delayed(in_full)(1) for _ in range(4))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_no_warnings():
    ended = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (-signal.SIGKILL, "")  # the end of standard error: all others ended too


def test_the_warnings_that_a_user_filters_stay_as_they_are(monkeypatch):
    monkeypatch.setenv("PYTHONWARNINGS", "error::ResourceWarning")
    processes(2)
    assert os.environ["PYTHONWARNINGS"] == "error::ResourceWarning"
    monkeypatch.delenv("PYTHONWARNINGS")
    processes(2)
    assert "PYTHONWARNINGS" not in os.environ
