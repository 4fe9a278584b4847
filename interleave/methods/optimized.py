"""Optimized interleaving: the most sensitive of all fair distributions over pages.

Radlinski and Craswell, "Optimized Interleaving for Online Retrieval Evaluation", WSDM 2013. A page is allowed
if each of its prefixes is the union of a prefix of one ranking and a prefix of the other. Every document has
a credit that favours the ranking that has it higher. A distribution over allowed pages is fair if the mean
credit of a click at any fixed rank is 0. Among the fair distributions, a linear programme (HiGHS) finds the
one with the largest sensitivity. If no distribution is fair, as often with binary credit, the least unfair
ones are used instead, and `Plan.relaxed` is true. The winner is not fair to users who ignore relevance:
the mean of a sum of credits is 0, but not that of its sign.

Lists that end: both rankings and the page are cut to the length of the shorter ranking.
"""

from __future__ import annotations

import functools
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np
import scipy
from numba import njit, objmode

from rankduel.base.settings import Setting
from rankduel.interleave.contract import Method
from rankduel.interleave.world import CLICKED, DOC, FIRST, NO_TEAM, SECOND, TEAM, document_at


class Credit(IntEnum):
    """The credit of a click on a document, by its ranks."""

    LINEAR = 0
    INVERSE = 1
    BINARY = 2


LONGEST = 14  # ranks: the programme has up to 2^14 pages, and takes a second
TIED = 1e-12
_SLACK = 1e-9
CREDITS = 0  # row of World.chances: the credit of each document on the page


class Plan(NamedTuple):
    """The distribution over pages of two rankings, and the credit of a click on each rank of a page."""

    pages: np.ndarray  # (n, length) int64, documents; pages with a probability above 0
    chances: np.ndarray  # (n,) float64
    credits: np.ndarray  # (n, length) float64, positive for the first ranking
    sensitivity: float  # the value of the linear programme
    relaxed: bool
    unfairness: float  # sum over ranks of the absolute mean credit; 0 unless relaxed


class Params(NamedTuple):
    credit: Annotated[
        Credit, Setting("credit of a click: by ranks, by inverse ranks, or by which rank is higher")
    ] = Credit.LINEAR


@functools.lru_cache(maxsize=100_000)
def plan(left: tuple[int, ...], right: tuple[int, ...], credit: int) -> Plan:
    """Return the most sensitive fair distribution over pages of two rankings of the same length.

    Often several distributions are optimal. The one returned does not depend on the order of the rankings.
    """
    if right < left:
        mirrored = plan(right, left, credit)
        return mirrored._replace(credits=-mirrored.credits)
    pages = np.array(_allowed_pages(left, right), np.int64)
    worth = _document_credits(left, right, credit)
    credits = np.array([[worth[doc] for doc in page] for page in pages.tolist()])
    sensitivity = _sensitivity(credits)
    chances, unfairness = solve_fair_page_odds(credits, sensitivity)
    used = chances > 0  # few: a vertex of the programme has at most one page more than ranks
    value = float(chances @ sensitivity)
    return Plan(pages[used], chances[used], credits[used], value, unfairness > _SLACK, unfairness)


