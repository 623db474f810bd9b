"""What the paper publishes (Nadig and others, "Harmonia", arXiv:2503.20507v2, 2025), with the places in the paper.

Bar heights of its figures are not in its text.
"""

from __future__ import annotations

from typing import NamedTuple


class StateFeature(NamedTuple):
    """A row of Table 1.

    Fields:
        name, description: as printed.
        bins: number of bins. bits: of its encoding.
    """

    name: str
    description: str
    bins: int
    bits: int


TABLE_1 = (
    StateFeature("req_type", "request type (read/write)", 2, 1),
    StateFeature("req_size", "request size (in pages)", 8, 3),
    StateFeature("acc_intr", "access interval of the requested page", 64, 8),
    StateFeature("acc_freq", "access frequency of the requested page", 64, 8),
    StateFeature("fast_cap", "free space in the fast storage device", 8, 3),
    StateFeature("curr_dev", "storage device where the requested page currently resides", 2, 1),
    StateFeature("migr_intr", "migration interval of a page", 64, 8),
)
"""Table 1: features of both agents' state. 64 bins fit into 6 bits; 8 are printed. Edges of bins are not stated."""


class Hyperparameter(NamedTuple):
    """A row of Table 2.

    Fields:
        name: as printed.
        low, high: design space.
        placement, migration: chosen for the two agents.
    """

    name: str
    low: float
    high: float
    placement: float
    migration: float


TABLE_2 = (
    Hyperparameter("discount factor", 0, 1, 0.9, 0.1),
    Hyperparameter("learning rate", 1e-5, 1.0, 1e-3, 1e-2),
    Hyperparameter("exploration rate", 0, 1, 0.001, 0.001),
    Hyperparameter("batch size", 64, 256, 128, 256),
    Hyperparameter("experience buffer size", 10, 10_000, 1000, 1000),
)
"""Table 2: hyperparameters of the agents."""


class Device(NamedTuple):
    """A device as Table 3 prints it; None where it prints nothing.

    Fields:
        label, product: in the table.
        capacity_gb: capacity.
        read_gb_s, write_gb_s: bandwidths. read_iops, write_iops: random accesses/s.
        note: what is wrong with the row, or missing in it.
    """

    label: str
    product: str
    capacity_gb: float
    read_gb_s: float | None
    write_gb_s: float | None
    read_iops: int | None = None
    write_iops: int | None = None
    note: str = ""


TABLE_3 = (
    Device("H", "Intel Optane SSD P4800X", 375, 2.4, 2.0, 550_000, 500_000, "no latency"),
    Device(
        "M", "Intel SSD D3-S4510", 1_920, 0.56, 0.51, 895_000, 21_000,
        "no latency; a SATA link cannot carry 895,000 accesses/s of 4 KiB, which are 3.7 GB/s",
    ),
    Device("L", "Seagate HDD ST1000DM010", 1_000, 0.21, 0.21, note="sustained transfer rate alone; no seek time"),
    Device("LSSD", "ADATA SU630 SSD", 960, 0.52, 0.45, note="no latency, no IOPS"),
    Device("PMEM", "Intel Optane Persistent Memory 200", 128, 7.45, 2.25, note="emulated; no latency"),
)  # fmt: skip
"""Table 3: storage devices."""


class Traffic(NamedTuple):
    """A trace in Table 4.

    Fields:
        suite: benchmark suite.
        read_percent: share of reads.
        size_kb: mean size of a request.
        gap_us: mean time between two requests.
        note: what is not from the table.
    """

    suite: str
    read_percent: float
    size_kb: float
    gap_us: float
    note: str = ""


SYSTOR, ROCKSDB, YCSB, MLPERF = "SYSTOR17", "RocksDB", "YCSB", "MLPerf"
TABLE_4 = {
    "LUN0": Traffic(SYSTOR, 0.2, 31.7, 1163.9),
    "LUN1": Traffic(SYSTOR, 0.3, 34.2, 1864.1),
    "LUN2": Traffic(SYSTOR, 7.6, 31.1, 1418.9),
    "LUN3": Traffic(SYSTOR, 3.5, 42.7, 734.5),
    "LUN4": Traffic(SYSTOR, 0.5, 26.3, 823.1),
    "ssd-00": Traffic(ROCKSDB, 79.9, 108.9, 66.4),
    "ssd-01": Traffic(ROCKSDB, 73.5, 75.1, 40.7),
    "ssd-02": Traffic(ROCKSDB, 79.9, 7.5, 3.3),
    "ssd-03": Traffic(ROCKSDB, 79.9, 9.5, 3.5),
    "ssd-04": Traffic(ROCKSDB, 79.9, 7.8, 3.6),
    "YCSB-B": Traffic(YCSB, 51.3, 45.9, 9.3),
    "YCSB-C": Traffic(YCSB, 47.6, 54.6, 6.5),
    "YCSB-D": Traffic(YCSB, 55.9, 36.1, 8.5),
    "YCSB-E": Traffic(YCSB, 52.1, 46.6, 9.6),
    "YCSB-F": Traffic(YCSB, 49.5, 53.1, 6.6),
    "ResNet50": Traffic(MLPERF, 80.0, 172.6, 500.1),
    "CosmoFlow": Traffic(MLPERF, 83.4, 180.1, 1023.8),
}
"""Trace -> its row in Table 4."""

