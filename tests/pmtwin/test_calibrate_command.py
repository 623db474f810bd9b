"""`pmtwin calibrate`: a sweep in, a profile that `pmtwin predict` takes and a report out."""

import json

import pytest

from pmtwin.cli import main
from pmtwin.sim.device import load_profile, profile_names
from pmtwin.sim.device.mechanism import bandwidth_mib_s

HEADER = "access_size,avgpower,interleaving,media,operation,stride_size,task_type,threads,throughput\n"


@pytest.fixture
def sweep(tmp_path):
    """A sweep of loads that the shipped profile's law gives, with one row from DRAM."""
    device = load_profile()
    lines = ["64,15000,1,ldram,Load,0,RandBW,1,9000"]
    for size in (64, 256, 1024, 4096, 16384):
        for threads in (1, 2, 4, 8, 16):
            for interleaving, dimms in ((0, 1), (1, 6)):
                speed = float(bandwidth_mib_s(device, "load", "random", size, threads, dimms))
                lines.append(f"{size},15000,{interleaving},lpmem,Load,0,RandBW,{threads},{speed:.1f}")
    path = tmp_path / "sweep.csv"
    path.write_text(HEADER + "\n".join(lines) + "\n")
    return path


def test_a_profile_and_a_report_come_out(sweep, tmp_path, capsys):
    profile, report = tmp_path / "p.json", tmp_path / "report"
    command = ["calibrate", str(sweep), "-o", str(profile), "--report", str(report), "--bootstrap", "2", "--jobs", "1"]
    assert main([*command, "--name", "mine"]) == 0
    out, err = capsys.readouterr()
    stages = [line for line in err.splitlines() if not line.startswith("operations: ")]  # progress of a slow machine
    assert stages == [
        "read 50 usable bandwidths; fitting load (2 replicates each)",
        "fitted load",
        "drawing the report",
        f"report: {report / 'index.html'}",
        f"profile: {profile}",
    ]
    assert (
        "51 rows, 50 of them with a usable bandwidth" in out
        and "not persistent memory" in out
        and "unseen configurations" in out
    )
    assert load_profile(profile).name == "mine"
    assert (report / "index.html").is_file()


def test_a_profile_is_named_after_its_file(sweep, tmp_path):
    assert main(["calibrate", str(sweep), "-o", str(tmp_path / "p.json"), "--bootstrap", "0", "--jobs", "1"]) == 0
    assert load_profile(tmp_path / "p.json").name == "p"


def test_without_replicates_and_drops_nothing_empty_is_printed(sweep, capsys):
    sweep.write_text("".join(line for line in sweep.read_text().splitlines(keepends=True) if "ldram" not in line))
    assert main(["calibrate", str(sweep), "--bootstrap", "0"]) == 0
    out, err = capsys.readouterr()
    assert "because" not in out and "replicates" not in out and " - " not in out
    assert ["operation", "own", "data"] in [line.split() for line in out.splitlines()]
    assert err.splitlines()[-1].startswith("nothing was written: -o FILE")


