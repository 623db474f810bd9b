"""A scenario for tests of the configuration: options of every type, contexts and settings under nouns of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pmtwin.scenarios.contexts import Contexts
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.control import Column, Measure, Settings
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class Real(Options):
    store: str = option("map", "storage backend", choices=("map", "null"), group="real")


@dataclass(frozen=True)
class Model(Options):
    speed: float = option(1.5, "speed of the model", low=0.0, high=10.0, unit="m/s", group="model", excludes=("fast",))
    fast: bool = option(False, "skip what is slow", group="model", excludes=("level",))
    level: float | None = option(None, "level, skipped where it is fast", low=0.0, high=9.0, group="model")
    parameters: Mapping[str, float] = option(
        default_factory=dict, help="or a parameter", choices=("cores", "memory"), open=True
    )
    real: Real | None = None


@dataclass(frozen=True)
class ToyOptions(Options):
    model: Model = field(default_factory=Model)
    places: tuple[int, ...] = option((1, 2), "places")
    rate: float | None = option(5.0, "offered rate; none: at once", low=0.0, high=100.0)


class Toy(Scenario):
    name = "toy"
    description = "Nothing"
    Options = ToyOptions
    columns = (Column("height_m", 0.0, 9.0, "m"),)
    measures = (Measure("height_m", "m", "height"),)
    settings = Settings("sizes", ("left", "right"), (1, 1), (9, 9), "", ((0, 0), (1, 0)))
    initial_setting = (5, 5)
    contexts = Contexts("season", ("dry", "wet"))
    goals = ()

    def reward(self, measures):
        return 0.0

    def system(self, conditions, seed, device=0, mode=None):
        raise NotImplementedError
