"""JSON files that cannot be read are bad input, whatever is wrong with them."""

import pytest

from pmtwin.calibrate.access_profile import read_access_profile
from pmtwin.pipeline.store import RESULT, Store
from pmtwin.sim import InputError
from pmtwin.sim.device import load_profile
from pmtwin.sim.files.json_file import read_json
from pmtwin.sim.host.file import read_host


def test_a_value_comes_back(tmp_path):
    (tmp_path / "a.json").write_text('{"a": ["Grüße", 1.5, null]}', encoding="utf-8")
    assert read_json(tmp_path / "a.json", "x") == {"a": ["Grüße", 1.5, None]}


@pytest.mark.parametrize("reader", [lambda path: read_json(path, "x"), load_profile, read_access_profile, read_host])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 200_000 + b"]" * 200_000, "is too deeply nested"),
        (b'{"a":' * 200_000, "is too deeply nested"),
        (b'{"a": 1', "is cut off at its end, line 1"),
        (b"\xff\xff\xff", "is no text in UTF-8"),
        (b"", "is empty"),
        (b"[1,]", "is no JSON in line 1, column 4"),
        (b"\nname = 1", "is no JSON from line 2 on"),
    ],
)
def test_damage_is_bad_input_for_every_reader(tmp_path, reader, content, message):
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(InputError, match=rf"a\.json' {message}; allowed: "):
        reader(tmp_path / "a.json")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"^x: '.*a\.json' .*No such file"):
        read_json(tmp_path / "a.json", "x")


def test_a_kept_result_that_is_damaged_is_as_if_it_were_not_there(tmp_path):
    store = Store(tmp_path)
    folder = store.finish("step", "0" * 64, {"a": 1}, 0.5)
    assert store.load("step", "0" * 64) == {"a": 1}
    (folder / RESULT).write_text("[" * 200_000)
    assert store.load("step", "0" * 64) is None
