"""Tournaments of Thompson samples in which only the winner of every duel is drawn, duel by duel.

A tournament needs one Bernoulli variable per pair, with the probabilities of
bandits/parts/thompson/pair_posterior.py. At most one arm beats all others, and the probability that a given
arm does is a product, so the undefeated arm, if any, can be drawn first. The tournament is then drawn only if
there is none, conditional on that.
"""

from rankduel.base.compiling import kernel


@kernel
def draw_scores(probability, arms, n_arms, n_candidates, undefeated, score, rng):
    """Draw the duels of candidates arms[:n_candidates] against all of arms[:n_arms]; score[k] counts wins.

    undefeated[k] is the probability that candidate k wins all of its duels; the draw is conditional on no
    candidate doing so. If all of `undefeated` is 0, it is unconditional. `undefeated` is overwritten.
    """
    total, n_possible = 0.0, 0  # probability of an undefeated candidate, and number of possible ones
    for k in range(n_candidates):
        total += undefeated[k]
        n_possible += undefeated[k] > 0.0
        score[k] = 0
    for k in range(n_candidates):
        for other in range(k + 1, n_arms):
            up, number = probability[arms[k], arms[other]], rng.random()
            first_won = number < up
            if n_possible > 0:
                down = probability[arms[other], arms[k]]
                before_k, before_other = undefeated[k], undefeated[other] if other < n_candidates else 0.0
                # Probabilities of both outcomes together with no undefeated candidate in the end.
                rest = total - before_k - before_other
                with_up, with_down = up * (1.0 - rest) - before_k, down * (1.0 - rest) - before_other
                if with_up > 0.0 or with_down > 0.0:
                    first_won = number * (max(with_up, 0.0) + max(with_down, 0.0)) < max(with_up, 0.0)
                after_k = before_k / up if first_won and before_k > 0.0 else 0.0
                after_other = before_other / down if not first_won and before_other > 0.0 else 0.0
                undefeated[k] = after_k
                if other < n_candidates:
                    undefeated[other] = after_other
                total = rest + after_k + after_other
                n_possible -= (before_k > 0.0) + (before_other > 0.0) - (after_k > 0.0) - (after_other > 0.0)
            score[k] += first_won
            if other < n_candidates:
                score[other] += not first_won
