#!/usr/bin/env python3
"""The only program that gem ever starts is hax.

The sources start no process, and the built program imports no function that could, except in the one
file that starts hax.
"""
from collections.abc import Iterator

import forbidden_calls
import house

FUNCTIONS = {"fork", "vfork", "forkpty", "clone", "clone3", "exec", "execl*", "execv*", "fexecve", "popen",
             "system", "posix_spawn*", "wordexp"}
HEADERS = {"spawn.h", "wordexp.h"}
ALLOWED: dict[str, str] = {}  # path -> reason
INSTEAD = "gem starts no other program"


def check(tree: house.Tree) -> Iterator[str]:
    yield from forbidden_calls.calls(tree, FUNCTIONS, HEADERS, ALLOWED, INSTEAD)
    if not ALLOWED:
        yield from forbidden_calls.imports(tree, "gem", FUNCTIONS, INSTEAD)


def source(text: str, finds: str, name: str = "src/cli/x.cc") -> house.Sample:
    return house.Sample({name: text}, finds)


def build_gem(tree: house.Tree) -> None:
    done = house.run_tool(["c++", "-o", str(tree.build / "gem"), str(tree.root / "main.cc")])
    assert done.returncode == 0, done.stderr


SAMPLES = [
    source("// system(x) would be wrong\nconst char* a = \"fork()\";\nint b = device.system(1);\n", ""),
    source("void f() { gem::exec(); file_system(); }\n", ""),
    source("int f() { return system(\"ls\"); }\n", "", "src/cli/x_test.cc"),
    source("int f() {\n  return std::system(c);\n}\n", "src/cli/x.cc:2: system"),
    source("int f() { return ::fork(); }\n", "fork"),
    source("void f() { execvpe(a, b, c); }\n", "execvpe"),
    source("void f() { posix_spawnp(a); }\n", "posix_spawnp"),
    source("FILE* f() { return popen (a, b); }\n", "popen"),
    source("#include <spawn.h>\n", "spawn.h"),
    house.Sample({"main.cc": "#include <cstdlib>\nint main(int n, char**) { return n > 9 && system(\"x\"); }\n"},
                 "gem: imports system", build_gem),
    house.Sample({"main.cc": "int main() {}\n"}, "", build_gem),
]

if __name__ == "__main__":
    house.main(__doc__, check, SAMPLES)
