"""Text of the encodings that editors, spreadsheets and shells write; others are refused with their line."""

import codecs

import pytest

from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import parse_table
from pmtwin.sim.files.input_text import check_commas, decoded, text_lines
from pmtwin.sim.files.table_file import read_table

TEXT = "name,size\nGrüße,1\nµs,2\n"
FORMS = {
    "plain": TEXT.encode(),
    "BOM": TEXT.encode("utf-8-sig"),
    "CRLF": TEXT.replace("\n", "\r\n").encode(),
    "old Mac": TEXT.replace("\n", "\r").encode(),
    "PowerShell": TEXT.replace("\n", "\r\n").encode("utf-16"),
    "UTF-16 BE": codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "UTF-32": TEXT.encode("utf-32"),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.csv"


@pytest.mark.parametrize("form", FORMS)
def test_the_first_bytes_say_the_encoding(path, form):
    path.write_bytes(FORMS[form])
    assert "".join(text_lines(path, "trace")) == TEXT
    assert decoded(FORMS[form], path, "trace").splitlines() == TEXT.splitlines()
    table = parse_table(FORMS[form], "a.csv")
    assert table.header == ["name", "size"] and table.rows == [["Grüße", "1"], ["µs", "2"]]


@pytest.mark.parametrize("form", ["BOM", "PowerShell", "CRLF"])
@pytest.mark.parametrize(("name", "text"), [("a.toml", "a = 1\n[b]\nc = 'ü'\n"), ("a", '\n{"a": 1, "b": {"c": "ü"}}')])
def test_tables_of_toml_and_json_are_read_in_them(tmp_path, form, name, text):
    encoding = {"BOM": "utf-8-sig", "PowerShell": "utf-16", "CRLF": "utf-8"}[form]
    (tmp_path / name).write_bytes(text.replace("\n", "\r\n").encode(encoding))
    assert read_table(tmp_path / name, "plan") == {"a": 1, "b": {"c": "ü"}}


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (TEXT.encode("latin-1"), "is no text in UTF-8: line 2 has the byte 0xfc"),
        (b"a,b\n" * 20_000 + b"\xe9,1\n", "line 20001 has the byte 0xe9"),
        (TEXT.encode("utf-16")[:-1], "is no whole text in UTF-16"),
        (TEXT.encode("utf-16-le"), "is text in UTF-16 without a byte-order mark"),
        (b"a,b\n1,\0\n", "is a binary file"),
    ],
)
def test_other_encodings_are_refused(path, content, wrong):
    path.write_bytes(content)
    for read in (lambda: decoded(content, path, "trace"), lambda: list(text_lines(path, "trace"))):
        with pytest.raises(InputError, match=wrong) as error:
            read()
        assert str(error.value).endswith("allowed: a text file in UTF-8; save it so")


@pytest.mark.parametrize(
    ("header", "name"),
    [("a;b", "semicolons"), ("a\tb\tc", "tabs"), ("a|b", "vertical bars"), ("a;b,c;d", "semicolons")],
)
def test_another_separator_is_named(header, name):
    with pytest.raises(InputError, match=f"'a.csv' has {name} between its columns; allowed: commas"):
        check_commas(header, "a.csv", "trace")
    with pytest.raises(InputError, match=f"has {name} between"):
        parse_table(f"\n{header}\n1\n".encode(), "a.csv")


def test_blank_lines_and_another_header_are_no_rows_and_count_as_lines():
    table = parse_table(b"\n \na,b\n\n1,2\n,\n   \n3,4\n\n,,\na, b\n5,6", "a.csv")
    assert table.header == ["a", "b"] and table.rows == [["1", "2"], ["3", "4"], ["5", "6"]]
    assert table.lines == [5, 8, 12]
