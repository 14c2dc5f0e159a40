"""The trained model: a table of token vectors and weights, fitted by contrast within batches (torch, CPU).

Deliberately no transformer, no subword mixing, no separate query side: whatever is learned must fold into one table and
one weight per token, which is all the runtime has.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import torch
from numpy.typing import NDArray
from torch.nn import functional

from training.data import Bags

__all__ = ["Recipe", "Task", "fit"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Hyperparameters; the defaults are the ones of the shipped table."""

    dimension: int = 256
    epochs: int = 4
    batch: int = 1024
    rate: float = 2e-3
    weight_rate: float = 1e-2
    scale: float = 20.0
    header_share: float = 0.6
    dropout: float = 0.1
    seed: int = 1
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Task:
    """Pairs of one kind: questions, documents with and without header, and the share drawn each epoch."""

    name: str
    queries: Bags
    documents: Bags
    headed: Bags | None
    share: float = 1.0
    fixed_tokens: int = 0
    """The first tokens of the vocabulary stand still under this task: it teaches the others alone."""


class _Pool(torch.autograd.Function):  # type: ignore[misc]  # torch is not in the lock
    """counts @ rows for a constant sparse matrix: scipy's kernels beat torch's bag of embeddings several times over."""

    @staticmethod
    def forward(context: Any, rows: torch.Tensor, counts: scipy.sparse.csr_matrix) -> torch.Tensor:
        context.counts = counts
        return torch.from_numpy(counts @ rows.detach().numpy())

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return torch.from_numpy(context.counts.T.tocsr() @ gradient.contiguous().numpy()), None


