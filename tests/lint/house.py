"""What the checks of this folder share: their command line, their files, and their self-test.

A check is a script whose docstring is the text of its rule. It defines

    check(tree)  -> the problems, one line each: "path:line: what is wrong"
    SAMPLES      -> small trees with the problem that each must give, or none

and ends with house.main(__doc__, check, SAMPLES). Exit status: 0 clean, 1 problems, 77 skipped.
"""
import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SKIPPED_STATUS = 77
CXX_SUFFIXES = {".cc", ".h", ".cu", ".cuh", ".mm", ".metal"}
# Everything of the project's own, without asking git: a release archive has no history.
FOLDERS = [".ci", "bench", "cmake", "docs", "include", "scripts", "src", "tests"]
IGNORED = {".git", "__pycache__", "node_modules", "corpus", "golden"}


class Skip(Exception):
    """Raised by a check whose tool is not installed; the message is the reason."""


@dataclass
class Tree:
    """The source tree that a check looks at, and the folder it was built in."""

    root: Path
    build: Path

    def files(self, *folders: str) -> Iterator[Path]:
        """Files below `folders`, or of the whole project, in a stable order; data is left out."""
        found = [] if folders else list(self.root.iterdir())
        for folder in folders or FOLDERS:
            found += (self.root / folder).rglob("*")
        for path in sorted(found):
            if path.is_file() and not IGNORED.intersection(path.relative_to(self.root).parts):
                yield path

    def cxx_files(self, *folders: str) -> Iterator[Path]:
        return (path for path in self.files(*folders) if path.suffix in CXX_SUFFIXES)

    def name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def compile_commands(self) -> list[dict]:
        """CMake's record of every compilation, each with "file", "directory" and a list "arguments"."""
        path = self.build / "compile_commands.json"
        if not path.exists():
            raise Skip(f"needs {path}: configure first")
        commands = json.loads(path.read_text(encoding="utf-8"))
        for command in commands:
            command.setdefault("arguments", shlex.split(command.get("command", "")))
        return commands


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def code_only(text: str) -> str:
    """C++ text with comments and string contents blanked; line numbers stay."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
        re.DOTALL)
    return pattern.sub(lambda match: '""' + "\n" * match.group().count("\n"), text)


def run_tool(arguments: list[str], **options) -> subprocess.CompletedProcess:
    return subprocess.run(arguments, capture_output=True, text=True, errors="replace", check=False,
                          **options)


@dataclass
class Sample:
    """A tree and what a check must say about it."""

    files: dict[str, str]  # path -> text; "@ROOT@" in a text becomes the tree's path
    finds: str = ""  # part of the one problem that must be found; empty: must be clean
    prepare: Callable[[Tree], None] = field(default=lambda tree: None)  # e.g. compiles a file


def self_test(check: Callable[[Tree], Iterable[str]], samples: list[Sample]) -> int:
    wrong = 0
    if not any(sample.finds for sample in samples):
        print("no sample has a problem: nothing proves that this check can fail")
        wrong += 1
    for number, sample in enumerate(samples):
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(Path(folder), Path(folder) / "build")
            tree.build.mkdir()
            for name, text in sample.files.items():
                path = tree.root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.replace("@ROOT@", folder), encoding="utf-8")
            sample.prepare(tree)
            problems = list(check(tree))
        found = len(problems) == 1 and sample.finds in problems[0] if sample.finds else not problems
        if not found:
            print(f"sample {number}: want {sample.finds or 'no problem'!r}, got {problems}")
            wrong += 1
    print(f"{len(samples)} samples, {wrong} wrong")
    return 1 if wrong else 0


def main(rule: str, check: Callable[[Tree], Iterable[str]], samples: list[Sample]) -> None:
    parser = argparse.ArgumentParser(description=rule,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=Path, default=None, help="default: ROOT/build/release")
    parser.add_argument("--self-test", action="store_true", help="prove that the check can fail")
    args = parser.parse_args()
    root = args.root.resolve()
    try:
        if args.self_test:
            sys.exit(self_test(check, samples))
        problems = list(check(Tree(root, args.build or root / "build/release")))
    except Skip as reason:
        print(f"SKIPPED: {reason}")
        sys.exit(SKIPPED_STATUS)
    for problem in problems:
        print(problem)
    if problems:
        print(f"\n{len(problems)} problem(s). The rule:\n{rule.strip()}")
    sys.exit(1 if problems else 0)
