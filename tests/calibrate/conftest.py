"""A device that we know, and its measurements."""

import json
from pathlib import Path

import numpy as np
import pytest

from pmtwin.calibrate.measurements import Measurements
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.mechanism import bandwidth_mib_s

HEADER = "access_size,avgpower,ewr,interleaving,local,media,operation,stride_size,tag,task_type,threads,throughput"


@pytest.fixture(scope="session")
def known_device():
    """The shipped profile's mechanism serves as a device whose true law is known."""
    return load_profile()


def sweep(device, operation: str = "load", noise: float = 0.0, seed: int = 0) -> Measurements:
    """A sweep of one operation on both patterns, one and six DIMMs, with log-normal noise."""
    sizes, threads, dimms, patterns = np.meshgrid(
        2.0 ** np.array([6, 7, 8, 10, 12, 13, 15, 18]), [1.0, 2, 4, 8, 12, 16, 24], [1.0, 6], ["random", "sequential"]
    )
    sizes, threads, dimms, patterns = (axis.ravel() for axis in (sizes, threads, dimms, patterns))
    bandwidth = np.empty(sizes.size)
    for pattern in ("random", "sequential"):
        of = patterns == pattern
        bandwidth[of] = bandwidth_mib_s(device, operation, pattern, sizes[of], threads[of], dimms[of])
    bandwidth *= np.exp(noise * np.random.default_rng(seed).standard_normal(sizes.size))
    return Measurements(
        operation=np.full(sizes.size, operation),
        pattern=patterns,
        dimms=dimms,
        power_w=np.full(sizes.size, 15.0),
        threads=threads,
        access_size_bytes=sizes,
        bandwidth_mib_s=bandwidth,
        effective_write_ratio=np.full(sizes.size, np.nan),
    )


@pytest.fixture(scope="session")
def make_sweep(known_device):
    """Function of operation, noise and seed that returns measurements of the known device."""
    return lambda **of: sweep(known_device, **of)


@pytest.fixture
def lattester_file(tmp_path):
    """Function of rows (cells by column, over a usable default) that writes a file in LATTester's format."""

    def write(*rows: dict, header: str = HEADER) -> Path:
        default = {"access_size": 256, "avgpower": 15000, "ewr": "", "interleaving": 1, "local": 1, "media": "lpmem"}
        default |= {"operation": "Load", "stride_size": 0, "tag": "abcd", "task_type": "RandBW", "threads": 4}
        default |= {"throughput": 10545.0}
        names = header.split(",")
        lines = [header, *(",".join(str((default | row)[name]) for name in names) for row in rows)]
        path = tmp_path / "sweep.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


@pytest.fixture
def reader_of(tmp_path):
    """Function of a file name that gives a reader: from text and options of reading to measurements."""

    def reader(name: str):
        def read(text: str, **options):
            path = tmp_path / name
            path.write_text(text)
            return read_sources([path], ReadOptions(**options))[0]

        return read

    return reader


@pytest.fixture
def result_file(tmp_path):
    """Function of runs that writes PerMA-Bench's result file."""

    def write(*runs: dict, bm_type: str = "single") -> str:
        benchmark = {"bm_name": "random_reads", "bm_type": bm_type, "matrix_args": ["number_threads"]}
        path = tmp_path / "results-2021-11-21.json"
        path.write_text(json.dumps([benchmark | {"benchmarks": list(runs)}], indent=2))
        return path

    return write


@pytest.fixture
def table_file(tmp_path):
    """Function of runs (and columns to add to each) that writes the flattened table."""

    def write(*runs: dict, **added: list) -> str:
        rows = []
        for index, each in enumerate(runs):
            row = {name: values[index] for name, values in added.items()}
            row |= {f"cfg_{key}": value for key, value in each["config"].items()}
            results = {key: value for key, value in each["results"].items() if key != "latency"}
            row |= {f"res_{key}": value for key, value in results.items()}
            row |= {f"lat_{key}": value for key, value in each["results"].get("latency", {}).items()}
            rows.append(row)
        header = list(dict.fromkeys(name for row in rows for name in row))
        header += [] if "cfg_persist_instruction" in header else ["cfg_persist_instruction"]
        lines = [",".join(header), *(",".join(str(row.get(name, "")) for name in header) for row in rows)]
        path = tmp_path / "flat.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write
