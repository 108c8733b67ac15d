#!/usr/bin/env python3
"""Typical mistakes, put into our own code one at a time: the tests must notice each.

tests/mutations/mutations.txt lists them. Each is applied to a copy of the tree below build/mutations,
what its test program needs is rebuilt, and the named tests are run: they must fail. Fails if a mutant
survives or does not compile, if its old text does not occur exactly once (the code has moved on: write
the mutation anew), or if the tests do not pass without it.

  check_mutations.py                  everything; minutes
  check_mutations.py --only PATTERN   the mutations whose name matches a shell pattern
  check_mutations.py --check-only     no build: are all old texts still there?
"""
import argparse
import fnmatch
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

LIST = "tests/mutations/mutations.txt"
COPIED = ["CMakeLists.txt", "CMakePresets.json", "cmake", "include", "src", "tests"]
TEST_TIMEOUT_S = 300


@dataclass
class Mutation:
    name: str
    file: str
    program: str  # CMake target of the tests
    filter: str  # GoogleTest filter of the tests that must fail
    old: str
    new: str


class Wrong(Exception):
    """A mutation that cannot be judged; the message says why."""


def parse(text: str) -> list[Mutation]:
    """Blocks of "== NAME", "file: PATH", "tests: PROGRAM FILTER", "-- old", text, "-- new", text."""
    block = re.compile(
        r"^== (?P<name>.+)\nfile: (?P<file>\S+)\ntests: (?P<program>\S+) (?P<filter>\S+)\n"
        r"-- old\n(?P<old>(?:.*\n)+?)-- new\n(?P<new>(?:(?!== ).*\n?)*)", re.MULTILINE)
    mutations = [Mutation(**{key: value.rstrip("\n") for key, value in match.groupdict().items()})
                 for match in block.finditer(text)]
    declared = len(re.findall(r"^== ", text, re.MULTILINE))
    if declared != len(mutations):
        raise Wrong(f"{declared} mutations begin but {len(mutations)} are complete: see the form in its head")
    return mutations


def mutated(root: Path, mutation: Mutation) -> str:
    path = root / mutation.file
    if not path.exists():
        raise Wrong(f"{mutation.file} does not exist")
    text = path.read_text(encoding="utf-8")
    if text.count(mutation.old) != 1:
        raise Wrong(f"its old text occurs {text.count(mutation.old)} times in {mutation.file}, not once")
    if mutation.old == mutation.new:
        raise Wrong("changes nothing")
    return text.replace(mutation.old, mutation.new)


def sync(source: Path, target: Path) -> None:
    """Makes `target` a copy of the sources; unchanged files keep their times, so builds stay warm."""
    wanted = set()
    for name in COPIED:
        top = source / name
        for path in [top] if top.is_file() else top.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                wanted.add(path.relative_to(source))
    for path in list(target.rglob("*")):
        if path.is_file() and path.relative_to(target) not in wanted:
            path.unlink()
    for name in wanted:
        copy = target / name
        if not copy.exists() or copy.read_bytes() != (source / name).read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, copy)


class Workshop:
    """The copy of the tree and its one build folder."""

    def __init__(self, root: Path, folder: Path):
        self.tree = folder / "tree"
        self.build = folder / "build"
        self.tree.mkdir(parents=True, exist_ok=True)
        sync(root, self.tree)
        # -O1: these programs are built more often than run.
        self.run(["cmake", "-S", str(self.tree), "-B", str(self.build), "-G", "Ninja",
                  "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1",
                  f"-DGEM_SHARED_DIR={root.parent / 'shared'}"], "cannot configure")

    def run(self, command: list[str], failure: str) -> None:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            errors = [line for line in (done.stdout + done.stderr).splitlines() if "error" in line.lower()]
            raise Wrong(f"{failure}: {errors[0] if errors else done.stdout[-400:]}")

    def compile(self, programs: set[str]) -> None:
        self.run(["cmake", "--build", str(self.build), "--target", *sorted(programs)], "does not compile")

    def failing_test(self, program: str, test_filter: str) -> str:
        """The first test that fails, or nothing. Raises Wrong if the filter selects no test that runs."""
        path = next((found for found in self.build.rglob(program) if found.is_file()), None)
        if path is None:
            raise Wrong(f"the build makes no program {program}")
        try:
            done = subprocess.run([str(path), f"--gtest_filter={test_filter}"], capture_output=True,
                                  text=True, errors="replace", check=False, timeout=TEST_TIMEOUT_S,
                                  cwd=self.build)
        except subprocess.TimeoutExpired:
            return f"(no end within {TEST_TIMEOUT_S} s)"
        if done.returncode != 0:
            failed = re.search(r"^\[  FAILED  \] (\S+)", done.stdout, re.MULTILINE)
            return failed.group(1).rstrip(",") if failed else f"(exit status {done.returncode})"
        passed = re.search(r"^\[  PASSED  \] (\d+) test", done.stdout, re.MULTILINE)
        if not passed or passed.group(1) == "0":
            raise Wrong(f"{program} {test_filter} runs no test")
        return ""


