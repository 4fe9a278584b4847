"""What a policy is: a name, its parameters, and a few functions. The loop and the tests ask for nothing else.

    init(n_arms, params, rng) -> state              a NamedTuple of arrays; nothing else changes during a run
    select(state, params, rng) -> (first, second)   the pair to duel now; all chance is drawn here
    update(state, first, second, first_won)         what is learned, written into the state's arrays
    recommend(state) -> arm                         the answer, if play stopped now; optional
    survivors(state) -> n                           arms not yet given up; only where a policy eliminates
    idle(state, params, limit, selves, rng) -> n    see below; optional
    answers(state, chosen)                          marks the arms of the answer; if they may be several
    finished(state) -> bool                         nothing is left to compare; only where that happens

`select` is followed by `update` before the next `select`, except that a tied duel may be passed over in
silence: then `select` comes again. An arm chosen against itself is not played, and `first_won` means nothing
then: an algorithm that wants a coin for it flips it in `select`.

`idle` may play up to `limit` coming steps at once, provided each of them is an arm against itself and nothing
is learned: it adds them to selves[arm], moves the policy's clock, and returns how many they were. Steps drawn
that way must follow the law of plain steps, the one after them included: if it is known not to be idle,
`select` has to be told so through the state.

A policy that works in batches has `plan` and `learn` besides (bandits/agenda.py). One that is `finished`
chooses an arm of its answer against itself from then on.

A policy for whole `sets` of arms compares many in one step, and these of its functions differ:

    select(state, params, arms, copies, rng) -> n   the arms to compare: arms[:n], all different, and how
                                                    often each stands in the set; one arm is shown alone
    update(state, arms, n, won)                     won[x, y] of the duels of arms[x] and arms[y] went to x
    idle(state, params, limit, alone, rng) -> n     the same for steps with one arm alone, added to alone[arm]

It must have `recommend`. A step is one page, however many arms share it. Arms that stand in a set with a and
b copies have a times b duels in it. A page without a verdict on a pair gives neither a win.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rankduel.base.errors import PolicyError
from rankduel.base.settings import Configured, Setting
from rankduel.base.settings import configure as configured_thing


class Policy(NamedTuple):
    name: str
    params: type  # NamedTuple of tunables, every field with a default
    init: Callable
    select: Callable
    update: Callable
    recommend: Callable | None = None
    survivors: Callable | None = None
    idle: Callable | None = None
    answers: Callable | None = None
    finished: Callable | None = None
    plan: Callable | None = None
    learn: Callable | None = None
    late: bool = False  # may hear of outcomes after choosing other pairs
    sets: bool = False  # `select` fills a set of arms
    about: str = ""  # one line
    source: str = ""  # authors, year, venue, the algorithm's number
    assumes: str = ""  # what must hold for its guarantees
    settings: Mapping[str, Setting] = {}
    variants: Mapping[str, Mapping[str, Any]] = {}  # named bundles of parameters: 'variant=...'
    horizon_when: Callable | None = None  # params -> is the parameter `horizon` used? None: always


def configure(policy: Any, **settings: Any) -> Configured:
    """Return a policy with settings, given as values or as text; `variant` names a bundle of them."""
    return configured_thing(policy, PolicyError, **settings)
