"""Files appear whole or not at all."""

import errno
import json
import os
import stat

import pytest

from pmtwin.sim import InputError
from pmtwin.sim.files.writing import check_folder, check_writable, make_folder, write_atomically, write_json

NOT_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")


def test_file_has_what_was_written_and_nothing_lies_beside_it(tmp_path):
    path = write_atomically(tmp_path / "a.txt", lambda file: file.write("hello"))
    assert path.read_text() == "hello"
    assert list(tmp_path.iterdir()) == [path]


def test_bytes_are_written_as_they_are(tmp_path):
    path = write_atomically(tmp_path / "a.bin", lambda file: file.write(b"\x00\r\n\xff"), mode="wb")
    assert path.read_bytes() == b"\x00\r\n\xff"


def test_the_content_is_on_the_medium_before_the_name_and_the_name_before_the_call_returns(tmp_path, monkeypatch):
    events, rename, fsync = [], os.replace, os.fsync

    def synced(handle):
        events.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else f"file of {os.fstat(handle).st_size} B")
        fsync(handle)

    def renamed(old, new):
        events.append("rename")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    write_atomically(tmp_path / "a.txt", lambda file: file.write("hello"))
    assert events == ["file of 5 B", "rename", "folder"]


def test_a_file_system_that_syncs_no_folders_is_written_all_the_same(tmp_path, monkeypatch):
    fsync = os.fsync

    def only_files(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", only_files)
    assert write_json(tmp_path / "a.json", 1).read_text() == "1\n"


@pytest.mark.parametrize("failure", [KeyError("broken"), KeyboardInterrupt()])
def test_a_failure_half_way_leaves_the_old_file_and_no_other(tmp_path, failure):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write(file):
        file.write("half of the n")
        raise failure

    with pytest.raises(type(failure)):
        write_atomically(path, write)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_bad_input_and_leaves_nothing(tmp_path):
    def write(file):
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"^output: .* cannot be written \(no space is left there\)"):
        write_atomically(tmp_path / "a.txt", write)
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_is_as_private_as_the_umask_says(tmp_path):
    before = os.umask(0o027)
    try:
        path = write_atomically(tmp_path / "a.txt", lambda file: file.write(""))
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_directory_is_no_output_file(tmp_path):
    with pytest.raises(InputError, match=r"^report: .*this is a directory"):
        check_writable(tmp_path, "report")


def test_the_parent_directory_must_exist(tmp_path):
    with pytest.raises(InputError, match="existing directory"):
        write_json(tmp_path / "absent" / "a.json", {})
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_too_long_is_bad_input_and_the_longest_is_none(tmp_path):
    with pytest.raises(InputError, match=r"^--output: .*the name is too long"):
        check_writable(tmp_path / ("x" * 300), "--output")
    assert write_atomically(tmp_path / ("x" * 255), lambda file: file.write("hello")).read_text() == "hello"


def test_a_directory_that_takes_no_files_is_found_out_before_the_work():
    with pytest.raises(InputError, match=r"^--output: '/proc/x' .*a writable file"):
        check_writable("/proc/x", "--output")


def _node(path):
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 7))
    except PermissionError:
        pytest.skip("device nodes cannot be made here")


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (os.mkfifo, "FIFO"),
        (_node, "device"),
        (lambda path: path.symlink_to("target"), "symbolic link"),
        (lambda path: path.symlink_to("absent"), "symbolic link"),
    ],
)
def test_what_is_no_regular_file_is_refused_and_stays(tmp_path, make, kind):
    (tmp_path / "target").write_text("old")
    at = tmp_path / "at"
    make(at)
    before = os.lstat(at)
    with pytest.raises(InputError, match=rf"^--output: .*a regular one to be replaced; this is a {kind}"):
        write_atomically(at, lambda file: file.write("new"), field="--output")
    after = os.lstat(at)
    assert (after.st_mode, after.st_ino, after.st_rdev) == (before.st_mode, before.st_ino, before.st_rdev)
    assert (tmp_path / "target").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["at", "target"]


@NOT_ROOT
def test_an_unwritable_directory_is_named(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="a writable file"):
        check_writable(tmp_path / "a.txt")


def test_the_field_is_the_one_the_caller_named(tmp_path):
    with pytest.raises(InputError) as caught:
        write_json(tmp_path, {}, field="record")
    assert caught.value.field == "record"


def test_json_comes_back(tmp_path):
    value = {"list": [1, 2.5, None], "text": "Grüße"}
    assert json.loads(write_json(tmp_path / "a.json", value).read_text("utf-8")) == value


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_json_without_a_number_for_it_is_refused(tmp_path, number):
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(tmp_path / "a.json", {"x": number})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_tried_and_nothing_is_left(tmp_path):
    check_folder(tmp_path / "a" / "b", "--report")
    assert list(tmp_path.iterdir()) == []
    make_folder(tmp_path / "a")
    check_folder(tmp_path / "a", "--report")
    assert (tmp_path / "a").is_dir()


def test_a_trial_leaves_nothing_of_a_path_that_goes_back_or_of_one_that_cannot_be_made(tmp_path):
    check_folder(tmp_path / "a" / ".." / "b")
    with pytest.raises(InputError, match=r"cannot be made \(the name is too long\)"):
        check_folder(tmp_path / "a" / ("b" * 300))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("attempt", [check_folder, make_folder])
def test_a_path_that_goes_back_behind_a_link_is_beside_what_the_link_leads_to(tmp_path, attempt):
    (tmp_path / "deep" / "target").mkdir(parents=True)
    (tmp_path / "deep" / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to(tmp_path / "deep" / "target")
    with pytest.raises(InputError, match=r"--report: .*is a file"):  # of deep; there is none in folder
        attempt(tmp_path / "folder" / "link" / ".." / "file", "--report")
    attempt(tmp_path / "folder" / "link" / ".." / "new" / "report", "--report")
    assert (tmp_path / "deep" / "new").is_dir() == (attempt is make_folder)
    assert [each.name for each in (tmp_path / "folder").iterdir()] == ["link"]


@pytest.mark.parametrize("attempt", [check_folder, make_folder])
def test_a_link_that_leads_nowhere_is_no_folder(tmp_path, attempt):
    (tmp_path / "link").symlink_to(tmp_path / "absent")
    with pytest.raises(InputError):
        attempt(tmp_path / "link")
    with pytest.raises(InputError):
        attempt(tmp_path / "link" / "report")
    assert [each.name for each in tmp_path.iterdir()] == ["link"]


@pytest.mark.parametrize("attempt", [check_folder, make_folder])
def test_a_folder_that_cannot_be_made_is_refused(tmp_path, attempt):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"--report: .*a folder that can be made"):
        attempt(tmp_path / "file" / "report", "--report")
