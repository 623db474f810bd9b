"""The agents' defaults are those of the paper's Tables 1 and 2 and of its text; each difference is named."""

import numpy as np
import pytest

from pmtwin.policies.points import inline_policy
from pmtwin.policies.tiering.agents.learning import bin_of
from pmtwin.policies.tiering.agents.options import DelayedOptions, SibylOptions
from pmtwin.policies.tiering.agents.parts import AGENT, MOST, PLACES, SIZES, STATES
from pmtwin.policies.tiering.features import COUNT, DEVICE, FREE, INTERVAL, PAGES, SINCE_MOVE, WRITE
from pmtwin.scenarios.hybrid_storage.published import CLAIMS, TABLE_1, TABLE_2
from pmtwin.sim.compiling import njit
from pmtwin.sim.hybrid.columns import MOST_PAGES, NEVER
from pmtwin.sim.hybrid.options import HybridOptions
from pmtwin.sim.hybrid.point import migrate_point, place_point
from pmtwin.sim.hybrid.stream import PAGE_BYTES, make_stream, paged

PLACES_OF = {
    "req_type": WRITE,
    "req_size": PAGES,
    "acc_intr": INTERVAL,
    "acc_freq": COUNT,
    "fast_cap": FREE,
    "curr_dev": DEVICE,
    "migr_intr": SINCE_MOVE,
}
"""Feature of Table 1 -> its place in what agents see."""

FIELDS = {"discount factor": "gamma", "learning rate": "rate", "exploration rate": "epsilon", "batch size": "batch"}
"""Row of Table 2 -> the field of an agent's record."""

WHOLE = np.append(np.arange(2.0**17), NEVER)
VALUES = {
    WRITE: np.array([0.0, 1.0]),
    PAGES: np.arange(1.0, MOST_PAGES + 1),
    INTERVAL: WHOLE,
    COUNT: WHOLE,
    FREE: np.linspace(0.0, 1.0, 1001),
    DEVICE: np.array([0.0, 1.0]),
    SINCE_MOVE: WHOLE,
}
"""Values that a feature can have, with two devices."""


@njit
def bins_of(place, values):
    """Shape (n,): bin of each value."""
    bins = np.zeros(values.size, np.int64)
    for number in range(values.size):
        bins[number] = bin_of(place, values[number])
    return bins


PAGED = paged(make_stream(1e6, np.arange(40) * PAGE_BYTES, PAGE_BYTES, True))


def claimed(name, text):
    (only,) = [each.perf for each in CLAIMS if (each.name, each.claim) == (name, text)]
    return only


def arrays(spec, point="place", devices="perf"):
    """The arrays of a policy that has learned nothing."""
    options = HybridOptions(devices=devices)
    make = {"place": place_point, "migrate": migrate_point}[point]
    point = make(options.block_devices, "").of(options, PAGED)
    return inline_policy(spec, point).state(point, np.uint64(1)).arrays


@pytest.fixture(scope="module", params=["place", "migrate"])
def agent(request):
    """(column of Table 2, the arrays of that agent)."""
    column = {"place": "placement", "migrate": "migration"}[request.param]
    return column, arrays("harmonia", request.param)


def test_both_agents_have_the_numbers_of_table_2(agent):
    column, parts = agent
    record = parts[AGENT][0]
    ours = {name: record[field] for name, field in FIELDS.items()} | {"experience buffer size": len(parts[STATES])}
    assert ours == {row.name: getattr(row, column) for row in TABLE_2}


def test_both_agents_see_the_features_of_table_1_in_its_bins(agent):
    _, parts = agent
    assert list(parts[PLACES]) == sorted(PLACES_OF[row.name] for row in TABLE_1)
    most = dict(zip(parts[PLACES], parts[MOST], strict=True))
    assert {row.name: most[PLACES_OF[row.name]] + 1 for row in TABLE_1} == {row.name: row.bins for row in TABLE_1}


@pytest.mark.parametrize("row", TABLE_1, ids=lambda row: row.name)
def test_values_fall_into_as_many_bins_as_table_1_has(row):
    """A difference: bins are quarters of octaves, so that whole numbers of requests below 4 leave out five bins."""
    place = PLACES_OF[row.name]
    reached = set(bins_of(place, VALUES[place]))
    empty = {1, 2, 3, 5, 7} if row.bins == 64 else set()
    assert reached == set(range(row.bins)) - empty


def test_the_network_and_the_rhythm_are_those_of_the_text(agent):
    _, parts = agent
    record, sizes = parts[AGENT][0], parts[SIZES]
    assert list(sizes[:3]) == [
        claimed("network", "inputs, with two devices"),
        claimed("network", "neurons of the hidden layer"),
        claimed("network", "outputs, with two devices; without the atoms of each"),
    ]
    copies = "requests after which weights are copied to the network that decides"
    assert record["copy"] == claimed("network", copies)
    assert record["batches"] == claimed("training", "batches of a step")
    options = DelayedOptions()
    assert options.moves == claimed("migrations", "pages that move before a reward")
    assert options.answers == claimed("reward", "best number n of requests, of 0 to 250")
    assert HybridOptions().queue == claimed("migration-queue", "best size, of 0 to 250")
    assert HybridOptions().decision_ns == claimed("inference", "time of a decision, ns")


def test_a_further_device_adds_an_input_and_an_output():
    for devices in (2, 3, 4):
        sizes = arrays("harmonia", devices={2: "perf", 3: "tri", 4: "quad"}[devices])[SIZES]
        assert list(sizes[:3]) == [5 + devices, 10, devices]


def test_what_the_paper_does_not_state_is_ours():
    """Atoms (51 are usual), Adam, requests between two trainings, random first decisions, the penalty's weight."""
    options = DelayedOptions()
    assert (options.atoms, options.optimiser, options.every, options.warm_up) == (51, "adam", 1000, 1000)
    assert (options.unit, options.penalty, options.credit, options.counted) == ("ms", 10.0, "moved", "all")


def test_sibyl_lacks_the_migration_interval_and_has_the_learning_rate_of_its_own_paper():
    parts = arrays("sibyl")
    assert SINCE_MOVE not in parts[PLACES] and len(parts[PLACES]) == len(TABLE_1) - 1
    assert parts[AGENT][0]["rate"] == 1e-4 and SibylOptions().rate is None