ASSUMED = {"YCSB-A": Traffic(YCSB, 50.0, 48.0, 8.0, "in no table of the paper: near the other YCSB traces")}
"""Traces that Table 5 names and Table 4 lacks."""

SUITES = {
    "read-intensive": (ROCKSDB, MLPERF),
    "write-intensive": (SYSTOR,),
    "near-equal": (YCSB,),
}
"""Kind of workload in the paper's text -> suites (sections 3.4 and 6.1)."""


class Mix(NamedTuple):
    """A row of Table 5.

    Fields:
        workloads: as printed, a thread each. description: as printed. note: a slip of the row.
    """

    workloads: tuple[str, ...]
    description: str
    note: str = ""


TABLE_5 = {
    "mix1": Mix(("ssd-02", "LUN4"), "ssd-02 is read-intensive and LUN4 is write-intensive"),
    "mix2": Mix(
        ("LUN1", "ssd-04"), "LUN0 is write-intensive and ssd-04 is read-intensive",
        "the description says LUN0, not LUN1",
    ),
    "mix3": Mix(("YCSB-C", "YCSB-F"), "Both have near-equal read-write ratio"),
    "mix4": Mix(
        ("ssd-00", "ssd-04", "YCSB-A", "LUN0"), "Two read-intensive and two write-intensive workloads",
        "YCSB-A is in no table, and other YCSB traces count as near-equal",
    ),
    "mix5": Mix(
        ("ssd-00", "LUN0", "YCSB-C", "YCSB-F"),
        "Read-intensive, write-intensive and two workloads with a near-equal read-write ratio",
    ),
    "mix6": Mix(
        ("YCSB-B", "YCSB-D", "LUN0", "LUN1", "LUN4", "ssd-00", "ssd-02", "ssd-03"),
        "Two with near-equal read-write ratio, three write-intensive and three read-intensive",
        "ssd-03 is printed ssd03",
    ),
}  # fmt: skip
"""Mix -> its row in Table 5."""


class Claim(NamedTuple):
    """A published number.

    Fields:
        name: what it is about: policies, or a part of the system.
        claim: what is stated, with the unit.
        perf: for the performance-optimised system, or the only one.
        cost: for the cost-optimised one; None: nothing is stated.
        place: section, figure or table.
    """

    name: str
    claim: str
    perf: float
    cost: float | None
    place: str


def _over(name: str, claim: str, perf: float, cost: float | None, place: str) -> Claim:
    return Claim(name, f"{claim}, %", perf, cost, place)


