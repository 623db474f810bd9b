"""The command line starts quickly: nothing is loaded that a command does not need."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "arguments",
    [
        *("", "'validate'", "'simulate', ['nvm-middleware']", "'simulate', ['two-tier']"),
        *("'evaluate', ['nvm-middleware']", "'evaluate', ['hybrid-storage']"),
    ],
)
def test_help_needs_no_heavy_package(arguments):
    heavy = "{'numba', 'scipy', 'sklearn', 'matplotlib', 'gymnasium'" + (", 'numpy'}" if not arguments else "}")
    code = f"import sys; from pmtwin.config.command_words import build_parser; build_parser({arguments}); "
    code += f"print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("words", "loaded"),
    [
        (["list"], []),
        (["simulate", "--windows", "1", "--help"], ["nvm_middleware"]),
        (["simulate", "two-tier", "--help"], ["two_tier"]),
    ],
)
def test_no_scenario_is_loaded_but_the_one_that_runs(words, loaded):
    code = r"import atexit, re, sys; declared = re.compile(r'pmtwin\.scenarios\.(\w+)\.scenario').fullmatch; "
    code += "atexit.register(lambda: print([name[1] for name in map(declared, list(sys.modules)) if name])); "
    code += f"from pmtwin.cli import main; main({words})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(loaded)
