#!/usr/bin/env python3
"""A TODO names its issue, as in TODO(#12); FIXME, XXX and HACK are not used.

What is not worth an issue is done now or not at all.
"""
import re
from collections.abc import Iterator

import house

MARK = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))")
EXEMPT = {"tests/lint/check_todo.py", "AGENTS.md", "CLAUDE.md"}  # they state the rule
TEXT_SUFFIXES = house.CXX_SUFFIXES | {".py", ".sh", ".cmake", ".txt", ".md", ".json", ".mjs", ""}


def check(tree: house.Tree) -> Iterator[str]:
    for path in tree.files():
        if tree.name(path) in EXEMPT or path.suffix not in TEXT_SUFFIXES:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            match = MARK.search(line)
            if match:
                yield f"{tree.name(path)}:{number}: {match.group(1)} without an issue: write TODO(#12)"


SAMPLES = [
    house.Sample({"src/a.cc": "// TODO(#12): the other half\nint todo;\n"}, ""),
    house.Sample({"src/a.cc": "int a;\n// TODO: the other half\n"}, "src/a.cc:2: TODO"),
    house.Sample({"Makefile": "# TODO(me): later\n"}, "Makefile:1: TODO"),
    house.Sample({"scripts/a.sh": "# FIXME\n"}, "FIXME"),
    house.Sample({"docs/a.md": "XXX\n"}, "XXX"),
]

if __name__ == "__main__":
    house.main(__doc__, check, SAMPLES)
