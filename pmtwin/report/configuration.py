"""Steps, machine and record of a run of `pmtwin run`."""

from __future__ import annotations

from pmtwin.figures.page.markup import table
from pmtwin.pipeline.runner import Done
from pmtwin.pipeline.step import Setting


def steps_html(done: dict[str, Done]) -> str:
    """Table of the seconds of each step, and of steps that came from the cache."""
    rows = [(result.step.title, round(result.seconds, 1), result.cached, result.key[:12]) for result in done.values()]
    return table(("step", "seconds", "from the cache", "content key"), rows)


def host_html(host: dict) -> str:
    """Table of the machine and of versions."""
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
    """Configuration of a run as plain values, for `run.json`."""
    return {
        "schema_version": 1,
        "scenario": setting.scenario.name,
        "campaign": setting.campaign.to_dict(),
        "seed": setting.seed,
        "steps": {name: {"key": result.key, "seconds": result.seconds} for name, result in done.items()},
        "data": None if setting.data is None else str(setting.data),
        "host": host,
    }
