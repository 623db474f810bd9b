"""Replacement policies that learn which of several experts to follow: options, and empty caches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pmtwin.policies.grammar import FIELD
from pmtwin.policies.inline import Replacement
from pmtwin.policies.learned import LearnedOptions, given_back
from pmtwin.policies.registry import register
from pmtwin.policies.replacement.shipped import SHIPPED
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option


def _check_experts(experts: tuple[str, ...]) -> None:
    if len(experts) < 2 or len(set(experts)) < len(experts):
        raise InputError("experts", "+".join(experts), "two policies or more, each once")


@dataclass(frozen=True)
class WeightSharingOptions(LearnedOptions):
    """Options of weight sharing (`pmtwin.policies.replacement.weight_sharing`)."""

    experts: tuple[str, ...] = option(
        ("lru", "lfu"), "policies that name victims", choices=tuple(SHIPPED), separator="+", metavar="NAME+NAME..."
    )
    feedback: str = option(
        "as-written",
        "errors of an expert: as-written (misses on its victims of the epoch), shadow (all requests for them)",
        choices=("as-written", "shadow"),
    )
    choice: str = option(
        "argmax",
        "choice of the expert: argmax (the greatest weight), sampled (drawn by the weights)",
        choices=("argmax", "sampled"),
    )
    beta: float = option(0.7, "factor on a weight per error", low=0.0, high=1.0)
    share: float = option(0.01, "share of the weights that is spread evenly", low=0.0, high=1.0)
    threshold: float = option(0.25, "errors below this share of the misses are ignored", low=0.0, high=1e6)
    iterations: int = option(4, "length of an epoch, in polling iterations", low=1, high=1000)
    misses: int = option(1, "length of a polling iteration, in misses", low=1, high=1000)

    def __post_init__(self):
        super().__post_init__()
        _check_experts(self.experts)


@dataclass(frozen=True)
class HedgeOptions(LearnedOptions):
    """Options of the hedge (`pmtwin.policies.replacement.hedge`)."""

    experts: tuple[str, ...] = option(
        ("lru", "lfu", "sieve"), "policies to follow", choices=tuple(SHIPPED), separator="+", metavar="NAME+NAME..."
    )
    rate: float = option(
        16.0,
        "learning rate: a weight is multiplied by exp(-rate) for each window of misses above the best expert's",
        low=0.0,
        high=1e6,
    )
    share: float = option(0.01, "share of the weights that is spread evenly", low=0.0, high=1.0)
    window: float = option(1.0, "length of a window, in misses per line", low=1e-3, high=1e6)

    def __post_init__(self):
        super().__post_init__()
        _check_experts(self.experts)


class Learning(Replacement):
    """Base class of policies that learn weights of experts; weights of several caches are averaged."""

    options: WeightSharingOptions | HedgeOptions
    learned = ("weights",)

    def __init__(self, options: Options | None = None):
        file = getattr(options, "file", "")
        if file and set(file.split("+")) <= set(SHIPPED):
            raise InputError(FIELD, f"{self.called()}:{file}", f"{self.called()}:experts={file}", wrong="names no file")
        super().__init__(options)

    @classmethod
    def is_compiled(cls):
        """True for all of them."""
        return True

    @property
    def experts(self) -> tuple[Replacement, ...]:
        """The policies to choose from."""
        return tuple(SHIPPED[name]() for name in self.options.experts)

    @property
    def clairvoyant(self):
        """Whether an expert needs the next requests."""
        return any(expert.clairvoyant for expert in self.experts)

    def orders(self, lines: int, keys: Sequence[int]) -> tuple:
        """States of the experts for an empty cache; keys: random keys of the experts."""
        return tuple(expert.order(lines, key) for expert, key in zip(self.experts, keys, strict=True))

    def remember(self, weights: np.ndarray) -> None:
        """Overwrite `weights` with those of earlier runs, if there were any."""
        if self.memory is not None:
            given_back(self.memory, "weights", weights, self)

    def memory_of(self, states: Sequence[Any]):
        """The mean weights of the caches."""
        weights = [(state.learner if hasattr(state, "learner") else state.hedge).weights for state in states]
        return {"weights": np.mean(weights, axis=0)}


@register("weight-sharing", "ws")
class WeightSharing(Learning):
    """Learns by weights which of its experts chooses the victim (short: ws)."""

    Takes = WeightSharingOptions
    options: WeightSharingOptions

    @property
    def draws(self):
        """Whether the expert is drawn, or an expert draws lines."""
        return self.options.choice == "sampled" or any(expert.draws for expert in self.experts)

    def cache(self, lines: int, seed: int = 0):
        """An empty cache with the learned weights; equal weights without a file."""
        from pmtwin.policies.replacement.empty import drawn_keys
        from pmtwin.policies.replacement.weight_sharing import make_learner, make_shared

        options, (key, *keys) = self.options, drawn_keys(lines, seed, len(self.options.experts))
        learner = make_learner(
            len(keys), key, options.iterations * options.misses, beta=options.beta, share=options.share,
            threshold=options.threshold, shadow=options.feedback == "shadow", sampled=options.choice == "sampled",
            frozen=not self.learning,
        )  # fmt: skip
        self.remember(learner.weights)
        return make_shared(lines, self.orders(lines, keys), learner)


@register("hedge")
class Hedge(Learning):
    """Follows an expert drawn by weights, which favour few misses in the expert's virtual cache."""

    Takes = HedgeOptions
    options: HedgeOptions

    def cache(self, lines: int, seed: int = 0):
        """An empty cache and one for each expert, with the learned weights; equal weights without a file."""
        from pmtwin.policies.replacement.empty import drawn_keys, plain_cache
        from pmtwin.policies.replacement.hedge import follow_drawn, make_hedged

        options, (key, *keys) = self.options, drawn_keys(lines, seed, len(self.options.experts))
        caches = tuple(plain_cache(lines, order) for order in self.orders(lines, keys))
        hedged = make_hedged(caches, key, options.window, options.rate, options.share, not self.learning)
        self.remember(hedged.hedge.weights)
        follow_drawn(hedged.hedge)
        return hedged
