"""On what a run was made, which steps it took, and its record."""

from __future__ import annotations

from pmtwin.figures.page.markup import table
from pmtwin.pipeline.runner import Done
from pmtwin.pipeline.step import Setting


def steps_html(done: dict[str, Done]) -> str:
    """Time of each step, and whether it came from the cache."""
    rows = [(each.step.title, round(each.seconds, 1), each.cached, each.key[:12]) for each in done.values()]
    return table(("step", "seconds", "from the cache", "content key"), rows)


def host_html(host: dict) -> str:
    """Machine and versions."""
    cpu, memory = host["cpu"], host["memory"]
    rows = [
        ("processor", cpu["model"]),
        ("usable hardware threads", cpu["usable_threads"]),
        ("memory", f"{memory['total_mib']} MiB"),
        ("kernel", host["kernel"]),
        *((name, version) for name, version in host["versions"].items()),
    ]
    return table(("host and versions", ""), rows)


def record(setting: Setting, done: dict[str, Done], host: dict) -> dict:
    """The configuration of a run as plain values, for `run.json`."""
    return {
        "schema_version": 1,
        "scenario": setting.scenario.name,
        "campaign": setting.campaign.to_dict(),
        "seed": setting.seed,
        "steps": {name: {"key": each.key, "seconds": each.seconds} for name, each in done.items()},
        "data": None if setting.data is None else str(setting.data),
        "host": host,
    }
