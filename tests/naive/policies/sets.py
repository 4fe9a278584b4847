"""The loop of policies for sets of arms, line by line."""

import numpy as np


def play_sets_twin(twin, prefs, steps, users):
    """Play a twin; return the sum of shares, (checkpoints, arms), as in `SetsTrace`.

    Duels are drawn in the order of the loop: each arm of the set with all earlier ones.
    """
    shares, rows = np.zeros(len(prefs)), []
    for t in range(1, steps[-1] + 1):
        arms = twin.select()
        for arm in arms:
            shares[arm] += 1 / len(arms)
        distinct = list(dict.fromkeys(arms))
        for x, one in enumerate(distinct):
            for other in distinct[:x]:
                for _ in range(arms.count(one) * arms.count(other)):
                    won = users.random() < prefs[one, other]
                    twin.update(*((one, other) if won else (other, one)))
            for _ in range(arms.count(one) * (arms.count(one) - 1) // 2):
                twin.update(one, one)
        if t in steps:
            rows.append(shares.copy())
    return np.array(rows)
