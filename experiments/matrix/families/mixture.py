"""A mixture of users: each duel is decided by a user of some kind, and each kind has its order of the arms.

Every user is rational: the user follows a total order of the arms, always (phi = 0) or up to the noise of a
Mallows model around it. Nevertheless a majority may prefer 0 to 1, another 1 to 2 and another 2 to 0, as for
`mixture(k=3)`, so that there is no Condorcet winner.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.base.errors import MatrixError
from rankduel.base.settings import Setting
from rankduel.base.streams import stream
from rankduel.base.text import shortened
from rankduel.experiments.matrix.contract import (
    MOST_ARMS,
    USUAL_ARMS,
    Arms,
    Family,
    Phi,
    Seed,
    check_arms,
    numbers_in,
)
from rankduel.experiments.matrix.families.mallows import mallows_prefs

MOST_USERS = 100
_USUAL_USERS = 3


class Params(NamedTuple):
    k: Arms = 0
    users: Annotated[
        int,
        Setting(
            f"kinds of users; 0: one for each given order, otherwise {_USUAL_USERS}",
            at_least=0,
            at_most=MOST_USERS,
        ),
    ] = 0
    orders: Annotated[
        str, Setting("cyclic: rotations of one order; random; or from best to worst, such as 0>1>2/1>2>0")
    ] = "cyclic"
    weights: Annotated[str, Setting("shares of the kinds of users: equal, or numbers such as 2/1/1")] = (
        "equal"
    )
    phi: Phi = 0.0
    seed: Seed = 0


def make(params: Params) -> np.ndarray:
    orders = _orders(params)
    shares = _shares(params.weights, len(orders))
    prefs = sum(share * mallows_prefs(np.argsort(order), params.phi) for share, order in zip(shares, orders))
    return np.clip(prefs, 0, 1)  # the sum of the shares may exceed 1 by rounding


def _orders(params: Params) -> np.ndarray:
    """Return the arms from best to worst, a row for every kind of user."""
    n_arms = params.k or USUAL_ARMS
    n_users = params.users or _USUAL_USERS
    if params.orders == "cyclic":
        return np.array([np.roll(np.arange(n_arms), -(user * n_arms // n_users)) for user in range(n_users)])
    if params.orders == "random":
        rng = stream(params.seed, "orders", n_arms)
        return np.array([rng.permutation(n_arms) for _ in range(n_users)])
    return _given_orders(params)


def _given_orders(params: Params) -> np.ndarray:
    orders = [[arm.strip() for arm in order.split(">")] for order in params.orders.split("/")]
    arms = sorted(str(arm) for arm in range(len(orders[0])))
    too_many = len(arms) > MOST_ARMS or len(orders) > MOST_USERS
    if too_many or any(sorted(order) != arms for order in orders):
        raise MatrixError(
            f"orders is '{shortened(params.orders)}'; expected cyclic, random, or orders of all arms from 0, "
            f"such as 0>1>2/1>2>0 for two kinds of users; at most {MOST_USERS} orders, {MOST_ARMS:,} arms"
        )
    check_arms(params.k, len(arms), "orders")
    if params.users not in (0, len(orders)):
        raise MatrixError(f"users is {params.users}, and {len(orders)} orders are given; leave users out")
    return np.array(orders, int)


def _shares(text: str, n_users: int) -> np.ndarray:
    if text == "equal":
        return np.full(n_users, 1 / n_users)
    weights = numbers_in(text, "weights", "equal")
    if len(weights) != n_users or not (weights > 0).all():
        raise MatrixError(
            f"weights is {shortened(text)}; expected {n_users} numbers above 0, one for each kind of users"
        )
    return weights / weights.sum()


FAMILY = Family(
    "mixture",
    "users with different orders of the arms, so that majorities may have cycles",
    "P(i beats j) = sum over kinds of users of share x P(i above j), where P is 0 or 1, or that of mallows",
    "Condorcet 1785; Zoghi 2017 (thesis), 1.1; Lu, Boutilier 2011 (ICML), for mixtures of Mallows models",
    Params,
    make,
)
