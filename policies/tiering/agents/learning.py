"""The compiled half of an agent: inputs, decisions, experiences, training."""

from __future__ import annotations

import math

import numpy as np

from pmtwin.policies.network.fused import WORK_ROWS, action_values, add_gradient, set_target
from pmtwin.policies.network.half import from_half, half_bits
from pmtwin.policies.network.optimisers import descend
from pmtwin.policies.tiering.agents.parts import (
    ACTING,
    ACTIONS,
    AFTERS,
    AGENT,
    DECISIONS,
    DRAWS,
    GRADIENT,
    INPUTS,
    LOSSES,
    MOMENTS,
    MOST,
    ONLINE,
    PLACES,
    PROGRESS,
    REWARDS,
    SCRATCH,
    SIZES,
    STATES,
    STEPS,
)  # fmt: skip
from pmtwin.policies.tiering.features import COUNT, DEVICE, EVICTIONS, FREE, INTERVAL, PAGES, SINCE_MOVE, WRITE
from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import uniform

VALUES = WORK_ROWS
"""Row of the workspaces behind those of the network."""


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def bin_of(place, value):
    """Bin of a feature: pages and free shares by factors of two, intervals and counts by quarters of such a step."""
    if place in (WRITE, DEVICE):
        return int(value)
    if place in (INTERVAL, COUNT, SINCE_MOVE):
        return min(_octaves(1.0 + value, 2), 63)
    if place == PAGES:
        return max(min(_octaves(value, 0), 7), 0)
    return max(min(8 + _octaves(value, 0), 7), 1) if value > 0.0 else 0


@njit(cache=True, _nrt=False, inner=True)
def lower_edge(number):
    """Least interval, in requests, of a bin."""
    return 2.0 ** (number >> 2) * (1.0 + 0.25 * (number & 3)) - 1.0


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _octaves(value, bits):
    """Factors of two in a number above 0, and so many bits of the share of the next one that it has."""
    return (np.int64(np.float32(value).view(np.int32)) >> (23 - bits)) - (127 << bits)


@njit(cache=True, _nrt=False, forceinline=True)
def see(agent, features):
    """Make features the present inputs, each from 0 to 1."""
    places, most, inputs = agent[PLACES], agent[MOST], agent[INPUTS]
    if agent[AGENT][0].binned:
        for number in range(inputs.size):
            inputs[number] = np.float32(bin_of(places[number], features[places[number]])) / most[number]
        return
    for number in range(inputs.size):
        place = places[number]
        value = features[place]
        if place == DEVICE:
            value /= most[number]
        elif place != WRITE and place != FREE and (place <= SINCE_MOVE or place == features.size + EVICTIONS):
            value = min(math.log2(1.0 + value) / 16.0, 1.0)
        inputs[number] = value


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def close(agent):
    """The present inputs are the next state of all experiences without one."""
    record, afters, inputs = agent[AGENT][0], agent[AFTERS], agent[INPUTS]
    rows = afters.shape[0]
    for number in range(max(record.closed, record.added - rows), record.added):
        for column in range(inputs.size):
            afters[number % rows, column] = inputs[column]
    record.closed = record.added


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def choose(agent, mask):
    """The action with the highest value among the possible ones, or a random one.

    Args:
        mask: possible actions; empty: all.
    """
    record, progress, sizes = agent[AGENT][0], agent[PROGRESS], agent[SIZES]
    share = _exploration(record, progress[DECISIONS])
    progress[DECISIONS] += 1
    if uniform(agent[DRAWS]) < share:
        return _any_action(mask, sizes[2], agent[DRAWS])
    work = agent[SCRATCH]
    values, best = work[VALUES], -1
    low, step = np.float32(record.low), np.float32(record.step)
    action_values(agent[ACTING], sizes, agent[INPUTS], low, step, work, values)
    for action in range(sizes[2]):
        if (mask.size == 0 or mask[action]) and (best < 0 or values[action] > values[best]):
            best = action
    return best


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _exploration(record, decisions):
    """Share of random decisions."""
    if decisions < record.warm_up:
        return 1.0
    after = decisions - record.warm_up
    if after >= record.epsilon_over:
        return record.epsilon
    return record.epsilon_first + (record.epsilon - record.epsilon_first) * after / record.epsilon_over


@njit(cache=True, _nrt=False, inner=True)
def _any_action(mask, count, draws):
    """A possible action, all equally likely."""
    possible = count
    if mask.size > 0:
        possible = 0
        for action in range(count):
            possible += mask[action]
    place = int(uniform(draws) * possible)
    for action in range(count):
        if mask.size == 0 or mask[action]:
            if place == 0:
                return action
            place -= 1
    return -1


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def remember(agent, action, reward):
    """Keep an experience whose state are the present inputs.

    Args:
        reward: in the agent's unit.
    """
    record, states, inputs = agent[AGENT][0], agent[STATES], agent[INPUTS]
    row = record.added % states.shape[0]
    for column in range(inputs.size):
        states[row, column] = inputs[column]
    agent[ACTIONS][row] = action
    agent[REWARDS][row] = stored(record, reward)
    record.added += 1


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def stored(record, number):
    """A reward as an experience has it, or a weight as the network that decides has it."""
    exact = np.float32(number)
    return from_half(half_bits(exact)) if record.half else exact


@njit(cache=True, _nrt=False, inner=True)
def count_request(agent):
    """A request is answered: train, and copy the weights, if that is due."""
    record = agent[AGENT][0]
    record.requests += 1
    if record.requests % record.every == 0:
        _train(agent)
    if record.requests % record.copy == 0:
        online, acting = agent[ONLINE], agent[ACTING]
        for place in range(online.size):
            acting[place] = stored(record, online[place])


@njit(cache=True, _nrt=False, inner=True)
def _train(agent):
    """Optimiser steps on batches of experiences, drawn from those whose next state is known."""
    record, losses = agent[AGENT][0], agent[LOSSES]
    first = max(record.added - agent[STATES].shape[0], 0)
    count = record.closed - first
    if count < record.batch:
        return
    loss = 0.0
    for _ in range(record.batches):
        loss += _learn_batch(agent, first, count)
    losses[record.trainings % losses.size] = loss / (record.batches * record.batch)
    record.trainings += 1


@njit(cache=True, _nrt=False, inner=True)
def _learn_batch(agent, first, count):
    """One step of the optimiser; returns the sum of the losses."""
    record, sizes, work, online = agent[AGENT][0], agent[SIZES], agent[SCRATCH], agent[ONLINE]
    states, afters, gradient = agent[STATES], agent[AFTERS], agent[GRADIENT]
    low, step, share = np.float32(record.low), np.float32(record.step), np.float32(1.0 / record.batch)
    gamma, values, loss = np.float32(record.gamma), work[VALUES], 0.0
    for place in range(gradient.size):
        gradient[place] = np.float32(0.0)
    for _ in range(record.batch):
        row = (first + int(uniform(agent[DRAWS]) * count)) % states.shape[0]
        set_target(agent[ACTING], sizes, afters[row], agent[REWARDS][row], gamma, low, step, work, values)
        loss += add_gradient(online, sizes, states[row], agent[ACTIONS][row], share, work, gradient)
    agent[PROGRESS][STEPS] += 1
    descend(record.optimiser, online, gradient, agent[MOMENTS], agent[PROGRESS][STEPS], record.rate)
    return loss
