"""Files of users: what they may raise is one error that names the file and the line."""

import pytest

from pmtwin.policies import make_policy
from pmtwin.sim.common.user_files import load_file, made_by
from pmtwin.sim.errors import InputError, MissingDependencyError, PolicyError

ENDS = "import sys\n\nsys.exit(3)\n"
POLICY = """import sys

from pmtwin.policies import Policy


class Mine(Policy):
    def __init__(self, options):
        sys.exit("bye")

    def act(self, observation, info=None):
        return 0
"""


def test_a_misspelt_file_brings_the_nearest_one(tmp_path):
    (tmp_path / "gentle.py").write_text("")
    with pytest.raises(InputError, match=r"names a file that does not exist; .*did you mean '.*/gentle.py'\?"):
        load_file(f"{tmp_path}/gentel.py", "policy", "gentel.py:Gentle")
    with pytest.raises(InputError, match=r"of an existing file$"):
        load_file(f"{tmp_path}/absent/gentle.py", "policy", "gentle.py:Gentle")


def test_a_file_that_ends_the_program_is_an_error_with_its_line(tmp_path):
    file = tmp_path / "ends.py"
    file.write_text(ENDS)
    for _ in range(2):  # a file that failed is not kept as if it had run
        with pytest.raises(InputError, match=r"workload ends.*fails at .*ends.py:3: SystemExit: 3"):
            load_file(str(file), "workload ends", "ends")


def test_a_function_that_ends_the_program_is_an_error_with_its_line(tmp_path):
    file = tmp_path / "made.py"
    file.write_text("def made():\n    raise SystemExit\n")
    with pytest.raises(InputError, match=r"fails at .*made.py:2: SystemExit"):
        made_by(f"{file}:made", "workload", dict)


def test_what_a_function_lacks_on_this_machine_is_no_bad_input(tmp_path):
    file = tmp_path / "lacks.py"
    file.write_text(
        "from pmtwin.sim.errors import MissingDependencyError\n\n\n"
        "def made():\n    raise MissingDependencyError('no store here')\n"
    )
    with pytest.raises(MissingDependencyError, match=r"^no store here$"):
        made_by(f"{file}:made", "workload", dict)


def test_a_function_that_takes_an_argument_is_an_error_with_its_line(tmp_path):
    file = tmp_path / "asks.py"
    file.write_text("\n\ndef made(name):\n    return {}\n")
    with pytest.raises(InputError, match=r"fails at .*asks.py:3: TypeError.*a function without arguments"):
        made_by(f"{file}:made", "workload", dict)


def test_a_policy_that_ends_the_program_is_an_error_with_its_line(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(POLICY)
    with pytest.raises(PolicyError, match=r"SystemExit: bye .*mine.py:8"):
        make_policy(f"{file}:Mine")


def test_a_module_that_ends_the_program_is_an_error_with_its_line(tmp_path, monkeypatch):
    (tmp_path / "ending_module.py").write_text(ENDS)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"ending_module:Mine.*fails at .*ending_module.py:3"):
        make_policy("ending_module:Mine")


def test_an_interrupt_in_a_file_is_an_interrupt(tmp_path):
    file = tmp_path / "stopped.py"
    file.write_text("raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load_file(str(file), "workload", "stopped")
