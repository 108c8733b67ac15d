"""From packed rows to what the network takes: masks, rotary tables, targets and weights of the loss."""
import torch

import network


def to_device(arrays, device):
    tokens, documents, positions, learned = (torch.from_numpy(a).to(device) for a in arrays)
    return tokens.long(), documents, positions.long(), learned.bool()


def masks(documents, window):
    """{is_full: [batch, tokens, keys]}: causal, within one document, SWA within its window."""
    count = documents.shape[1]
    at = torch.arange(count, device=documents.device)
    distance = at[:, None] - at[None, :]
    full = (documents[:, :, None] == documents[:, None, :]) & (distance >= 0)
    return {True: full, False: full if count <= window else full & (distance < window)}


class Tables:
    """Rotary tables of every position, computed once."""

    def __init__(self, shape, device):
        self._all = {full: tuple(t.to(device) for t in pair)
                     for full, pair in network.rope_tables(shape, torch.arange(shape.context)).items()}

    def at(self, positions):
        return {full: (cos[positions], sin[positions]) for full, (cos, sin) in self._all.items()}


def next_token(tokens, documents, learned):
    """(targets, is learned, is anything): what follows each token in its document."""
    targets = tokens.roll(-1, 1)
    same = (documents == documents.roll(-1, 1)) & (documents >= 0)
    same[:, -1] = False
    return targets, same & learned.roll(-1, 1), same
