"""`pmtwin doctor`: what this machine has for the work on persistent memory, and what each absence costs."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pmtwin import machine
from pmtwin.output import print_json, print_table
from pmtwin.sim.errors import InputError, MissingDependencyError, unknown_name

HELP = "what this machine has for persistent memory, and what each absence costs"

SCHEMA_VERSION = 1
UNPACKED_PMEMKV = Path(__file__).resolve().parents[2] / ".deps" / "pmemkv" / "usr"
POOL_THREADS = 64  # two pools of at most 32 workers


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for.

    Attributes:
        name: how `--require` and the JSON call it.
        present: whether it is here.
        detail: what was found, in a few words.
        cost: what its absence costs; empty if it is present.
    """

    name: str
    present: bool
    detail: str
    cost: str


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin doctor`."""
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument(
        "--require", metavar="NAME,...", help=f"leave with exit code 3 unless these are here: {', '.join(CHECKS)}"
    )


def run(args: argparse.Namespace) -> int:
    """Print what is here.

    Raises:
        InputError: if `--require` names something unknown.
        MissingDependencyError: if something required is absent.
    """
    required = _required(args.require)
    findings = examine()
    context = machine.host_context()
    if args.json:
        print_json({"schema_version": SCHEMA_VERSION, "findings": findings, "host": context})
    else:
        _print_text(findings, context)
    missing = [finding for finding in findings if finding.name in required and not finding.present]
    if missing:
        raise MissingDependencyError("; ".join(f"{finding.name}: {finding.cost}" for finding in missing))
    return 0


def examine(root: Path = Path("/")) -> list[Finding]:
    """Every finding about the machine whose files are below `root`, in a fixed order."""
    findings = []
    for name, check in CHECKS.items():
        present, detail = check.look(root)
        findings.append(Finding(name, present, detail, "" if present else check.cost))
    return findings


def _required(text: str | None) -> set[str]:
    names = {name.strip() for name in (text or "").split(",")} - {""}
    if text is not None and not names:
        raise InputError("--require", text, f"at least one of {', '.join(CHECKS)}")
    for name in sorted(names - set(CHECKS)):
        raise unknown_name("--require", name, CHECKS)
    return names


def _print_text(findings: list[Finding], context: dict) -> None:
    cpu, memory = context["cpu"], context["memory"]
    counts = [f"{key.replace('_', ' ')} {cpu[key]}" for key in ("sockets", "cores", "hardware_threads", "numa_nodes")]
    print(f"{cpu['model']}: {', '.join(counts)}; {memory['total_mib']} MiB memory, {memory['dev_shm_mib']} in /dev/shm")
    print(", ".join(f"{name} {version or 'absent'}" for name, version in context["versions"].items()), end="\n\n")
    print_table([("yes" if finding.present else "no", finding.name, finding.detail) for finding in findings])
    absent = [finding for finding in findings if not finding.present]
    if absent:
        print("\nwhat the absences cost")
        print_table([("", finding.name, finding.cost) for finding in absent])


Look = Callable[[Path], tuple[bool, str]]
"""Root folder -> (present, what was found in a few words)."""


@dataclass(frozen=True)
class Check:
    """How to look for one thing, and what its absence costs."""

    look: Look
    cost: str


def _pmem(root: Path) -> tuple[bool, str]:
    found = machine.persistent_memory(root)
    names = ", ".join(found["devices"] + found["cxl_memory"])
    if found["emulated"]:
        return (
            False,
            f"{names}: DRAM that the kernel presents as pmem (memmap=); good to verify a twin, not to validate it",
        )
    return bool(found["devices"]), names or "no device"


def _dax(root: Path) -> tuple[bool, str]:
    mounts = machine.dax_mounts(root)
    detail = ", ".join(f"{mount.folder} ({mount.device}, {mount.type})" for mount in mounts)
    return bool(mounts), detail or "no mount"


def _libraries(*names: str) -> Look:
    def look(_root: Path) -> tuple[bool, str]:
        found = {name: machine.library(name) for name in names}
        return all(found.values()), ", ".join(f"lib{name} {where or 'absent'}" for name, where in found.items())

    return look


def _pmemkv(root: Path) -> tuple[bool, str]:
    """Of the system, or what scripts/fetch-pmemkv unpacked beside the sources."""
    here, detail = _libraries("pmemkv")(root)
    unpacked = next(UNPACKED_PMEMKV.glob("lib/*/libpmemkv.so.1"), None)
    return (here, detail) if here or unpacked is None else (True, "libpmemkv in .deps/pmemkv, from Debian 11")


def _tool(*names: str) -> Look:
    def look(_root: Path) -> tuple[bool, str]:
        here = next((name for name in names if shutil.which(name)), None)
        if here is None:
            return False, f"no {' or '.join(names)}"
        return True, machine.tool_output(here, "--version") or here

    return look


def _instructions(root: Path) -> tuple[bool, str]:
    flags = machine.cpu(root)["flags"]
    return all(flags.values()), ", ".join(f"{flag} {'yes' if here else 'no'}" for flag, here in flags.items())


def _threads(root: Path) -> tuple[bool, str]:
    cpu = machine.cpu(root)
    usable = cpu["usable_threads"]
    return usable >= POOL_THREADS, f"{usable:g} usable of {cpu['hardware_threads']} hardware threads"


def _numa(root: Path) -> tuple[bool, str]:
    cpu = machine.cpu(root)
    detail = f"{cpu['numa_nodes']} with processors, {len(cpu['memory_only_nodes'])} of memory alone"
    return cpu["numa_nodes"] > 1, detail


CHECKS: dict[str, Check] = {
    "pmem": Check(
        _pmem,
        "no persistent memory: validation on real hardware is not possible; "
        "everything else works on the shipped profile",
    ),
    "dax": Check(
        _dax, "no file system with direct access: pools in files would go through the page cache, not to the device"
    ),
    "pmdk": Check(_libraries("pmem", "pmemobj"), "no PMDK: code that persists data on the device cannot be built here"),
    "pmemkv": Check(
        _pmemkv,
        "no pmemkv: the real key-value store cannot run here, nor its access profile be measured; its twin needs none. "
        "On Debian 12 scripts/fetch-pmemkv gets it, elsewhere install the distribution's",
    ),
    "google-benchmark": Check(_libraries("benchmark"), "no Google Benchmark: a native probe cannot be built here"),
    "compiler": Check(
        _tool("c++", "g++", "clang++"), "no C++ compiler: nothing native can be built; the twin needs none"
    ),
    "cmake": Check(_tool("cmake"), "no CMake: nothing native can be built; the twin needs none"),
    "instructions": Check(
        _instructions, "an operation whose instruction is absent (store_clwb: clwb) cannot be measured here"
    ),
    "threads": Check(
        _threads,
        f"fewer than the {POOL_THREADS} workers of two full pools: they cannot run side by side in real time here; "
        "in the twin they can",
    ),
    "numa": Check(
        _numa, "one NUMA node: what access from the remote socket costs cannot be measured here; the twin models it"
    ),
}
"""What is looked for, in the order of the listing."""
