"""The toy scenario as a fixture: test folders are no packages, so that it is loaded by its path."""

import importlib.util
import sys
from pathlib import Path

import cloudpickle
import pytest

NAME = "toy_pools"


@pytest.fixture(scope="session")
def toy():
    """The module `toy.py` of this folder."""
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).parent / "toy.py")
        sys.modules[NAME] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[NAME])
        cloudpickle.register_pickle_by_value(sys.modules[NAME])  # worker processes cannot import it
    return sys.modules[NAME]