def test_measured_twice_gives_the_noise_even_without_replicates(sweep, capsys):
    sweep.write_text(sweep.read_text() + sweep.read_text().splitlines()[-1] + "\n")
    assert main(["calibrate", str(sweep), "--bootstrap", "0"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["replicates", "0.00", "/", "0.00", "/", "0.00"] in lines


def test_a_row_with_bandwidth_and_latency_counts_for_both(tmp_path, capsys):
    path = tmp_path / "measured.csv"
    rows = [f"load,random,{64 * size},{threads},{900 * threads},300" for size in (1, 2, 4, 8) for threads in (1, 2)]
    path.write_text("operation,pattern,access_size_bytes,threads,bandwidth_mib_s,latency_ns\n" + "\n".join(rows))
    main(["calibrate", str(path), "--dry-run"])
    assert "usable: 8 rows: 8 of bandwidth, 4 of latencies, mixes and effects (4 rows have both); 0 dropped" in (
        capsys.readouterr().out
    )


def test_json_holds_cleaning_errors_and_parameters(sweep, capsys):
    assert main(["calibrate", str(sweep), "--bootstrap", "0", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["dropped_rows"] == {"not persistent memory": 1}
    assert result["configurations"] == 50
    assert result["errors_percent"]["load"]["fit"]["mechanism"][0] < 1.0
    assert result["parameters"]["load"]["media_mib_s"]["unit"] == "MiB/s"


@pytest.mark.parametrize(
    ("media", "unused"),
    [("dram", ["fences.csv", "nodes.csv", "mixes.csv"]), ("pmem", []), (None, [])],
)
def test_files_that_tell_nothing_of_the_memory_are_named(sweep, tmp_path, capsys, media, unused):
    tables = {
        "fences.csv": ("write size,clwb(every 64B),ntstore", "64,1,1", "256,1,1"),
        "nodes.csv": (
            ",Optane-1,Optane-Remote-1,Optane-4,Optane-Remote-4",
            "R,2,1,8,4",
            "W,2,1,8,4",
            "1:1 (1:1),2,1,8,4",
        ),
        "mixes.csv": ("Read-Write,PM-Optane", "0-16,4000", "16-0,9000"),
    }
    rows = (line.split(",") for line in sweep.read_text().splitlines()[2:])
    told = (f"load,random,{row[0]},{row[7]},{6 if row[2] == '1' else 1},{row[8]}" for row in rows)
    plain, profile = tmp_path / "plain.csv", tmp_path / "p.json"
    plain.write_text("\n".join(("operation,pattern,access_size_bytes,threads,dimms,bandwidth_mib_s", *told)))
    for name, lines in tables.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    files = [str(tmp_path / name) for name in tables]
    stated = ["--media", media] if media else []
    assert main(["calibrate", str(plain), "-o", str(profile), "--bootstrap", "0", *stated, "--effects", *files]) == 0
    record = load_profile(profile).record
    warnings = [note for note in record["notes"] if note.startswith("warning: --effects: ")]
    assert [name for name in tables if any(name in note for note in warnings)] == unused
    assert record.get("effects", []) == [name for name in tables if name not in unused]
    assert all(note in capsys.readouterr().out for note in warnings)


def test_a_result_in_json_repeats_the_run(sweep, tmp_path, capsys):
    sweep = sweep.rename(tmp_path / "sweep, of loads.csv")  # a comma parts no file names
    assert main(["calibrate", str(sweep), "--bootstrap", "0", "--seed", "3", "--effects", str(sweep), "--json"]) == 0
    first = capsys.readouterr().out
    record = json.loads(first)["configuration"]["arguments"]
    assert (record["sources"], record["effects"], record["seed"]) == ([str(sweep)], [str(sweep)], 3)
    (tmp_path / "first.json").write_text(first)
    assert main(["calibrate", "--config", str(tmp_path / "first.json"), "--json"]) == 0
    assert capsys.readouterr().out == first


def test_options_come_from_set_and_toml_too(sweep, tmp_path, capsys):
    (tmp_path / "c.toml").write_text(f'sources = ["{sweep}"]\nbootstrap = 0\nname = "mine"\n')
    words = ["--config", str(tmp_path / "c.toml"), "--set", "seed=7", "--json"]
    assert main(["calibrate", *words]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["bootstrap"], result["seed"]) == (0, 7) and "--name mine" in result["command"]
    assert "--device" not in result["command"]  # which was not given
    assert main(["calibrate", *words, "--set", "bootstrap=1"]) == 2
    assert "--set bootstrap: 1 is not accepted" in capsys.readouterr().err


def test_a_dry_run_fits_and_writes_nothing(sweep, tmp_path, capsys):
    profile = tmp_path / "p.json"
    assert main(["calibrate", str(sweep), "-o", str(profile), "--dry-run", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["would_fit"] == ["load"] and "parameters" not in result
    assert not profile.exists()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--bootstrap", "1"], "--bootstrap"),
        (["--bootstrap", "-1"], "--bootstrap"),
        (["--seed", "-1"], "--seed"),
        (["--jobs", "0"], "--jobs"),
        (["--name", ""], "--name"),
        (["--name", " "], "--name"),
        (["-o", "nowhere/p.json"], "--output"),
    ],
)
def test_a_wrong_option_is_named_before_anything_is_fitted(sweep, capsys, options, named):
    assert main(["calibrate", str(sweep), *options]) == 2
    out, err = capsys.readouterr()
    assert out == "" and named in err


@pytest.mark.parametrize(
    ("keep", "named"),
    [
        (0, "at least one row"),
        (1, "usable configurations: 0 are too few"),
        (2, "usable configurations: '1 of load' are too few"),
    ],
)
def test_too_little_data_is_refused(sweep, capsys, keep, named):
    sweep.write_text("".join(sweep.read_text().splitlines(keepends=True)[: 1 + keep]))
    assert main(["calibrate", str(sweep)]) == 2
    assert named in capsys.readouterr().err


@pytest.fixture
def probed(tmp_path):
    """The probe's output for a device of an unknown kind, without a latency: the default profile's law."""
    device, cases = load_profile(), []
    for operation in ("load", "ntstore", "store_clwb"):
        for size in (64, 256, 1024, 4096):
            for threads in (1, 4, 16):
                speed = float(bandwidth_mib_s(device, operation, "random", size, threads))
                of = {"name": f"{operation}/{size}", "run_type": "iteration", "threads": threads}
                of |= {"label": f"operation={operation} pattern=random", "access_size_bytes": size}
                cases.append(of | {"bandwidth_mib_s": speed})
    path = tmp_path / "probe.json"
    context = {"json_schema_version": 1, "media": "cxl", "dimms": "6"}
    path.write_text(json.dumps({"context": context, "benchmarks": cases}))
    return path


def test_a_device_without_latencies_predicts_and_is_refused_by_the_simulator(probed, tmp_path, capsys):
    profile, points = tmp_path / "p.json", tmp_path / "points.csv"
    assert main(["calibrate", str(probed), "-o", str(profile), "--name", "new", "--bootstrap", "0"]) == 0
    out = capsys.readouterr().out
    assert "load sequential" in out and "operation store" in out and "queue_line_ns (not measured)" in out
    points.write_text("operation,pattern,threads,access_size_bytes,dimms\nload,random,4,256,6\n")
    assert main(["predict", "--profile", str(profile), str(points)]) == 0
    header, row = (line.split(",") for line in capsys.readouterr().out.splitlines())
    cells = dict(zip(header, row, strict=True))
    assert float(cells["bandwidth_mib_s"]) > 0 and cells["latency_ns"] == ""
    points.write_text("operation,pattern,threads,access_size_bytes,dimms\nload,sequential,4,256,6\n")
    assert main(["predict", "--profile", str(profile), str(points)]) == 0
    assert "points.csv:2: refused by profile new: operation load sequential" in capsys.readouterr().err
    assert main(["predict", "--profile", str(profile), str(points), "--strict"]) == 2
    assert "load sequential" in capsys.readouterr().err
    assert main(["simulate", "nvm-middleware", "--profile", str(profile), "--windows", "1"]) == 2
    err = capsys.readouterr().err
    assert "idle latency: 'load random'" in err and "--like" in err


def test_another_profile_stands_in_for_latencies(probed, tmp_path, capsys):
    profile = tmp_path / "p.json"
    command = ["calibrate", str(probed), "-o", str(profile), "--bootstrap", "0", "--like", "optane-dcpmm-100", "--json"]
    assert main(command) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["published"]["tail"]["origin"] == "assumed"
    assert "--like optane-dcpmm-100" in result["command"] and str(tmp_path) not in result["command"]
    assert main(["simulate", "nvm-middleware", "--profile", str(profile), "--windows", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["throughput_ops"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--dimms", "17"], "--dimms"),
        (["--media", "tape"], "--media"),
        (["--media", "dram"], "one kind of memory"),
        (["--like", "nothing"], "nothing"),
        (["--machine", "x"], "machine"),
    ],
)
def test_a_wrong_word_about_the_files_is_named(probed, capsys, options, named):
    assert main(["calibrate", str(probed), *options]) == 2
    out, err = capsys.readouterr()
    assert out == "" and named in err


@pytest.mark.parametrize("name", [name for name in profile_names() if name != "optane-dcpmm-100"])
def test_a_twin_runs_on_every_shipped_profile(name, capsys):
    assert main(["simulate", "nvm-middleware", "--profile", name, "--windows", "2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["throughput_ops"]["min"] > 0 and result["p99_us"]["min"] > 0


def test_a_sweep_tells_of_its_own_strides_and_counts_once_where_it_is_named_twice(sweep, tmp_path, capsys):
    def speed(stride, threads):
        return 1500.0 * threads / (1.0 + stride / 1000.0)

    lines = [
        f"64,15000,{interleaving},lpmem,Load,{stride},StrideBW,{threads},{speed(stride, threads):.1f}"
        for stride in (256, 512, 1024, 2048)
        for threads in (1, 4)
        for interleaving in (0, 1)
    ]
    sweep.write_text(sweep.read_text() + "\n".join(lines) + "\n")
    profiles = []
    for number, more in enumerate(([], ["--effects", str(sweep)])):
        path = tmp_path / f"{number}.json"
        assert main(["calibrate", str(sweep), "-o", str(path), "--bootstrap", "0", *more]) == 0
        profiles.append(load_profile(path))
    once, twice = profiles
    assert once.effects["strides"]["load"]["configurations"] == 16
    assert once.record["effects"] == twice.record["effects"] == ["sweep.csv"]
    assert once.effects == twice.effects
    assert "strides of load, 16 configurations" in capsys.readouterr().out
