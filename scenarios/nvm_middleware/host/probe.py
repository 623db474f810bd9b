"""What `pmtwin probe --host` does: the host's parameters on this machine, with the real middleware over a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pmtwin.console.progress import progress
from pmtwin.machine import machine
from pmtwin.middleware.settings import EMULATED, NativeSettings
from pmtwin.middleware.stores import KEEPS, built_engines
from pmtwin.scenarios.nvm_middleware.host import experiments
from pmtwin.scenarios.nvm_middleware.host.fit import CROWDS, INTERVAL, parameters
from pmtwin.scenarios.nvm_middleware.host.options import ROUNDS
from pmtwin.scenarios.nvm_middleware.host.rounds import Rounds
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.host.file import document


def stores() -> list[str]:
    """Stores that the parameters can be measured over: in real time, with a cost of their own."""
    return [name for name, engine in built_engines().items() if engine.keeps != KEEPS[0]]


def measurable(settings: NativeSettings) -> bool:
    """Whether a store has a cost of its own to measure; True for one that is not built, which is refused later."""
    return settings.store != EMULATED and (not built_engines() or settings.store in stores())


def check_store(settings: NativeSettings) -> None:
    """Raise `InputError` for a store that has no cost of its own to measure."""
    if not measurable(settings):
        raise InputError("--store", settings.store, f"a store in real time: {', '.join(stores())}")


def hardware() -> tuple[int, int]:
    """(cores, threads of each) that this process may use."""
    cpu = machine.cpu()
    each = max(1, cpu["hardware_threads"] // (cpu["cores"] or cpu["hardware_threads"]))
    usable = int(cpu["usable_threads"])
    return max(1, usable // each), each if usable >= each else 1


def steps(settings: NativeSettings, rounds: int = ROUNDS) -> int:
    """How often `host_document` calls `on_window`."""
    return rounds * len(experiments.cells(settings.keys))


def host_document(
    settings: NativeSettings,
    profile_name: str,
    on_window: Callable[[], object],
    rounds: int = ROUNDS,
    shortened: bool = False,
) -> dict:
    """The content of the host's file; about two minutes.

    Args:
        settings: the store, and how many keys its requests use: as many as later, for what lies in which cache.
        profile_name: of the memory that the store lies in, by which accesses are told from software.
        on_window: called `steps()` times (progress).
        shortened: as few requests as show that everything works, for tests.

    Raises:
        InputError: the store cannot be opened, or has nothing to measure.
        MissingDependencyError: the middleware is not built.
    """
    check_store(settings)
    profile = load_profile(profile_name)
    with Rounds(settings, profile, experiments.cells(settings.keys), shortened=shortened) as measured:
        for number in range(rounds):
            for _ in measured.run(number):
                on_window()
    return fitted(measured.samples, settings, profile_name)


def fitted(samples: Mapping[str, Sequence[float]], settings: NativeSettings, profile_name: str) -> dict:
    """The content of the host's file from samples of its rounds.

    Args:
        samples: of `pmtwin.scenarios.nvm_middleware.host.rounds.Rounds`. settings, profile_name: as of `host_document`.
    """
    profile = load_profile(profile_name)
    context = {
        "machine": machine.host_context(),
        "middleware": {name: value for name, value in settings.to_dict().items() if name != "dilation"},
        "profile": {"name": profile_name, "fingerprint": profile.fingerprint},
        "rounds": len(samples[experiments.IDLE]),
        "interval": INTERVAL,
    }
    with progress(desc="host fit", total=len(CROWDS), unit="load") as bar:
        return document(parameters(samples, profile, *hardware(), bar.update), context, samples)
