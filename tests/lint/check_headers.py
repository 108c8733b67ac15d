#!/usr/bin/env python3
"""Each header compiles alone.

For x.h with an x.cc that includes it before anything else the build has proven it; the others are
compiled here, with the flags of a source of their module.
"""
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import house

FIRST_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def is_proven(tree: house.Tree, header: Path) -> bool:
    source = header.with_suffix(".cc")
    if not source.exists():
        return False
    first = FIRST_INCLUDE.search(source.read_text(encoding="utf-8"))
    return first is not None and first.group(1) == header.relative_to(tree.root / "src").as_posix()


def flags_by_module(tree: house.Tree) -> dict[str, list[str]]:
    """Compiler and flags of one source of each module; "" has those of any."""
    flags: dict[str, list[str]] = {}
    for command in tree.compile_commands():
        source = Path(command["directory"], command["file"]).resolve()
        if not source.is_relative_to(tree.root.resolve() / "src") or source.stem.endswith("_test"):
            continue
        module = source.relative_to(tree.root.resolve() / "src").parts[0]
        kept, arguments = [], iter(command["arguments"])
        for argument in arguments:
            if argument in ("-o", "-MF", "-MT", "-MQ"):
                next(arguments)
            elif argument not in ("-c", "-MD", "-MMD", command["file"]):
                kept.append(argument)
        flags.setdefault(module, kept)
        flags.setdefault("", kept)
    return flags


def check(tree: house.Tree) -> Iterator[str]:
    flags = flags_by_module(tree)
    headers = [path for path in tree.files("src") if path.suffix == ".h" and not is_proven(tree, path)]

    def problem(header: Path) -> str:
        name = header.relative_to(tree.root / "src").as_posix()
        command = flags.get(name.split("/")[0], flags.get("", ["c++", "-std=c++20"]))
        done = house.run_tool([*command, f"-I{tree.root / 'src'}", "-fsyntax-only", "-x", "c++", "-"],
                              input=f'#include "{name}"\n', cwd=tree.build)
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        if done.returncode == 0:
            return ""
        return f"src/{name}:1: does not compile alone: {errors[0] if errors else done.stderr}"

    with ThreadPoolExecutor(max_workers=2) as pool:
        yield from filter(None, pool.map(problem, headers))


BUILT = {"build/compile_commands.json":
         '[{"directory": "@ROOT@", "file": "@ROOT@/src/a/a.cc", "command": "c++ -std=c++20 -o a.o -c @ROOT@/src/a/a.cc"}]'}
SAMPLES = [
    house.Sample(BUILT | {"src/a/a.h": "#include <string>\nstd::string f();\n"}, ""),
    house.Sample(BUILT | {"src/a/a.h": "std::string f();\n"}, "src/a/a.h:1: does not compile alone"),
    house.Sample(BUILT | {"src/a/a.h": "std::string f();\n", "src/a/a.cc": '#include <string>\n#include "a/a.h"\n'},
                 "src/a/a.h:1"),
    # The compiler itself refuses this one.
    house.Sample(BUILT | {"src/a/a.h": "std::string f();\n", "src/a/a.cc": '// Why.\n#include "a/a.h"\n'}, ""),
]

if __name__ == "__main__":
    house.main(__doc__, check, SAMPLES)
