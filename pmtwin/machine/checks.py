"""The checks of `pmtwin doctor`, and the consequences of missing parts."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pmtwin.calibrate.probing import native
from pmtwin.console.output import counted
from pmtwin.machine import machine
from pmtwin.middleware import binding, stores
from pmtwin.sim.common.native_parts import how_to_get
from pmtwin.sim.errors import MissingDependencyError

UNPACKED_PMEMKV = Path(__file__).resolve().parents[2] / ".deps" / "pmemkv" / "usr"
PMEMKV = "pmemkv"
MOST_WORKERS = 64
"""Threads of the shipped scenario at its largest setting."""

Look = Callable[[Path], tuple[bool, str]]
"""Function from a root folder to (whether the part is present, short description)."""


@dataclass(frozen=True)
class Check:
    """A check for a part of the machine, and the consequence of its absence."""

    look: Look
    cost: str


def _pmem(root: Path) -> tuple[bool, str]:
    memories = machine.persistent_memory(root)
    names = ", ".join(memories["devices"] + memories["cxl_memory"])
    if memories["emulated"]:
        return (
            False,
            f"{names}: DRAM that the kernel presents as pmem (memmap=); good to verify a twin, not to validate it",
        )
    return bool(memories["devices"]), names or "no device"


def _dax(root: Path) -> tuple[bool, str]:
    mounts = machine.dax_mounts(root)
    detail = ", ".join(f"{mount.folder} ({mount.device}, {mount.type})" for mount in mounts)
    return bool(mounts), detail or "no mount"


def _libraries(*names: str) -> Look:
    def look(_root: Path) -> tuple[bool, str]:
        paths = {name: machine.library(name) for name in names}
        return all(paths.values()), ", ".join(f"lib{name} {where or 'absent'}" for name, where in paths.items())

    return look


def _pmemkv(root: Path) -> tuple[bool, str]:
    """The store of the native parts, for `validate --store pmemkv`; without native parts, the library to build them.

    The library is that of the system, or the one that scripts/fetch-pmemkv unpacked in the sources' folder.
    """
    with suppress(MissingDependencyError):
        if engines := stores.built_engines():
            known = PMEMKV in engines
            return known, f"the native parts have {'the' if known else 'no'} store {PMEMKV} ({binding.FOLDER})"
    present, detail = _libraries(PMEMKV)(root)
    unpacked = next(UNPACKED_PMEMKV.glob("lib/*/libpmemkv.so.1"), None)
    return (present, detail) if present or unpacked is None else (True, "libpmemkv in .deps/pmemkv, from Debian 11")


def _tool(*names: str) -> Look:
    def look(_root: Path) -> tuple[bool, str]:
        program = next((name for name in names if shutil.which(name)), None)
        if program is None:
            return False, f"no {' or '.join(names)}"
        return True, machine.tool_output(program, "--version") or program

    return look


def _native(_root: Path) -> tuple[bool, str]:
    """The module and the programs of `make build`; only the probe is checked of the programs."""
    parts = {"the middleware": binding.path() is not None, "the probe": os.access(native.PROGRAM, os.X_OK)}
    details = ", ".join(f"{name} {'yes' if present else 'no'}" for name, present in parts.items())
    return all(parts.values()), f"{details} ({native.PROGRAM.parent})"


def _instructions(root: Path) -> tuple[bool, str]:
    flags = machine.cpu(root)["flags"]
    return all(flags.values()), ", ".join(f"{flag} {'yes' if present else 'no'}" for flag, present in flags.items())


def _threads(root: Path) -> tuple[bool, str]:
    cpu = machine.cpu(root)
    usable = cpu["usable_threads"]
    return (
        usable >= MOST_WORKERS,
        f"{usable:g} of {cpu['hardware_threads']} hardware threads usable, {MOST_WORKERS} for the largest setting",
    )


def _numa(root: Path) -> tuple[bool, str]:
    cpu = machine.cpu(root)
    detail = f"{counted(cpu['numa_nodes'], 'node')} with processors, {len(cpu['memory_only_nodes'])} with memory alone"
    return cpu["numa_nodes"] > 1, detail


CHECKS: dict[str, Check] = {
    "pmem": Check(
        _pmem,
        "no persistent memory: validation on real hardware is not possible; "
        "everything else works on the shipped profile",
    ),
    "dax": Check(
        _dax, "no file system with direct access: data in files would go through the page cache, not to the device"
    ),
    "pmdk": Check(_libraries("pmem", "pmemobj"), "no PMDK: code that persists data on the device cannot be built here"),
    "pmemkv": Check(
        _pmemkv,
        "no pmemkv: the real key-value store cannot run here, nor its access profile be measured; its twin needs none. "
        "On Debian 12 scripts/fetch-pmemkv gets it, elsewhere install the distribution's; then `make build`",
    ),
    "google-benchmark": Check(_libraries("benchmark"), "no Google Benchmark: a native probe cannot be built here"),
    "compiler": Check(
        _tool("c++", "g++", "clang++"), "no C++ compiler: nothing native can be built; the twin needs none"
    ),
    "cmake": Check(_tool("cmake"), "no CMake: nothing native can be built; the twin needs none"),
    "native": Check(
        _native,
        "without the middleware no `validate`, `probe --host` and most of `bench`, without the probe no `probe`; the "
        "twin needs none. "
        f"How to get them: {how_to_get('a C++ compiler and CMake')}",
    ),
    "instructions": Check(
        _instructions, "an operation whose instruction is absent (store_clwb: clwb) cannot be measured here"
    ),
    "threads": Check(
        _threads,
        f"fewer than the {MOST_WORKERS} workers of the largest setting: they cannot run side by side in real time, "
        "but in the twin they can",
    ),
    "numa": Check(
        _numa, "one NUMA node: what access from the remote socket costs cannot be measured here; the twin models it"
    ),
}
"""Name -> check, in the order of the output."""
