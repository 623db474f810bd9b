"""The journal loses nothing that was finished, and takes nobody else's file for its own."""

import errno
import json
import os

import pytest

from pmtwin.calibrate.probing.cases import Case
from pmtwin.calibrate.probing.journal import Journal, probe_id_of
from pmtwin.calibrate.probing.left_over import left_over_files
from pmtwin.sim.errors import InputError

REPETITION = {"name": "x", "access_size_bytes": 256, "bandwidth_mib_s": 1.5}
ASKED = {"path": "/mnt/pmem0", "seed": 0}


def visit(threads):
    """An entry as the session writes it."""
    case = Case("bandwidth", "load", "random", 256, threads).to_entry()
    return {"case": case, "benchmarks": [REPETITION], "seconds": 0.1, "at_s": 1}


@pytest.fixture
def at(tmp_path):
    return tmp_path / "p.json.journal"


def test_entries_are_there_again(at):
    journal = Journal(at, ASKED)
    journal.append(visit(1))
    probe_id = journal.probe_id
    journal.close()
    reopened = Journal(at, ASKED)
    assert reopened.resumed and reopened.probe_id == probe_id == probe_id_of(at)
    assert reopened.entries == [visit(1)]
    reopened.close()


def test_half_a_line_of_a_killed_probe_is_cut_off(at):
    journal = Journal(at, ASKED)
    journal.append(visit(1))
    journal.close()
    whole = at.read_bytes()
    at.write_bytes(whole + b'{"case": 2, "bench')
    reopened = Journal(at, ASKED)
    assert reopened.entries == [visit(1)]
    reopened.append(visit(3))
    reopened.close()
    assert [json.loads(line) for line in at.read_bytes().splitlines()[1:]] == [visit(1), visit(3)]


@pytest.mark.parametrize(
    "content", [b"hello\n", b'{"a": 1}\n', b"[]\n", b"\xff\xfe\n", b"precious", b'{"format"?', b"[" * 99_999 + b"\n"]
)
def test_a_foreign_file_is_refused_and_left_alone(at, content):
    at.write_bytes(content)
    with pytest.raises(InputError, match="a journal that the probe wrote itself"):
        Journal(at, ASKED)
    assert at.read_bytes() == content


@pytest.mark.parametrize("length", [0, 1, 9, 60])
def test_a_probe_killed_before_its_first_line_was_whole_begins_anew(at, length):
    journal = Journal(at, ASKED)
    journal.append(visit(1))
    journal.close()
    at.write_bytes(at.read_bytes()[:length])
    journal = Journal(at, ASKED)
    assert not journal.resumed
    journal.append(visit(2))
    assert at.read_bytes().startswith(b'{"format": "pmtwin-probe-journal", ')
    journal.close()
    reopened = Journal(at, ASKED)
    assert reopened.entries == [visit(2)]
    reopened.close()


GOOD = visit(2)


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ({"case": "x"}, "case"),
        (GOOD | {"case": {"kind": "bandwidth"}}, "case"),
        (GOOD | {"case": GOOD["case"] | {"kind": "x"}}, "case.kind"),
        (GOOD | {"case": GOOD["case"] | {"numa": "far"}}, "case.numa"),
        (GOOD | {"case": GOOD["case"] | {"threads": -1}}, "case.threads"),
        (GOOD | {"case": GOOD["case"] | {"access_size_bytes": "256"}}, "case.access_size_bytes"),
        (GOOD | {"case": GOOD["case"] | {"more": 1}}, "case.more"),
        (GOOD | {"case": GOOD["case"] | {"threads": [2]}}, "case.threads"),
        ({"at_s": "1"}, "entry"),
        (GOOD | {"at_s": "1"}, "at_s"),
        (GOOD | {"at_s": 10**400}, "at_s"),
        (GOOD | {"seconds": -1}, "seconds"),
        ({"device": 5}, "device"),
        (GOOD | {"benchmarks": [1]}, r"benchmarks\[0\]"),
        (GOOD | {"benchmarks": [REPETITION | {"bandwidth_mib_s": "1"}]}, r"benchmarks\[0\]\.bandwidth_mib_s"),
        (GOOD | {"benchmarks": [REPETITION | {"access_size_bytes": "256"}]}, r"benchmarks\[0\]\.access_size_bytes"),
        (GOOD | {"benchmarks": [{"name": "x", "bandwidth_mib_s": 1.5}]}, r"benchmarks\[0\]"),
        (GOOD | {"benchmarks": [REPETITION | {"threads": 0}]}, r"benchmarks\[0\]\.threads"),
        ({name: value for name, value in GOOD.items() if name != "benchmarks"}, "entry.benchmarks"),
        ([], "entry"),
        (GOOD | {"seconds": float("nan")}, "--output"),
    ],
)
def test_a_damaged_entry_is_named_with_its_line(at, entry, field):
    journal = Journal(at, ASKED)
    journal.append(visit(1))
    journal.close()
    before = at.read_bytes() + json.dumps(entry).encode() + b"\n"
    at.write_bytes(before)
    with pytest.raises(
        InputError, match=rf"p\.json\.journal:3: {field}(\.\w+ is missing| is missing)?: .*--force starts anew"
    ):
        Journal(at, ASKED)
    assert at.read_bytes() == before


