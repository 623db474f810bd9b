"""Which tests `make check` leaves out: scripts/note-slow-tests, from the seconds of runs."""

import importlib.machinery
import importlib.util
from collections import Counter
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
SCRIPT = TOP / "scripts" / "note-slow-tests"
RUN = """<testsuites><testsuite name="pytest">
<testcase classname="tests.sim.test_a" name="test_one[1]" time="2.0"/>
<testcase classname="tests.sim.test_a" name="test_other" time="1.5"/>
<testcase classname="tests.pmtwin.test_b.TestFile" name="test_two" time="0.25"/>
<testcase classname="" name="tests.pmtwin.test_c" time="0.0"><error message="collection failure"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture(scope="module")
def script():
    loader = importlib.machinery.SourceFileLoader("note_slow_tests", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("note_slow_tests", loader))
    loader.exec_module(module)
    return module


def test_the_tests_of_a_file_count_together(script, tmp_path):
    (tmp_path / "run.xml").write_text(RUN)
    seconds = script.seconds_of(tmp_path / "run.xml")
    assert seconds == {"tests/sim/test_a.py": 3.5, "tests/pmtwin/test_b.py": 0.25}


def test_a_file_takes_as_long_as_in_the_run_in_which_it_took_longest(script, tmp_path):
    reports = [tmp_path / "whole.xml", tmp_path / "quick.xml"]
    reports[0].write_text(RUN)
    reports[1].write_text(RUN.replace("0.25", "9.0").replace("2.0", "0.1"))
    assert script.longest(reports) == {"tests/sim/test_a.py": 3.5, "tests/pmtwin/test_b.py": 9.0}


def test_a_run_that_is_missing_is_named(script, tmp_path):
    with pytest.raises(SystemExit, match=r"whole.xml is not there: .*make test"):
        script.longest([tmp_path / "whole.xml"])


def test_the_quickest_stay_as_long_as_they_fit_together(script):
    seconds = Counter({"long": 50.0, "short": 1.0, "middle": 2.0, "middling": 2.5})
    assert script.slow(seconds, budget=5.6) == {"long"}
    assert script.slow(seconds, budget=5.4) == {"long", "middling"}


def test_files_of_one_name_count_by_themselves(script, tmp_path):
    (tmp_path / "run.xml").write_text(RUN.replace("tests.pmtwin.test_b", "tests.pmtwin.test_a"))
    seconds = script.seconds_of(tmp_path / "run.xml")
    assert seconds == {"tests/sim/test_a.py": 3.5, "tests/pmtwin/test_a.py": 0.25}


@pytest.fixture(scope="module")
def listed(script) -> list[str]:
    """The files of tests/slow-tests.txt."""
    return script.SLOW_TESTS.read_text().split()


def test_what_the_list_names_is_a_file_of_tests(listed):
    assert [file for file in listed if not (TOP / file).is_file()] == []


def test_what_the_list_names_is_marked(listed, request):
    for item in request.session.items:
        file = item.path.relative_to(TOP).as_posix()
        assert (file in listed) == (item.get_closest_marker("slow") is not None)