class _Table:
    """Vectors and weights under training, updated by Adam at the cost of the rows that a batch touched.

    The weight only scales its row, so both gradients follow from one product: that of the scaled row. Rows that a batch
    does not touch keep moving by their momentum, as in dense Adam; what they missed is made up when they are next read.
    Without that rare tokens would learn some ten times slower.
    """

    def __init__(self, idf: NDArray[np.float32], recipe: Recipe, steps: int) -> None:
        generator = torch.Generator().manual_seed(recipe.seed)
        vectors = torch.randn((len(idf), recipe.dimension), generator=generator) / recipe.dimension**0.5
        start = np.log(np.expm1(np.clip(idf / idf.mean(), 0.05, 5.0)))
        self.values = [vectors, torch.from_numpy(start.astype(np.float32))[:, None]]
        self.means = [torch.zeros_like(p) for p in self.values]
        self.squares = [torch.zeros_like(p) for p in self.values]
        self.rates = (recipe.rate, recipe.weight_rate)
        self.read = torch.zeros(len(idf), dtype=torch.int64)
        self.taken, self.steps = 0, max(1, steps)

    def _rate(self, rate: float) -> float:
        corrected = (1 - 0.999**self.taken) ** 0.5 / (1 - 0.9**self.taken) if self.taken else 0.0
        return rate * corrected * max(0.0, 1.0 - self.taken / self.steps)

    def settle(self, chosen: torch.Tensor) -> None:
        """Bring rows up to date: the momentum steps and decays since they were last read."""
        missed = (self.taken - self.read[chosen]).to(torch.float32)[:, None]
        self.read[chosen] = self.taken
        decay = 0.9**missed
        for value, mean, square, rate in zip(self.values, self.means, self.squares, self.rates, strict=True):
            first, second = mean[chosen], square[chosen]
            moved = (first * (1 - decay)).mul_(9.0).div_(second.sqrt().add_(1e-8))
            value[chosen] = value[chosen].add_(moved, alpha=-self._rate(rate))
            mean[chosen], square[chosen] = first.mul_(decay), second.mul_(0.999**missed)

    def local(self, chosen: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """The scaled rows of some tokens, up to date, and the leaves their gradients arrive at."""
        self.settle(chosen)
        leaves = [value[chosen].requires_grad_() for value in self.values]
        return functional.softplus(leaves[1]) * leaves[0], leaves

    def update(self, chosen: torch.Tensor, leaves: list[torch.Tensor], fixed: int) -> None:
        """One Adam step on the touched rows from token `fixed` on."""
        self.taken += 1
        start = int(torch.searchsorted(chosen, fixed))
        moving = chosen[start:]
        self.read[moving] = self.taken
        for value, mean, square, leaf, rate in zip(
            self.values, self.means, self.squares, leaves, self.rates, strict=True
        ):
            assert leaf.grad is not None
            gradient = leaf.grad[start:]
            first = mean[moving].lerp_(gradient, 0.1)
            second = square[moving].mul_(0.999).addcmul_(gradient, gradient, value=0.001)
            mean[moving], square[moving] = first, second
            value[moving] = leaf.detach()[start:].addcdiv(first, second.sqrt().add_(1e-8), value=-self._rate(rate))

    def trained(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(vectors, positive weights), every row up to date."""
        self.settle(torch.arange(len(self.read)))
        return self.values[0].numpy().copy(), functional.softplus(self.values[1][:, 0]).numpy()


def _matrix(
    bags: Bags, rows: NDArray[np.integer], dropout: float, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
    ids, counts, starts = bags.take(rows)
    if dropout:
        counts = counts * (random.random(len(counts), dtype=np.float32) >= dropout)
    return ids, counts, np.append(starts, len(ids))


def fit(
    tasks: list[Task],
    idf: NDArray[np.float32],
    recipe: Recipe,
    report: Callable[[int, NDArray[np.float32], NDArray[np.float32]], None] | None = None,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(table, weights): float32 (tokens, dimension) and the positive weight of each token after softplus.

    Batches hold one task each, so that negatives are of the same kind as their positive.
    """
    torch.set_num_threads(recipe.threads)
    random = np.random.default_rng(recipe.seed)
    steps = sum(int(len(t.queries) * t.share) // recipe.batch for t in tasks) * recipe.epochs
    table = _Table(idf, recipe, steps)
    labels = torch.arange(recipe.batch)
    for epoch in range(recipe.epochs):
        began, losses = time.perf_counter(), []
        for task, rows in _batches(tasks, recipe.batch, random):
            headed = task.headed is not None and random.random() < recipe.header_share
            documents = task.headed if headed and task.headed is not None else task.documents
            sides = [
                _matrix(task.queries, rows, 0.0, random),
                _matrix(documents, rows, recipe.dropout, random),
            ]
            tokens, inverse = np.unique(np.concatenate([ids for ids, _, _ in sides]), return_inverse=True)
            chosen = torch.from_numpy(tokens)
            scaled, leaves = table.local(chosen)
            vectors, used = [], 0
            for ids, counts, offsets in sides:
                columns = inverse[used : used + len(ids)]
                used += len(ids)
                matrix = scipy.sparse.csr_matrix((counts, columns, offsets), shape=(len(rows), len(tokens)))
                vectors.append(functional.normalize(_Pool.apply(scaled, matrix), dim=1))
            scores = recipe.scale * vectors[0] @ vectors[1].T
            loss = (functional.cross_entropy(scores, labels) + functional.cross_entropy(scores.T, labels)) / 2
            loss.backward()
            table.update(chosen, leaves, task.fixed_tokens)
            losses.append(float(loss.detach()))
        print(f"epoch {epoch}: loss {np.mean(losses):.4f}, {time.perf_counter() - began:.0f} s", flush=True)
        if report is not None:
            report(epoch, *table.trained())
    return table.trained()


def _batches(tasks: list[Task], size: int, random: np.random.Generator) -> list[tuple[Task, NDArray[np.integer]]]:
    batches: list[tuple[Task, NDArray[np.integer]]] = []
    for task in tasks:
        order = random.permutation(len(task.queries))[: int(len(task.queries) * task.share)]
        batches.extend((task, order[i : i + size]) for i in range(0, len(order) - size + 1, size))
    return [batches[i] for i in random.permutation(len(batches))]
