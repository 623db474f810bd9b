"""Where processes of Joblib work that were kept from earlier work."""

import os
from pathlib import Path

from joblib import delayed

from pmtwin.sim.processes import processes


def test_they_work_in_the_folder_of_the_process_that_starts_them(tmp_path, monkeypatch):
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        assert {Path(each) for each in processes(2)(delayed(os.getcwd)() for _ in range(4))} == {folder}
