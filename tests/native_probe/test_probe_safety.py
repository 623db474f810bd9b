"""The probe on somebody's production machine: nothing of theirs is touched, nothing of its own is left."""

import contextlib
import json
import os
import signal
import stat
import subprocess
import time

import pytest

from tests.native_probe.runs import LOAD, LONG, REGION, open_files, user_error

MIB = 1 << 20


@contextlib.contextmanager
def small_tmpfs(folder, mib, options=""):
    """A file system of `mib` MiB of its own; only root may mount one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={mib}m{options}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small tmpfs needs root (and a container that lets it)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def not_root():
    """Options that run the probe as nobody: root may write everywhere."""
    return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


def test_a_device_without_room_is_left_as_it_was(probe, tmp_path):
    with small_tmpfs(tmp_path / "full", 24) as folder:
        theirs = folder / "theirs"
        theirs.write_bytes(b"x" * 12 * MIB)
        user_error(probe("--serve", "--path", folder, *REGION), folder, "12 MiB free")
        user_error(
            probe("--serve", "--path", folder), folder, "--region-bytes"
        )  # the default size finds no room either
        assert os.listdir(folder) == ["theirs"] and theirs.stat().st_size == 12 * MIB
        assert os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize == 12 * MIB


def test_a_small_device_is_measured_with_what_it_has_and_says_so(probe, tmp_path):
    with small_tmpfs(tmp_path / "small", 64) as folder:
        done = probe("--serve", "--path", folder, lines=[LOAD])
        context, answer = map(json.loads, done.stdout.splitlines())
        assert context["context"]["memory"]["region_bytes"] == 32 * MIB
        assert any("last-level cache" in warning for warning in context["context"]["warnings"])
        assert answer["benchmarks"] and os.listdir(folder) == []


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda path: None, "No such file or directory"),
        (lambda path: path.write_text("theirs"), "Not a directory"),
        (lambda path: os.mkfifo(path), "Not a directory"),
        (lambda path: path.symlink_to("/dev/null"), "Not a directory"),
        (lambda path: path.symlink_to(path), "symbolic links"),
    ],
    ids=["missing", "file", "fifo", "device", "loop"],
)
def test_what_is_no_directory_is_refused_unopened(probe, tmp_path, make, told):
    path = tmp_path / "thing"
    make(path)
    before = path.lstat() if os.path.lexists(path) else None
    user_error(probe("--serve", "--path", path), "--path", path, told)
    after = path.lstat() if os.path.lexists(path) else None
    assert (before and before[:9]) == (after and after[:9])


def test_block_and_character_devices_are_never_opened(probe):
    for device in ("/dev/null", "/dev/zero", "/dev/mem", "/dev/kmsg"):
        if os.path.exists(device):
            user_error(probe("--serve", "--path", device), device, "Not a directory")


def test_a_directory_that_may_not_be_written(probe, tmp_path, not_root):
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o555)
    for parent in (tmp_path, *tmp_path.parents[:3]):  # another user must come as far as the folder
        if not_root and parent.stat().st_uid == os.geteuid() and parent != parent.parent:
            parent.chmod(parent.stat().st_mode | stat.S_IXOTH)
    user_error(probe("--serve", "--path", folder, *REGION, **not_root), folder, "Permission denied")
    assert os.listdir(folder) == []


def test_a_read_only_file_system(probe, tmp_path):
    with small_tmpfs(tmp_path / "sealed", 64) as folder:
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        user_error(probe("--serve", "--path", folder, *REGION), folder, "Read-only file system")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "a JSON list of cases"),
        ("{", "a JSON list of cases"),
        ("\0\1", "a JSON list of cases"),
        ("[]", "holds no case"),
        ("{}", "holds no case"),
        ('{"context": {}, "benchmarks": []}', "holds no case"),
        ("[1]", "case 1: case"),
        (json.dumps([LOAD, LOAD | {"threads": 0}]), "case 2: threads: '0'"),
        (json.dumps([LOAD | {"treads": 1}]), "treads"),
    ],
)
def test_a_corrupt_or_foreign_file_of_cases(probe, tmp_path, text, told):
    cases, out = tmp_path / "cases.json", tmp_path / "out.json"
    cases.write_text(text)
    user_error(probe("--path", tmp_path, "--cases", cases, "-o", out), "--cases", cases, told)
    assert os.listdir(tmp_path) == ["cases.json"]


def test_cases_that_cannot_be_read(probe, tmp_path):
    user_error(probe("--path", tmp_path, "--cases", tmp_path / "none.json"), "none.json")
    user_error(probe("--path", tmp_path, "--cases", tmp_path), "--cases")


def test_an_output_that_cannot_be_written_is_told_before_anything_is_measured(probe, tmp_path, not_root):
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps([LONG]))  # measuring it would take hours
    for output in (tmp_path / "no" / "folder" / "out.json", tmp_path, "/dev/null", "/proc/out.json"):
        user_error(probe("--path", tmp_path, "--cases", cases, "-o", output, *REGION), "--output", output)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert os.listdir(tmp_path) == ["cases.json"]


def test_a_result_that_finds_no_room_leaves_the_old_one(probe, tmp_path):
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps([{"kind": "latency", "operation": "load", "repetitions": 20, "min_time_s": 0.001}]))
    with small_tmpfs(tmp_path / "full", 1) as folder:
        out = folder / "out.json"
        out.write_text("old")
        (folder / "filler").write_bytes(b"x" * (os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize - 4096))
        done = probe("--path", "/dev/shm", "--cases", cases, "-o", out, *REGION)
        assert done.returncode == 1 and "No space left" in done.stderr
        assert out.read_text() == "old" and sorted(os.listdir(folder)) == ["filler", "out.json"]


def measuring(process):
    """Waits until the long case runs: the region is mapped then, and its file has no name."""
    process.stdin.write(json.dumps(LONG) + "\n")
    process.stdin.flush()
    time.sleep(0.2)
    folder = process.args[3]
    inside = [name for name in open_files(process) if name.startswith(str(folder))]
    assert any("(deleted)" in name for name in inside)
    assert os.listdir(folder) == []
    return folder


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("busy", [True, False], ids=["measuring", "waiting"])
def test_a_signal_ends_it_at_once_and_leaves_nothing(served, sent, code, busy):
    folder = measuring(served) if busy else served.args[3]
    served.send_signal(sent)
    served.wait(timeout=20)  # a repetition alone would take a minute
    assert served.returncode == code
    assert os.listdir(folder) == []


def test_kill_in_mid_measurement_leaves_nothing(served):
    folder = measuring(served)  # in a file without a name, whose blocks the kernel frees with the process
    served.kill()
    served.wait(timeout=20)
    assert os.listdir(folder) == []


def test_an_interrupted_file_of_cases_keeps_what_was_measured(program, tmp_path):
    cases, out, folder = tmp_path / "cases.json", tmp_path / "out.json", tmp_path / "memory"
    folder.mkdir()
    cases.write_text(json.dumps([LOAD, LONG]))
    command = [program, "--path", folder, "--cases", cases, "-o", out, *REGION]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not process.stderr.readline().startswith("[1/2]"):
        assert process.poll() is None
    time.sleep(0.05)
    assert sorted(os.listdir(tmp_path)) == ["cases.json", "memory"]  # kill -9 now would leave nothing
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 143
    result = json.loads(out.read_text())
    assert result["context"]["interrupted"] is True
    assert len(result["benchmarks"]) == LOAD["repetitions"]
    assert os.listdir(folder) == []


def test_it_ends_when_nobody_reads_or_writes_any_more(program, tmp_path):
    command = [program, "--serve", "--path", tmp_path, *REGION]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    process.stdout.close()
    process.stdin.write(json.dumps(LOAD) + "\n")
    process.stdin.close()
    assert process.wait(timeout=20) == 1
    assert "cannot write the result" in process.stderr.read()
    process.stderr.close()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("options", "page_bytes"), [(",huge=never", 4096), (",huge=always", 2 * MIB)])
def test_the_pages_that_were_measured_on_are_told(probe, tmp_path, options, page_bytes):
    with small_tmpfs(tmp_path / "pages", 64, options) as folder:
        done = probe("--serve", "--path", folder, *REGION)
        assert json.loads(done.stdout)["context"]["memory"]["page_bytes"] == page_bytes
