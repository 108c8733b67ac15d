"""Holds network.py and gguf.py to the float64 goldens of the tiny pair: python3 network_test.py FOLDER

The tiny models were made by another program, so this checks equations, tensor names and block formats.
"""
import json
import pathlib
import sys

import numpy as np
import torch

import gguf
import network


def shape_of(metadata, prefix):
    get = lambda key: metadata[prefix + "." + key]
    pattern, kv = get("attention.sliding_window_pattern"), get("attention.head_count_kv")
    return network.Shape(layers=get("block_count"), width=get("embedding_length"), heads=get("attention.head_count"), swa_kv_heads=kv[0],
                         full_kv_heads=kv[-1], swa_head=get("attention.key_length_swa"), full_head=get("attention.key_length"),
                         ffn=get("feed_forward_length"), window=get("attention.sliding_window"), vocabulary=len(metadata["tokenizer.ggml.tokens"]),
                         softcap=metadata.get(prefix + ".final_logit_softcapping", 0.0), period=pattern.index(False) + 1, rotated_pairs=8)


def masks_of(shape, count):
    at = torch.arange(count)
    causal = at[None, :] <= at[:, None]
    return {True: causal[None], False: (causal & (at[:, None] - at[None, :] < shape.window))[None]}


def target(folder, index):
    metadata, tensors = gguf.read(folder / "tiny-gemma4-q4_0.gguf")
    shape = shape_of(metadata, "gemma4")
    parameters = {name: torch.tensor(values).double() for name, values in tensors.items()}
    worst = 0.0
    for name in ("s40", "s200"):
        tokens = torch.tensor(index["sequences"][name]["tokens"])[None]
        positions = torch.arange(tokens.shape[1])[None]
        h, _ = network.target_forward(parameters, shape, tokens, masks_of(shape, tokens.shape[1]), network.rope_tables(shape, positions), torch.float32)
        z = network.logits(h, parameters["token_embd.weight"], shape.softcap, torch.float32)[0]
        golden = np.fromfile(folder / f"{name}.logits.f64.bin", "<f4").reshape(z.shape)
        worst = max(worst, float(np.abs(z.numpy() - golden).max()))
    return parameters, shape, worst


def drafter(folder, index, target_parameters, target_shape):
    metadata, tensors = gguf.read(folder / "tiny-gemma4-assistant-q4_0.gguf")
    shape = shape_of(metadata, "gemma4-assistant")
    parameters = {name: torch.tensor(values) for name, values in tensors.items()}
    golden = np.fromfile(folder / "g0.draft_logits.f64.bin", "<f4").reshape(-1, shape.vocabulary)
    mtp, row, worst = index["mtp"]["g0"], 0, 0.0
    sequence = list(mtp["prompt"])
    table = network.seen_q8_0(target_parameters["token_embd.weight"])
    for number, round_ in enumerate(mtp["rounds"][:6]):
        n = round_["n_past"]
        tokens = torch.tensor(sequence[:n])[None]
        h, last = network.target_forward(target_parameters, target_shape, tokens, masks_of(target_shape, n),
                                         network.rope_tables(target_shape, torch.arange(n)[None]), torch.float32)
        visible = torch.ones(1, 1, n, dtype=torch.bool)
        window = visible.clone()
        window[..., :max(0, n - shape.window + 1)] = False
        tables = network.rope_tables(shape, torch.tensor([[n]]))
        u, fed = h[:, -1:], [round_["id_last"]] + round_["draft"][:-1]
        for token in fed:
            embedded = table[token][None, None].float() * target_shape.width ** 0.5
            z, u = network.drafter_step(parameters, shape, target_shape.width, embedded, u, last, {True: visible, False: window}, tables, torch.float32)
            worst = max(worst, float(np.abs(z[0, 0].numpy() - golden[row]).max()))
            row += 1
        sequence += ([round_["id_last"]] if number == 0 else []) + round_["out"]
    return worst


def main():
    folder = pathlib.Path(sys.argv[1])
    index = json.loads((folder / "index.json").read_text())
    parameters, shape, worst = target(folder, index)
    print(f"target logits, largest difference: {worst:.2e}")
    drafts = drafter(folder, index, parameters, shape)
    print(f"drafter logits, largest difference: {drafts:.2e}")
    return 1 if worst > 2e-3 or drafts > 2e-3 else 0


if __name__ == "__main__":
    with torch.no_grad():
        sys.exit(main())
