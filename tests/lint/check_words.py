#!/usr/bin/env python3
"""Documents and sources name no place on somebody's own machine (/home, /root, /tmp and their kin).

A path that a reader may copy is relative, or a word in capitals such as FILE.
"""
import re
from collections.abc import Iterator

import house

PLACE = re.compile(r"(?<![\w.}~/-])/(?:work|home|root|tmp|Users|mnt|media)(?=[/\s\"'`).,;:]|$)")
EXEMPT = {"tests/lint/check_words.py"}  # names them to find them


def check(tree: house.Tree) -> Iterator[str]:
    for path in tree.files():
        name = tree.name(path)
        if name in EXEMPT or path.suffix not in house.CXX_SUFFIXES | {".md", ".py", ".sh", ".txt", ".cmake", ""}:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            match = PLACE.search(line)
            if match:
                yield f"{name}:{number}: {match.group()} is a place on one machine: write a relative path"


SAMPLES = [
    house.Sample({"README.md": "gem run FILE, ../shared, build/tmp, a/home, https://a.org/home\n"}, ""),
    house.Sample({"README.md": "\nrun /work/gem\n"}, "README.md:2: /work"),
    house.Sample({"docs/a.md": "see `/home/me/x.gguf`\n"}, "/home"),
    house.Sample({"src/a.cc": "// in /root\n"}, "/root"),
    house.Sample({"docs/a.md": "gem synth -o /tmp/x.gguf\n"}, "/tmp"),
]

if __name__ == "__main__":
    house.main(__doc__, check, SAMPLES)
