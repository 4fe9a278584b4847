"""CCB, Copeland confidence bounds: an arm that may be a Copeland winner meets who is likely to refute that.

Zoghi, Karnin, Whiteson and de Rijke, "Copeland Dueling Bandits", NIPS 2015, Algorithm 1 (Algorithm 5 of
Zoghi's thesis, 2017).

Candidates are the arms with the best optimistic score: confidently beaten by the fewest. Hopeful arms have
kept looking like winners, and are preferred. Every other arm has a short list of arms that have confidently
beaten it, one more than a Copeland winner loses to; with these it is refuted again and again, so that few of
all pairs are needed in the long run.

Whether one arm confidently beats another changes when they are compared, or at a step that is known in
advance (bandits/parts/bounds.py). Only then do scores and lists change, and are looked at; and when no
candidate and no list has an open pair, candidates play themselves until then. As ln t is irrational from t =
2 on, and before that nothing is compared, no bound ever is one half: "above" and "at least" are the same.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader, leaders
from bandits.parts.bounds import NEVER, beaten_until
from bandits.parts.picks import pick, pick_largest
from bandits.parts.ucb_challenger import Challengers, new_challengers, note_rates, strongest_challenger
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

CLOCK, LOOK_AGAIN, DISPROVEN, N_CANDIDATES, N_FAVOURITES, N_LOSSES, N_DOUBTFUL = range(7)  # of State.now
UNVISITED = 2.0  # upper bound of a pair never compared, as x / 0 is taken for 1
NO_CHALLENGER = -1.0  # below every upper bound


class Verdicts(NamedTuple):
    until: np.ndarray  # (arms, arms) int64: i is beaten by j before this step; 0 if it is not beaten by j
    soonest: np.ndarray  # (arms,) int64: no step of the row is sooner, except 0
    n_beaters: np.ndarray  # (arms,) int64: by how many it is beaten
    n_beaten: np.ndarray  # (arms,) int64: how many it beats


class Lists(NamedTuple):
    hopeful: np.ndarray  # (arms,) bool: B of the paper
    listed: np.ndarray  # (arms, arms) bool: B^i, who has beaten the row's arm
    n_listed: np.ndarray  # (arms,) int64
    n_doubtful: np.ndarray  # (arms,) int64: how many on the list no longer confidently beat it
    candidates: np.ndarray  # (arms,) int64: C of the paper, ascending; the first of them count
    favourites: np.ndarray  # (arms,) int64: the hopeful candidates, likewise


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    challengers: Challengers  # who confidently beats the champion has the bound NO_CHALLENGER
    verdicts: Verdicts
    lists: Lists
    alpha: np.ndarray  # (1,) float64
    now: np.ndarray  # (7,) int64: steps played; no verdict, list or candidate changes before LOOK_AGAIN; is a
    # list disproven; candidates, favourites; losses of a Copeland winner (L_C); sum of n_doubtful


class Params(NamedTuple):
    alpha: float = 0.51


def init(n_arms, params, rng):
    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.int64)

    return State(
        wins=zeros(n_arms, n_arms),
        challengers=new_challengers(n_arms, UNVISITED),
        verdicts=Verdicts(
            zeros(n_arms, n_arms), np.full(n_arms, NEVER, np.int64), zeros(n_arms), zeros(n_arms)
        ),
        lists=Lists(
            hopeful=np.ones(n_arms, np.bool_),
            listed=np.zeros((n_arms, n_arms), np.bool_),
            n_listed=zeros(n_arms),
            n_doubtful=zeros(n_arms),
            candidates=zeros(n_arms),
            favourites=zeros(n_arms),
        ),
        alpha=np.array([params.alpha]),
        now=np.array([0, 1, 0, 0, 0, n_arms, 0]),
    )


@kernel
def select(state, params, rng):
    verdicts, lists, now = state.verdicts, state.lists, state.now
    t = now[CLOCK] + 1
    _look(state, t, rng)
    if now[N_DOUBTFUL] > 0 and rng.random() < 0.25:
        return _doubtful_pair(verdicts.until, lists, now, rng)
    champion = _champion(lists, now, rng)
    if not _has_open_pair(verdicts, champion):
        return champion, champion
    scale = math.sqrt(params.alpha * math.log(t))
    if lists.n_doubtful[champion] > 0 and rng.random() < 0.5:
        return champion, _strongest_listed(state.challengers, lists.listed, champion, scale, rng)
    return champion, strongest_challenger(state.challengers, champion, scale, rng)


@kernel
def update(state, first, second, first_won):
    state.now[CLOCK] += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    state.wins[winner, loser] += 1
    note_rates(state.challengers, state.wins, first, second)
    _judge(state, first, second)
    _judge(state, second, first)


@kernel
def idle(state, params, limit, selves, rng):
    """Candidates without an open pair play themselves, each as likely as any other."""
    t = state.now[CLOCK] + 1
    _look(state, t, rng)
    n_candidates = state.now[N_CANDIDATES]
    if state.now[N_DOUBTFUL] > 0:
        return 0
    for arm in state.lists.candidates[:n_candidates]:
        if _has_open_pair(state.verdicts, arm):
            return 0
    n = min(limit, state.now[LOOK_AGAIN] - t)
    left = n
    for place in range(n_candidates - 1):
        share = rng.binomial(left, 1.0 / (n_candidates - place))
        selves[state.lists.candidates[place]] += share
        left -= share
    selves[state.lists.candidates[n_candidates - 1]] += left
    state.now[CLOCK] += n
    return n


@kernel
def recommend(state):
    return leader(state.wins)


@kernel
def answers(state, chosen):
    leaders(state.wins, chosen)


@kernel
def _has_open_pair(verdicts, arm):
    return verdicts.n_beaters[arm] + verdicts.n_beaten[arm] < len(verdicts.n_beaten) - 1


@kernel
def _judge(state, arm, other):
    """Note it if `arm` is now confidently beaten by `other`; only open pairs are ever compared."""
    t = state.now[CLOCK] + 1
    step = beaten_until(state.wins[arm, other], state.wins[other, arm], state.alpha[0], 0.0)
    if step <= t:
        return
    state.verdicts.until[arm, other], state.now[LOOK_AGAIN] = step, t
    state.verdicts.soonest[arm] = min(state.verdicts.soonest[arm], step)
    state.challengers.rate[arm, other], state.challengers.width[arm, other] = NO_CHALLENGER, 0.0
    _count_verdict(state.verdicts, state.lists, state.now, arm, other, 1)
    if state.lists.listed[other, arm]:
        state.now[DISPROVEN] = 1


@kernel
def _count_verdict(verdicts, lists, now, arm, other, change):
    """One more (or less) by whom `arm` is beaten: `other`."""
    verdicts.n_beaters[arm] += change
    verdicts.n_beaten[other] += change
    if lists.listed[arm, other]:
        lists.n_doubtful[arm] -= change
        now[N_DOUBTFUL] -= change


@kernel
def _look(state, t, rng):
    """Bring scores, lists and candidates up to step t: the algorithm up to its parts A, B and C."""
    verdicts, lists, now = state.verdicts, state.lists, state.now
    if t < now[LOOK_AGAIN]:
        return
    now[LOOK_AGAIN] = _forget_verdicts(state, t)
    if now[DISPROVEN] == 1:
        _start_lists_afresh(lists, now)
    if _drop_losers(verdicts, lists, now) == 0:
        _start_lists_afresh(lists, now)
        now[LOOK_AGAIN] = t + 1  # the losers are hopeful again, for one step
    fewest = len(lists.hopeful)
    for arm in range(len(lists.hopeful)):
        fewest = min(fewest, verdicts.n_beaters[arm])
    for arm in range(len(lists.hopeful)):
        if verdicts.n_beaters[arm] == fewest and not _has_open_pair(verdicts, arm):
            _add_winner(verdicts.until, lists, now, arm, fewest, rng)
    _list_candidates(verdicts.n_beaters, fewest, lists, now)


@kernel
def _forget_verdicts(state, t):
    """Take back the verdicts that end at step t. Returns a step before which no other does."""
    verdicts, soonest = state.verdicts, NEVER
    for arm in range(len(verdicts.soonest)):
        if verdicts.soonest[arm] <= t:
            verdicts.soonest[arm] = NEVER
            for other in range(len(verdicts.soonest)):
                step = verdicts.until[arm, other]
                if step > t:
                    verdicts.soonest[arm] = min(verdicts.soonest[arm], step)
                elif step > 0:
                    verdicts.until[arm, other] = 0
                    _count_verdict(verdicts, state.lists, state.now, arm, other, -1)
                    note_rates(state.challengers, state.wins, arm, other)
        soonest = min(soonest, verdicts.soonest[arm])
    return soonest


@kernel
def _start_lists_afresh(lists, now):
    for arm in range(len(lists.hopeful)):
        lists.hopeful[arm] = True
        _clear_list(lists, now, arm)
    now[N_LOSSES], now[DISPROVEN] = len(lists.hopeful), 0


@kernel
def _drop_losers(verdicts, lists, now):
    """Part B: no hope for who beats fewer, at best, than somebody surely does. How many keep hope."""
    most, n_hopeful = 0, 0
    for arm in range(len(lists.hopeful)):
        most = max(most, verdicts.n_beaten[arm])
    for arm in range(len(lists.hopeful)):
        if lists.hopeful[arm] and len(lists.hopeful) - 1 - verdicts.n_beaters[arm] < most:
            lists.hopeful[arm] = False
            if lists.n_listed[arm] != now[N_LOSSES] + 1:
                _clear_list(lists, now, arm)
                for other in range(len(lists.hopeful)):
                    lists.listed[arm, other] = verdicts.until[arm, other] > 0
                lists.n_listed[arm] = verdicts.n_beaters[arm]
        n_hopeful += lists.hopeful[arm]
    return n_hopeful


@kernel
def _add_winner(until, lists, now, winner, n_losses, rng):
    """Part C: it surely beats all it may. Lists have one arm more than it loses to, or none."""
    lists.hopeful[winner] = True
    _clear_list(lists, now, winner)
    now[N_LOSSES] = n_losses
    for arm in range(len(lists.hopeful)):
        if lists.n_listed[arm] <= n_losses:
            _clear_list(lists, now, arm)
        elif lists.n_listed[arm] > n_losses + 1:
            _shorten_list(until[arm], lists, now, arm, n_losses + 1, rng)


@kernel
def _clear_list(lists, now, arm):
    if lists.n_listed[arm] > 0:
        for other in range(len(lists.hopeful)):
            lists.listed[arm, other] = False
        now[N_DOUBTFUL] -= lists.n_doubtful[arm]
        lists.n_listed[arm] = lists.n_doubtful[arm] = 0


@kernel
def _shorten_list(until, lists, now, arm, n, rng):
    """Keep n arms of its list, any n with the same chance."""
    left, wanted = lists.n_listed[arm], n
    for other in range(len(lists.hopeful)):
        if lists.listed[arm, other]:
            if pick(left, rng) < wanted:
                wanted -= 1
            else:
                lists.listed[arm, other] = False
                lists.n_doubtful[arm] -= until[other] == 0
                now[N_DOUBTFUL] -= until[other] == 0
            left -= 1
    lists.n_listed[arm] = n


@kernel
def _list_candidates(n_beaters, fewest, lists, now):
    now[N_CANDIDATES] = now[N_FAVOURITES] = 0
    for arm in range(len(n_beaters)):
        if n_beaters[arm] == fewest:
            lists.candidates[now[N_CANDIDATES]] = arm
            now[N_CANDIDATES] += 1
            if lists.hopeful[arm]:
                lists.favourites[now[N_FAVOURITES]] = arm
                now[N_FAVOURITES] += 1


@kernel
def _doubtful_pair(until, lists, now, rng):
    """An arm and one on its list that no longer confidently beats it: all such pairs with one chance."""
    left = pick(now[N_DOUBTFUL], rng)
    arm = 0
    while left >= lists.n_doubtful[arm]:
        left -= lists.n_doubtful[arm]
        arm += 1
    for other in range(len(lists.hopeful)):
        if lists.listed[arm, other] and until[arm, other] == 0:
            if left == 0:
                return arm, other
            left -= 1
    return arm, arm


@kernel
def _champion(lists, now, rng):
    """A candidate, with a preference for hopeful ones."""
    n, n_favourites = now[N_CANDIDATES], now[N_FAVOURITES]
    if 0 < n_favourites < n and rng.random() < 2.0 / 3.0:
        return lists.favourites[pick(n_favourites, rng)]
    return lists.candidates[pick(n, rng)]


@kernel
def _strongest_listed(challengers, listed, champion, scale, rng):
    """Of the arms on its list, one with the largest upper bound, as in bandits/parts/ucb_challenger.py."""
    rate, width, bound = challengers.rate[champion], challengers.width[champion], challengers.bound
    for arm in range(len(bound)):
        bound[arm] = rate[arm] + width[arm] * scale if listed[champion, arm] else NO_CHALLENGER
    return pick_largest(bound, champion, rng)


POLICY = Policy(
    "ccb",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    answers=answers,
    about="An arm that may be a Copeland winner meets who is likely to refute that.",
    source="Zoghi, Karnin, Whiteson, de Rijke 2015 (NIPS), Algorithm 1",
    assumes="no ties",
    settings={"alpha": Setting("width of the confidence bounds; theory wants it above 1/2", above=0)},
    variants={"paper": {}, "duelpy": {"alpha": 0.501}},
)
