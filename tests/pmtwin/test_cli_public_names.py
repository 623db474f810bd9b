"""`import pmtwin.sim` and `import pmtwin`: all public names are there, and cost nothing until they are used."""

import importlib
import os
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
    code = "import pmtwin.sim, sys"
    code += "; print(sorted({'numba', 'numpy', 'gymnasium', 'pmtwin.scenarios'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_importing_changes_no_variable():
    code = "import os; before = dict(os.environ)"
    code += "; import pmtwin.sim.engines, pmtwin.policies.linear_q.sgd, pmtwin.policies.training"
    code += "; print({name: os.environ.get(name) for name in before.keys() | os.environ.keys()"
    code += " if os.environ.get(name) != before.get(name)})"
    variables = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "HOME")}
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True)
    assert done.stdout == "{}\n"


def test_the_package_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "pmtwin", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"pmtwin {pmtwin.__version__}\n"
    done = subprocess.run([sys.executable, "-m", "pmtwin", "nonsense"], capture_output=True, text=True)
    assert (done.returncode, done.stderr[:24]) == (2, "pmtwin: command: 'nonsen")


def test_the_example_of_the_package_runs():
    middleware = pmtwin.Middleware(pmtwin.phase_workload(1), seed=1)
    middleware.start(interactive_threads=10, batch_threads=10)
    assert middleware.run_window().completed == 5000
