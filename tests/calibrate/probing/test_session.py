"""A probe asks for what it lacks, keeps what it was told, and stops when it is enough."""

import json

import numpy as np
import pytest

from pmtwin.calibrate.probing.cases import Case
from pmtwin.calibrate.probing.document import document, to_text
from pmtwin.calibrate.probing.model_error import JUDGED_FROM
from pmtwin.calibrate.probing.native import Answer, CaseRefusedError
from pmtwin.calibrate.probing.repetitions import floor_percent, is_narrow, usable_values
from pmtwin.calibrate.readers import read_sources


def cases_of(session):
    return [Case.from_entry(entry["case"]) for entry in session._journal.entries if "case" in entry]


def test_it_measures_latencies_first_and_every_kind_in_the_end(make_device, make_session):
    session = make_session(make_device(), seconds=14.0, operations=("load", "ntstore"))
    state = session.run()
    cases = cases_of(session)
    assert [case.kind for case in cases[:2]] == ["chase", "chase"]
    assert {case.operation for case in cases} == {"load", "ntstore", "mixed"}
    assert state.ended == "time" and session.elapsed_s() <= 14.0


def test_the_result_is_read_as_it_is(make_device, make_session, tmp_path):
    device = make_device(noise=0.02)
    session = make_session(device)
    state = session.run()
    result = document(session._journal, device.context, session._plan, state, session.elapsed_s(), interrupted=False)
    (tmp_path / "p.json").write_text(to_text(result))
    read, _ = read_sources([tmp_path / "p.json"])
    assert len(read) + read.context.other_rows + sum(read.dropped.values()) == state.measurements
    assert read.dropped.keys() == {"single loads: the pointer chase tells their idle latency"}
    assert {each.pattern for each in read.context.latencies} == {"random", "sequential"}
    assert 0.5 < result["context"]["probe"]["noise_percent"][0] < 2.5


def test_a_case_measured_twice_is_one_series_of_repetitions(make_device, make_session):
    device = make_device()
    session = make_session(device)
    state = session.run()
    visited = [case for case in cases_of(session) if case.is_pure_bandwidth]
    twice = next(case for case in visited if visited.count(case) > 1)
    result = document(session._journal, device.context, session._plan, state, 1.0, interrupted=False)
    benchmarks = [
        benchmark
        for benchmark in result["benchmarks"]
        if benchmark["threads"] == twice.threads and benchmark["label"].endswith("kind=bandwidth")
    ]
    benchmarks = [
        benchmark for benchmark in benchmarks if f"/{twice.pattern}/{twice.access_size_bytes}B" in benchmark["name"]
    ]
    assert [benchmark["repetition_index"] for benchmark in benchmarks] == list(range(len(benchmarks)))
    assert {benchmark["repetitions"] for benchmark in benchmarks} == {len(benchmarks)}


def test_it_stops_at_the_wanted_error(make_device, make_session):
    state = make_session(make_device(noise=0.002), seconds=60.0, target=3.0).run()
    assert state.ended == "target" and state.error_percent[0] <= 3.0
    assert state.measurements < 200


def test_it_ends_when_nothing_is_left(make_device, make_session):
    session = make_session(make_device(threads=1), seconds=1e9)
    assert session.run().ended == "plan"
    assert len(session._pure) == len({case for case in cases_of(session) if case.is_pure_bandwidth})


class Around:
    """A device around another one."""

    def __init__(self, device):
        self._device, self.context = device, device.context

    def __getattr__(self, name):
        return getattr(self._device, name)


class Interrupting(Around):
    """Raises in the middle of a case, which then has some repetitions to give."""

    def __init__(self, device, after):
        super().__init__(device)
        self._left = after

    def ask(self, case):
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt
        return self._device.ask(case)

    def interrupt(self):
        return self._device.ask(
            {"kind": "latency", "operation": "load", "pattern": "random", "access_size_bytes": 64} | EXTRA
        )


EXTRA = {"threads": 1, "repetitions": 2, "min_time_s": 0.02}


def test_an_interrupted_probe_keeps_every_repetition_and_goes_on(make_device, make_session):
    device = make_device()
    with pytest.raises(KeyboardInterrupt):
        make_session(Interrupting(device, after=12)).run()
    entries = make_session(device)._journal.entries
    assert len(entries[-1]["benchmarks"]) >= 2
    assert sum(len(entry["benchmarks"]) for entry in entries) >= 12
    session = make_session(device)
    assert session.state.visits == len(entries) and session.elapsed_s() >= entries[-1]["at_s"]
    session.run()
    assert session.state.visits == len(cases_of(session)) > len(entries)
    assert session.state.cases == len(set(cases_of(session)))


def test_a_probe_goes_on_with_what_is_left_of_its_order(make_device, make_session):
    """Also where an older version began, in another order."""
    device = make_device()
    begun = make_session(Interrupting(device, after=20))
    begun._pure.reverse()
    with pytest.raises(KeyboardInterrupt):
        begun.run()
    session = make_session(device)
    before = [case for case in session._pure if case in session._visits]
    session.run()
    visited = dict.fromkeys(case for case in cases_of(session) if case.is_pure_bandwidth)
    left = [case for case in session._pure if case not in before]
    assert len(before) > 3 and list(visited)[len(before) :] == left[: len(visited) - len(before)]
    assert session.state.error_percent is not None


