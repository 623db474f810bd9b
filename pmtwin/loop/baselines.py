"""Pipeline of a scenario that declares none: an evaluation of its baselines, and a report."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pmtwin.figures.experiments import baselines
from pmtwin.figures.registry import Entry
from pmtwin.pipeline.declared import Finished, Part, Pipeline
from pmtwin.pipeline.files import Section
from pmtwin.pipeline.runner import Done
from pmtwin.pipeline.step import Setting, Step, Work

STEP = "baselines"


def _compute(work: Work) -> dict:
    s = work.setting

    def progress(description: str, total: int, results: Iterable):
        return work.progress(results, desc=description, total=total)

    return baselines.run(s.scenario, s.campaign, s.seed, s.jobs, progress)


def _finish(setting: Setting, done: dict[str, Done], sections: list[Section], output: Path) -> Finished:
    return Finished({}, None, {})


def _parts(
    setting: Setting, done: dict[str, Done], sections: list[Section], host: dict, finished: Finished
) -> list[Part]:
    from pmtwin.figures.page.markup import section
    from pmtwin.report.configuration import host_html, steps_html
    from pmtwin.report.sections import figure_sections

    options = f" --seed {setting.seed}" if setting.seed else ""
    run = section("run", "How this was run", steps_html(done), host_html(host))
    return [*figure_sections(sections, options), Part("run", "How this was run", run)]


PIPELINE = Pipeline(
    title="Baselines",
    entries=(
        Entry(
            STEP,
            "Policies that need no training, by context",
            "the scenario's baselines",
            (STEP,),
            "pmtwin.figures.plots.baselines:render",
            "Policies",
        ),
    ),
    steps=(
        Step(
            STEP,
            "evaluate: the baselines over all contexts",
            (),
            ("seeds", "rounds", "context_steps"),
            baselines.__name__,
            lambda s: baselines.windows(s.scenario, s.campaign),
            1.0,
            True,
            _compute,
        ),
    ),
    quick=baselines.QUICK,
    full=baselines.FULL,
    besides=lambda: frozenset(),
    finish=_finish,
    parts=_parts,
)
