"""Fixtures shared by all rooms."""

import shlex
import signal
from pathlib import Path

import pytest

from pmtwin.sim import ClassWorkload, Workload

TOP = Path(__file__).resolve().parents[1]
SHARED_DATA = TOP.parent / "shared" / "data"
SHARED_CASES = SHARED_DATA.with_name("cases")
SLOW_TESTS = TOP / "tests" / "slow-tests.txt"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real measurements beside the checkout; tests that use it skip where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the folder ../shared/data with the real measurements is not here")
    return SHARED_DATA


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """The folder of users' files, each with its right reading; tests that use it skip where it is absent."""
    if not SHARED_CASES.is_dir():
        pytest.skip("the folder ../shared/cases with users' files is not here")
    return SHARED_CASES


@pytest.fixture(scope="session")
def paced() -> Workload:
    """Phase 1 of the thesis' Appendix C, at 150,000 operations/s of each class."""
    return Workload(
        "paced",
        ClassWorkload(200, 0.2, 50, 50, 150_000.0),
        ClassWorkload(200, 0.5, 8192, 8192, 150_000.0),
    )


@pytest.fixture(scope="session")
def closed() -> Workload:
    """Two closed loops of 100 clients."""
    return Workload("closed", ClassWorkload(100, 0.5, 128, 128), ClassWorkload(100, 0.4, 4096, 5000))


@pytest.fixture(autouse=True)
def unfolded_tables(monkeypatch):
    """Tables and sentences are as wide as they need; tests of their width set COLUMNS."""
    monkeypatch.delenv("COLUMNS", raising=False)  # worker processes of pytest-xdist have it
    monkeypatch.setattr("pmtwin.console.output.USUAL_WIDTH", 1000)


@pytest.fixture
def told_next():
    """What a training prints -> the words of the command that it names as the next one."""
    return lambda shown: shlex.split(shown[shown.index("next: pmtwin ") :])[2:]


def pytest_configure() -> None:
    """A shell in the background has SIGINT ignored, nohup SIGHUP; what the tests start would ignore them too."""
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of files that a whole run found slow (scripts/note-slow-tests)."""
    slow = {TOP / file for file in SLOW_TESTS.read_text().split()}
    for item in items:
        if item.path in slow:
            item.add_marker(pytest.mark.slow)
