"""Output of fio made up for tests, as fio 3.33 writes it."""

import json

IDLE = {"io_bytes": 0, "io_kbytes": 0, "bw_bytes": 0, "bw": 0, "iops": 0.0, "runtime": 0, "total_ios": 0}
IDLE |= {"clat_ns": {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}}
RUNTIME_MS = 30_000


def side(bw_kib: int, mean_ns: float = 1650.2) -> dict:
    """A direction by its bandwidth alone: fio counts accesses too, see `moved`."""
    clat = {"min": 1100, "max": 52864, "mean": mean_ns, "stddev": 310.5, "N": 7372800}
    clat["percentile"] = {"50.000000": 1608, "90.000000": 1960, "99.000000": 2416, "99.900000": 3024}
    return IDLE | {"bw_bytes": bw_kib * 1024, "bw": bw_kib, "iops": bw_kib / 4, "clat_ns": clat}


def moved(accesses: int, size: float = 4096, mean_ns: float = 1650.2, runtime_ms: int = RUNTIME_MS) -> dict:
    """A direction by its counters, which fit each other."""
    io_bytes = int(accesses * size)
    per_second = 1000 * io_bytes // runtime_ms
    counters = {"io_bytes": io_bytes, "io_kbytes": io_bytes // 1024, "total_ios": accesses, "runtime": runtime_ms}
    return side(per_second // 1024, mean_ns) | counters | {"bw_bytes": per_second}


def job(name: str, rw: str = "read", read: dict = IDLE, write: dict = IDLE, **options: str) -> dict:
    """An entry of the output."""
    options_of_job = {"name": name, "rw": rw} | options
    return {
        "jobname": name,
        "error": 0,
        "eta": 0,
        "elapsed": 31,
        "usr_cpu": 98.4,
        "sys_cpu": 0.5,
        "job options": options_of_job,
        "read": read,
        "write": write,
    }


def report(*jobs: dict, walls: bool = True, **shared: str) -> dict:
    """A report: no option without a value is in it, and a stonewall shows as another groupid."""
    common = {"ioengine": "dev-dax", "direct": "1", "bs": "4k", "numjobs": "4"} | shared
    output = {"fio version": "fio-3.33", "timestamp": 1637452800, "time": "Sun Nov 21 00:00:00 2021"}
    names = list(dict.fromkeys(each["jobname"] for each in jobs))
    numbered = [each | {"groupid": names.index(each["jobname"]) if walls else 0} for each in jobs]
    return output | {"global options": common, "jobs": numbered, "disk_util": []}


def printed(*jobs: dict, walls: bool = True, **shared: str) -> str:
    """A report as fio prints it."""
    return json.dumps(report(*jobs, walls=walls, **shared), indent=2)