def _allowed_pages(left: tuple[int, ...], right: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return all pages that grow by the next unseen document of either ranking, sorted by ranks."""
    pages: list[tuple[int, ...]] = [()]
    for _ in left:
        grown = (
            (*page, next(doc for doc in side if doc not in page)) for page in pages for side in (left, right)
        )
        pages = list(dict.fromkeys(grown))
    return sorted(
        pages, key=lambda page: [left.index(d) if d in left else len(left) + right.index(d) for d in page]
    )


def _document_credits(left: tuple[int, ...], right: tuple[int, ...], credit: int) -> dict[int, float]:
    absent = len(left) + 1
    first = {doc: rank for rank, doc in enumerate(left, 1)}
    second = {doc: rank for rank, doc in enumerate(right, 1)}
    ranks = {doc: (first.get(doc, absent), second.get(doc, absent)) for doc in {**first, **second}}
    if credit == Credit.BINARY:
        return {doc: float(np.sign(b - a)) for doc, (a, b) in ranks.items()}
    if credit == Credit.LINEAR:
        return {doc: float(b - a) for doc, (a, b) in ranks.items()}
    return {doc: 1 / a - 1 / b for doc, (a, b) in ranks.items()}


def _sensitivity(credits: np.ndarray) -> np.ndarray:
    """Return the sensitivity of each page: an entropy of the attention on the documents of either side."""
    attention = 1 / np.arange(1, credits.shape[1] + 1)
    attention /= attention.sum()
    first, second = (credits > 0) @ attention, (credits < 0) @ attention
    return _surprise(first, first + second) + _surprise(second, first + second)


def _surprise(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    share = np.divide(part, whole, out=np.ones_like(part), where=part > 0)
    return -part * np.log2(share)


def solve_fair_page_odds(credits: np.ndarray, sensitivity: np.ndarray) -> tuple[np.ndarray, float]:
    """Return (probability of each page, unfairness)."""
    n_pages, length = credits.shape
    sums = np.vstack([credits.T, np.ones(n_pages)])
    target = np.append(np.zeros(length), 1.0)
    fair = scipy.optimize.linprog(-sensitivity, A_eq=sums, b_eq=target)
    if fair.status == 0:
        return _cleaned(np.asarray(fair.x)), 0.0
    # Each rank's average credit is split into a positive and a negative part, whose sum is made small first.
    parts = np.vstack([np.hstack([-np.eye(length), np.eye(length)]), np.zeros(2 * length)])
    split = np.hstack([sums, parts])
    size = np.append(np.zeros(n_pages), np.ones(2 * length))
    least = scipy.optimize.linprog(size, A_eq=split, b_eq=target)
    unfairness = float(size @ least.x)
    gain = np.append(-sensitivity, np.zeros(2 * length))
    best = scipy.optimize.linprog(
        gain, A_ub=size[None], b_ub=np.array([unfairness + _SLACK]), A_eq=split, b_eq=target
    )
    return _cleaned(np.asarray(best.x)[:n_pages]), unfairness


def _cleaned(chances: np.ndarray) -> np.ndarray:
    """Return probabilities without the solver's rounding errors: none negative, with sum 1."""
    chances = np.maximum(chances, 0.0)
    return chances / chances.sum()


def draw_page(left: np.ndarray, right: np.ndarray, credit: int, number: float) -> np.ndarray:
    """Return (2, length): the documents of the page that a uniform number draws, and their credits."""
    chosen = plan(tuple(left.tolist()), tuple(right.tolist()), int(credit))
    page = min(int(np.searchsorted(np.cumsum(chosen.chances), number, "right")), len(chosen.pages) - 1)
    return np.stack([chosen.pages[page].astype(np.float64), chosen.credits[page]])


@njit
def next_document(world, pair, at, users):
    if at == 0:  # Python draws the whole page at once; `plan` caches, since each programme takes milliseconds
        length = world.rules[0].n_drafted
        left = np.empty(length, np.int64)
        right = np.empty(length, np.int64)
        for rank in range(length):
            left[rank] = document_at(world, pair, FIRST, rank, users)
            right[rank] = document_at(world, pair, SECOND, rank, users)
        credit, number = world.rules[0].credit, users.random()
        with objmode(drawn="float64[:, ::1]"):
            drawn = draw_page(left, right, credit, number)
        for rank in range(length):
            world.page[DOC, rank], world.page[TEAM, rank] = int(drawn[0, rank]), NO_TEAM
            world.chances[CREDITS, rank] = drawn[1, rank]
    return world.page[DOC, at]


@njit
def credit(world, pair, n_read, users):
    """Return the sum of the credits of the clicked documents."""
    total = 0.0
    for at in range(n_read):
        if world.page[CLICKED, at]:
            total += world.chances[CREDITS, at]
    return total if abs(total) > TIED else 0.0


METHOD = Method(
    "optimized",
    "the most sensitive page distribution for which a click at any rank has mean credit 0",
    "Radlinski and Craswell, WSDM 2013",
    next_document,
    credit,
    Params,
    calls_python=True,
    reads_ranks=False,
    longest_page=LONGEST,
)
