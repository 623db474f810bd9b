"""The same requests in every form in which traces are published: equal times, operations, places and volumes."""

import numpy as np
import pytest

from pmtwin.scenarios.block_traces import Requests, Trace
from pmtwin.sim.errors import InputError

ROWS = [(0, 0, True, 4096, 512), (100, 1, False, 0, 8192), (100, 0, False, 1_048_576, 4096), (250, 1, True, 512, 1536)]
"""Microseconds, volume, whether it writes, offset, size."""

MSR_START, UNIX_START = 128_166_372_003_061_629, 1_577_808_000


def kind(write, names=("Read", "Write")):
    return names[write]


def msr(us, volume, write, offset, size):
    return f"{MSR_START + 10 * us},hm,{volume},{kind(write)},{offset},{size},413"


def systor(us, volume, write, offset, size):
    return f"{UNIX_START + us * 1e-6:.6f},0.000512,{kind(write, 'RW')},{volume},{offset},{size}"


def alibaba(us, volume, write, offset, size):
    return f"{volume},{kind(write, 'RW')},{offset},{size},{UNIX_START * 10**6 + us}"


def blkparse(us, volume, write, offset, size):
    start = f"  8,{16 * volume}    3        1  {us / 1e6:14.9f}   697"
    place = f"{offset // 512} + {size // 512} [kjournald]"
    kinds = kind(write, ("RA", "WS"))
    return (
        "\n".join(f"{start}  {action}   {kinds} {place}" for action in "QGID")
        + f"\n{start}  C   {kinds} {place[:-12]} [0]"
    )


def fio_3(us, volume, write, offset, size):
    return f"{us} /dev/sd{volume} {kind(write).lower()} {offset} {size}"


FORMS = {
    "MSR": ("", msr, ""),
    "SYSTOR": ("Timestamp,Response,IOType,LUN,Offset,Size\n", systor, ""),
    "Alibaba": ("", alibaba, ""),
    "blkparse": (
        "  8,0    3        0     0.000000000     0  m   N cfq workload slice:300\n", blkparse,
        "CPU0 (sda):\n Reads Queued:           2,       12KiB\t Writes Queued:           2,        2KiB\n"
        "Throughput (R/W): 1KiB/s / 2KiB/s\nEvents (sda): 20 entries\nSkips: 0 forward (0 -   0.0%)\n",
    ),
    "fio 3": (
        "fio version 3 iolog\n0 /dev/sd0 add\n0 /dev/sd0 open\n", fio_3,
        "260 /dev/sd0 trim 0 4096\n300 /dev/sd0 close\n",
    ),
}  # fmt: skip


def trace_of(folder, text, **options):
    (folder / "trace.txt").write_text(text)
    return Trace(folder / "trace.txt", **options)


def all_of(trace):
    return Requests(*(np.concatenate(column) for column in zip(*trace.blocks(), strict=True)))


def text_of(name, rows=ROWS):
    head, line, tail = FORMS[name]
    return head + "".join(f"{line(*row)}\n" for row in rows) + tail


@pytest.mark.parametrize("name", FORMS)
def test_every_form_has_the_same_requests(tmp_path, name):
    trace = trace_of(tmp_path, text_of(name))
    for _ in range(2):
        requests = all_of(trace)
        us, volume, write, offset, size = zip(*ROWS, strict=True)
        assert np.diff(requests.time_us) == pytest.approx(np.diff(us), abs=0.3)
        assert requests.write.tolist() == list(write) and requests.volume.tolist() == list(volume)
        assert requests.offset.tolist() == list(offset) and requests.size.tolist() == list(size)
    assert len(trace.volumes) == 2 and not trace.by_object
    assert {row["reason"] for row in trace.left_out.rows.values()} <= {"no read or write"}


@pytest.mark.parametrize("name", FORMS)
def test_volumes_together_are_one(tmp_path, name):
    assert set(all_of(trace_of(tmp_path, text_of(name), volumes="together")).volume) == {0}