def test_chases_are_spread_over_several_visits_and_the_result_says_which(make_device, make_session):
    device = make_device()
    session = make_session(device, seconds=30.0)
    state = session.run()
    cases = cases_of(session)
    for pattern in ("random", "sequential"):
        places = [place for place, case in enumerate(cases) if (case.kind, case.pattern) == ("chase", pattern)]
        assert len(places) >= 3 and places[-1] - places[0] > 20
    result = document(session._journal, device.context, session._plan, state, 1.0, interrupted=False)
    visits = [
        benchmark["visit"] for benchmark in result["benchmarks"] if benchmark["label"].endswith("random kind=chase")
    ]
    assert sorted(set(visits)) == list(range(max(visits) + 1)) and max(visits) >= 2


def test_a_chase_that_would_take_all_the_time_is_left_out(make_device, make_session):
    """It links the whole region first: half a minute on a machine with a large cache, and so a large region."""
    device = make_device()
    device.context["memory"] = {"region_bytes": 8 << 30}
    session = make_session(device, seconds=40.0, operations=("load", "ntstore"))
    state = session.run()
    kinds = {case.kind for case in cases_of(session)}
    assert kinds == {"bandwidth", "latency"} and state.needed_s is None
    assert state.configurations["load"] > 10


class SlowToLink(Around):
    """Links the region before a chase, beside other work."""

    def ask(self, case):
        self._device.seconds += 2.0 if case["kind"] == "chase" else 0.0
        return self._device.ask(case)


@pytest.mark.parametrize(
    ("around", "patterns"), [(Around, ["random", "sequential"]), (SlowToLink, ["random"])], ids=["idle", "busy"]
)
def test_chases_on_a_busy_machine_leave_time_for_the_rest(make_device, make_session, around, patterns):
    """The second is left out where the first took long."""
    session = make_session(around(make_device()), seconds=8.0)
    session.run()
    assert list(dict.fromkeys(case.pattern for case in cases_of(session) if case.kind == "chase")) == patterns


class Refusing(Around):
    """Cannot do sequential accesses."""

    def ask(self, case):
        if case["pattern"] == "sequential":
            raise CaseRefusedError("no such thing here")
        return self._device.ask(case)


def test_a_refused_case_is_data_and_the_others_go_on(make_device, make_session):
    state = make_session(Refusing(make_device())).run()
    assert state.cases > len(state.refused) > 0
    assert {each["error"] for each in state.refused} == {"no such thing here"}
    assert state.error_percent is not None


class Disturbed(Around):
    """Its threads never have their processors."""

    def ask(self, case):
        return Answer([benchmark | {"cpu_share": 0.5} for benchmark in self._device.ask(case).benchmarks], 0.0)


def test_a_machine_that_others_use_all_the_time_gives_no_model(make_device, make_session):
    state = make_session(Disturbed(make_device()), seconds=8.0).run()
    assert state.measurements > 0 and state.error_percent is None


class FewOf(Around):
    """Others have the processors in all but a few cases of one operation."""

    def __init__(self, device, operation, good):
        super().__init__(device)
        self._operation, self._good = operation, good

    def ask(self, case):
        answer = self._device.ask(case)
        if case["operation"] != self._operation or case["kind"] != "bandwidth":
            return answer
        self._good -= 1
        return (
            answer
            if self._good >= 0
            else Answer([benchmark | {"cpu_share": 0.5} for benchmark in answer.benchmarks], 0.0)
        )


def test_no_error_is_told_and_none_reached_while_an_operation_has_too_few(make_device, make_session):
    """However well the others are known: calibrate would not fit it."""
    device = FewOf(make_device(), "ntstore", good=6)
    state = make_session(device, seconds=14.0, target=99.0, operations=("load", "ntstore")).run()
    assert state.configurations["load"] >= JUDGED_FROM > 6 >= state.configurations["ntstore"]
    assert state.error_percent is None and state.ended == "time"


def test_repetitions_stop_when_they_agree():
    assert is_narrow([1000.0, 1001.0, 999.0])
    assert not is_narrow([1000.0, 1100.0, 900.0])
    assert not is_narrow([1000.0, 1000.0])
    rng = np.random.default_rng(0)
    counts = []
    for _ in range(200):
        values = list(np.exp(0.005 * rng.standard_normal(3)))
        while not is_narrow(values) and len(values) < 50:
            values.append(float(np.exp(0.005 * rng.standard_normal())))
        counts.append(len(values))
    assert 3 <= np.median(counts) <= 8


def test_the_noise_floor_is_that_of_single_repetitions():
    assert floor_percent({"a": [100.0], "b": [5.0]}) is None
    median, mean, high = floor_percent({"a": [99.0, 100.0, 102.0], "b": [5.0]})
    assert (median, round(mean, 2), high) == (1.0, 1.0, pytest.approx(1.8))


def test_a_repetition_without_its_processors_is_of_no_use():
    good = {"bandwidth_mib_s": 700.0, "cpu_share": 0.9, "access_size_bytes": 64}
    cached = good | {"bandwidth_mib_s": 1e6}
    assert usable_values([good, good | {"cpu_share": 0.7}, cached, {"latency_p50_ns": 30.0}], 1.0) == [700.0, 30.0]


def test_cases_go_to_json_and_back():
    case = Case("bandwidth", "mixed", "random", 256, 2, "ntstore", 0.5, "threads")
    assert Case.from_entry(json.loads(json.dumps(case.to_entry()))) == case
    assert "write_ratio" not in Case("chase", "load", "random", 64, 1).to_json()
