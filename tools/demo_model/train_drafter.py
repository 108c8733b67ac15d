"""Trains the drafter on the target's own hidden states, by the round protocol: seven recurrent steps at one
position, with the target's keys and values before it.

  python3 train_drafter.py --seconds 240 --in CHECKPOINTS --out CHECKPOINTS

Every position of an answer is the start of a round. Later steps are fed the right token, which is what they
see whenever they matter: a draft after a wrong one is never accepted.
"""
import argparse
import json
import math
import time
from collections import defaultdict

import torch
import torch.nn.functional as F

import batches
import checkpoint
import exactness
import network
import packing
import tokenizer
import train

STEPS = 7
QUERIES = 384        # rounds trained in a row of 1024 tokens; a row has about 350
PEAK_RATE = 3e-3
LONG_ANSWER = 48     # tokens


def round_starts(answers, count):
    """[batch, count] positions n whose next token is learned and that have a token before them, and which of
    them are real; the others are filler."""
    usable = answers.clone()
    usable[:, 0] = False
    order = torch.sort(usable.to(torch.int8), dim=1, descending=True, stable=True).indices[:, :count]
    return order, usable.gather(1, order)


def round_masks(starts, documents, window):
    """Keys that a round at n sees: those before n in its document, in SWA layers the last window - 1 of them."""
    at = torch.arange(documents.shape[1], device=documents.device)
    distance = starts[:, :, None] - at[None, None, :]
    full = (documents.gather(1, starts)[:, :, None] == documents[:, None, :]) & (distance > 0)
    return {True: full, False: full & (distance < window)}


def steps_of(target, drafter, shape, draft_shape, arrays, starts, tables, device, kind, target_layer, drafter_layer):
    """Yields, for each step, (logits or what head makes of them, wanted tokens, which of them count)."""
    tokens, documents, positions, learned = arrays
    with torch.no_grad():
        h, last = network.target_forward(target, shape, tokens, packing.masks(documents, shape.window), tables.at(positions), kind, target_layer)
        last = {full: tuple(t.detach() for t in pair) for full, pair in last.items()}
        table = target["token_embd.weight"] * math.sqrt(shape.width)
        u = h.gather(1, (starts - 1).clamp(min=0)[..., None].expand(-1, -1, h.shape[-1])).detach()
    masks = round_masks(starts, documents, shape.window)
    at = tables.at(positions.gather(1, starts))
    document = documents.gather(1, starts)
    alive = torch.ones_like(starts, dtype=torch.bool)
    for step in range(STEPS):
        here = (starts + step).clamp(max=tokens.shape[1] - 1)
        after = (starts + step + 1).clamp(max=tokens.shape[1] - 1)
        inside = (starts + step + 1 < tokens.shape[1]) & (documents.gather(1, after) == document)
        alive = alive & inside & learned.gather(1, after)
        embedded = F.embedding(tokens.gather(1, here), table)
        z, u = network.drafter_step(drafter, draft_shape, shape.width, embedded, u, last, masks, at, kind, drafter_layer)
        yield z, tokens.gather(1, after), alive


def accepted_by_group(packs, lengths_of):
    """Mean accepted drafts by group: (mean, rounds). lengths_of(arrays) is [batch, tokens]: the drafts accepted
    by a round that starts there. Rounds that the end token cuts are left out, as are short answers."""
    total, rounds = defaultdict(int), defaultdict(int)
    for arrays, spans in packs:
        accepted = lengths_of(arrays)
        for group, row, first, last in spans:
            if last - first < LONG_ANSWER:
                continue
            n = first  # the first token of the answer is sampled by the target and starts the first round
            while n + STEPS < last:
                a = int(accepted[row, n])
                total[group] += a
                rounds[group] += 1
                n += a + 1
    return {group: (round(total[group] / rounds[group], 3), rounds[group]) for group in rounds}


def bigram(coder, batches_count=12):
    """The most frequent follower of each token in answers."""
    counts = torch.zeros(tokenizer.SIZE, tokenizer.SIZE, dtype=torch.int32)
    for number in range(batches_count):
        tokens, documents, _, learned = (torch.from_numpy(a) for a in batches.make("bigram", number, coder, rows=16))
        targets, answers, _ = packing.next_token(tokens.long(), documents, learned.bool())
        pairs = tokens.long()[answers] * tokenizer.SIZE + targets[answers]
        counts.view(-1).index_add_(0, pairs, torch.ones_like(pairs, dtype=torch.int32))
    return counts.argmax(1)


