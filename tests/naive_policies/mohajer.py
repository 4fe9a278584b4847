"""Mohajer, Suh and Elmahdy 2017, Algorithms 1 and 2 line by line: lists are split and copied at will."""

from naive_policies.procedure import Procedure


class Mohajer(Procedure):
    """Matches; comparisons of a layer are made in turn, every match once and then again."""

    def __init__(self, n_arms, params, rng):
        self.wins, self.m = [0] * n_arms, params.m
        super().__init__(n_arms, params, rng)

    def matches(self, pairs):
        """Whether the first of each pair wins at least half of its m comparisons."""
        won = [0] * len(pairs)
        for _ in range(self.m):
            for number, (i, j) in enumerate(pairs):
                i_won = yield i, j
                won[number] += i_won
                self.wins[i if i_won else j] += 1
        return [2 * wins >= self.m for wins in won]

    def bracket(self, slots):
        """SELECT."""
        self.slots = slots
        while len(self.slots) > 1:
            pairs = list(zip(self.slots[::2], self.slots[1::2]))
            bye = self.slots[len(self.slots) - len(self.slots) % 2 :]
            first_wins = yield from self.matches(pairs)
            self.slots = [i if wins else j for (i, j), wins in zip(pairs, first_wins)] + bye
        return self.slots[0]


class Select(Mohajer):
    def run(self, n_arms, params, rng):
        return [(yield from self.bracket(rng.permutation(n_arms).tolist()))]

    def provisional(self):
        return [max(self.slots, key=self.wins.__getitem__)]


class TopK(Mohajer):
    def run(self, n_arms, params, rng):
        self.found, self.k = [], min(params.k, n_arms)
        order, size = rng.permutation(n_arms).tolist(), -(-n_arms // self.k)
        groups = [order[start : start + size] for start in range(0, n_arms, size)]
        heap = [None]  # nodes from 1 on, as in the paper: (arm, its group)
        for group in groups:
            best = yield from self.bracket(group)
            heap.append((best, group))
        for node in range(len(groups) // 2, 0, -1):
            yield from self.sift(heap, node)
        while True:
            arm, group = heap[1]
            self.found.append(arm)
            group.remove(arm)
            if len(self.found) == self.k and not params.final_refill:
                return self.found
            if group:
                best = yield from self.bracket(group)
                heap[1] = best, group
            else:
                last = heap.pop()
                if len(heap) > 1:
                    heap[1] = last
            yield from self.sift(heap, 1)
            if len(self.found) == self.k:
                return self.found

    def sift(self, heap, node):
        better = node
        for child in (2 * node, 2 * node + 1):
            if child < len(heap):
                (child_wins,) = yield from self.matches([(heap[child][0], heap[better][0])])
                better = child if child_wins else better
        if better != node:
            heap[node], heap[better] = heap[better], heap[node]
            yield from self.sift(heap, better)

    def provisional(self):
        others = [i for i in range(len(self.wins)) if i not in self.found]
        return (self.found + sorted(others, key=lambda i: -self.wins[i]))[: self.k]
