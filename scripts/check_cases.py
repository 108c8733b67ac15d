#!/usr/bin/env python3
"""Checks tests/cases.txt, which maps reported cases to the tests that hold them.

    scripts/check_cases.py --list FILE        the tests exist: FILE has the output of `ctest -N`
    scripts/check_cases.py --results FILE     the tests ran and passed: FILE is ctest's JUnit file
    scripts/check_cases.py --build DIR        as --list, asking ctest for the tests of a build folder

A test that was skipped did not run; --allow-skipped takes it (its data is not on every machine).
"""
import argparse
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

CASES = Path(__file__).resolve().parent.parent / "tests" / "cases.txt"
CASE = re.compile(r"G\d{3}")
TEST = re.compile(r"\w+(/\w+)?\.\w+(/\w+)?")


def read_cases(text: str) -> tuple[dict[str, list[str]], list[str]]:
    """Tests by case, and what is wrong with the file."""
    cases: dict[str, list[str]] = {}
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        case, tests = fields[0], fields[1:]
        if not CASE.fullmatch(case) or not tests or not all(TEST.fullmatch(test) for test in tests):
            problems.append(f"line {number}: '{line}' is not: CASE SUITE.TEST [SUITE.TEST ...]")
        elif case in cases:
            problems.append(f"line {number}: {case} is there twice")
        else:
            cases[case] = tests
    if not cases and not problems:
        problems.append("there are no cases")
    return cases, problems


def listed_tests(listing: str) -> dict[str, str]:
    """Every test of `ctest -N`, as passed: it exists."""
    return {name: "passed" for name in re.findall(r"^\s*Test\s+#\d+: (\S+)", listing, re.MULTILINE)}


def test_results(junit: str) -> dict[str, str]:
    """passed, skipped or failed, by test."""
    results = {}
    for element in ElementTree.fromstring(junit).iter("testcase"):
        status = element.get("status")
        outcome = "passed" if status == "run" else "skipped" if element.find("skipped") is not None else "failed"
        results[element.get("name", "")] = outcome
    return results


def check(cases: dict[str, list[str]], outcomes: dict[str, str], allow_skipped: bool) -> list[str]:
    problems = []
    for case, tests in cases.items():
        for test in tests:
            outcome = outcomes.get(test, "missing")
            if outcome == "missing":
                problems.append(f"{case}: there is no test {test}")
            elif outcome == "failed" or (outcome == "skipped" and not allow_skipped):
                problems.append(f"{case}: {test} was {outcome}")
    return problems


def self_test() -> int:
    listing = "Test project x\n  Test  #1: A.One\n  Test #22: B/C.Two/x\n\nTotal Tests: 2\n"
    junit = ('<testsuite><testcase name="A.One" status="run"/><testcase name="B.Skip" status="notrun"><skipped/>'
             '</testcase><testcase name="C.Bad" status="fail"><failure/></testcase></testsuite>')
    assert listed_tests(listing) == {"A.One": "passed", "B/C.Two/x": "passed"}
    assert test_results(junit) == {"A.One": "passed", "B.Skip": "skipped", "C.Bad": "failed"}
    cases, problems = read_cases("# x\nG001 A.One B.Two\n\nG002 C.Three\n")
    assert (cases, problems) == ({"G001": ["A.One", "B.Two"], "G002": ["C.Three"]}, [])
    for wrong in ("", "G1 A.One", "G001", "G001 One", "G001 A.One\nG001 A.Two"):
        assert read_cases(wrong)[1], wrong
    assert check({"G001": ["A.One"]}, listed_tests(listing), False) == []
    assert check({"G001": ["A.Two"]}, listed_tests(listing), False) == ["G001: there is no test A.Two"]
    outcomes = test_results(junit)
    assert check({"G001": ["B.Skip"]}, outcomes, True) == []
    assert check({"G001": ["B.Skip", "C.Bad"]}, outcomes, False) == ["G001: B.Skip was skipped",
                                                                     "G001: C.Bad was failed"]
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--list", type=Path, metavar="FILE")
    source.add_argument("--results", type=Path, metavar="FILE")
    source.add_argument("--build", type=Path, metavar="DIR")
    source.add_argument("--self-test", action="store_true")
    parser.add_argument("--allow-skipped", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()

    cases, problems = read_cases(CASES.read_text(encoding="utf-8"))
    if arguments.list:
        outcomes = listed_tests(arguments.list.read_text(encoding="utf-8"))
    elif arguments.results:
        outcomes = test_results(arguments.results.read_bytes().decode("utf-8", errors="replace"))
    else:
        done = subprocess.run(["ctest", "-N", "--test-dir", str(arguments.build)], capture_output=True, text=True,
                              check=False)
        outcomes = listed_tests(done.stdout)
    problems += check(cases, outcomes, arguments.allow_skipped)
    for problem in problems:
        print(f"{CASES.name}: {problem}")
    print(f"{len(cases)} reported cases, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
