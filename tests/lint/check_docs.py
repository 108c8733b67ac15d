#!/usr/bin/env python3
"""Documents that are named exist: relative links in *.md, and docs/NAME.md in sources and scripts."""
import re
from collections.abc import Iterator

import house

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
NAMED = re.compile(r"\bdocs/[\w/-]+\.md\b")
TEXT_SUFFIXES = house.CXX_SUFFIXES | {".md", ".py", ".sh", ".txt", ".cmake", ""}


def check(tree: house.Tree) -> Iterator[str]:
    for path in tree.files():
        if path.suffix not in TEXT_SUFFIXES or tree.name(path).startswith("tests/lint/"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            wanted = [(tree.root, name) for name in NAMED.findall(line)]
            if path.suffix == ".md":
                wanted += [(path.parent, name) for name in LINK.findall(line) if "://" not in name]
            for folder, name in dict.fromkeys(wanted):
                if not (folder / name).exists():
                    yield f"{tree.name(path)}:{number}: {name} does not exist"


SAMPLES = [
    house.Sample({"README.md": "[a](docs/a.md) [b](https://a.org/b.md) [c](docs/a.md#part)\n", "docs/a.md": ""}, ""),
    house.Sample({"README.md": "\n[a](docs/b.md)\n".replace("docs/", "doc/")}, "README.md:2: doc/b.md"),
    house.Sample({"docs/a.md": "[b](b.md)\n"}, "docs/a.md:1: b.md does not exist"),
    house.Sample({"src/a.h": "// See docs/b.md.\n"}, "src/a.h:1: docs/b.md does not exist"),
]

if __name__ == "__main__":
    house.main(__doc__, check, SAMPLES)
