"""Probabilities of all click patterns of a page, by enumeration."""


def click_patterns(grades, p_click, p_stop, attention=(1,), any_stop=False):
    """Return the probability of every set of clicks of a user that reads from the top."""
    done, reading = {}, [(1, ())]
    for rank, grade in enumerate(grades):
        click, stop = attention[min(rank, len(attention) - 1)] * p_click[grade], p_stop[grade]
        still = []
        for chance, clicks in reading:
            for flag, p in ((True, click), (False, 1 - click)):
                leave = stop if flag or any_stop else 0
                after = (*clicks, flag)
                ended = after + (False,) * (len(grades) - len(after))
                done[ended] = done.get(ended, 0) + chance * p * leave
                still.append((chance * p * (1 - leave), after))
        reading = still
    for chance, clicks in reading:
        done[clicks] = done.get(clicks, 0) + chance
    return {clicks: chance for clicks, chance in done.items() if chance}


def reading_outcomes(p_click, p_stop, stop, attention, grades):
    """Return (probability, ranks reached, clicks) of every outcome of reading a page."""
    outcomes = []

    def read(rank, chance, clicked):
        if rank == len(grades):
            outcomes.append((chance, rank, clicked))
            return
        look = attention[rank] if rank < len(attention) else attention[-1]
        click = p_click[grades[rank]]
        for clicks, probability in [(True, look * click), (False, look * (1 - click)), (False, 1 - look)]:
            leave = p_stop[grades[rank]] if clicks or stop == "any" else 0
            if stop in ("first", "never"):
                leave = 1 if clicks and stop == "first" else 0
            rest = [False] * (len(grades) - rank - 1)
            outcomes.append((chance * probability * leave, rank + 1, (*clicked, clicks, *rest)))
            read(rank + 1, chance * probability * (1 - leave), (*clicked, clicks))

    read(0, 1, ())
    return outcomes
