"""A probe's session: measures one case after the other on a device, keeps the results, and decides when to stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from pmtwin.calibrate.probing.cases import CHASE, Case, configurations_of
from pmtwin.calibrate.probing.effect_cases import effect_cases
from pmtwin.calibrate.probing.journal import Journal
from pmtwin.calibrate.probing.model_error import ModelError
from pmtwin.calibrate.probing.native import CaseRefusedError
from pmtwin.calibrate.probing.order import spread_order
from pmtwin.calibrate.probing.plan import bandwidth_cases, latency_cases, mix_cases
from pmtwin.calibrate.probing.repetitions import floor_percent
from pmtwin.calibrate.probing.state import Device, Plan, State
from pmtwin.calibrate.probing.visits import Visits

REVISIT_EVERY = 2
"""Number of new cases after which a known case is visited again. The load of other processes changes over seconds and
minutes, so the repetitions of a case are spread over several visits: in a row they would agree too well."""

MIX_EVERY = 8
"""Number of new cases after which a mix is measured."""

CHASE_SHARE = 0.06
"""Share of the elapsed time up to which chases are visited again before the other cases are finished; each visit has to
link the region first."""

FIRST_CHASE_SHARE = 0.25
"""Share of the whole time that first visits to chases may take; on a busy machine more would leave too little for the
other cases."""

SAFETY = 1.5
"""Multiple of a case's expected time that must be left at its beginning."""