CLAIMS = (
    _over("sibyl", "performance, of Oracle's", 49.9, 41.4, "3.4, figure 3"),
    _over("sibyl-over-cde", "performance of Sibyl over CDE", 20.7, 14.5, "3.4, figure 3"),
    _over("sibyl-over-k-svm", "performance of Sibyl over K-SVM", 24.7, 31.6, "3.4, figure 3"),
    _over("sibyl-over-rnn-hss", "performance of Sibyl over RNN-HSS", 19.3, 19.2, "3.4, figure 3"),
    _over("cde+rl-migr", "performance below that of Sibyl", 4.6, 15.6, "3.4, figure 3"),
    _over("sapm", "performance below that of Sibyl", 18.8, 27.7, "1 and 3.4, figure 3"),
    Claim("state", "bits of the features of a page", 32, None, "4.2"),
    Claim("network", "inputs, with two devices", 7, None, "4.6.1"),
    Claim("network", "neurons of the hidden layer", 10, None, "4.5"),
    Claim("network", "outputs, with two devices; without the atoms of each", 2, None, "4.6.1"),
    Claim("network", "requests after which weights are copied to the network that decides", 1000, None, "4.5"),
    Claim("placement-agent", "requests until the loss has settled, YCSB-B", 6_000, None, "4.5, figure 7"),
    Claim("migration-agent", "requests until the loss has settled, YCSB-B", 9_000, None, "4.5, figure 7"),
    Claim("inference", "time of a decision, ns", 240, None, "4.6.1"),
    Claim("inference", "multiply-accumulates; without those of the atoms", 90, None, "4.6.1"),
    Claim("inference", "cycles; 90 would be 24 ns at 3.7 GHz", 90, None, "4.6.1"),
    Claim("training", "time of a step, us", 53, None, "4.6.1"),
    Claim("training", "batches of a step", 16, None, "4.6.1"),
    Claim("training", "multiply-accumulates of a step", 184_320, None, "4.6.1"),
    Claim("memory", "both agents, KiB", 206, None, "4.6.2"),
    Claim("memory", "a network of 90 weights of 16 bits, KiB; takes bits for bytes", 1.5, None, "4.6.2"),
    Claim("memory", "a buffer of 1,000 experiences, KiB; takes bits for bytes", 100, None, "4.6.2"),
    _over("memory", "state of 32 bits of a page of 4 KiB, at most; takes bits for bytes", 0.8, None, "4.6.2"),
    Claim("workloads", "mean size over that of the fast device; 19 PB for 375 GB", 50_000, None, "5"),
    _over("harmonia", "performance over Sibyl", 49.5, 31.7, "6.1, figure 8"),
    _over("harmonia", "gap between Sibyl and Oracle closed", 64.2, 64.3, "6.1, figure 8"),
    _over("harmonia", "performance over Sibyl, read-intensive", 57.5, 43.2, "6.1, figure 8"),
    _over("harmonia", "performance over Sibyl, write-intensive", 41.0, 39.9, "6.1, figure 8"),
    _over("harmonia", "requests/s over Sibyl", 49.4, 156.2, "6.1, figure 9"),
    _over("harmonia", "requests/s, of Oracle's", 71.7, 62.2, "6.1, figure 9"),
    _over("harmonia-tail", "99th percentile below that of Sibyl; LUN0, ssd-00, YCSB-B", 32.3, None, "6.1, figure 10"),
    _over(
        "harmonia-tail", "99.99th percentile below that of Sibyl; LUN0, ssd-00, YCSB-B", 25.3, None, "6.1, figure 10"
    ),
    Claim("migration-queue", "best size, of 0 to 250", 10, None, "6.1, figure 11"),
    Claim("reward", "best number n of requests, of 0 to 250", 50, None, "6.1, figure 11"),
    Claim("migrations", "pages that move before a reward", 10, None, "4.2"),
    _over("harmonia-pmem", "performance over CDE", 15.6, None, "6.1, figure 12"),
    _over("harmonia-pmem", "performance, of Oracle's", 80.0, None, "6.1, figure 12"),
    _over("harmonia-mixes", "performance over Sibyl", 32.8, 25.3, "6.2, figure 13"),
    _over("harmonia-mixes", "performance over Sibyl, mix6", 39.4, 41.8, "6.2, figure 13"),
    _over("harmonia-mixes", "performance, of Oracle's", 75.0, 46.0, "6.2, figure 13"),
    _over("harmonia-tri", "performance over Sibyl", 37.0, None, "6.3, figure 14"),
    _over("harmonia-quad", "performance over Sibyl", 42.0, None, "6.3, figure 14"),
    _over("harmonia-tri", "performance over Sibyl, read-intensive, at most", 58.3, None, "6.3, figure 14"),
    Claim("harmonia-writes", "write amplification", 1.54, 1.55, "6.4, figure 15"),
    Claim("harmonia-writes", "write amplification of Sibyl", 1.49, 1.45, "6.4, figure 15"),
    Claim("harmonia-writes", "write amplification of RNN-HSS", 1.08, 1.06, "6.4, figure 15"),
    Claim("harmonia-writes", "write amplification, write-intensive", 1.24, 1.24, "6.4, figure 15"),
    Claim("harmonia-writes", "write amplification, read-intensive", 1.8, 1.8, "6.4, figure 15"),
)
"""Numbers of the text. Which of two systems has the "up to 58.3 %" of figure 14 is not said."""


class Order(NamedTuple):
    """A published comparison without a number, of both systems.

    Fields:
        name: what it is about. claim: what is stated. place: section and figure.
    """

    name: str
    claim: str
    place: str


LESS_WRITTEN = Order(
    "harmonia-writes", "only Sibyl and RNN-HSS have less write amplification than Harmonia", "6.4, figure 15"
)
MOST_TO_SLOW = Order("harmonia-moves", "most moves go to the slow device", "6.4, figure 16")
MORE_TO_FAST = Order(
    "harmonia-moves", "more of them to the fast device in read-intensive workloads than in write-intensive ones",
    "6.4, figure 16",
)  # fmt: skip
ORDERS = (LESS_WRITTEN, MOST_TO_SLOW, MORE_TO_FAST)
"""What the text says of figures 15 and 16 without a number."""

SIBYL_OF_ORACLE = 80.0
"""Performance of Sibyl in percent of Oracle's in its own paper (ISCA 2022); Harmonia's evaluation has 49.9 (41.4)."""

AXES = {"3a": 8, "3b": 120, "8a": 8, "8b": 120, "11": (25, 35), "12": 16, "13a": 8, "13b": 160, "14": 90, "15": 3}
"""Figure -> end, or ends, of its axis; latencies over that of Fast-Only, in 15 write amplification."""
