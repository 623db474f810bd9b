"""The type of a state carries its functions: numba keeps the compiled code, and a changed file is another type."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from pmtwin.sim.common.user_files import load_file
from pmtwin.sim.decisions import CompiledState, DecisionPoint, compiled_state, decide, observe
from pmtwin.sim.errors import InputError

BANDIT = """
import numpy as np

def decide(arrays, features, mask):
    mean, count = arrays
    return np.argmax(mean)

def observe(arrays, features, action, reward):
    mean, count = arrays
    count[action] += 1
    mean[action] += {rate} * (reward - mean[action]) / count[action]
"""

RUN = """
import sys, numpy as np
from pmtwin.sim.compiling import compilations
from pmtwin.sim.decisions import compiled_state, decide, observe
from pmtwin.sim.common.user_files import load_file

module = load_file(sys.argv[1], "policy", sys.argv[1])
state = compiled_state((np.zeros(2), np.zeros(2)), {"decide": module.decide, "observe": module.observe})
observe(state, np.zeros(0), decide(state, np.zeros(0), np.zeros(0, bool)), -1.0)
print(compilations(), state.arrays[0][0])
"""


def bandit(tmp_path, rate=1.0):
    file = tmp_path / f"bandit_{rate}.py"
    file.write_text(BANDIT.format(rate=rate))
    module = load_file(str(file), "policy", str(file))
    return compiled_state((np.zeros(2), np.zeros(2)), {"decide": module.decide, "observe": module.observe})


def told(state: CompiledState, *rewards: float) -> list[int]:
    """Actions of a state that is told one reward after each."""
    actions = []
    for reward in rewards:
        actions.append(decide(state, np.zeros(0), np.zeros(0, bool)))
        observe(state, np.zeros(0), actions[-1], reward)
    return actions


def test_the_functions_of_a_state_decide(tmp_path):
    assert told(bandit(tmp_path), -1.0, -2.0, -1.0) == [0, 1, 0]


def test_two_files_are_two_types(tmp_path):
    fast, slow = bandit(tmp_path, 1.0), bandit(tmp_path, 0.0)
    assert fast.mark.dtype != slow.mark.dtype
    assert told(slow, -1.0, -1.0) == [0, 0]


def test_an_object_in_plain_python_decides_too():
    class Second:
        def decide(self, features, mask):
            return 1

    assert decide(Second(), np.zeros(0), np.zeros(0, bool)) == 1


def test_a_second_process_compiles_nothing_until_the_file_changes(tmp_path, monkeypatch):
    file = tmp_path / "policy.py"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))

    def run(rate: float) -> list[str]:
        file.write_text(BANDIT.format(rate=rate))
        done = subprocess.run([sys.executable, "-c", RUN, str(file)], capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert run(1.0) == ["2", "-1.0"]
    assert run(1.0) == ["0", "-1.0"]
    assert run(0.5) == ["2", "-0.5"]


@pytest.mark.parametrize(("wrong", "values"), [("a name", {"name": "a name"}), ("two or more", {"actions": ("one",)})])
def test_a_point_that_cannot_be_is_refused(wrong, values):
    with pytest.raises(InputError, match=wrong):
        DecisionPoint(**{"name": "route", "when": "an arrival", "actions": ("fast", "slow"), **values})


def made(rate):
    """Functions of one factory: the same code, another value that it encloses."""

    def decide(arrays, features, mask):
        return int(rate)

    return compiled_state((np.zeros(1),), {"decide": decide})


def test_what_functions_enclose_is_part_of_them():
    assert [decide(made(rate), np.zeros(0), np.zeros(0, bool)) for rate in (0, 1, 0)] == [0, 1, 0]


def test_a_helper_in_a_file_of_its_own_is_part_of_them(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    marks = []
    for number in (1, 2):
        (tmp_path / f"helper_{number}.py").write_text(f"def answer():\n    return {number}\n")
        file = tmp_path / f"policy_{number}.py"
        file.write_text(f"import helper_{number} as helper\n\ndef decide(arrays, features, mask):\n"
                        "    return helper.answer()\n")  # fmt: skip
        module = load_file(str(file), "policy", str(file))
        module.decide.__qualname__, module.decide.__module__ = "decide", "policy"
        marks.append(compiled_state((np.zeros(1),), {"decide": module.decide}).mark.dtype)
    assert marks[0] != marks[1]


@pytest.mark.parametrize(
    ("form", "values"),
    [
        ("from enum import IntEnum\n\nclass Constant(IntEnum):\n    VALUE = {}\n", ("1", "2")),
        ("import numpy as np\n\nclass Constant:\n    VALUE = (np.full(2, {}), 1)\n", ("0.1", "0.10000000001")),
    ],
)
def test_a_constant_of_any_form_is_part_of_them(tmp_path, form, values):
    """What it says of itself need not change with it: the file does."""
    marks = set()
    for place, value in enumerate(values):
        file = tmp_path / str(place) / "policy.py"
        file.parent.mkdir()
        file.write_text(form.format(value) + "\ndef decide(arrays, features, mask):\n    return Constant.VALUE\n")
        module = load_file(str(file), "policy", str(file))
        module.decide.__module__ = "policy"
        marks.add(compiled_state((np.zeros(1),), {"decide": module.decide}).mark.dtype)
    assert len(marks) == 2


def test_a_state_is_copied_with_its_functions(tmp_path):
    state = bandit(tmp_path)
    copied = copy.deepcopy(state)
    assert told(state, -1.0, -1.0) == told(copied, -1.0, -1.0) and copied.arrays[0] is not state.arrays[0]
    with pytest.raises(InputError, match="another process"):
        pickle.loads(pickle.dumps(state).replace(state.mark.dtype.names[0].encode(), b"functions_" + 24 * b"0"))
