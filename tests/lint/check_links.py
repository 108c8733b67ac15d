#!/usr/bin/env python3
"""gem is no wrapper: nothing that is built links llama.cpp or ggml, or contains their symbols.

Looked at are the shared libraries and the symbol table of every program and library in the build folder.
"""
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import house

LIBRARY = re.compile(r"\blib(llama|ggml|mtmd)[\w.+-]*", re.IGNORECASE)
# Their C interfaces, and their C++ types as the first name of a mangled symbol.
SYMBOL = re.compile(r"^_?(?:(?:llama|ggml|gguf|mtmd)_\w+|_Z\w*?\d(?:llama|ggml|gguf|mtmd)_\w*)$")
MAGICS = (b"\x7fELF", b"!<arch>\n", b"\xcf\xfa\xed\xfe")


def binaries(tree: house.Tree) -> Iterator[Path]:
    for path in sorted(tree.build.rglob("*")):
        if path.is_file() and path.suffix != ".o" and "CMakeFiles" not in path.parts:
            with path.open("rb") as file:
                if file.read(8).startswith(MAGICS):
                    yield path


def check(tree: house.Tree) -> Iterator[str]:
    list_libraries = ["otool", "-L"] if sys.platform == "darwin" else ["ldd"]
    for path in binaries(tree):
        name = path.relative_to(tree.build).as_posix()
        if path.suffix != ".a":
            for library in LIBRARY.finditer(house.run_tool([*list_libraries, str(path)]).stdout):
                yield f"{name}: links {library.group()}"
        found = sorted({fields[-1] for line in house.run_tool(["nm", str(path)]).stdout.splitlines()
                        if (fields := line.split()) and SYMBOL.match(fields[-1])})
        if found:
            yield f"{name}: contains {len(found)} symbol(s) of another engine, such as {found[0]}"


def compile_program(tree: house.Tree) -> None:
    """Builds build/program from main.cc, and the libllama.so that it links if there is a llama.cc."""
    libraries = []
    if (tree.root / "llama.cc").exists():
        library = tree.build / "libllama.so"
        house.run_tool(["c++", "-shared", "-fPIC", "-o", str(library), str(tree.root / "llama.cc")])
        libraries = [str(library), f"-Wl,-rpath,{tree.build}"]
    done = house.run_tool(["c++", "-o", str(tree.build / "program"), str(tree.root / "main.cc"), *libraries])
    assert done.returncode == 0, done.stderr


SAMPLES = [
    house.Sample({"main.cc": "namespace gem::gguf { int block_values; }\nint main() {}\n"}, "", compile_program),
    house.Sample({"main.cc": 'extern "C" void ggml_mul_mat() {}\nint main() {}\n'}, "such as ggml_mul_mat",
                 compile_program),
    house.Sample({"main.cc": "struct llama_model { void f(); };\nvoid llama_model::f() {}\nint main() {}\n"},
                 "contains 1 symbol", compile_program),
    house.Sample({"main.cc": "int f();\nint main() { return f(); }\n", "llama.cc": "int f() { return 0; }\n"},
                 "links libllama", compile_program),
]

if __name__ == "__main__":
    house.main(__doc__, check, SAMPLES)