def check_list(root: Path, mutations: list[Mutation]) -> list[str]:
    problems = []
    names = [mutation.name for mutation in mutations]
    problems += [f"{name}: listed twice" for name in sorted(set(names)) if names.count(name) > 1]
    for mutation in mutations:
        try:
            mutated(root, mutation)
        except Wrong as reason:
            problems.append(f"{mutation.name}: {reason}")
    return problems


def judge(workshop: Workshop, mutation: Mutation) -> str:
    """The test that noticed the mutation. Raises Wrong if none did."""
    path = workshop.tree / mutation.file
    original = path.read_text(encoding="utf-8")
    path.write_text(mutated(workshop.tree, mutation), encoding="utf-8")
    try:
        workshop.compile({mutation.program})
        killer = workshop.failing_test(mutation.program, mutation.filter)
    finally:
        path.write_text(original, encoding="utf-8")
    if not killer:
        raise Wrong("SURVIVES")
    return killer


def check(root: Path, folder: Path, mutations: list[Mutation]) -> int:
    problems = check_list(root, mutations)
    if problems:
        print("\n".join(problems))
        return 1
    try:
        workshop = Workshop(root, folder)
        workshop.compile({mutation.program for mutation in mutations})
        for program, test_filter in sorted({(mutation.program, mutation.filter) for mutation in mutations}):
            killer = workshop.failing_test(program, test_filter)
            if killer:
                raise Wrong(f"{killer} fails without any mutation")
    except Wrong as reason:
        print(f"before the first mutation: {reason}")
        return 1

    wrong = 0
    for mutation in mutations:
        begin = time.monotonic()
        try:
            verdict = f"killed by {judge(workshop, mutation)}"
        except Wrong as reason:
            verdict = str(reason)
            wrong += 1
        print(f"{mutation.name:<60} {time.monotonic() - begin:5.1f} s  {verdict}", flush=True)
    print(f"{len(mutations) - wrong} of {len(mutations)} mutations killed")
    return 1 if wrong else 0


def self_test() -> int:
    """Judges mutations of a two-file project whose right verdicts are known."""
    cmake = ("cmake_minimum_required(VERSION 3.25)\nproject(sample CXX)\n"
             "add_executable(sample_tests src/main.cc src/sum.cc)\n")
    main = ('#include <cstdio>\nint sum(int, int);\nint main(int, char** argv) {\n'
            '  if (sum(2, 3) != 5) return std::puts("[  FAILED  ] Sum.Adds (0 ms)"), 1;\n'
            '  std::puts(argv[1][15] == \'N\' ? "[  PASSED  ] 0 tests." : "[  PASSED  ] 1 test.");\n}\n')
    code = "int sum(int a, int b) {\n  return a + b;\n}\nint unused(int a) { return a; }\n"

    def mutation(old: str, new: str, test_filter: str = "Sum.*") -> str:
        return f"== m\nfile: src/sum.cc\ntests: sample_tests {test_filter}\n-- old\n{old}\n-- new\n{new}\n"

    # list, exit status, part of the output
    samples = [
        (mutation("  return a + b;", "  return a - b;"), 0, "killed by Sum.Adds"),
        (mutation("  return a + b;\n}", "  return b + a;\n}"), 1, "SURVIVES"),
        (mutation("return a + b", "return a + c"), 1, "does not compile"),
        (mutation("return a", "return b"), 1, "occurs 2 times"),
        (mutation("return z", "return b"), 1, "occurs 0 times"),
        (mutation("return a + b", "return a + b"), 1, "changes nothing"),
        (mutation("return a + b", "return a", "None"), 1, "runs no test"),
        (mutation("return a + b", "return a") * 2, 1, "listed twice"),
        ("== m\nfile: src/sum.cc\n", 1, "0 are complete"),
    ]
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "sample"
        (root / "src").mkdir(parents=True)
        (root / "tests/mutations").mkdir(parents=True)
        (root / "CMakeLists.txt").write_text(cmake, encoding="utf-8")
        (root / "src/main.cc").write_text(main, encoding="utf-8")
        (root / "src/sum.cc").write_text(code, encoding="utf-8")
        for number, (text, want_status, want_text) in enumerate(samples):
            (root / LIST).write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, __file__, "--root", str(root)], capture_output=True,
                                  text=True, check=False)
            if done.returncode != want_status or want_text not in done.stdout:
                print(f"sample {number}: status {done.returncode}, want {want_status} and {want_text!r}; text:\n"
                      f"{done.stdout}{done.stderr}")
                wrong += 1
    print(f"{len(samples)} samples, {wrong} wrong")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--only", default="*")
    parser.add_argument("--check-only", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    root = args.root.resolve()
    try:
        mutations = [mutation for mutation in parse((root / LIST).read_text(encoding="utf-8"))
                     if fnmatch.fnmatchcase(mutation.name, args.only)]
    except Wrong as reason:
        print(f"{LIST}: {reason}")
        return 1
    if args.check_only:
        problems = check_list(root, mutations)
        print("\n".join([*problems, f"{len(mutations)} mutations, {len(problems)} problem(s)"]))
        return 1 if problems else 0
    return check(root, root / "build/mutations", mutations)


if __name__ == "__main__":
    sys.exit(main())
