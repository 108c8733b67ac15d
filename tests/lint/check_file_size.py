#!/usr/bin/env python3
"""A source file has at most 800 lines, or a line "path: reason" in tests/lint/large_files.txt."""
from collections.abc import Iterator

import house

LIMIT_LINES = 800
LIST = "tests/lint/large_files.txt"
SUFFIXES = house.CXX_SUFFIXES | {".py", ".sh", ".cmake", ".mjs", ".md"}


def check(tree: house.Tree) -> Iterator[str]:
    allowed = {}
    if (tree.root / LIST).exists():
        for number, line in enumerate(house.lines(tree.root / LIST), 1):
            name, _, reason = line.partition(":")
            if line and not line.startswith("#"):
                allowed[name] = number
                if not reason.strip():
                    yield f"{LIST}:{number}: gives no reason for {name}"
    for path in tree.files():
        count = len(house.lines(path)) if path.suffix in SUFFIXES else 0
        if count > LIMIT_LINES and not allowed.pop(tree.name(path), 0):
            yield f"{tree.name(path)}:{LIMIT_LINES}: has {count} lines: split it"
    for name, number in allowed.items():
        yield f"{LIST}:{number}: {name} is not over {LIMIT_LINES} lines: take it out"


SAMPLES = [
    house.Sample({"src/a.cc": "\n" * 800}, ""),
    house.Sample({"src/a.cc": "\n" * 801}, "src/a.cc:800: has 801 lines"),
    house.Sample({"tests/lint/a.py": "\n" * 900}, "has 900 lines"),
    house.Sample({"src/a.cc": "\n" * 801, LIST: "# why\nsrc/a.cc: one table\n"}, ""),
    house.Sample({"src/a.cc": "\n" * 801, LIST: "src/a.cc:\n"}, "gives no reason"),
    house.Sample({"src/a.cc": "\n" * 8, LIST: "src/a.cc: one table\n"}, "is not over 800"),
]

if __name__ == "__main__":
    house.main(__doc__, check, SAMPLES)
