"""Random streams of requests, random options, and policies that decide at random."""

from dataclasses import replace

import numpy as np

from pmtwin.policies import Migration, WritePlacement
from pmtwin.policies.points import inline_policy
from pmtwin.policies.sharing import with_shared
from pmtwin.sim.draws import uniform
from pmtwin.sim.hybrid.options import (
    ARRIVALS,
    FULL_DEVICES,
    FULL_QUEUES,
    HDD_WRITES,
    IDLE_MEASURES,
    LAYOUTS,
    READS,
    REWARD_LATENCIES,
    SCANS,
    HybridOptions,
)
from pmtwin.sim.hybrid.point import MIGRATE_POINT, migrate_point, place_point
from pmtwin.sim.hybrid.running import Deciders, start_run
from pmtwin.sim.hybrid.stream import PAGE_BYTES, make_stream, paged


class SleepyDevices(HybridOptions):
    """The devices take longer where requests left them alone."""

    @property
    def block_devices(self):
        times = {"read_wake_us": 40.0, "write_wake_us": 90.0, "wake_half_us": 300.0}
        return tuple(replace(device, **times) for device in super().block_devices)


class AnyMove(Migration):
    """Moves the page that the scan proposes, the oldest of a device, or any, to any device."""

    def arrays(self, point, key):
        """Draws; answers since the last request, and moves that were told."""
        return np.array([key, 0], np.uint64), np.zeros(2, np.int64)

    @staticmethod
    def used(arrays, page, pages, write, device_of):
        """A few more answers."""
        arrays[1][0] = 0

    @staticmethod
    def move(arrays, page, features, device_of, oldest, free, setting):
        """A page of three, now and then none."""
        draws, counts = arrays
        counts[0] += 1
        if counts[0] > 5:  # an idle storage asks for ever
            return -1
        drawn, target = uniform(draws), int(uniform(draws) * free.size)
        if drawn < 0.2:
            return -1
        if drawn > 0.6 or page < 0:
            page = oldest[target - 1] if drawn < 0.8 else int(uniform(draws) * device_of.size)
        return page * free.size + target if page >= 0 else -1

    @staticmethod
    def moved(arrays, page, origin, target):
        """One more."""
        arrays[1][1] += 1


class AnyPlan(AnyMove):
    """Moves up to 200 pages, any to any device, before every thirtieth request."""

    every = 30

    @staticmethod
    def plan(arrays, device_of, free, setting, moves):
        """Pages may be named twice, where they are, or to a full device."""
        for place in range(min(int(uniform(arrays[0]) * 200), moves.size)):
            page, target = int(uniform(arrays[0]) * device_of.size), int(uniform(arrays[0]) * free.size)
            moves[place] = page * free.size + target


class Learner(WritePlacement):
    """Decides at random, and remembers what it is told of latencies."""

    def arrays(self, point, key):
        """Draws; the sum of rewards, and their number."""
        return np.array([key, 0], np.uint64), np.zeros(2)

    @staticmethod
    def decide(arrays, features, mask):
        """Any possible device."""
        number = int(uniform(arrays[0]) * mask.size)
        return number if mask[number] else mask.size - 1

    @staticmethod
    def observe(arrays, features, action, reward):
        """One more."""
        arrays[1][0] += reward * (1.0 + features[0] + action)
        arrays[1][1] += 1.0


def random_stream(seed, requests=400, pages=150, threads=1, gap_ns=1e5):
    """Requests of a skewed popularity, of one page or several, some of which begin or end within a page."""
    random = np.random.default_rng(seed)
    first = np.minimum(random.pareto(0.7, requests) * 5, pages - 1).astype(np.int64)
    size = random.integers(1, 5, requests) * PAGE_BYTES
    cut = random.integers(0, 2, requests) * random.integers(0, 8, requests) * 512
    late = random.integers(0, 2, requests) * random.integers(0, 8, requests) * 512
    late = np.where(size - cut - late >= 512, late, 0)
    gap = random.exponential(gap_ns, requests) * random.integers(0, 3, requests)
    thread = np.arange(requests) % threads
    return make_stream(gap, first * PAGE_BYTES + cut, size - cut - late, random.random(requests) < 0.5, thread)


def random_options(random, seed):
    """Options that differ in everything; an odd seed has devices that sleep."""
    kind = SleepyDevices if seed % 2 else HybridOptions
    return kind(
        devices=str(random.choice(["perf", "cost", "pmem", "tri", "quad"])),
        fast=float(random.choice([1.0, 4.0, 10.0, 30.0])),
        layout=str(random.choice(LAYOUTS)),
        hdd_writes=str(random.choice(HDD_WRITES)),
        arrivals=str(random.choice(ARRIVALS)),
        decision_ns=float(random.choice([0.0, 240.0])),
        queue=int(random.choice([0, 2, 10])),
        idle_percent=float(random.choice([5.0, 60.0])),
        idle_ms=float(random.choice([0.05, 1.0])),
        scan=int(random.choice([0, 1, 3])),
        idle_scan=int(random.choice([1, 8])),
        scan_order=str(random.choice(SCANS)),
        reads=str(random.choice(READS)),
        full_device=str(random.choice(FULL_DEVICES)),
        reward_latency=str(random.choice(REWARD_LATENCIES)),
        full_queue=str(random.choice(FULL_QUEUES)),
        idle_measure=str(random.choice(IDLE_MEASURES)),
    )


def random_case(seed):
    """(options, stream in pages) that differ in everything."""
    random = np.random.default_rng(seed)
    options = random_options(random, seed)
    gap_ns = float(random.choice([0.0, 1e4, 1e6, 2e7]))
    return options, paged(random_stream(seed, threads=int(random.choice([1, 2, 5])), gap_ns=gap_ns))


def deciders(options, pages, place, migrate, key=7):
    """The policies of a run; each is a policy, or the spec of one."""
    points = [make(options.block_devices, "").of(options, pages) for make in (place_point, migrate_point)]
    policies, states = {}, {}
    for number, (policy, point) in enumerate(zip((place, migrate), points, strict=True)):
        policies[point.name] = inline_policy(policy, point) if isinstance(policy, str) else policy
        states[point.name] = policies[point.name].state(point, np.uint64(key + number))
    states = with_shared(policies, states).values()
    return Deciders(*states, moves=migrate != "stay", every=getattr(policies[MIGRATE_POINT], "every", 0))


def started(options, pages, engine, migrate, window=50, key=7):
    """(run on an engine, its policies): a `Learner`, and one that moves pages at random."""
    policies = deciders(options, pages, Learner(), migrate, key)
    return start_run(options, pages, policies, engine, window, key), policies
