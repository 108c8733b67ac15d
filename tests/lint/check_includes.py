#!/usr/bin/env python3
"""Modules include only what the table allows.

Every source below src/ belongs to a module of the table. base is open to all. Of device/, others see
device/device.h only, and the devices (device/cpu, device/cuda, device/metal) never see each other: only
device's own .cc files, which make devices by name, may include one. Own headers are included by their
path from src/ in quotes, never relative to the parent. Tests beside a file may also use tests/.
"""
import re
from collections.abc import Iterator
from pathlib import Path

import house

# A module may include itself, base and these. The table is not transitive (docs/architecture.md).
MAY_INCLUDE = {
    "base": set(),
    "gguf": set(),
    "model": {"gguf", "tokenizer"},
    "tokenizer": set(),
    "chat": {"tokenizer"},
    "device": {"model"},
    "engine": {"device", "model"},
    "server": {"engine", "chat", "tokenizer"},
    "capi": {"engine", "server"},
    "cli": {"gguf", "model", "tokenizer", "chat", "device", "engine", "server"},
}
SEAM = "device/device.h"
INCLUDE = re.compile(r'^\s*#\s*(?:include|import)\s*([<"])([^>"]+)[>"]')


def problem_of_include(tree: house.Tree, name: str, bracket: str, target: str) -> str:
    """What is wrong with source `name` (from src/) including `target`, or nothing."""
    module = name.split("/")[0]
    is_own = (tree.root / "src" / target).exists()
    if bracket == "<":
        return f"<{target}> is our own: include it in quotes" if is_own else ""
    if ".." in Path(target).parts:
        return f'"{target}" is relative to the parent: write its path from src/'
    if target.startswith("tests/"):
        return "" if name.endswith("_test.cc") else f'"{target}" is for tests only'
    if target.startswith("gem/"):
        return "" if module in ("capi", "cli") else f'"{target}" is the C interface: only capi implements it'
    if not is_own:
        return f'"{target}" is not below src/: write its path from there'
    other = target.split("/")[0]
    if other not in MAY_INCLUDE[module] | {module, "base"}:
        return f'{module} may not include {other} ("{target}")'
    if other == "device" and module != "device" and target != SEAM:
        return f'"{target}" is behind the seam: outside device/ only {SEAM} is seen'
    if other == "device" and module == "device" and target.count("/") > 1:
        folder, other_folder = name.split("/")[:-1], target.split("/")[:-1]
        is_maker = len(folder) == 1 and name.endswith(".cc")
        if folder[:2] != other_folder[:2] and not is_maker:
            return f'"{target}" is another device\'s: share it through device/'
    return ""


def check(tree: house.Tree) -> Iterator[str]:
    for path in tree.files("src"):
        name = path.relative_to(tree.root / "src").as_posix()
        module = name.split("/")[0] if "/" in name else ""
        if module not in MAY_INCLUDE:
            yield f"src/{name}:1: no module of the table holds this file"
            continue
        if path.suffix not in house.CXX_SUFFIXES:
            continue
        for number, line in enumerate(house.lines(path), 1):
            match = INCLUDE.match(line)
            problem = problem_of_include(tree, name, *match.groups()) if match else ""
            if problem:
                yield f"src/{name}:{number}: {problem}"


def sample(finds: str, **files: str) -> house.Sample:
    """Files by their path from src/, with __ for / and _H, _CC for the suffix."""
    paths = {"src/" + name.replace("__", "/").replace("_H", ".h").replace("_CC", ".cc"): text
             for name, text in files.items()}
    headers = ["base/a.h", "gguf/reader.h", "model/plan.h", "engine/walk.h", SEAM, "device/cpu/pool.h",
               "device/cuda/graph.h", "device/lanes.h", "cli/verbs.h", "tokenizer/tokenizer.h"]
    return house.Sample({f"src/{header}": "#pragma once\n" for header in headers} | paths, finds)


SAMPLES = [
    sample("", gguf__x_CC='#include "gguf/reader.h"\n#include "base/a.h"\n#include <vector>\n'),
    sample("", engine__x_CC='#include "device/device.h"\n#include "model/plan.h"\n'),
    sample("", device__make_CC='#include "device/cpu/pool.h"\n#include "device/cuda/graph.h"\n'),
    sample("", device__cpu__x_CC='#include "device/cpu/pool.h"\n#include "device/lanes.h"\n'),
    sample("", gguf__x_test_CC='#include "tests/support/goldens.h"\n'),
    sample("base may not include gguf", base__x_CC='#include "gguf/reader.h"\n'),
    sample("engine may not include gguf", engine__x_H='  #  include "gguf/reader.h"\n'),
    sample("model may not include engine", model__x_CC='#include "engine/walk.h"\n'),
    sample("behind the seam", engine__x_CC='#include "device/cpu/pool.h"\n'),
    sample("behind the seam", cli__x_CC='#include "device/cuda/graph.h"\n'),
    sample("another device's", device__cuda__x_CC='#include "device/cpu/pool.h"\n'),
    sample("another device's", device__x_H='#include "device/cpu/pool.h"\n'),
    sample("relative to the parent", gguf__x_CC='#include "../base/a.h"\n'),
    sample("not below src/", gguf__x_CC='#include "reader.h"\n'),
    sample("in quotes", gguf__x_CC='#include <gguf/reader.h>\n'),
    sample("for tests only", gguf__x_CC='#include "tests/support/goldens.h"\n'),
    sample("no module of the table", util__x_CC="\n"),
    sample("no module of the table", main_CC="\n"),
]

if __name__ == "__main__":
    house.main(__doc__, check, SAMPLES)
