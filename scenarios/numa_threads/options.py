"""Options of the scenario: machine, kernel, threads, and how decisions are found and rewarded."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pmtwin.scenarios.numa_threads.native.options import NATIVE, NativeOptions
from pmtwin.scenarios.numa_threads.native.topology import topology
from pmtwin.scenarios.numa_threads.stated_times import StatedTimes
from pmtwin.sim.device.profile import DEFAULT_PROFILE, load_profile
from pmtwin.sim.device.sampling import STATES_UNCERTAINTY, without_uncertainty
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.host.samples import SystemSamples
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import MOST_THREADS as MOST
from pmtwin.sim.numa.load import Load
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.options import Options, option, option_again

NORMALISED, PRINTED = "normalised", "printed"
LEVELS, CHANGES = "normalised-levels", "printed-changes"
"""Forms of the reward: in shares or as printed, with changes of bandwidth and utilisation or with their levels."""

ALL, LOADS = "all", "loads"
MACHINE, OWN = "machine", "threads"
UNITS = {"accesses": 1.0, "thousands": 1e3, "millions": 1e6}
SPREAD, NEAR, FAR = "spread", "near", "far"
KEY_BYTES = 16
ENGINES = ("compiled", "simpy", "analytic", NATIVE)


@dataclass(frozen=True, kw_only=True)
class DecisionOptions(Options):
    """Which logical cores are asked about, and what a decision earns (section 4.3 and 5 of the paper).

    Raises:
        InputError: for weights that do not sum to 1.
    """

    title = "decisions for cores"

    imbalance: float = option(
        0.8, "share of remote accesses from which a logical core is asked about", low=0.0, high=1.0, metavar="P"
    )
    reward_form: str = option(
        NORMALISED,
        "reward of a decision: normalised (changes of three shares), printed (formulas 1 to 3 as they stand: levels of "
        "bandwidth and utilisation), normalised-levels (shares, with those levels) or printed-changes",
        choices=(NORMALISED, PRINTED, LEVELS, CHANGES), metavar="FORM",
    )  # fmt: skip
    local_weight: float = option(0.45, "weight of local accesses in that reward", low=0.0, high=1.0, metavar="W")
    bandwidth_weight: float = option(0.45, "weight of the bandwidth", low=0.0, high=1.0, metavar="W")
    use_weight: float = option(0.1, "weight of the utilisation of logical cores", low=0.0, high=1.0, metavar="W")
    local_unit: str = option(
        "accesses", "unit of local accesses in the printed reward", choices=tuple(UNITS), metavar="UNIT"
    )
    counted: str = option(
        ALL, "which accesses policies see: all, or loads alone, which processors count by node", choices=(ALL, LOADS),
        metavar="WHICH",
    )  # fmt: skip
    way_back: bool = option(
        False, "ask about all logical cores with threads; those of a balanced core go to another node"
    )
    credit: str = option(
        MACHINE,
        "whose bandwidth a decision is rewarded for: that of the machine, or of the threads that it was about, over "
        "their part of the ceiling",
        choices=(MACHINE, OWN), metavar="WHOSE",
    )  # fmt: skip
    counter_noise: float = option(
        0.0, "relative standard deviation of the counters that policies inside the windows see", low=0.0, high=1.0,
        metavar="S",
    )  # fmt: skip

    def __post_init__(self):
        super().__post_init__()
        total = self.local_weight + self.bandwidth_weight + self.use_weight
        if abs(total - 1.0) > 1e-9:
            allowed = "1: local_weight + bandwidth_weight + use_weight; change one of them"
            raise InputError("sum of the weights", f"{total:g}", allowed)


@dataclass(frozen=True, kw_only=True)
class NumaOptions(Options):
    """Options of the scenario.

    Raises:
        InputError: for data that the machine has no room for, or a node that it has not.
    """

    engine: str = option(
        "compiled",
        "execution engine: compiled or simpy (simulators, same results), analytic (mean values), native (real process)",
        choices=ENGINES, metavar="NAME",
    )  # fmt: skip
    profile: str = option(DEFAULT_PROFILE, "device profile: a name or a file", metavar="PROFILE")
    directory_writes: bool = option(True, "directory entries written to the memory where the other node reads a line")
    memory_profile: str = option(
        "",
        "device profile of the nodes without processors, a name or a file, as measured from processors elsewhere "
        "(pmtwin probe --node N)",
        metavar="PROFILE",
    )
    believed_profile: str = option(
        "", "device profile that a policy's formulas believe in; empty: the machine's", metavar="PROFILE"
    )
    threads: int = option(48, "number of threads", low=1, high=MOST, metavar="N")
    value_bytes: float = option_again(Load, "value_bytes")
    records: int = option(20_000, "number of keys, each with a value", low=1, high=10**9, metavar="N")
    requests: int | None = option(
        None, "operations of all threads together, after which they start again; none: without end",
        low=1, high=10**12, metavar="N",
    )  # fmt: skip
    spread: float = option_again(Load, "spread")
    pool_node: int = option(0, "node of all data", low=0, high=7, metavar="NODE")
    data_away: float = option(
        0.0, "share of the data that is on the other nodes at first, as much on each", low=0.0, high=1.0, metavar="P"
    )
    copy_share: float = option(
        0.05, "most of the data that a policy has copied to another node in a window, as a share", low=0.0, high=1.0,
        metavar="P",
    )  # fmt: skip
    copy_threads: int = option(
        4, "threads that copy, on logical cores that nobody else needs (assumed)", low=1, high=64, metavar="N"
    )
    start: str = option(
        SPREAD,
        "where the threads start: spread (as the kernel places new ones), near the data or far from them",
        choices=(SPREAD, NEAR, FAR), metavar="NAME",
    )  # fmt: skip
    group_us: float = option(
        100.0, "shorter operations are simulated several at a time, which take as long as this, in us",
        low=0.0, high=1e9, metavar="US",
    )  # fmt: skip
    window_s: float = option(1.0, "window length, in s", low=1e-3, high=3600.0, metavar="S")
    machine: Machine = field(default_factory=Machine)
    kernel: Kernel = field(default_factory=Kernel)
    decisions: DecisionOptions = field(default_factory=DecisionOptions)
    samples: SystemSamples = field(default_factory=SystemSamples)
    times: StatedTimes = field(default_factory=StatedTimes)
    native: NativeOptions | None = None

    def __post_init__(self):
        self._take_native()
        super().__post_init__()
        machine = self.machine
        last, whose = machine.thread_nodes - 1, " with processors" if machine.memory_nodes else ""
        if self.pool_node > last:
            raise InputError("pool_node", self.pool_node, f"a node of the machine{whose}, 0 to {last}")
        if self.start == FAR and last == 0:
            raise InputError("start", FAR, f"{SPREAD} or {NEAR}: the machine has one node{whose}")
        if self.data_away and machine.nodes == 1:
            raise InputError("data_away", self.data_away, "0: the machine has one node")
        self._check_memory_nodes()
        self.check_room(self.value_bytes)
        if self.believed_profile:
            self._check_believed()

    def _check_believed(self) -> None:
        """Refuse a profile that is not there, before a policy asks for its formulas."""
        try:
            load_profile(self.believed_profile)
        except InputError as error:
            raise error.renamed("believed_profile") from error

    def _check_memory_nodes(self) -> None:
        """Nodes without processors have a profile, and nobody else has; no times are stated for them."""
        number = self.machine.memory_nodes
        if number and not self.memory_profile:
            what = "that of the nodes without processors, a name (pmtwin list profiles) or a file"
            raise InputError("memory_profile", None, f"{what}; such a node is measured by pmtwin probe --node")
        if self.memory_profile and self.samples.device_samples:
            self._check_sampled_memory()
        if self.memory_profile and not number:
            allowed = "belongs to nodes without processors; add --memory-nodes, or remove this option"
            raise ConflictError("memory_profile", self.memory_profile, allowed)
        if number and self.times.given:
            allowed = "0 where times are stated, which know no nodes without processors; remove these times"
            raise InputError("memory_nodes", number, allowed)

    def _check_sampled_memory(self) -> None:
        """Refuse a profile of which no devices can be drawn."""
        try:
            reason = without_uncertainty(load_profile(self.memory_profile))
        except InputError as error:
            raise error.renamed("memory_profile") from error
        if reason:
            allowed = f"one that states its uncertainty, with --device-samples ({STATES_UNCERTAINTY}); or remove that"
            raise InputError("memory_profile", self.memory_profile, allowed)

    def check_room(self, value_bytes: float, instead: str = "smaller values") -> None:
        """Refuse values that the memory of a node has no room for; `instead`: what else helps.

        Raises:
            InputError: if all records with such values are too large.
        """
        memory = self.machine.memory_bytes
        if self.pool_bytes(value_bytes) > memory:
            most = int(memory / (value_bytes + KEY_BYTES))
            values = f"at most {most:,} values of {value_bytes:,.0f} B in the memory of a node"
            raise InputError("records", self.records, f"{values}; give fewer records, larger modules or {instead}")

    def _take_native(self) -> None:
        """The machine of the real side is the one that it runs on."""
        if self.engine != NATIVE:
            if self.native is not None:
                allowed = f"belongs to engine {NATIVE}; add --engine {NATIVE}, or remove this option"
                raise ConflictError("native", self.native, allowed)
            return
        for name, usual in (("requests", None), ("start", SPREAD)):
            if getattr(self, name) != usual:
                raise ConflictError(name, getattr(self, name), f"does not go with engine {NATIVE}; remove it")
        if self.machine.memory_nodes:
            raise ConflictError(
                "memory_nodes", self.machine.memory_nodes, f"does not go with engine {NATIVE}; remove it"
            )
        native = self.native or NativeOptions()
        nodes = topology(native.node_cpus, "node_cpus")
        object.__setattr__(self, "native", native)
        object.__setattr__(self, "machine", replace(self.machine, **nodes.machine))

    def pool_bytes(self, value_bytes: float) -> float:
        """Bytes of all keys and values."""
        return self.records * (value_bytes + KEY_BYTES)
