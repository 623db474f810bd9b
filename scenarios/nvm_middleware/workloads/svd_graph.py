"""The task graph of a compressed singular value decomposition, as the key-value puts and gets of a serverless DAG.

The algorithm is Halko, Martinsson, Tropp, "Finding structure with randomness" (SIAM Review 2011) as Dask's
`svd_compressed` lays it out over a matrix in square chunks: a random projection, a tall-skinny QR, a product, a second
tall-skinny QR with an SVD, and a sign convention; the right singular vectors are the result. Under a serverless
framework such as Wukong each task reads its inputs from the store and puts its output there.

Two layouts: `raw` is the graph as written; `fused` (the default of such frameworks) is what their optimiser executes,
where chains of tasks are merged and cheap products are computed again rather than stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pmtwin.sim.errors import InputError, check_range

ITEM_BYTES = 8
SUM_FAN_IN = 4
"""A sum over more parts than this is a tree."""

OVERSAMPLES = 10
MIN_LEVEL = 20
"""Dask's `compression_level`: at least this many columns are projected on, if the matrix has as many."""


@dataclass(frozen=True)
class Task:
    """A task gets `inputs` (numbers of tasks) and puts one value of `output_bytes` under its own number."""

    kind: str
    inputs: tuple[int, ...]
    output_bytes: int
    depth: int


@dataclass
class TaskGraph:
    """Tasks in an order in which each follows its inputs; a task's number is its place."""

    tasks: list[Task] = field(default_factory=list)

    def add(self, kind: str, inputs: Iterable[int], elements: int, item_bytes: int = ITEM_BYTES) -> int:
        """Append a task that puts `elements` items; returns its number."""
        inputs = tuple(inputs)
        depth = 1 + max((self.tasks[number].depth for number in inputs), default=0)
        self.tasks.append(Task(kind, inputs, elements * item_bytes, depth))
        return len(self.tasks) - 1

    def add_sum(self, kind: str, parts: list[int], elements: int, output_elements: int | None = None) -> int:
        """Append the sum of `parts`, as a tree if they are many; the last task, of `kind`, puts `output_elements`."""
        while len(parts) > SUM_FAN_IN:
            groups = [parts[start : start + SUM_FAN_IN] for start in range(0, len(parts), SUM_FAN_IN)]
            parts = [self.add("sum-partial", group, elements) for group in groups]
        return self.add(kind, parts, output_elements or elements)


@dataclass(frozen=True)
class Shape:
    """Sizes of the blocks: n x n matrix in square chunks, projected on `level` columns; `rank` vectors are wanted."""

    n: int = 128
    chunk: int = 32
    rank: int = 5

    def __post_init__(self):
        check_range("n", self.n, 2, 1 << 16)
        check_range("chunk", self.chunk, 1, self.n)
        check_range("rank", self.rank, 1, self.n)
        if self.n % self.chunk:
            raise InputError("chunk", self.chunk, f"a divisor of n ({self.n})")
        if self.chunk >= 2 * self.level and self.blocks * self.level > self.chunk:
            # Dask then factors the stacked R in a tree of its own, which no graph of the thesis' size needs
            raise InputError("chunk", self.chunk, f"less than {2 * self.level} or at least {self.blocks * self.level}")

    @property
    def blocks(self) -> int:
        """Chunks along one side."""
        return self.n // self.chunk

    @property
    def level(self) -> int:
        """Columns of the random projection."""
        return min(max(MIN_LEVEL, self.rank + OVERSAMPLES), self.n)

    @property
    def inner(self) -> int:
        """Rows of the R factor of one block."""
        return min(self.chunk, self.level)


def svd_graph(shape: Shape | None = None, fused: bool = True) -> TaskGraph:
    """The graph that computes the leading right singular vectors of an n x n random matrix."""
    shape = shape or Shape()
    graph = TaskGraph()
    side = range(shape.blocks)
    matrix = [[graph.add("random_sample", (), shape.chunk**2) for _ in side] for _ in side]
    omega = [graph.add("standard_normal", (), shape.chunk * shape.level) for _ in side]
    (_fused if fused else _raw)(graph, shape, matrix, omega)
    return graph


