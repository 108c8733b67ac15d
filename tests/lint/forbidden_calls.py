"""Finds calls of functions in the product's sources, and their names among a program's imports."""
import re
from collections.abc import Iterator

import house


def calls(tree: house.Tree, functions: set[str], headers: set[str], allowed: dict[str, str],
          instead: str) -> Iterator[str]:
    """Calls of `functions` and includes of `headers` below src/, tests aside.

    A name with a trailing * stands for every name that starts so. `allowed` maps path prefixes to the
    reason why they may.
    """
    names = "|".join(name.replace("*", r"\w*") for name in sorted(functions))
    # Not a member or another namespace's function: only ::f, std::f and f are the system's.
    call = re.compile(rf"(?<![\w.:>])(?:std::|::)?({names})\s*\(")
    include = re.compile(r"^\s*#\s*include\s*<((?:" + "|".join(map(re.escape, sorted(headers))) + r")[^>]*)>") \
        if headers else None
    for path in tree.cxx_files("src"):
        name = tree.name(path)
        if path.stem.endswith("_test") or name.startswith(tuple(allowed)):
            continue
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(house.code_only(text).splitlines(), 1):
            match = call.search(line) or (include and include.match(line))
            if match:
                yield f"{name}:{number}: {match.group(1)}: {instead}"


def imports(tree: house.Tree, program: str, functions: set[str], instead: str) -> Iterator[str]:
    """Undefined symbols of a built program that are among `functions`: also what a library brought in."""
    path = tree.build / program
    if not path.exists():
        return
    wanted = re.compile("|".join(name.replace("*", r"\w*") for name in sorted(functions)))
    for line in house.run_tool(["nm", "--undefined-only", str(path)]).stdout.splitlines():
        symbol = line.split()[-1].split("@")[0].removeprefix("_")
        if wanted.fullmatch(symbol):
            yield f"{program}: imports {symbol}: {instead}"
