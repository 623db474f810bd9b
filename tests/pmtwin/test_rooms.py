"""Who may import whom (docs/design.md): a room knows only those below it, wherever in a file it imports them."""

import re
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

from tests.pmtwin.source_imports import TOP, imports, modules

NVM, TWO_TIER, NUMA = "scenarios.nvm_middleware", "scenarios.two_tier", "scenarios.numa_threads"
HYBRID, LUSTRE = "scenarios.hybrid_storage", "scenarios.lustre_tuning"
ROOMS = [
    *("sim.errors", "sim.common", "sim", "sim.compiling", "sim.draws", "sim.files", "sim.options", "sim.control"),
    *("sim.numerics", "sim.decisions", "policies", "sim.queueing", "sim.stations", "sim.engines", "sim.load"),
    *("sim.device", "sim.regression", "sim.parameters", "sim.store", "sim.host", "sim.numa", "sim.hybrid"),
    "sim.lustre",
    *("", "figures.drawing", "figures.page", "calibrate", f"{NVM}.model", "middleware"),
    *("scenarios.block_traces", "scenarios", "scenarios.environments", "scenarios.simulation"),
    *("scenarios.recommendation", "scenarios.comparison", "scenarios.live_system", TWO_TIER, NVM, NUMA, HYBRID),
    LUSTRE,
    *("figures", "figures.experiments", "figures.plots", "console", "machine", "config", "pipeline", "evaluation"),
    *("report", "loop", "simulation", "training", "prediction", "calibration", "probe", "validation", "inference"),
    *(f"{NVM}.{part}" for part in ("inference", "host", "validation", "figures")),
    *(f"{NUMA}.validation", f"{HYBRID}.validation", f"{TWO_TIER}.figures", f"{NUMA}.figures", f"{HYBRID}.figures"),
    f"{LUSTRE}.figures",
    *("listing", "sweep", "bench"),
    *(
        f"{NUMA}.benchmark",
        f"{HYBRID}.benchmark",
        f"{LUSTRE}.benchmark",
        "commands",
        f"{TWO_TIER}.commands",
        f"{NUMA}.commands",
        f"{HYBRID}.commands",
        f"{LUSTRE}.commands",
    ),
    *("cli", "calls", "__main__"),
]
"""All rooms from the ground up, named below `pmtwin.`: each may import those before it, and none after it.

Policies come before all that simulates: a policy that can reach the simulator is no policy for the real middleware.
The empty name is the package itself, which every import of it needs.
"""

PARTS = ("__version__", "registration", "workers")
"""What the package itself has."""


def imported(source: str) -> set[str]:
    """The modules of ours that a source imports, wherever in it."""
    ours = [each for each in imports(source) if each.is_ours]
    return {f"pmtwin.{each.name}" if each.module == "pmtwin" and each.name else each.module for each in ours}


def room_of(module: str) -> str:
    """The room with the longest name that the module lies in."""
    below = module.removeprefix("pmtwin").removeprefix(".")
    if below.split(".")[0] in PARTS:
        return ""
    inside = [room for room in ROOMS if below == room or below.startswith(f"{room}.")]
    assert inside or below == "", f"{module} lies in no room"
    return max(inside, key=len, default="")


def trespasses(module: str, source: str) -> list[str]:
    """The imports of a module that its room may not have: of rooms above it."""
    place = ROOMS.index(room_of(module))
    return sorted(name for name in imported(source) if ROOMS.index(room_of(name)) > place)


def test_no_room_imports_one_above_it():
    upward = {name: trespasses(name, path.read_text(encoding="utf-8")) for name, path in modules().items()}
    assert len(upward) > 500
    assert {name: names for name, names in upward.items() if names} == {}


def test_no_file_lies_beside_the_rooms():
    """At most ten files at the top of `sim`, eight at that of `pmtwin`."""
    loose = {name for name in modules() if name.count(".") == 1} - {f"pmtwin.{room}" for room in ROOMS}
    assert loose == {"pmtwin.registration", "pmtwin.workers"}


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("pmtwin.policies.fixed", "from pmtwin.sim.engines import start_network", ["pmtwin.sim.engines"]),
        (
            "pmtwin.policies.fixed",
            "def act():\n    import pmtwin.scenarios.nvm_middleware.phases",
            ["pmtwin.scenarios.nvm_middleware.phases"],
        ),
        ("pmtwin.policies.fixed", "from pmtwin.sim.errors import InputError\nimport numpy", []),
        ("pmtwin.sim.device.law", "from pmtwin.calibrate import fit", ["pmtwin.calibrate"]),
        ("pmtwin.scenarios.comparison.rollout", "from pmtwin.console.output import message", ["pmtwin.console.output"]),
        ("pmtwin.probe.run", "if TYPE_CHECKING:\n    from pmtwin.commands.probe import run", ["pmtwin.commands.probe"]),
    ],
)
def test_an_import_upward_is_found(module, source, found):
    assert trespasses(module, source) == found


def test_the_picture_of_the_rooms_has_the_folders_that_there_are():
    """If this fails: make rooms."""
    loader = SourceFileLoader("make_rooms", str(TOP / "scripts" / "make-rooms"))
    script = module_from_spec(spec_from_loader("make_rooms", loader))
    loader.exec_module(script)
    drawn = re.search(script.PLACE, script.PAGE.read_text(encoding="utf-8"))[0]
    assert folders(drawn) == folders(script.tree())


def test_help_of_the_script_draws_nothing(tmp_path):
    copy = tmp_path / "scripts" / "make-rooms"
    copy.parent.mkdir()
    copy.write_text((TOP / "scripts" / "make-rooms").read_text(encoding="utf-8"), encoding="utf-8")
    for word, code in (("--help", 0), ("--bogus", 2)):  # without the page beside it, which would be missed
        ended = subprocess.run([sys.executable, copy, word], capture_output=True, text=True)
        assert ended.returncode == code and "usage: make-rooms" in ended.stdout + ended.stderr


def folders(picture: str) -> list[str]:
    return re.findall(r"^ *[\w-]+/", picture, re.MULTILINE)
