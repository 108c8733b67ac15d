"""Batches of packed conversations, made by worker processes while training runs. Batch number i of a seed is
the same on every machine."""
import multiprocessing

import numpy as np

import generator
import tokenizer
from rng import Rng

SHORT, LONG = 1024, 4096          # tokens in a row
ROWS = {SHORT: 64, LONG: 16}
LONG_SHARE = 0.25                 # of the batches
TOOLS_SHARE = 0.55                # of the rows of a short batch
LARGEST_PLAIN = 400


class Rows:
    """Rows that documents are packed into. `document` separates them; padding has document -1."""

    def __init__(self, rows, length):
        self.tokens = np.zeros((rows, length), np.int16)
        self.documents = np.full((rows, length), -1, np.int16)
        self.positions = np.zeros((rows, length), np.int16)
        self.learned = np.zeros((rows, length), np.uint8)
        self._used = [0] * rows
        self._count = [0] * rows

    def add(self, row, ids, learned):
        """False if the row has no room for it."""
        start, end = self._used[row], self._used[row] + len(ids)
        if end > self.tokens.shape[1]:
            return False
        self.tokens[row, start:end] = ids
        self.documents[row, start:end] = self._count[row]
        self.positions[row, start:end] = np.arange(len(ids))
        self.learned[row, start:end] = learned
        self._used[row] = end
        self._count[row] += 1
        return True

    def arrays(self):
        return self.tokens, self.documents, self.positions, self.learned


def make(seed, number, coder, rows=None):
    rng = Rng(seed, "batch", number)
    length = LONG if rng.chance(LONG_SHARE) else SHORT
    out = Rows(rows or ROWS[length], length)
    for row in range(len(out.tokens)):
        shape = "agent" if length == LONG else ("tools" if rng.chance(TOOLS_SHARE) else "plain")
        misses = 0
        while misses < 2:  # a second try often finds a shorter conversation for the rest of the row
            ids, learned = coder.encode(generator.render_training(generator.conversation(rng, shape), rng))
            if not out.add(row, ids, learned):
                misses += 1
    return out.arrays()


def _work(queue, seed, first, step):
    coder = tokenizer.Tokenizer.load()
    number = first
    while True:
        queue.put(make(seed, number, coder))
        number += step


class Stream:
    """Batches first, first + 1, ... in order. Start it before the GPU is touched: workers are forked."""

    def __init__(self, seed, first, workers):
        context = multiprocessing.get_context("fork")
        self._queues = [context.Queue(maxsize=6) for _ in range(workers)]
        self._processes = [context.Process(target=_work, args=(queue, seed, first + at, workers), daemon=True)
                           for at, queue in enumerate(self._queues)]
        for process in self._processes:
            process.start()
        self._next = 0

    def next(self):
        queue = self._queues[self._next % len(self._queues)]
        self._next += 1
        return queue.get()

    def close(self):
        for process in self._processes:
            process.terminate()
