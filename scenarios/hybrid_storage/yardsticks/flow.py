"""Min-cost flow along a line of times, solved as a linear program by HiGHS; its optimum has whole numbers."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

MOST_ACCESSES = 40_000
"""Measured accesses up to which the program is solved; some seconds."""


def least_cost(nodes: int, tail: np.ndarray, head: np.ndarray, cost: np.ndarray, line: int, amount: int) -> float:
    """Least cost of a flow of `amount` from node 0 to node `line`, over arcs of capacity 1 and a free line.

    Args:
        nodes: number of nodes; nodes 0 to `line` are joined, each to the next one, by arcs without cost or limit.
        tail, head, cost: the other arcs, shape (m,).

    Raises:
        RuntimeError: if HiGHS finds no optimum.
    """
    if not len(cost):
        return 0.0
    tails, heads = np.concatenate([np.arange(line), tail]), np.concatenate([np.arange(1, line + 1), head])
    arcs, sign = np.arange(len(tails)), np.ones(len(tails))
    balance = sparse.csr_array(
        (np.concatenate([sign, -sign]), (np.concatenate([tails, heads]), np.concatenate([arcs, arcs]))),
        shape=(nodes, len(tails)),
    )
    supply = np.zeros(nodes)
    supply[0], supply[line] = amount, -amount
    limits = np.concatenate([np.full(line, np.inf), np.ones(len(cost))])
    costs = np.concatenate([np.zeros(line), cost])
    solved = linprog(
        costs, A_eq=balance, b_eq=supply, bounds=np.column_stack([np.zeros(len(limits)), limits]), method="highs"
    )
    if solved.status != 0:
        raise RuntimeError(f"HiGHS: {solved.message}")
    return float(solved.fun)