def leading(right):
    """[steps, ...] of bool: how many are true before the first that is not."""
    return right.to(torch.int32).cumprod(0).sum(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--in", dest="source", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", default="drafter")
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--eager", action="store_true")
    parser.add_argument("--rows", type=int)
    options = parser.parse_args()

    began = time.time()
    batches.LONG_SHARE = 0.0
    if options.rows:
        batches.ROWS = {length: options.rows for length in batches.ROWS}
    stream = batches.Stream(options.seed, 0, options.workers)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    shape, draft_shape = network.TARGET, network.DRAFTER
    target = {name: value.to(device) for name, value in checkpoint.load(options.source, "target")[0].items()}
    for name, value in target.items():
        if value.dim() == 2:
            target[name] = network.round_q8_0(value) if name == "token_embd.weight" else network.round_q4_0(value)
    drafter = network.initial_parameters(draft_shape, torch.Generator().manual_seed(2), shape.width)
    drafter = {name: value.to(device).requires_grad_() for name, value in drafter.items()}
    optimizer = train.optimizer_of(drafter, device == "cuda")
    target_layer, drafter_layer, cross_entropy = network.target_layer, network.drafter_layer, F.cross_entropy
    if not options.eager:
        train.raise_recompile_limit()
        target_layer, drafter_layer = (torch.compile(f, dynamic=False) for f in (target_layer, drafter_layer))
    tables = packing.Tables(shape, device)

    steps, counted, total_loss = 0, 0, 0.0
    while time.time() - began < options.seconds:
        progress = (time.time() - began) / options.seconds
        rate = PEAK_RATE * min(1.0, (steps + 1) / 100) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1.0, progress))))
        for group in optimizer.param_groups:
            group["lr"] = rate
        arrays = packing.to_device(stream.next(), device)
        _, answers, _ = packing.next_token(arrays[0], arrays[1], arrays[3])
        starts, real = round_starts(answers, min(QUERIES, arrays[0].shape[1]))
        loss, weight = 0.0, 0.0
        for z, wanted, alive in steps_of(target, drafter, shape, draft_shape, arrays, starts, tables, device, kind, target_layer, drafter_layer):
            counts = (alive & real).float().flatten()
            loss = loss + (cross_entropy(z.flatten(0, 1), wanted.flatten(), reduction="none") * counts).sum()
            weight = weight + counts.sum()
        loss = loss / weight
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(drafter.values()), 1.0)
        optimizer.step()
        steps += 1
        counted += 1
        total_loss = total_loss + loss.detach()
        if steps % 100 == 0 or steps in (1, 5, 20) or options.rows:
            print(f"{time.time() - began:6.1f} s  step {steps}  loss {float(total_loss) / counted:.4f}  progress {progress:.3f}", flush=True)
            total_loss, counted = 0.0, 0
    checkpoint.save(options.out, "drafter", drafter, {"batches": steps})
    stream.close()

    coder = tokenizer.Tokenizer.load()
    packs = exactness.pack(coder, 4 if options.rows else None)
    follower = bigram(coder, 1 if options.rows else 12)

    @torch.no_grad()
    def drafted(arrays):
        on_device = packing.to_device(arrays, device)
        count = on_device[0].shape[1]
        out = []
        for first in range(0, count, 256):
            starts = torch.arange(first, min(first + 256, count), device=device)[None].expand(len(on_device[0]), -1).contiguous()
            right = [(z.argmax(-1) == wanted) for z, wanted, _ in
                     steps_of(target, drafter, shape, draft_shape, on_device, starts, tables, device, kind, network.target_layer, network.drafter_layer)]
            out.append(leading(torch.stack(right)))
        return torch.cat(out, 1).cpu()

    def guessed(arrays):
        tokens = torch.from_numpy(arrays[0]).long()
        guess, right = tokens, []
        for step in range(1, STEPS + 1):
            guess = follower[guess]
            right.append(guess == tokens.roll(-step, 1))
        return leading(torch.stack(right))

    print("accepted of 7, drafter:", json.dumps(accepted_by_group(packs, drafted)))
    print("accepted of 7, bigram: ", json.dumps(accepted_by_group(packs, guessed)), flush=True)


if __name__ == "__main__":
    main()
