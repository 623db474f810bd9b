"""The service-level agreement and the reward of Algorithm 1 (thesis appendix A), every constant a parameter.

Latency and throughput are scaled linearly onto [min_scale, max_scale] and compared with their equally scaled goals.
With the constants of the thesis a missing operation per second costs 5000 * 9 / 10^6 = 0.045, the grain of its
published reward quartiles, which fixes max_throughput - min_value at 10^6. Its max_latency cannot be identified from
anything published: 10^6 us is assumed, a microsecond above the goal then costs 0.4995.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

LARGEST = 1e15
"""Bound of every reward parameter: beyond it the arithmetic of a reward loses its meaning, not only its precision."""


GOALS = "goals and reward (Algorithm 1)"
"""Heading of the options."""


def _constant(default: float, words: str, low: float = -LARGEST, shown: bool = False, **about):
    """An option of the reward; most are left to `--set` and files."""
    return option(default, words, low=low, high=LARGEST, group=GOALS, shown=shown, **about)


class Usual(float):
    """A goal that is not set, so that each context may have another."""


@dataclass(frozen=True)
class Sla(Options):
    """Service-level agreement: p99 latency of the interactive class and throughput of both classes."""

    latency_goal_us: float = option(
        Usual(200.0),
        "maximum interactive p99, in microseconds; same as --goal p99_us=US",
        low=0.0,
        high=LARGEST,
        metavar="US",
        group=GOALS,
        excludes=("goal",),
    )
    throughput_goal_ops: float = option(
        Usual(250_000.0),
        "minimum total throughput of both classes, in operations/s; same as --goal throughput_ops=OPS",
        low=0.0,
        high=LARGEST,
        metavar="OPS",
        group=GOALS,
        excludes=("goal",),
    )

    def __post_init__(self):
        super().__post_init__()
        if not self.latency_goal_us > 0.0:  # no latency is 0: the goal could never be kept
            raise InputError("latency_goal_us", self.latency_goal_us, "above 0 us")

    def given_or(self, usual: Sla) -> Sla:
        """The goals that are set, and the goals of `usual` in place of the others."""
        goals = {name: getattr(usual if isinstance(value, Usual) else self, name) for name, value in vars(self).items()}
        return Sla(**{name: float(goal) for name, goal in goals.items()})

    def met_latency(self, p99_us: float) -> bool:
        """Whether the tail latency is at or below its goal."""
        return bool(p99_us <= self.latency_goal_us)

    def met_throughput(self, throughput_ops: float) -> bool:
        """Whether the throughput is at or above its goal."""
        return bool(throughput_ops >= self.throughput_goal_ops)


@dataclass(frozen=True)
class RewardParameters(Options):
    """The constants of Algorithm 1, lines 1 to 5.

    Args:
        min_value: lower end of both unscaled ranges (us for latency, operations/s for throughput).
        max_latency_us: upper end of the latency range in us (assumed: the thesis does not state it).
        max_throughput: upper end of the throughput range in operations/s (min_value + 10^6 by the published quartiles).
        max_scale_lat, max_scale_tp, min_scale: ends of the scaled ranges.
        lat_penalty, tp_penalty: weights of a missed goal.
        reward_factor: weight of the margins when both goals are met (line 9).
        resize_cost: what each thread that is started or stopped takes from the reward (0 in the thesis).
        sla: the goals.

    Raises:
        InputError: for a value that is not a finite number or a range that is empty.
    """

    min_value: float = _constant(0.0, "lower end of both ranges that the reward scales")
    max_latency_us: float = _constant(
        1e6,
        "upper end of the latency range that the reward scales",
        metavar="US",
        shown=True,
        formerly="max_latency",
    )
    max_throughput: float = _constant(1e6, "upper end of the throughput range that the reward scales")
    max_scale_lat: float = _constant(1000.0, "upper end of the scaled latency")
    max_scale_tp: float = _constant(10.0, "upper end of the scaled throughput")
    min_scale: float = _constant(1.0, "lower end of both scaled ranges")
    lat_penalty: float = _constant(500.0, "weight of a missed latency goal", low=0.0)
    tp_penalty: float = _constant(5000.0, "weight of a missed throughput goal", low=0.0)
    reward_factor: float = _constant(10.0, "weight of the margins when both goals are met", low=0.0)
    resize_cost: float = _constant(0.0, "reward lost for each thread started or stopped", low=0.0, metavar="REWARD")
    sla: Sla = Sla()

    def __post_init__(self):
        super().__post_init__()
        for low, high in (
            ("min_value", "max_latency_us"),
            ("min_value", "max_throughput"),
            ("min_scale", "max_scale_lat"),
            ("min_scale", "max_scale_tp"),
        ):
            if not getattr(self, high) > getattr(self, low):
                raise InputError(high, getattr(self, high), f"more than {low} ({getattr(self, low):g})")

    @property
    def latency_scale(self) -> float:
        """Scaled latency per microsecond (0.000999 by default)."""
        return (self.max_scale_lat - self.min_scale) / (self.max_latency_us - self.min_value)

    @property
    def throughput_scale(self) -> float:
        """Scaled throughput per operation per second (0.000009 by default)."""
        return (self.max_scale_tp - self.min_scale) / (self.max_throughput - self.min_value)

    def to_dict(self) -> dict:
        """All constants as plain numbers, for the record of a run; a cost of resizing only where there is one."""
        constants = asdict(self)
        return constants if self.resize_cost else {name: constants[name] for name in constants if name != "resize_cost"}


def scaled_errors(p99_us: float, throughput_ops: float, params: RewardParameters) -> tuple[float, float]:
    """Algorithm 1, lines 2 to 7: (error_lat, error_tp), the distances from the goals after scaling, both >= 0."""

    def scale(value: float, factor: float) -> float:
        return factor * (value - params.min_value) + params.min_scale

    sla = params.sla
    error_lat = scale(p99_us, params.latency_scale) - scale(sla.latency_goal_us, params.latency_scale)
    error_tp = scale(throughput_ops, params.throughput_scale) - scale(sla.throughput_goal_ops, params.throughput_scale)
    return abs(error_lat), abs(error_tp)


def reward(p99_us: float, throughput_ops: float, params: RewardParameters | None = None) -> float:
    """Algorithm 1: the reward of one window.

    Args:
        p99_us: 99th percentile of the latency of interactive requests in microseconds.
        throughput_ops: completed operations of both classes per second.
        params: the constants; the defaults are those of the thesis.

    Raises:
        InputError: if a measurement is negative or not a finite number.
    """
    params = params or RewardParameters()
    for name, value in (("p99_us", p99_us), ("throughput_ops", throughput_ops)):
        if not (math.isfinite(value) and value >= 0.0):
            raise InputError(name, value, "a finite number of at least 0")
    missed, penalty, gain = _judged(p99_us, throughput_ops, params)
    return -penalty if missed else gain


def rewards(p99_us: np.ndarray, throughput_ops: np.ndarray, params: RewardParameters) -> np.ndarray:
    """`reward` of each of n windows: arrays of shape (n,), finite and at least 0."""
    missed, penalty, gain = _judged(p99_us, throughput_ops, params)
    return np.where(missed, -penalty, gain)


def _judged(p99_us, throughput_ops, params: RewardParameters) -> tuple:
    """(whether a goal is missed, the penalty then, the gain otherwise), of one window or of arrays of them."""
    error_lat, error_tp = scaled_errors(p99_us, throughput_ops, params)
    # The goals are compared before scaling: scaling is increasing, and unscaled no rounding decides a tie.
    late, slow = p99_us > params.sla.latency_goal_us, throughput_ops < params.sla.throughput_goal_ops
    penalty = params.lat_penalty * error_lat * late + params.tp_penalty * error_tp * slow
    return late | slow, penalty, params.reward_factor * (error_lat + error_tp)
