"""Trains the target on one GPU, in one or several runs:

  python3 train.py --seconds 560 --total-seconds 1000 --in CHECKPOINTS --out CHECKPOINTS

The learning rate follows the share of --total-seconds that has passed over all runs. A run continues what it
finds under --in and stops after --seconds.
"""
import argparse
import json
import math
import time

import torch
import torch.nn.functional as F

import batches
import checkpoint
import exactness
import network
import packing
import tokenizer

PEAK_RATE = 2.5e-3
UNLEARNED_WEIGHT = 0.1   # of prompt tokens in the loss, at the start; they teach copying before answers do


def head_loss(h, table, targets, weights, softcap, kind):
    z = network.logits(h, table, softcap, kind)
    losses = F.cross_entropy(z.flatten(0, 1), targets.flatten(), reduction="none")
    return (losses * weights.flatten()).sum() / weights.sum()


def rate_at(progress, steps):
    """Of the peak: warm-up within each run, since the optimizer starts afresh, then a cosine to zero."""
    return min(1.0, (steps + 1) / 200) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1.0, progress))))


def optimizer_of(parameters, fused):
    matrices = [value for value in parameters.values() if value.dim() == 2]
    others = [value for value in parameters.values() if value.dim() == 1]
    table = [parameters["token_embd.weight"]]
    matrices = [value for value in matrices if value is not table[0]]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others + table, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=PEAK_RATE, betas=(0.9, 0.98), eps=1e-9, **({"fused": True} if fused else {}))


def raise_recompile_limit():
    """One graph for each kind of layer and length of row: more than the limit that is meant to catch mistakes."""
    from torch._dynamo import config
    for name in ("recompile_limit", "cache_size_limit"):
        if hasattr(config, name):
            setattr(config, name, 64)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--total-seconds", type=float, required=True)
    parser.add_argument("--in", dest="source", default="none")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", default="demo")
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--eager", action="store_true", help="without torch.compile")
    parser.add_argument("--rows", type=int, help="fewer rows a batch, for a trial on a small machine")
    parser.add_argument("--every", type=float, default=60, help="seconds between rates on the held-out list")
    parser.add_argument("--restart-at", type=float, help="run from this progress to the end within --seconds, whatever was run before")
    options = parser.parse_args()

    began = time.time()
    if options.rows:
        batches.ROWS = {length: options.rows for length in batches.ROWS}
    found = checkpoint.load(options.source, "target")
    state = found[1] if found else {"seconds": 0.0, "batches": 0}
    stream = batches.Stream(options.seed, state["batches"], options.workers)

    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    shape = network.TARGET
    parameters = found[0] if found else network.initial_parameters(shape, torch.Generator().manual_seed(1))
    parameters = {name: value.to(device).requires_grad_() for name, value in parameters.items()}
    optimizer = optimizer_of(parameters, device == "cuda")
    layer, loss_of = network.target_layer, head_loss
    if not options.eager:
        raise_recompile_limit()
        layer, loss_of = torch.compile(layer, dynamic=False), torch.compile(loss_of, dynamic=False)
    tables = packing.Tables(shape, device)
    packs = exactness.pack(tokenizer.Tokenizer.load(), 4 if options.rows else None)

    steps, counted, seen, total_loss, reported, measured = 0, 0, 0, 0.0, time.time(), time.time()
    while time.time() - began < options.seconds:
        progress = (state["seconds"] + time.time() - began) / options.total_seconds
        if options.restart_at is not None:
            progress = options.restart_at + (1 - options.restart_at) * (time.time() - began) / options.seconds
        if progress >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = PEAK_RATE * rate_at(progress, steps)
        tokens, documents, positions, learned = packing.to_device(stream.next(), device)
        targets, answers, known = packing.next_token(tokens, documents, learned)
        weights = answers.float() + UNLEARNED_WEIGHT * (1 - progress) * (known & ~answers).float()
        h, _ = network.target_forward(parameters, shape, tokens, packing.masks(documents, shape.window), tables.at(positions), kind, layer)
        loss = loss_of(h, parameters["token_embd.weight"], targets, weights, shape.softcap, kind)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(parameters.values()), 1.0)
        optimizer.step()
        steps += 1
        counted += 1
        seen += tokens.numel()
        total_loss = total_loss + loss.detach()
        if steps % 200 == 0 or options.rows or steps in (1, 5, 10, 20, 50):
            now = time.time()
            print(f"{now - began:6.1f} s  step {steps}  loss {float(total_loss) / counted:.4f}  "
                  f"{seen / (now - reported) / 1e6:.2f} M tokens/s  progress {progress:.3f}", flush=True)
            total_loss, seen, reported, counted = 0.0, 0, now, 0
        if time.time() - measured > options.every:
            measured = time.time()
            print("rates", json.dumps({k: round(v, 3) for k, v in exactness.rates(parameters, shape, packs, tables, device, kind).items()}), flush=True)
    state = {"seconds": state["seconds"] + time.time() - began, "batches": state["batches"] + steps}
    checkpoint.save(options.out, "target", parameters, state)
    print("rates", json.dumps({k: round(v, 3) for k, v in exactness.rates(parameters, shape, packs, tables, device, kind).items()}), flush=True)
    print(json.dumps(state), flush=True)
    stream.close()


if __name__ == "__main__":
    main()
