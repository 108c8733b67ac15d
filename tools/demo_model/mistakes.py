"""Shows which held-out answers a checkpoint gets wrong, and where: python3 mistakes.py --in CHECKPOINTS GROUP..."""
import argparse

import torch

import checkpoint
import held_out
import network
import packing
import tokenizer


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--in", dest="source", required=True)
    parser.add_argument("groups", nargs="+")
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    shape = network.TARGET
    parameters = {name: value.to(device) for name, value in checkpoint.load(options.source, "target")[0].items()}
    tables, coder = packing.Tables(shape, device), tokenizer.Tokenizer.load()
    for group in options.groups:
        wrong, count = 0, 0
        for item in held_out.load():
            if item["group"] != group:
                continue
            count += 1
            ids, learned = coder.encode(held_out.render(item))
            tokens = torch.tensor([ids], device=device)
            masks = packing.masks(torch.zeros_like(tokens), shape.window)
            h, _ = network.target_forward(parameters, shape, tokens, masks, tables.at(torch.arange(len(ids), device=device)[None]), kind)
            best = network.logits(h, parameters["token_embd.weight"], shape.softcap, kind).argmax(-1)[0].tolist()
            at = next((at for at in range(1, len(ids)) if learned[at] and best[at - 1] != ids[at]), None)
            if at is None:
                continue
            wrong += 1
            first = learned.index(True)
            names = [tool["function"]["name"] for tool in item["request"].get("tools", [])]
            print(item["id"], "|", repr(item["request"]["messages"][-1]["content"][:120]), "| want", repr(coder.decode(ids[first:])),
                  "| got", repr(coder.decode(ids[max(first, at - 5):at] + best[at - 1:at])), "|", *names)
        print(f"{group}: {wrong} of {count} wrong", flush=True)


if __name__ == "__main__":
    main()
