#!/usr/bin/env python3
"""C++ sources are as clang-format 19 lays them out with the project's .clang-format (make format)."""
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import house

TOOL = "clang-format-19"
WARNING = re.compile(r"^(.+?):(\d+):\d+: (?:error|warning): .*-Wclang-format-violations")
STYLE = (Path(__file__).resolve().parents[2] / ".clang-format").read_text(encoding="utf-8")


def sources(tree: house.Tree) -> list[str]:
    return [str(path) for path in tree.cxx_files() if path.suffix != ".metal"]


def check(tree: house.Tree) -> Iterator[str]:
    if not shutil.which(TOOL):
        raise house.Skip(f"needs {TOOL} (scripts/install_deps.sh dev)")
    seen = set()
    for line in house.run_tool([TOOL, "--dry-run", *sources(tree)]).stderr.splitlines():
        match = WARNING.match(line)
        if match and match.group(1) not in seen:
            seen.add(match.group(1))
            yield f"{tree.name(Path(match.group(1)))}:{match.group(2)}: not formatted: run make format"


SAMPLES = [
    house.Sample({".clang-format": STYLE, "src/a.cc": "int f() { return 1; }\n"}, ""),
    house.Sample({".clang-format": STYLE, "src/a.cc": "int g();\nint f( ) {return 1;}\n"}, "src/a.cc:2: not formatted"),
    house.Sample({".clang-format": STYLE, "tests/a.h": "int* f();\nint *g();\n"}, "tests/a.h:2"),
]

if __name__ == "__main__":
    if "--fix" in sys.argv:
        root = Path(__file__).resolve().parents[2]
        sys.exit(subprocess.call([TOOL, "-i", *sources(house.Tree(root, root / "build"))]))
    house.main(__doc__, check, SAMPLES)
