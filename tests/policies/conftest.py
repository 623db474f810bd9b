"""Three scenarios as fixtures: test folders are no packages, so that they are loaded by their path."""

import importlib.util
import sys
from pathlib import Path

import cloudpickle
import pytest


def loaded(name):
    """The module of this folder, registered so that worker processes get it by value."""
    full = f"policies_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, Path(__file__).parent / f"{name}.py")
        sys.modules[full] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[full])
        cloudpickle.register_pickle_by_value(sys.modules[full])
    return sys.modules[full]


@pytest.fixture(scope="session")
def toy():
    """Two pools, nine moves, eight columns (`toy.py`)."""
    return loaded("toy")


@pytest.fixture(scope="session")
def gate():
    """One number, two actions, three columns (`gate.py`)."""
    return loaded("gate")


@pytest.fixture(scope="session")
def threads():
    """Three numbers of stated values, to which agents jump (`threads.py`)."""
    return loaded("threads")
