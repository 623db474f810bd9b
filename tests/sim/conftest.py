"""Workloads for the tests of the twin."""

import pytest

from pmtwin.sim import ClassWorkload, Workload


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
