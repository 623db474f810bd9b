"""`import pmtwin.sim` and `import pmtwin`: all public names are there, and cost nothing until they are used."""

import importlib
import subprocess
import sys

import pytest

import pmtwin


@pytest.mark.parametrize("package", ["pmtwin.sim", "pmtwin"])
def test_every_public_name_is_there(package):
    module = importlib.import_module(package)
    assert [name for name in module.__all__ if getattr(module, name, None) is None] == []
    assert set(module.__all__) <= set(dir(module))


def test_a_name_that_is_not_public_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'pmtwin' has no attribute 'Midleware'"):
        _ = pmtwin.Midleware
    with pytest.raises(ImportError):
        exec("from pmtwin.sim import Midleware")


def test_importing_loads_no_heavy_package():
    code = "import pmtwin.sim, sys; print(sorted({'numba', 'numpy', 'gymnasium'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_example_of_the_package_runs():
    middleware = pmtwin.Middleware(pmtwin.phase_workload(1), seed=1)
    middleware.start(interactive_threads=10, batch_threads=10)
    assert middleware.run_window().completed == 5000