def _raw(graph: TaskGraph, shape: Shape, matrix: list[list[int]], omega: list[int]) -> None:
    side, level, tall = range(shape.blocks), shape.level, shape.chunk * shape.level

    def products(pairs: list[tuple[int, int]]) -> int:
        """The sum over block products, one row of blocks."""
        parts = [graph.add("sum", [graph.add("tensordot", pair, tall)], tall) for pair in pairs]
        return graph.add_sum("sum-aggregate", parts, tall)

    def factor(rows: list[int]) -> tuple[list[int], int]:
        """The local and the global step of a tall-skinny QR: (block factors, factor of the stacked R)."""
        local = [graph.add("qr", [row], shape.chunk * shape.inner + shape.inner * level) for row in rows]
        corners = [graph.add("getitem", [q], shape.inner * level) for q in local]
        stacked = graph.add("stack", corners, shape.blocks * shape.inner * level)
        return local, graph.add("qr", [stacked], shape.blocks * shape.inner * level + level**2)

    def orthogonal(local: list[int], top: int) -> list[int]:
        """The blocks of Q, from both steps."""
        whole = graph.add("getitem", [top], shape.blocks * shape.inner * level)
        slices = [graph.add("getitem", [whole], shape.inner * level) for _ in side]
        thin = [graph.add("getitem", [q], shape.chunk * shape.inner) for q in local]
        return [graph.add("dot", pair, tall) for pair in zip(thin, slices, strict=True)]

    projected = [products([(matrix[i][j], omega[j]) for j in side]) for i in side]
    basis = [graph.add("transpose", [q], tall) for q in orthogonal(*factor(projected))]
    compressed = [products([(basis[i], matrix[i][j]) for i in side]) for j in side]
    local, top = factor([graph.add("transpose", [part], tall) for part in compressed])
    small = graph.add("svd", [graph.add("getitem", [top], level**2)], 2 * level**2 + level)
    left = graph.add("getitem", [small], level**2)
    vectors = [graph.add("getitem", [q, left], tall) for q in orthogonal(local, top)]
    wanted = [graph.add("getitem", [graph.add("transpose", [v], tall)], shape.chunk * shape.rank) for v in vectors]
    sums = [graph.add("sum", [v], shape.rank) for v in wanted]
    total = graph.add("transpose", [graph.add_sum("sum-aggregate", sums, shape.rank)], shape.rank)
    positive = graph.add("ge", [total], shape.rank, item_bytes=1)
    signs = graph.add("mul", [graph.add("sub", [positive], shape.rank)], shape.rank)
    signs = graph.add("transpose", [signs], shape.rank)
    for v in wanted:
        graph.add("mul", [signs, v], shape.chunk * shape.rank)


def _fused(graph: TaskGraph, shape: Shape, matrix: list[list[int]], omega: list[int]) -> None:
    side, level, tall = range(shape.blocks), shape.level, shape.chunk * shape.level
    both = shape.chunk * shape.inner + shape.inner * level  # a block's Q and R together
    stacked = shape.blocks * shape.inner * level

    def factor(rows: list[list[int]]) -> list[int]:
        """The local step of a tall-skinny QR over the sum of each row of products."""
        return [graph.add("qr", [graph.add_sum("sum-aggregate-qr", row, tall, both)], both) for row in rows]

    def corners(local: list[int]) -> list[int]:
        return [graph.add("getitem", [q], shape.inner * level) for q in local]

    def thin(local: list[int]) -> list[int]:
        return [graph.add("getitem", [q], shape.chunk * shape.inner) for q in local]

    local = factor([[graph.add("sum", (matrix[i][j], omega[j]), tall) for j in side] for i in side])
    top = graph.add("getitem", [graph.add("qr-stack-getitem", corners(local), stacked)], stacked)
    slices = [graph.add("getitem", [top], shape.inner * level) for _ in side]
    basis = thin(local)
    local = factor([[graph.add("sum", (slices[i], basis[i], matrix[i][j]), tall) for i in side] for j in side])
    top = graph.add("qr", [graph.add("stack-qr", corners(local), stacked + level**2)], stacked + level**2)
    left = graph.add("getitem", [graph.add("svd-getitem", [top], level**2)], level**2)
    whole = graph.add("getitem", [top], stacked)
    slices = [graph.add("getitem", [whole], shape.inner * level) for _ in side]
    vectors = [graph.add("dot", pair, tall) for pair in zip(slices, thin(local), strict=True)]
    rotated = [graph.add("transpose-getitem", (v, left), shape.chunk * shape.rank) for v in vectors]
    wanted = [graph.add("getitem", [v], shape.chunk * shape.rank) for v in rotated]
    signs = graph.add_sum("sum-aggregate", [graph.add("sum", [v], shape.rank) for v in wanted], shape.rank)
    for v in wanted:
        graph.add("mul", (signs, v), shape.chunk * shape.rank)
