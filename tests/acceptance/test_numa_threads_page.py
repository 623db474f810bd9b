"""The commands of the page of scenario `numa-threads`: all run, some with the numbers that its tables state.

In `make test` most are shorter, by the options in `SHORTER`; `make test-acceptance` runs them as printed.
"""

import json
import os
import re

import pytest

from pmtwin.sim.common.native_parts import native_folder
from tests.acceptance.desk import Desk
from tests.acceptance.pages import FULL, TOP, blocks, commands, files, shortened

PAGE = (TOP / "docs/numa-threads.md").read_text(encoding="utf-8")

STATED = {
    "--local-unit millions": {"linucb": 3_989, "none": 3_989, "rule": 7_858},
    "--no-directory-writes": {"rule": 38_576, "none": 33_461, "linucb": 38_714},
    "--profile dram-ddr4": {"fixed:48,12,0": 24_606, "none": 18_128, "rule": 23_087, "linucb": 22_915},
}
"""End of a command -> operations/s that its table states, by policy."""

SHORTER = [
    (r"(pmtwin figures .*)", r"\1 --dry-run"),
    (r" (best-constant|best-fixed|clairvoyant)\b", ""),  # searches for a best setting
    (r" --(steps|seeds|windows|warmup-windows|workload-steps|jobs) \d+", ""),
    (r"(pmtwin evaluate .*)", r"\1 --steps 3 --workload-steps 3 --seeds 1 --jobs 1 --window-s 0.1"),
    (r"(pmtwin validate .* --policies .*)", r"\1 --steps 3 --seeds 1"),
    (r"(pmtwin validate (?!.*--policies).*)", r"\1 --windows 1 --seeds 1"),
    (r"--(device|host)-samples 20", r"--\1-samples 2"),
]
"""Patterns of what is printed -> shorter."""

NATIVE = ("--engine native", "pmtwin validate")
VERDICT = {0, 1}


@pytest.fixture
def desk(tmp_path):
    for name, text in files(PAGE).items():
        (tmp_path / name).write_text(text)
    return Desk(tmp_path)


@pytest.mark.parametrize("words", STATED)
def test_operations_are_those_that_the_page_states(words, desk):
    """In `make test` the first policy alone: each runs by itself, so that its numbers are those beside the others.

    And in one process there: several would compile the same functions at the same time.
    """
    (command,) = (line for line in commands(PAGE) if line.endswith(words))
    stated = STATED[words] if FULL else dict(list(STATED[words].items())[:1])
    command = (
        command if FULL else re.sub(r"--policies .*? --", f"--policies {next(iter(stated))} --", f"{command} --jobs 1")
    )
    shown = json.loads(desk.run(f"{command} --json").out)
    assert shown["policies"].keys() >= stated.keys()
    means = {name: shown["policies"][name]["overall"]["ops_per_s"]["mean"] for name in stated}
    assert means == pytest.approx(stated, rel=0.001)
    assert all(f"{value:,}" in PAGE for value in STATED[words].values())


@pytest.mark.parametrize("block", [block for block in blocks(PAGE) if not block.strip().endswith(tuple(STATED))])
def test_every_command_of_the_page_runs(desk, block):
    ready = len(os.sched_getaffinity(0)) > 1 and os.access(native_folder() / "pmtwin-numa-load", os.X_OK)
    if not ready and any(words in block for words in NATIVE):
        pytest.skip("real threads need two processors and pmtwin-numa-load (make build)")
    codes = VERDICT if "pmtwin validate" in block else {0}
    assert desk.run(shortened(block, SHORTER), codes).out
