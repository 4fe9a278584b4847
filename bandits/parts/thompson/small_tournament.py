"""Simulated tournaments of Thompson samples, of which only "who beat whom" is drawn.

A tournament needs one coin per pair, with the chances of bandits/parts/thompson/pair_posterior.py. Who beats
all others, if anybody does, is a single draw: these events exclude each other, and their probabilities are
products of chances. Only if there is no such champion are the duels drawn one by one, given that there is
none.
"""

from rankduel.base.compiling import kernel


@kernel
def draw_scores(chance, arms, n_arms, n_candidates, alive, score, rng):
    """Draw the duels of candidates arms[:n_candidates] against all of arms[:n_arms]; score[k] counts wins.

    alive[k] is the chance that candidate k wins all of its duels; the draw is given that no candidate does.
    With all of `alive` zero nothing is given. `alive` is used up.
    """
    total, n_alive = 0.0, 0
    for k in range(n_candidates):
        total += alive[k]
        n_alive += alive[k] > 0.0
        score[k] = 0
    for k in range(n_candidates):
        for other in range(k + 1, n_arms):
            up, number = chance[arms[k], arms[other]], rng.random()
            first_won = number < up
            if n_alive > 0:
                down = chance[arms[other], arms[k]]
                alive_k, alive_other = alive[k], alive[other] if other < n_candidates else 0.0
                # Chances of either outcome together with "no champion in the end".
                rest = total - alive_k - alive_other
                with_up, with_down = up * (1.0 - rest) - alive_k, down * (1.0 - rest) - alive_other
                if with_up > 0.0 or with_down > 0.0:
                    first_won = number * (max(with_up, 0.0) + max(with_down, 0.0)) < max(with_up, 0.0)
                after_k = alive_k / up if first_won and alive_k > 0.0 else 0.0
                after_other = alive_other / down if not first_won and alive_other > 0.0 else 0.0
                alive[k] = after_k
                if other < n_candidates:
                    alive[other] = after_other
                total = rest + after_k + after_other
                n_alive -= (alive_k > 0.0) + (alive_other > 0.0) - (after_k > 0.0) - (after_other > 0.0)
            score[k] += first_won
            if other < n_candidates:
                score[other] += not first_won
