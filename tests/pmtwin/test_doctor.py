"""`pmtwin doctor` on machines laid out in a folder: with persistent memory, with emulated one, and with nothing."""

import json
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.commands import doctor
from pmtwin.machine import machine
from pmtwin.sim.errors import MissingDependencyError


def lay_out(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def pmem_files(provider: str) -> dict[str, str]:
    return {
        "sys/bus/nd/devices/ndbus0/provider": f"{provider}\n",
        "sys/bus/nd/devices/namespace0.0/mode": "fsdax\n",
        "sys/bus/nd/devices/namespace0.0/size": f"{128 * 2**30}\n",
        "sys/bus/nd/devices/namespace0.1/mode": "raw\n",
        "sys/bus/nd/devices/namespace0.1/size": "0\n",
        "dev/pmem0": "",
        "dev/pmem_notes": "",
    }


def two_sockets() -> dict[str, str]:
    files = {"proc/cpuinfo": "processor\t: 0\nmodel name\t: Model X\nflags\t\t: fpu clwb avx512f\n"}
    for cpu in range(8):  # two sockets of two cores of two threads
        folder = f"sys/devices/system/cpu/cpu{cpu}/topology"
        files[f"{folder}/physical_package_id"] = f"{cpu // 4}\n"
        files[f"{folder}/core_id"] = f"{cpu // 2 % 2}\n"
    for node, cpus in enumerate(("0-3", "4-7", "")):
        files[f"sys/devices/system/node/node{node}/cpulist"] = f"{cpus}\n"
    return files


def finding(root: Path, name: str) -> doctor.Finding:
    return next(finding for finding in doctor.examine(root) if finding.name == name)


def test_real_persistent_memory_is_found(tmp_path):
    root = lay_out(tmp_path, pmem_files("ACPI.NFIT"))
    assert machine.persistent_memory(root) == {
        "devices": ["/dev/pmem0"],
        "namespaces": [{"name": "namespace0.0", "mode": "fsdax", "size_mib": 131072}],
        "providers": ["ACPI.NFIT"],
        "emulated": False,
        "cxl_memory": [],
    }
    assert finding(root, "pmem") == doctor.Finding("pmem", True, "/dev/pmem0", "")


def test_pmem_that_the_kernel_makes_of_dram_does_not_count(tmp_path):
    result = finding(lay_out(tmp_path, pmem_files("e820")), "pmem")
    assert not result.present
    assert "memmap=" in result.detail
    assert "not to validate" in result.detail


def test_a_machine_without_anything_says_what_that_costs(tmp_path):
    result = {finding.name: finding for finding in doctor.examine(tmp_path)}
    assert [name for name in ("pmem", "dax", "instructions", "numa") if result[name].present] == []
    assert result["pmem"].cost.endswith("everything else works on the shipped profile")
    assert [name for name, finding in result.items() if not finding.present and not finding.cost] == []


def test_dax_mounts_are_those_that_say_so(tmp_path):
    mounts = (
        "21 1 259:0 / /mnt/a rw,relatime shared:1 - ext4 /dev/pmem0 rw,dax=always\n"
        "22 1 259:1 / /mnt/b rw - xfs /dev/pmem1 rw,dax\n"
        "23 1 259:2 / /mnt/c rw - xfs /dev/pmem2 rw,dax=never\n"
        "24 1 259:3 / /mnt/d rw - xfs /dev/pmem3 rw,dax=inode\n"
    )
    root = lay_out(tmp_path, {"proc/self/mountinfo": mounts})
    assert [mount.folder for mount in machine.dax_mounts(root)] == ["/mnt/a", "/mnt/b"]
    assert finding(root, "dax").detail == "/mnt/a (/dev/pmem0, ext4), /mnt/b (/dev/pmem1, xfs)"


def test_processors_are_counted_by_their_topology(tmp_path):
    cpu = machine.cpu(lay_out(tmp_path, two_sockets()))
    assert cpu["model"] == "Model X"
    assert (cpu["hardware_threads"], cpu["cores"], cpu["sockets"]) == (8, 4, 2)
    assert (cpu["numa_nodes"], cpu["memory_only_nodes"]) == (2, ["node2"])
    assert cpu["flags"] == {"clwb": True, "clflushopt": False, "avx512f": True}


def test_a_control_group_limits_the_usable_threads(tmp_path):
    free = machine.cpu(lay_out(tmp_path, {"sys/fs/cgroup/cpu.max": "max 100000\n"}))["usable_threads"]
    held = machine.cpu(lay_out(tmp_path, {"sys/fs/cgroup/cpu.max": "50000 100000\n"}))["usable_threads"]
    assert (free >= 1, held) == (True, 0.5)


def test_a_tool_that_fails_or_is_absent_gives_nothing():
    assert machine.tool_output("false") is None
    assert machine.tool_output("no-such-tool-anywhere") is None
    assert machine.tool_output("echo", "one\ntwo") == "one"


def test_json_holds_the_findings_and_the_host(capsys):
    assert cli.main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [finding["name"] for finding in report["findings"]] == list(doctor.CHECKS)
    assert report["host"]["versions"]["python"] == machine.versions()["python"]


@pytest.fixture
def without_pmem(monkeypatch):
    monkeypatch.setitem(
        doctor.CHECKS, "pmem", doctor.Check(lambda root: (False, "no device"), "nothing to validate on")
    )


def test_text_names_every_finding_and_every_cost(without_pmem, capsys):
    assert cli.main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert [name for name in doctor.CHECKS if name not in text] == []
    assert "nothing to validate on" in text


def test_what_is_required_and_absent_gives_exit_code_3(without_pmem, monkeypatch, capsys):
    monkeypatch.setitem(doctor.CHECKS, "cmake", doctor.Check(lambda root: (True, "cmake 3"), "no CMake"))
    assert cli.main(["doctor", "--require", "cmake"]) == 0
    assert cli.main(["doctor", "--require", "cmake, pmem"]) == 3
    assert capsys.readouterr().err == "pmtwin doctor: pmem: nothing to validate on\n"


def test_an_unknown_requirement_is_refused_before_anything_is_printed(capsys):
    assert cli.main(["doctor", "--require", "pnem"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("pmtwin doctor: --require: 'pnem' is not accepted; allowed: cmake, ")


def test_native_parts_are_there_or_it_says_how_to_get_them(tmp_path, monkeypatch):
    monkeypatch.setattr("pmtwin.middleware.binding.FOLDER", tmp_path)
    monkeypatch.setattr("pmtwin.calibrate.probing.native.PROGRAM", tmp_path / "pmtwin-probe")
    absent = finding(tmp_path, "native")
    assert (absent.present, absent.detail) == (False, f"the middleware no, the probe no ({tmp_path})")
    assert "`make build`" in absent.cost
    (tmp_path / "pmtwin-probe").touch(0o755)
    (tmp_path / f"_pmtwin_native{EXTENSION_SUFFIXES[0]}").touch()
    assert finding(tmp_path, "native") == doctor.Finding(
        "native", True, f"the middleware yes, the probe yes ({tmp_path})", ""
    )


@pytest.mark.parametrize(
    ("stores", "present", "detail"),
    [
        ({"map": None, "pmemkv": None}, True, "the native parts have the store pmemkv"),
        ({"map": None}, False, "the native parts have no store pmemkv"),
    ],
)
def test_pmemkv_is_the_store_that_validate_takes(tmp_path, monkeypatch, stores, present, detail):
    monkeypatch.setattr("pmtwin.middleware.stores.built_engines", lambda: stores)
    monkeypatch.setattr("pmtwin.machine.machine.library", lambda name: None if present else "1.5")
    monkeypatch.setattr("pmtwin.machine.checks.UNPACKED_PMEMKV", tmp_path)
    shown = finding(tmp_path, "pmemkv")
    assert (shown.present, shown.detail.startswith(detail)) == (present, True)


def test_without_native_parts_pmemkv_is_the_library_to_build_them_with(tmp_path, monkeypatch):
    def absent():
        raise MissingDependencyError("the real middleware does not load")

    monkeypatch.setattr("pmtwin.machine.machine.library", lambda name: "1.5")
    for built in (dict, absent):
        monkeypatch.setattr("pmtwin.middleware.stores.built_engines", built)
        assert finding(tmp_path, "pmemkv") == doctor.Finding("pmemkv", True, "libpmemkv 1.5", "")