def test_tencent_counts_seconds_and_sectors(tmp_path):
    text = "1538323200,8,1,1,1283\n1538323200,16,8,0,1283\n1538323201,0,2,0,7\n"
    requests = all_of(trace_of(tmp_path, text))
    assert (requests.time_us - requests.time_us[0]).tolist() == [0.0, 0.0, 1e6]
    assert requests.offset.tolist() == [4096, 8192, 0] and requests.size.tolist() == [512, 4096, 1024]
    assert requests.write.tolist() == [True, False, False] and requests.volume.tolist() == [0, 0, 1]


def test_waits_are_the_times_of_version_2_of_fio(tmp_path):
    actions = ("add", "open", "write 0 512", "wait 500 0", "read 0 512", "wait 700 0", "sync 0 0", "read 512 512")
    text = "fio version 2 iolog\n" + "".join(f"/f {action}\n" for action in actions)
    trace = trace_of(tmp_path, text)
    for _ in range(2):
        assert all_of(trace).time_us.tolist() == [0.0, 500.0, 1200.0]
    assert trace.left_out.rows["no read or write"]["count"] == 6


def test_without_queued_events_blkparse_shows_those_issued(tmp_path):
    text = "\n".join(line for line in text_of("blkparse").splitlines() if "  Q   " not in line)
    assert len(all_of(trace_of(tmp_path, text)).size) == len(ROWS)
    discards = text_of("blkparse").replace(" WS ", " DS ")
    assert len(all_of(trace_of(tmp_path, discards)).size) == 2


@pytest.mark.parametrize("name", FORMS)
def test_a_negative_size_is_refused_with_its_line(tmp_path, name):
    rows = [*ROWS[:2], (120, 0, True, 4096, -512), *ROWS[2:]]
    with pytest.raises(InputError, match=r"trace\.txt, line \d+: size: -512 "):
        all_of(trace_of(tmp_path, text_of(name, rows), strict=True))


@pytest.mark.parametrize("name", FORMS)
def test_a_time_that_goes_back_is_refused_only_if_strict(tmp_path, name):
    rows = [*ROWS, (200, 0, False, 0, 512)]
    with pytest.raises(InputError, match=r"line \d+: time_us: .* goes back"):
        all_of(trace_of(tmp_path, text_of(name, rows), strict=True))
    assert len(all_of(trace_of(tmp_path, text_of(name, rows))).size) == 5


def test_a_time_that_goes_back_between_two_blocks_is_refused(tmp_path, monkeypatch):
    for module in ("csv_format", "line_formats"):
        monkeypatch.setattr(f"pmtwin.scenarios.block_traces.{module}.BLOCK_REQUESTS", 2)
    for name in ("MSR", "fio 3"):
        rows = [(10, 0, True, 0, 512)] * 6 + [(9, 0, True, 0, 512)]
        with pytest.raises(InputError, match="goes back"):
            all_of(trace_of(tmp_path, text_of(name, rows), strict=True))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("fio version 1 iolog\n0 0 4096\n", "first line: 'fio version 1 iolog'"),
        ("fio version 3 iolog\n5 /f read 0\n", "line 2: line: '5 /f read 0'"),
        ("fio version 2 iolog\n/f rewind 0 512\n", "line 2: line"),
        ("1,R,0,512,5\nnonsense\n", "line 2: line: 'nonsense'"),
    ],
)
def test_lines_of_another_form_are_refused(tmp_path, text, match):
    with pytest.raises(InputError, match=match):
        all_of(trace_of(tmp_path, text, strict=True))


def test_few_unreadable_lines_are_counted_also_if_strict(tmp_path):
    rows = [(k, 0, False, 4096 * k, 512) for k in range(300)]
    text = text_of("fio 3", rows).replace("150 /dev/sd0 read", "150 /dev/sd0 red")
    trace = trace_of(tmp_path, text, strict=True)
    assert len(all_of(trace).size) == 299
    assert trace.left_out.rows["cannot be read"]["count"] == 1
