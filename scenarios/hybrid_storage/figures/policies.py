"""The policies of the figures, as the paper calls them, and controls that it lacks."""

from __future__ import annotations

import re

from pmtwin.policies.registry import is_registered

HARMONIA, SIBYL, CDE, SAPM, CDE_RL = "harmonia", "sibyl", "cde", "sapm", "place=cde+migrate=harmonia"
K_SVM, RNN_HSS = "k-svm", "rnn-hss"
WRITE_LRU, LRU_CLEAN = "write-lru", "lru-clean"

PAPER = {
    CDE: "CDE",
    K_SVM: "K-SVM",
    RNN_HSS: "RNN-HSS",
    SIBYL: "Sibyl",
    "place=sibyl+migrate=k-svm": "Sibyl+K-SVM",
    "place=sibyl+migrate=rnn-hss": "Sibyl+RNN-HSS",
    CDE_RL: "CDE+RL-Migr",
    SAPM: "SAPM",
    HARMONIA: "Harmonia",
}
"""Policy -> its name in the paper, in the order of its figures."""

CONTROLS = {WRITE_LRU: WRITE_LRU, LRU_CLEAN: LRU_CLEAN, "heat": "heat", "gain": "gain (ours)"}
"""What the paper does not compare with."""

ORACLE = "optimum"
CALLED = {**PAPER, **CONTROLS, ORACLE: "Oracle (optimum)"}


def present(specs: tuple[str, ...] = (*PAPER, *CONTROLS)) -> tuple[str, ...]:
    """Those of the policies that are registered."""
    return tuple(spec for spec in specs if all(map(is_registered, _names(spec))))


def _names(spec: str) -> list[str]:
    """Names of the policies that a text names."""
    return [re.sub(r"^\w+=", "", part).partition(":")[0] for part in spec.split("+")]
