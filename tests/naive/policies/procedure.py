"""Twins written as procedures, as in the papers, that yield duels and return their answer.

A procedure is a generator: `first_won = yield first, second` is a duel, `yield from` runs another procedure.
"""

import math

from naive.policies import pick


class Procedure:
    """A twin made of the procedure `run(n_arms, params, rng)`, which returns the list of arms of its answer.

    After it has returned, the first of these arms duels itself. Before, the answer is `provisional()`.
    """

    def __init__(self, n_arms, params, rng):
        self.returned, self.steps = None, self.run(n_arms, params, rng)
        self.advance(None)

    def advance(self, first_won):
        try:
            self.pair = self.steps.send(first_won)
        except StopIteration as end:
            self.returned = end.value

    def select(self):
        return (self.returned[0], self.returned[0]) if self.finished() else self.pair

    def update(self, first, second, first_won):
        if not self.finished():
            self.advance(bool(first_won))

    def finished(self):
        return self.returned is not None

    def answer(self):
        return self.returned if self.finished() else self.provisional()


def shuffled(items, rng):
    """Return the items in random order (Fisher-Yates, from the last place to the first)."""
    items = list(items)
    for last in reversed(range(1, len(items))):
        place = pick(last + 1, rng)
        items[last], items[place] = items[place], items[last]
    return items


def compare_2(i, j, lower, upper, delta):
    """Run Falahatgar et al. 2018, Algorithm 9; return 1 (bad) or 2 (good)."""
    middle, p, c, t, w = (lower + upper) / 2, 0.0, 0.5, 0, 0
    while abs(p - middle) <= c and t <= 2 / (upper - lower) ** 2 * math.log(2 / delta):
        w += yield i, j
        t += 1
        p, c = w / t - 0.5, math.sqrt(math.log(4 * t**2 / delta) / (2 * t))
    return 1 if p <= middle else 2


def compare_3(i, j, lower, upper, delta):
    """Run Falahatgar et al. 2018, Algorithm 8; return 1 (bad), 2 (in between) or 3 (good)."""
    middle, width, p, c, t, w = (lower + upper) / 2, upper - lower, 0.0, 0.5, 0, 0
    while abs(p - middle) <= c + width / 4 and t <= 8 / width**2 * math.log(2 / delta):
        w += yield i, j
        t += 1
        p, c = w / t - 0.5, math.sqrt(math.log(4 * t**2 / delta) / (2 * t))
    if p < (lower + middle) / 2:
        return 1
    return 3 if p > (middle + upper) / 2 else 2


class Anchored(Procedure):
    """A procedure that compares an anchor with other arms; the anchor is the answer."""

    def provisional(self):
        return [self.anchor]

    def soft_seq_elim(self, S, r, lower, upper, delta):
        """Run Falahatgar et al. 2018, Algorithm 1; return the anchor."""
        self.anchor, Q, anchor_changed = r, [c for c in S if c != r], True
        while anchor_changed:
            anchor_changed, remove = False, []
            for c in Q:
                result = yield from compare_3(c, self.anchor, lower, upper, 2 * delta / len(S) ** 2)
                if result != 2:
                    remove.append(c)
                if result == 3:
                    self.anchor, anchor_changed = c, True
                    break
            Q = [c for c in Q if c not in remove]
        return self.anchor
