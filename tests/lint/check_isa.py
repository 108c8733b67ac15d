#!/usr/bin/env python3
"""Instructions that not every processor has stay inside the kernels that are chosen at run time.

Only src/device/cpu/isa_*.cc is compiled with instruction set flags. Each of these objects defines one
global symbol, its table of kernels, and no weak one: the linker could pick a weak copy of a shared
inline function from it for the whole program, which would then crash on an older processor.
"""
import json
import re
from collections.abc import Iterator
from pathlib import Path

import house

IS_ISA_FILE = re.compile(r"src/device/cpu/isa_\w+\.cc$")
ISA_FLAG = re.compile(r"-m(?:arch|cpu|tune|fpu)=|-m(?:no-)?(?:sse|ssse|avx|fma|f16c|bmi|amx|gfni|popcnt|lzcnt)")


def object_of(command: dict) -> Path:
    arguments = command["arguments"]
    output = command.get("output") or arguments[arguments.index("-o") + 1]
    return Path(command["directory"]) / output


def problems_of_object(path: Path) -> Iterator[str]:
    exported = []
    for line in house.run_tool(["nm", "--defined-only", str(path)]).stdout.splitlines():
        kind, symbol = line.split()[-2:]
        if kind in "WwVvu":
            yield f"weak symbol {symbol}: keep it out, or give it internal linkage"
        elif kind.isupper():
            exported.append(symbol)
    if len(exported) != 1:
        yield f"exports {len(exported)} symbols ({', '.join(exported)}): only its table should be"


def check(tree: house.Tree) -> Iterator[str]:
    for command in tree.compile_commands():
        source = Path(command["directory"], command["file"]).resolve()
        if not source.is_relative_to(tree.root.resolve()):
            continue
        name = source.relative_to(tree.root.resolve()).as_posix()
        if not IS_ISA_FILE.search(name):
            for argument in command["arguments"]:
                if ISA_FLAG.match(argument):
                    yield f"{name}:1: compiled with {argument}: only src/device/cpu/isa_*.cc may be"
            continue
        if not object_of(command).exists():
            yield f"{name}:1: {object_of(command)} is missing: build first"
            continue
        for problem in problems_of_object(object_of(command)):
            yield f"{name}:1: {problem}"


def sample(finds: str, source: str, text: str, flags: str = "") -> house.Sample:
    def compile_it(tree: house.Tree) -> None:
        arguments = ["c++", "-O1", *flags.split(), "-c", str(tree.root / source), "-o", "x.o"]
        done = house.run_tool(arguments, cwd=tree.build)
        assert done.returncode == 0, done.stderr
        command = {"directory": str(tree.build), "file": str(tree.root / source), "arguments": arguments}
        (tree.build / "compile_commands.json").write_text(json.dumps([command]), encoding="utf-8")

    return house.Sample({source: text}, finds, compile_it)


KERNEL = "src/device/cpu/isa_native.cc"
SAMPLES = [
    sample("", KERNEL, "namespace { int f() { return 1; } }\nextern int (*const table)() = f;\n"),
    sample("", "src/base/text.cc", "inline int f() { return 1; }\nint (*p)() = f;\nint q;\n"),
    sample("compiled with -mtune=native", "src/base/text.cc", "int f() { return 1; }\n", "-mtune=native"),
    sample("exports 2 symbols", KERNEL, "int f() { return 1; }\nextern int (*const table)() = f;\n"),
    sample("weak symbol", KERNEL, "inline int f() { return 1; }\nextern int (*const table)() = f;\n"),
]

if __name__ == "__main__":
    house.main(__doc__, check, SAMPLES)
