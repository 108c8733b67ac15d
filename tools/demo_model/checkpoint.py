"""Parameters in files of at most 15 MiB each, in 16-bit floats: small enough to be carried between runs."""
import json
import pathlib

import numpy as np
import torch

LIMIT = 15 << 20


def save(folder, name, parameters, state):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    data = b"".join(value.detach().float().cpu().numpy().astype("<f2").tobytes() for value in parameters.values())
    parts = [data[at:at + LIMIT] for at in range(0, len(data), LIMIT)]
    for number, part in enumerate(parts):
        (folder / f"{name}.{number}.bin").write_bytes(part)
    index = {"parts": len(parts), "state": state, "shapes": {key: list(value.shape) for key, value in parameters.items()}}
    (folder / f"{name}.json").write_text(json.dumps(index))


def load(folder, name):
    """(parameters, state), or None if there is none."""
    folder = pathlib.Path(folder)
    if not (folder / f"{name}.json").exists():
        return None
    index = json.loads((folder / f"{name}.json").read_text())
    data = b"".join((folder / f"{name}.{number}.bin").read_bytes() for number in range(index["parts"]))
    values, at, parameters = np.frombuffer(data, "<f2"), 0, {}
    for key, shape in index["shapes"].items():
        count = int(np.prod(shape))
        parameters[key] = torch.from_numpy(values[at:at + count].astype(np.float32).reshape(shape))
        at += count
    return parameters, index["state"]
