"""The native module, and a store that keeps what is asked of it until it is told to go on."""

import importlib.machinery
import importlib.util

import pytest

from pmtwin.middleware import binding
from pmtwin.sim.errors import MissingDependencyError

DOOR = "_pmtwin_door_store"


@pytest.fixture(scope="session")
def native():
    try:
        return binding.load()
    except MissingDependencyError as error:
        pytest.skip(str(error))


@pytest.fixture
def door(native):
    """Opened at the end: no worker may stay behind it."""
    file = binding.FOLDER / f"{DOOR}{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    spec = importlib.util.spec_from_file_location(DOOR, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    door = module.Door()
    yield door
    door.open()
