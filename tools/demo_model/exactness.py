"""Rates on the held-out list without generating: an answer comes out exactly under greedy decoding if and only
if each of its tokens is the most probable one after those before it."""
from collections import defaultdict

import torch

import batches
import held_out
import network
import packing


def pack(coder, limit=None):
    """[(arrays, [(group, row, first, last)])]: held-out items in rows, and where their answers' tokens are."""
    by_length = {batches.SHORT: [], batches.LONG: []}
    for item in held_out.load():
        ids, learned = coder.encode(held_out.render(item))
        by_length[batches.SHORT if len(ids) <= batches.SHORT else batches.LONG].append((item["group"], ids, learned))
    packs = []
    for length, entries in by_length.items():
        entries = entries[:limit]
        most_rows = max(1, batches.ROWS[length] // 2)
        while entries:
            rows, spans, left = batches.Rows(most_rows, length), [], []
            row = 0
            for group, ids, learned in entries:
                if row < most_rows and not rows.add(row, ids, learned):
                    row += 1
                    if row < most_rows:
                        rows.add(row, ids, learned)
                if row == most_rows:
                    left.append((group, ids, learned))
                    continue
                start = rows._used[row] - len(ids)
                spans.append((group, row, start + learned.index(True), rows._used[row]))
            if not spans:
                raise ValueError(f"a held-out item of {len(entries[0][1])} tokens is longer than a row of {length}")
            packs.append((rows.arrays(), spans))
            entries = left
    return packs


@torch.no_grad()
def rates(parameters, shape, packs, tables, device, kind):
    right, count = defaultdict(int), defaultdict(int)
    for arrays, spans in packs:
        tokens, documents, positions, learned = packing.to_device(arrays, device)
        h, _ = network.target_forward(parameters, shape, tokens, packing.masks(documents, shape.window), tables.at(positions), kind)
        best = network.logits(h, parameters["token_embd.weight"], shape.softcap, kind).argmax(-1)
        good = (best.roll(1, 1) == tokens) | ~learned
        for group, row, first, last in spans:
            right[group] += bool(good[row, first:last].all())
            count[group] += 1
    return {group: right[group] / count[group] for group in count}
