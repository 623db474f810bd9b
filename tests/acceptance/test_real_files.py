"""Files as people have them, through the command line: no traceback, an exit code of the stated ones, nothing lost."""

import json
from pathlib import Path

import pytest

from tests.acceptance.desk import Desk

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/cmd"))

PROSE = {
    "29-ascii-locale": "env LC_ALL=POSIX PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 pmtwin list parameters; "
    "PYTHONIOENCODING=ascii pmtwin calibrate messung-ü.csv dram-only.txt --prior family --dry-run",
}
"""Cases whose `cmd` is not for a shell as a whole."""

STATED = {0, 1, 2, 3}
"""Exit codes that README states."""


@pytest.mark.skipif(not FOLDERS, reason="../shared/cases is not here")
@pytest.mark.parametrize("case", FOLDERS, ids=lambda folder: folder.name)
def test_a_case(case, tmp_path):
    folder = tmp_path / "case"
    folder.mkdir()
    for path in case.iterdir():
        (folder / path.name).symlink_to(path)
    Desk(folder).run(PROSE.get(case.name, (case / "cmd").read_text()), STATED)


@pytest.mark.parametrize("file", ["apache-128", "apache-256"])
def test_a_published_file_gives_a_profile_as_it_is(file, tmp_path, shared_data):
    (raw,) = (shared_data / "permabench" / "raw").glob(f"{file}*.json.gz")
    desk = Desk(tmp_path)
    printed = desk.run(f"pmtwin calibrate {raw} --bootstrap 0 --json -o device.json").out
    assert json.loads(printed)["output"] and (tmp_path / "device.json").stat().st_size > 1000
    desk.run("pmtwin predict --profile device.json --operation load --pattern sequential --size 4KiB --threads 16")
