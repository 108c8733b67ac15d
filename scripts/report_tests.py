#!/usr/bin/env python3
"""The end of a test run: every skip with its reason, then the totals, from ctest's JUnit file.

Called by run_tests.sh. The last line is always "N passed, N failed". The exit status is 0 only if tests
ran, none failed, and, with the environment variable CI set, every skip is listed in
tests/expected_skips.txt.
"""
import argparse
import fnmatch
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple


class Case(NamedTuple):
    name: str
    outcome: str  # "passed", "failed" or "skipped"
    reason: str  # of a skip


class ExpectedSkip(NamedTuple):
    name: str  # shell pattern
    when: str  # "always" or "no-shared"
    reason: str  # what the reason contains


def skip_reason(output: str) -> str:
    """What a skipped test said: after GoogleTest's "file:line: Skipped", or after "SKIPPED:"."""
    match = re.search(r"^\S+:\d+: Skipped\n(.*?)\n*^\[  SKIPPED \]", output, re.MULTILINE | re.DOTALL)
    if not match:
        match = re.search(r"^SKIPPED: (.*)$", output, re.MULTILINE)
    return " ".join(match.group(1).split()) if match else "no reason given"


def read_cases(results: Path) -> list[Case]:
    if not results.exists():
        return []
    # A test may print any bytes, and ctest passes them on.
    text = results.read_bytes().decode("utf-8", errors="replace")
    cases = []
    for element in ElementTree.fromstring(text).iter("testcase"):
        name = element.get("name", "")
        skipped = element.find("skipped")
        if element.get("status") == "run":
            cases.append(Case(name, "passed", ""))
        elif element.get("status") == "disabled":
            cases.append(Case(name, "skipped", "disabled in the source"))
        # ctest also calls a program that is missing "skipped"; only what a test asked for is a skip.
        elif skipped is not None and skipped.get("message", "").startswith("SKIP_"):
            cases.append(Case(name, "skipped", skip_reason(element.findtext("system-out", ""))))
        else:
            cases.append(Case(name, "failed", ""))
    return cases


def read_expected(path: Path) -> list[ExpectedSkip]:
    expected = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 3 or fields[1] not in ("always", "no-shared") or not fields[2]:
            sys.exit(f"{path}: '{line}' is not: NAME PATTERN | always or no-shared | REASON")
        expected.append(ExpectedSkip(*fields))
    return expected


def is_expected(case: Case, expected: list[ExpectedSkip], has_shared: bool) -> bool:
    return any(
        fnmatch.fnmatchcase(case.name, skip.name)
        and skip.reason in case.reason
        and (skip.when == "always" or not has_shared)
        for skip in expected
    )


def report(cases: list[Case], ctest_status: int, expected: list[ExpectedSkip], has_shared: bool,
           in_ci: bool) -> int:
    passed = sum(case.outcome == "passed" for case in cases)
    failed = [case.name for case in cases if case.outcome == "failed"]
    skipped = [case for case in cases if case.outcome == "skipped"]
    if ctest_status != 0 and not failed:
        failed.append(f"ctest itself (exit status {ctest_status})")

    print()
    for case in skipped:
        print(f"SKIPPED: {case.name}: {case.reason}")
        if in_ci and not is_expected(case, expected, has_shared):
            failed.append(f"{case.name} (skipped, and not listed in tests/expected_skips.txt)")
    for name in failed:
        print(f"FAILED: {name}")
    print(f"{len(skipped)} skipped")
    print(f"{passed} passed, {len(failed)} failed")
    return 0 if passed > 0 and not failed else 1


def self_test() -> int:
    """Runs report() on made-up results and checks status and text of each."""
    import contextlib
    import io

    def case(name: str, status: str, inner: str = "") -> str:
        return f'<testcase name="{name}" status="{status}">{inner}</testcase>'

    good = case("A.Good", "run")
    bad = case("A.Bad", "fail", '<failure message=""/>')
    not_built = case("A.Missing", "notrun", '<skipped message="Unable to find executable"/>')
    gtest_skip = case(
        "A.Golden", "notrun",
        '<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/><system-out>[ RUN      ] A.Golden\n'
        "a.cc:2: Skipped\nneeds the shared folder's x\n[  SKIPPED ] A.Golden (0 ms)\n</system-out>")
    script_skip = case("house.x", "notrun",
                       '<skipped message="SKIP_RETURN_CODE=77"/><system-out>SKIPPED: needs y\n</system-out>')
    shared = ExpectedSkip("*", "no-shared", "needs the shared folder's")

    # cases, ctest's status, shared folder there, CI -> exit status, last lines
    samples = [
        ([good], 0, True, True, 0, "0 skipped\n1 passed, 0 failed\n"),
        ([good, bad], 8, True, False, 1, "FAILED: A.Bad\n0 skipped\n1 passed, 1 failed\n"),
        ([good, not_built], 8, True, False, 1, "FAILED: A.Missing\n0 skipped\n1 passed, 1 failed\n"),
        ([], 8, True, False, 1, "0 passed, 1 failed\n"),
        ([], 0, True, False, 1, "0 passed, 0 failed\n"),
        ([good], 1, True, False, 1, "1 passed, 1 failed\n"),
        ([good, gtest_skip], 0, False, True, 0,
         "SKIPPED: A.Golden: needs the shared folder's x\n1 skipped\n1 passed, 0 failed\n"),
        ([good, gtest_skip], 0, True, True, 1, "1 skipped\n1 passed, 1 failed\n"),
        ([good, gtest_skip], 0, True, False, 0, "1 skipped\n1 passed, 0 failed\n"),
        ([good, script_skip], 0, True, True, 1, "1 skipped\n1 passed, 1 failed\n"),
        ([good, script_skip], 0, True, False, 0, "SKIPPED: house.x: needs y\n1 skipped\n1 passed, 0 failed\n"),
    ]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.xml"
        for number, (cases, status, has_shared, in_ci, want_status, want_end) in enumerate(samples):
            results.write_text("<testsuite>" + "".join(cases) + "</testsuite>", encoding="utf-8")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                got = report(read_cases(results), status, [shared], has_shared, in_ci)
            if got != want_status or not out.getvalue().endswith(want_end):
                print(f"sample {number}: status {got}, want {want_status}; text:\n{out.getvalue()}")
                wrong += 1
    print(f"{len(samples)} samples, {wrong} wrong")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--ctest-status", type=int, default=0)
    parser.add_argument("--expected-skips", type=Path)
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    shared = os.environ.get("GEM_SHARED_DIR", "../shared")
    return report(read_cases(args.results), args.ctest_status, read_expected(args.expected_skips),
                  Path(shared).is_dir(), bool(os.environ.get("CI")))


if __name__ == "__main__":
    sys.exit(main())
