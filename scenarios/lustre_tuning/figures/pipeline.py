"""Steps of `pmtwin figures lustre-tuning`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pmtwin.figures.registry import Entry
from pmtwin.loop.baselines import PIPELINE as BASELINES
from pmtwin.pipeline.step import Setting, Step, Work
from pmtwin.scenarios.lustre_tuning.figures.campaign import FULL, QUICK
from pmtwin.scenarios.lustre_tuning.figures.experiments import assumed, controls, costs, replay, sessions, trainings
from pmtwin.scenarios.lustre_tuning.figures.experiments.trainings import FIGURE_3, OTHERS, RANDOM
from pmtwin.scenarios.lustre_tuning.figures.recorded import recorded

GROUP = "Parallel file system"
PLOTS = "pmtwin.scenarios.lustre_tuning.figures.plots"
HOUR_S = 3600

TRAINED_S, FIXED_S, PRINTED_S, OPEN_S, MINUTES_S = 1.2e-3, 0.6e-3, 7e-3, 2e-3, 0.3e-3
"""Usual seconds of a simulated second: with the default network, with tuners, with the paper's network, with networks
that learn otherwise, and without decisions."""


def _entry(name: str, title: str, place: str, steps: tuple[str, ...], function: str) -> Entry:
    return Entry(name, title, place, steps, f"{PLOTS}.{function}", GROUP)


def _step(
    name: str, title: str, module: str, settings: tuple[str, ...], hours: Callable[[Setting], float], window_s: float,
    compute: Callable[[Work], dict], needs: tuple[str, ...] = (),
) -> Step:  # fmt: skip
    """A step that simulates so many hours."""

    def windows(setting: Setting) -> int:
        return round(HOUR_S * hours(setting))

    return Step(name, title, needs, settings, module, windows, 1.0, True, compute, window_s=window_s)


def _training_h(setting: Setting) -> float:
    return setting.campaign.trained_h[-1] + setting.campaign.judged_h


def _controls_h(setting: Setting, workloads: int) -> float:
    return (
        setting.campaign.seeds
        * workloads
        * (_training_h(setting) / 2.0 + 2.0 * setting.campaign.judged_h + controls.CLIMBING_H)
    )


def _search_h(setting: Setting, workloads: int) -> float:
    plan, count = controls.plan_of(setting.campaign), len(controls.CANDIDATES)
    return workloads * plan.windows(count) / HOUR_S


TRAINED = ("seeds", "trained_h", "judged_h")
PIPELINE = replace(
    BASELINES,
    title="Parallel file system",
    entries=(
        _entry(
            "2", "Random reads and writes", "Figure 2, section 4.3",
            ("longest", "random", "controls-random", "printed"), "gains:render_2",
        ),
        _entry(
            "3", "File server and sequential writes", "Figure 3, section 4.3", ("files", "controls-files"),
            "gains:render_3",
        ),
        _entry("4", "One network in three later runs", "Figure 4, section 4.3", ("sessions",), "sessions:render"),
        _entry("5", "Error while learning", "Figure 5, section 4.4", ("longest", "printed"), "learning:render_5"),
        _entry(
            "6", "Throughput while learning", "Figure 6, section 4.5", ("longest", "controls-random"),
            "learning:render_6",
        ),
        _entry("table-2", "Cost of learning", "Table 2, section 4.6", ("costs",), "costs:render"),
        _entry(
            "assumed", "What the paper leaves open", "beyond the paper", ("assumed", "learning"), "assumed:render"
        ),
        _entry("replay", "The authors' own run", "authors' log", ("replay",), "replay:render"),
    ),
    steps=(
        _step(
            "longest", "train: random-1-9, the longest", trainings.__name__, ("seeds", "long_h"),
            lambda setting: setting.campaign.seeds * setting.campaign.long_h, TRAINED_S, trainings.longest,
        ),
        _step(
            "random", "train: the other random workloads", trainings.__name__, TRAINED,
            lambda setting: setting.campaign.seeds * len(OTHERS) * _training_h(setting), TRAINED_S,
            partial(trainings.trainings, workloads=OTHERS),
        ),
        _step(
            "files", "train: file server and sequential writes", trainings.__name__, TRAINED,
            lambda setting: setting.campaign.seeds * len(FIGURE_3) * _training_h(setting), TRAINED_S,
            partial(trainings.trainings, workloads=FIGURE_3),
        ),
        _step(
            "printed", "train: random-1-9 with the paper's hyperparameters", trainings.__name__,
            ("paper_seeds", "trained_h", "judged_h"),
            lambda setting: setting.campaign.paper_seeds * _training_h(setting), PRINTED_S, trainings.as_printed,
        ),
        *(
            step
            for kind, workloads in (("random", RANDOM), ("files", FIGURE_3))
            for step in (
                _step(
                    f"search-{kind}", f"search: the best fixed settings, {kind}", controls.__name__,
                    ("search_windows",), partial(_search_h, workloads=len(workloads)), FIXED_S,
                    partial(controls.search, workloads=workloads),
                ),
                _step(
                    f"controls-{kind}", f"simulate: default, best fixed and hill climbing, {kind}", controls.__name__,
                    TRAINED, partial(_controls_h, workloads=len(workloads)), FIXED_S,
                    partial(controls.controls, workloads=workloads, needed=f"search-{kind}"), (f"search-{kind}",),
                ),
            )
        ),
        _step(
            "sessions", "simulate: the file server with trained networks", sessions.__name__, ("seeds", "session_h"),
            lambda setting: setting.campaign.seeds * 2 * len(sessions.SESSIONS) * setting.campaign.session_h, FIXED_S,
            sessions.compute, ("files",),
        ),
        _step(
            "costs", "learn: as the paper prints it, with a replay database", costs.__name__, (),
            lambda setting: costs.WINDOWS / HOUR_S, PRINTED_S, costs.compute,
        ),
        _step(
            "assumed", "simulate: fixed windows one thing assumed otherwise at a time", assumed.__name__, ("seeds",),
            lambda setting: setting.campaign.seeds * 2 * len(assumed.SYSTEMS) * len(assumed.WINDOWS) * assumed.SYSTEM_H,
            MINUTES_S, assumed.systems,
        ),
        _step(
            "learning", "train: networks that learn otherwise", assumed.__name__, ("open_seeds", "open_h"),
            lambda setting: setting.campaign.open_seeds * len(assumed.LEARNING) * setting.campaign.open_h, OPEN_S,
            assumed.learning,
        ),
        _step(
            "replay", "simulate: the authors' own run", replay.__name__, (),
            lambda setting: replay.SEEDS * len(replay.VARIANTS) * len(recorded().window) / HOUR_S,
            0.2e-3, replay.compute,
        ),
    ),
    quick=QUICK,
    full=FULL,
)  # fmt: skip
