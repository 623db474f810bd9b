"""Folders for the pools of `pmtwin probe --host`: gone with their process, or with the next one."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from pmtwin.host.scratch import scratch_folder

HOLD = """
import sys, pathlib
from pmtwin.host.scratch import scratch_folder
with scratch_folder(sys.argv[1]) as folder:
    pathlib.Path(folder, "pool").write_text("a pool")
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_what_a_kill_left_is_removed_by_the_next_and_what_is_in_use_or_not_ours_is_not(tmp_path):
    (tmp_path / "pmtwin-host-theirs").mkdir()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], **pipes) as killed:
        assert killed.stdout.readline() == b"ready\n"
        with scratch_folder(str(tmp_path)) as own:
            assert len(list(tmp_path.iterdir())) == 3  # that of a process that lives is left alone
            assert Path(own).is_dir()
        killed.send_signal(signal.SIGKILL)
    assert len(list(tmp_path.iterdir())) == 2
    with scratch_folder(str(tmp_path)) as own:
        assert {path.name for path in tmp_path.iterdir()} == {"pmtwin-host-theirs", Path(own).name}
    assert [path.name for path in tmp_path.iterdir()] == ["pmtwin-host-theirs"]
