"""Comments (`#`) may stand before the header of any table or trace; a header that is elsewhere is named by its line."""

from pathlib import Path

import pytest

from pmtwin.calibrate.readers import read_sources
from pmtwin.scenarios.block_traces import Trace
from pmtwin.scenarios.nvm_middleware.workloads import make_workload
from pmtwin.scenarios.nvm_middleware.workloads.azure_trace import COLUMNS, read_blob_trace
from pmtwin.sim.device.points import parse_points
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import parse_table

BLOB = f"{','.join(COLUMNS)}\n1000,a,b,c,d,e,f,g,64,True,False\n1001,a,b,c,d,e,f,g,64,True,False\n"
FORMS = {
    "workload": (
        lambda path: make_workload(path).classes,
        "timestamp,class,operation,size\n0,batch,get,5\n1,batch,get,7\n2,batch,put,7\n",
    ),
    "blocks": (
        lambda path: [each.offset.tolist() for each in Trace(path).blocks()],
        "op,offset,size\nR,0,512\nW,9,9\n",
    ),
    "blobs": (lambda path: read_blob_trace(path).size_bytes.tolist(), BLOB),
    "measurements": (
        lambda path: read_sources([path])[0].bandwidth_mib_s.tolist(),
        "operation,pattern,access_size_bytes,threads,bandwidth_mib_s\nload,random,256,4,9925\n",
    ),
    "points": (
        lambda path: parse_points(Path(path).read_bytes(), path).columns["threads"].tolist(),
        "operation,pattern,access_size_bytes,dimms,threads\nload,random,4096,6,8\n",
    ),
}


@pytest.fixture(params=FORMS)
def form(request, tmp_path):
    """(function that reads a text, a whole text)."""
    read, text = FORMS[request.param]

    def read_text(content: str):
        path = tmp_path / "t.csv"
        path.write_text(content)
        return read(str(path))

    return read_text, text


@pytest.mark.parametrize(
    "before", ["# from host a, on Monday\n", '#\n\n  # a; b; c "d\n', '# a,"b\n', "# p99, p999\n\n"]
)
def test_comments_are_no_header(form, before):
    read, text = form
    assert read(before + text) == read(text)


@pytest.mark.parametrize("header", ["size (B),bandwidth", "threads,p99.9"])
def test_a_header_of_other_names_is_one_below_a_comment_of_as_many_words(header):
    assert parse_table(f"# Intel, Optane\n{header}\n1,2\n".encode(), "t.csv").header == header.split(",")


def test_a_header_in_a_comment_is_named(form):
    read, text = form
    with pytest.raises(InputError, match=r"#") as caught:
        read(f"# written by a script\n# {text}")
    assert "line 2" in str(caught.value) or "t.csv:2" in str(caught.value)


@pytest.mark.parametrize("name", ["workload", "blocks", "blobs", "measurements"])
def test_a_header_behind_other_lines_is_named(tmp_path, name):
    read, text = FORMS[name]
    (tmp_path / "t.csv").write_text(f"from host a; see mail\n\n{text}")
    with pytest.raises(InputError, match="the header is in line 3: remove the lines before it"):
        read(str(tmp_path / "t.csv"))
