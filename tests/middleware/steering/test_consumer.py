"""Somebody else's C++ project finds the middleware and its policies, installed or in this repository."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BUILD = ROOT / "build" / "native"
CONSUMER = Path(__file__).parent / "consumer"


def run(*command) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def configure(tmp_path):
    cache = BUILD / "CMakeCache.txt"
    if not cache.exists() or not (BUILD / "pmtwin-steering-example").exists():
        pytest.skip("pmtwin-steering-example is not built (make build)")
    cmake = shutil.which("cmake")
    for line in cache.read_text().splitlines():  # the one that built it: others on the path may be older
        if line.startswith("CMAKE_COMMAND:INTERNAL="):
            cmake = line.partition("=")[2]

    def configured(*options) -> str:
        example = ROOT / "docs" / "examples" / "steering.cpp"
        return run(cmake, "-S", CONSUMER, "-B", tmp_path / "build", f"-DEXAMPLE={example}", *options)

    configured.cmake = cmake
    return configured


def test_what_is_installed_is_found_linked_and_steers(configure, tmp_path):
    run(configure.cmake, "--install", BUILD, "--prefix", tmp_path / "there")
    configure(f"-DCMAKE_PREFIX_PATH={tmp_path / 'there'}")
    run(configure.cmake, "--build", tmp_path / "build")
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps({"format": "pmtwin-steering-policy", "schema": 1, "kind": "fixed", "pools": [3, 5]}))
    head, *lines = run(tmp_path / "build" / "mine", policy).splitlines()
    assert lines and head.startswith("# interactive_threads ") and len(head.split()) - 1 == len(lines[0].split())
    assert all(line.split()[-2:] == ["3", "5"] for line in lines)


def test_engines_of_what_is_installed_are_found_by_name_and_pools_checked_by_its_program(configure, tmp_path):
    there = tmp_path / "there"
    run(configure.cmake, "--install", BUILD, "--prefix", there)
    configure(f"-DCMAKE_PREFIX_PATH={there}")
    run(configure.cmake, "--build", tmp_path / "build", "--target", "engines")
    engines = tmp_path / "build" / "engines"
    names = run(engines).splitlines()
    assert {"map", "null"} <= set(names)
    if "pmemkv" not in names:
        pytest.skip("built without pmemkv")
    pool = tmp_path / "pool"
    path = os.environ["PATH"]
    made = subprocess.run([engines, pool], env={"PATH": path}, capture_output=True, text=True)
    assert made.stdout.splitlines()[1:] == names, made.stderr  # a pool that it has just made needs no check
    without = subprocess.run([engines, pool], env={"PATH": path}, capture_output=True, text=True)
    assert without.returncode == 2
    assert "program pmtwin-pool-check is not there" in without.stdout
    again = subprocess.run([engines, pool], env={"PATH": f"{there / 'bin'}:{path}"}, capture_output=True, text=True)
    assert again.stdout.splitlines()[1:] == names, again.stderr


def test_without_pmemkv_the_other_engines_are_built_and_it_is_said(configure, tmp_path):
    said = configure(f"-DPMTWIN_SOURCE={ROOT}", "-DPMTWIN_PMEMKV=OFF")
    assert "left out: the middleware's engine `pmemkv`: PMTWIN_PMEMKV is off" in said
    commands = json.loads((tmp_path / "build" / "compile_commands.json").read_text())
    engines = {Path(each["file"]).name for each in commands if "/middleware/engines/" in each["file"]}
    assert "map_engine.cpp" in engines
    assert "pmemkv_engine.cpp" not in engines
