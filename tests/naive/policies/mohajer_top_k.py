"""Mohajer, Suh and Elmahdy 2017, Algorithm 2, line by line, with lists that are split and copied."""

from naive.policies.mohajer import Mohajer


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


TWIN = TopK