def test_a_damaged_line_is_named(at):
    journal = Journal(at, ASKED)
    journal.append(visit(1))
    journal.close()
    at.write_bytes(at.read_bytes() + b"\0\0\0\n" + b'{"case": 2}\n')
    with pytest.raises(InputError, match=r"p\.json\.journal:3"):
        Journal(at, ASKED)


def test_another_probe_is_refused_with_what_differs(at):
    journal = Journal(at, ASKED)
    journal.append(visit(1))
    journal.close()
    with pytest.raises(InputError, match=r"--seed: 1 .* 0, with which the probe began"):
        Journal(at, ASKED | {"seed": 1})
    anew = Journal(at, ASKED | {"seed": 1}, force=True)
    assert not anew.resumed
    anew.close()


def test_force_replaces_a_journal_with_the_first_case_and_not_before(at):
    journal = Journal(at, ASKED)
    journal.append(visit(1))
    journal.close()
    before = at.read_bytes()
    anew = Journal(at, ASKED, force=True)
    anew.check_device({"host_name": "a"})
    anew.close()
    assert at.read_bytes() == before
    anew = Journal(at, ASKED, force=True)
    anew.check_device({"host_name": "a"})
    anew.append(visit(2))
    assert [json.loads(line) for line in at.read_bytes().splitlines()[1:]] == anew.entries
    assert anew.entries == [{"device": {"host_name": "a"}}, visit(2)]
    anew.close()


@pytest.mark.parametrize("header", ['{"asked": []}', '{"asked": {}}', '{"probe_id": "a", "asked": 1}'])
def test_a_damaged_first_line_is_refused(at, header):
    at.write_text(header[:-1] + ', "format": "pmtwin-probe-journal"}\n')
    with pytest.raises(InputError, match="--force"):
        Journal(at, ASKED)


@pytest.mark.parametrize("version", ["", ', "schema_version": 2', ', "schema_version": true'])
def test_a_journal_without_a_version_or_of_another_is_refused(at, version):
    at.write_text(f'{{"format": "pmtwin-probe-journal", "probe_id": "a", "asked": {{}}{version}}}\n')
    with pytest.raises(InputError, match="schema version 1"):
        Journal(at, ASKED)


def test_another_machine_is_refused(at):
    journal = Journal(at, ASKED)
    journal.check_device({"host_name": "a"})
    journal.append(visit(1))
    journal.check_device({"host_name": "a"})
    with pytest.raises(InputError, match=r"device\.host_name: 'b'"):
        journal.check_device({"host_name": "b"})
    journal.close()


def test_two_probes_do_not_share_a_journal(at):
    journal = Journal(at, ASKED)
    with pytest.raises(InputError, match="no other probe is at work on"):
        Journal(at, ASKED)
    journal.close()


def test_a_full_device_leaves_the_lines_before_it_whole(at, monkeypatch):
    journal = Journal(at, ASKED)
    journal.append(visit(1))
    before = at.read_bytes()
    real = os.write

    def full(file, data):
        if len(data) > 5:
            return real(file, data[:5])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        journal.append({"c": 1})
    monkeypatch.undo()
    assert at.read_bytes() == before
    journal.close()


def test_a_journal_without_a_case_does_not_stay(at):
    Journal(at, ASKED).close()
    assert not at.exists()


def test_only_what_a_killed_probe_left_is_removed(tmp_path):
    for name, content in {
        ".p.json.notes.part": "the user's",
        ".p.json.abcd1234.part": "half",
        ".q.json.abcd1234.part": "of another result",
        "p.json": "{}",
    }.items():
        (tmp_path / name).write_text(content)
    (tmp_path / ".p.json.abcd1235.part").symlink_to(tmp_path / "p.json")
    left_over = [path.name for path in left_over_files(tmp_path / "p.json")]
    assert left_over == [".p.json.abcd1234.part"]
