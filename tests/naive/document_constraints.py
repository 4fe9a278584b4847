"""Document constraints: every preference of the clicks, counted."""

from fractions import Fraction

from naive.list_ends import rank_in


def constraints_credit(left, right, page, clicks, kind):
    broken = [0, 0]
    for h in range(len(page)):
        if clicks[h]:
            lows = [t for t in range(h) if not clicks[t]]
            t = h + 1
            while kind == 3 and t < len(page) and clicks[t]:
                t += 1
            if kind >= 2 and t < len(page) and not clicks[t]:
                lows.append(t)
            for t in lows:
                for x, ranking in enumerate((left, right)):
                    broken[x] += rank_in(ranking, page[t]) < rank_in(ranking, page[h])
    return Fraction(broken[1] - broken[0], max(1, sum(broken)))
