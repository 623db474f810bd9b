"""A pool in main memory is opened as persistent; the environment stays, and no pool elsewhere goes unflushed."""

import os
import subprocess
import sys
import tempfile

import pytest

from pmtwin.middleware import stores
from pmtwin.sim.errors import MissingDependencyError

SHM = "/dev/shm"
OPEN = """
import ctypes, os, sys
from pmtwin.middleware import binding
native = binding.load()
for folder in sys.argv[1:]:
    try:
        native.open_store("pmemkv", {"path": os.path.join(folder, "pool"), "pool_bytes": 64 << 20})
    except native.EngineError as error:
        print(error)
libpmem = ctypes.CDLL("libpmem.so.1")
libpmem.pmem_is_pmem.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
memory = ctypes.create_string_buffer(1)
get = ctypes.CDLL(None).getenv
get.restype = ctypes.c_char_p
print(libpmem.pmem_is_pmem(memory, 1), get(b"PMEM_IS_PMEM_FORCE"))
"""


@pytest.fixture
def in_memory():
    try:
        engines = stores.engines()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    if "pmemkv" not in engines or not os.path.ismount(SHM):
        pytest.skip("no pmemkv, or no /dev/shm")
    with tempfile.TemporaryDirectory(dir=SHM) as folder:
        yield folder


def opened(*folders) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PMEM_IS_PMEM_FORCE"}
    command = [sys.executable, "-c", OPEN, *map(str, folders)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return result.stdout


def test_libpmem_takes_it_for_persistent_and_the_environment_stays(in_memory):
    assert opened(in_memory) == "1 None\n"


def test_a_pool_elsewhere_is_not_opened_after_it(in_memory, tmp_path):
    if os.stat(tmp_path).st_dev == os.stat(SHM).st_dev:
        pytest.skip("temporary files are in main memory")
    assert "would not flush this one" in opened(in_memory, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert opened(tmp_path) == "0 None\n"