class Session:
    """Runs a plan on a device.

    Args:
        device: the device under test.
        journal: earlier measurements, and the file for new ones.
        began: time of `clock` at which the command began; None for now.
        clock: returns seconds; a simulated device has its own clock.
        on_case: called with the state after each case.
    """

    def __init__(
        self,
        device: Device,
        plan: Plan,
        journal: Journal,
        began: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        on_case: Callable[[State], None] = lambda state: None,
    ):
        self._device, self._plan, self._journal, self._clock, self._on_case = device, plan, journal, clock, on_case
        self._before_s = max((entry.get("at_s", 0.0) for entry in journal.entries), default=0.0)
        self._began = clock() if began is None else began
        self._rng = np.random.default_rng(plan.seed)
        pure = bandwidth_cases(plan.operations, plan.most_threads)
        self._pure = [pure[place] for place in spread_order(configurations_of(pure, plan.dimms), plan.seed)]
        self._index = {case: number for number, case in enumerate(self._pure)}
        self._effects = effect_cases(plan.operations, plan.most_threads, plan.remote_threads, plan.preset, plan.seed)
        self._visits = Visits(plan.preset, device.context.get("memory", {}).get("region_bytes", 0), plan.dimms)
        self.state = State()
        candidates = configurations_of(self._pure, plan.dimms)
        self._model_error = ModelError(candidates, str(device.context.get("media", "")))
        self.state.configurations = self._model_error.configurations()
        for entry in journal.entries:
            if "case" in entry:
                self._take(Case.from_entry(entry["case"]), entry)

    def elapsed_s(self) -> float:
        """Seconds since the command began, plus those before an interruption."""
        return self._before_s + self._clock() - self._began

    def run(self) -> State:
        """Measure until the plan is done, the time is used up or the wanted error is reached.

        Raises:
            KeyboardInterrupt: the user stopped the probe; its measurements are in the journal.
        """
        self.state.ended = "plan"
        for case in self._cases():
            needed_s = self.elapsed_s() + SAFETY * self._visits.expected_s(case)
            if case.kind == CHASE and self._takes_too_long(case):
                continue  # a chase links the whole region first; single loads give a latency without that
            if needed_s > self._plan.seconds:
                self.state.ended = "time"
                if case.kind == CHASE:
                    continue
                self.state.needed_s = None if self.state.visits else needed_s
                break
            self._measure(case)
            self.state.ended = "plan"
            if self._is_good_enough():
                self.state.ended = "target"
                break
        self._note_progress(final=True)
        return self.state

    def _takes_too_long(self, chase: Case) -> bool:
        expected_s = self._visits.spent_s(_is_chase) + SAFETY * self._visits.expected_s(chase)
        return chase not in self._visits and expected_s > FIRST_CHASE_SHARE * self._plan.seconds

    def _cases(self) -> Iterator[Case]:
        plan = self._plan
        mixes = mix_cases(plan.operations, plan.most_threads, plan.preset)
        yield from self._new(latency_cases(plan.operations))
        number = sum(case in self._visits for case in self._pure)
        for case in self._new(self._pure):
            yield case
            number += 1
            if number % REVISIT_EVERY == 0:
                yield from self._once_more(_is_plain)
            if number % MIX_EVERY == 0:
                yield from self._new([mixes.pop(0)] if mixes else [])
            yield from self._aside()
        yield from self._new(mixes)
        while again := self._once_more(_is_plain):
            yield from again
            yield from self._aside()
        yield from self._new(self._effects)
        while again := self._once_more():
            yield from again

    def _aside(self) -> Iterator[Case]:
        """Another visit to a chase, then a case of an effect, each within its share of the elapsed time.

        The share counts all earlier visits to chases (or effects) and the expected time of the next one.
        """
        now = self.elapsed_s()
        for share, wanted, first in (
            (CHASE_SHARE, _is_chase, []),
            (self._plan.preset.effect_share, _is_effect, list(self._new(self._effects))),
        ):
            for case in first[:1] or self._once_more(wanted):
                if self._visits.spent_s(wanted) + self._visits.expected_s(case) <= share * now:
                    yield case

    def _new(self, cases: Iterable[Case]) -> Iterator[Case]:
        return (case for case in cases if case not in self._visits)

    def _once_more(self, wanted: Callable[[Case], bool] = lambda case: True) -> list[Case]:
        """One of the unfinished wanted cases with the fewest visits, at random; empty if all are finished."""
        unfinished = self._visits.least_visited(wanted)
        return [unfinished[int(self._rng.integers(len(unfinished)))]] if unfinished else []

    def _measure(self, case: Case) -> None:
        preset = self._plan.preset
        begin = self._clock()
        entry: dict[str, Any] = {"case": case.to_entry()}
        request = case.to_json() | {"repetitions": preset.least_repetitions, "min_time_s": preset.min_time_s}
        try:
            entry["benchmarks"] = self._device.ask(request).benchmarks
        except CaseRefusedError as error:
            entry["error"] = str(error)
        except KeyboardInterrupt:
            if late := self._device.interrupt():
                self._keep(case, entry | {"benchmarks": late.benchmarks}, begin)
            raise
        self._keep(case, entry, begin)
        self._on_case(self.state)

    def _keep(self, case: Case, entry: dict, begin: float) -> None:
        entry |= {"seconds": round(self._clock() - begin, 4), "at_s": round(self.elapsed_s(), 3)}
        self._journal.append(entry)
        self._take(case, entry)
        self._note_progress()

    def _take(self, case: Case, entry: dict) -> None:
        self._visits.add(case, entry)
        self.state.cases, self.state.visits = len(self._visits), self.state.visits + 1
        if "error" in entry:
            self.state.refused.append({"case": entry["case"], "error": entry["error"]})
        else:
            self.state.measurements += len(entry["benchmarks"])
        if case in self._index and (values := self._visits.values.get(case)):
            self._model_error.tell(self._index[case], float(np.median(values)))
            self.state.configurations = self._model_error.configurations()

    def _note_progress(self, final: bool = False) -> None:
        self.state.noise_percent = floor_percent(
            {case: visits for case, visits in self._visits.values.items() if not case.is_effect}
        )
        if progress := self._model_error.progress(anew=final):
            self.state.error_percent = progress.error_percent
            self.state.history.append(
                {
                    "seconds": round(self.elapsed_s(), 1),
                    "measurements": self.state.measurements,
                    "configurations": progress.configurations,
                    "error_percent": progress.error_percent,
                    "noise_percent": self.state.noise_percent,
                }
            )

    def _is_good_enough(self) -> bool:
        target, error = self._plan.target_percent, self.state.error_percent
        return target is not None and error is not None and error[0] <= target


def _is_chase(case: Case) -> bool:
    return case.kind == CHASE


def _is_effect(case: Case) -> bool:
    return case.is_effect


def _is_plain(case: Case) -> bool:
    """Whether a case is neither a chase nor an effect, whose visits are limited to a share of the time."""
    return not (_is_chase(case) or _is_effect(case))
