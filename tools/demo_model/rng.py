"""Random choices that are the same on every machine: everything is drawn from one 53-bit stream."""
import random


class Rng:
    def __init__(self, *key):
        # A string seed is hashed with SHA-512 by the library, so it does not depend on PYTHONHASHSEED.
        self._random = random.Random("/".join(str(part) for part in key))

    def unit(self):
        return self._random.random()

    def below(self, n):
        return int(self.unit() * n)

    def between(self, low, high):
        """An integer from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability):
        return self.unit() < probability

    def pick(self, items):
        return items[self.below(len(items))]

    def sample(self, items, count):
        items = list(items)
        self.shuffle(items)
        return items[:count]

    def shuffle(self, items):
        for at in range(len(items) - 1, 0, -1):
            other = self.below(at + 1)
            items[at], items[other] = items[other], items[at]
