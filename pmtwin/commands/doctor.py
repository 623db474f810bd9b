"""`pmtwin doctor`: parts of this machine for work on persistent memory, and the consequences of missing ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pmtwin.config.shared import CommandConfig, Printed
from pmtwin.console.output import print_json, print_table, print_text
from pmtwin.machine import machine
from pmtwin.machine.checks import CHECKS, Check
from pmtwin.sim.errors import InputError, MissingDependencyError, unknown_name
from pmtwin.sim.options import option

EXAMPLES = ("pmtwin doctor", "pmtwin doctor --require pmem")

SCHEMA_VERSION = 1

__all__ = ["CHECKS", "Check", "Config", "Finding", "examine", "run"]


@dataclass(frozen=True)
class Finding:
    """Result of one check.

    Attributes:
        name: name of the check in `--require` and in JSON.
        present: whether the part is present.
        detail: short description of it.
        cost: consequence of its absence; empty if it is present.
    """

    name: str
    present: bool
    detail: str
    cost: str


def parse_required(field: str, text: str) -> tuple[str, ...]:
    """Names of checks, sorted.

    Raises:
        InputError: if a name is unknown, or there are no names.
    """
    names = {name.strip() for name in text.split(",")} - {""}
    if not names:
        raise InputError(field, text, f"at least one of {', '.join(CHECKS)}")
    for name in sorted(names - set(CHECKS)):
        raise unknown_name(field, name, CHECKS)
    return tuple(sorted(names))


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig, Printed):
    """Options of `pmtwin doctor`."""

    command: ClassVar[str] = "doctor"
    require: tuple[str, ...] = option(
        (),
        f"parts that must be present, otherwise exit code 3: {', '.join(CHECKS)}",
        metavar="NAME,...",
        parse=parse_required,
    )


def run(config: Config) -> int:
    """Print the findings.

    Raises:
        MissingDependencyError: if a required part is absent.
    """
    findings = examine()
    context = machine.host_context()
    if config.json:
        print_json({"schema_version": SCHEMA_VERSION, "findings": findings, "host": context})
    else:
        _print_text(findings, context)
    missing = [finding for finding in findings if finding.name in config.require and not finding.present]
    if missing:
        raise MissingDependencyError("; ".join(f"{finding.name}: {finding.cost}" for finding in missing))
    return 0


def examine(root: Path = Path("/")) -> list[Finding]:
    """All findings about the machine whose files are below `root`, in a fixed order."""
    findings = []
    for name, check in CHECKS.items():
        present, detail = check.look(root)
        findings.append(Finding(name, present, detail, "" if present else check.cost))
    return findings


def _print_text(findings: list[Finding], context: dict) -> None:
    cpu, memory = context["cpu"], context["memory"]
    counts = [f"{key.replace('_', ' ')} {cpu[key]}" for key in ("sockets", "cores", "hardware_threads", "numa_nodes")]
    print(f"{cpu['model']}: {', '.join(counts)}; {memory['total_mib']} MiB memory, {memory['dev_shm_mib']} in /dev/shm")
    print_text(", ".join(f"{name} {version or 'absent'}" for name, version in context["versions"].items()))
    print()
    print_table([("yes" if finding.present else "no", finding.name, finding.detail) for finding in findings])
    absent = [finding for finding in findings if not finding.present]
    if absent:
        print("\nwhat the absences cost")
        print_table([("", finding.name, finding.cost) for finding in absent])
