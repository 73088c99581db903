#!/usr/bin/python3
"""statements.py: runs the studies of a paper's statements, and sets what is measured beside each.

    statements.py [-o FOLDER] [--ranks N] [--overwrite] PAPER.toml

Results go to FOLDER (the paper's name). Exit: 0; 1 when something measured is not what is stated; 2 for mistakes of the user. The program is
that of the variable CONSTELLA (build/constella). PAPER.toml, whose names of studies are relative to itself, holds

    source       where the statements are made.
    statements   a list: `says`, `where` (section or equation), `study` or `script`, and `measured`, a list of
                   method   as the study has it, at its smallest step, or the script; and
                   column   of the result, with `is` (a word, or a number that is met `within`), `below` or `above`; or
                   same     another method, whose q and p at the end differ by the number measured, with `below` or `above`.

A script measures what the program has no method for. It is a Python file that prints TOML, a table for each method with its columns and their values.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import functools
import pathlib
import subprocess
import sys
import tomllib

sys.dont_write_bytecode = True

from studies import Studies, mistake  # noqa: E402


def case_of(result, method):
    """The case of the method's smallest step."""
    cases = {curve.method: curve.cases for curve in result.curves()}
    if method not in cases:
        mistake(f"the study has no method {method}; it has {', '.join(cases)}")
    return cases[method][-1]


def difference(result, one, other):
    """The largest difference of q and p at the end between two methods, at their smallest steps."""
    cases = [case_of(result, m) for m in (one, other)]
    return max(float(abs(result.data(path)[cases[0]] - result.data(path)[cases[1]]).max()) for path in ("/final/q", "/final/p"))


@functools.cache
def printed(script):
    """What a script prints: the values of the columns of its methods."""
    done = subprocess.run([sys.executable, script], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        mistake(f"{script}: {done.stderr.strip()}")
    return tomllib.loads(done.stdout)


def printed_of(values, item):
    """The value of a method's column in what a script prints."""
    for key in (item["method"], item["column"]):
        if key not in values:
            mistake(f"the script has no {key}; it has {', '.join(values)}")
        values = values[key]
    return values


def measured_of(result, item):
    if isinstance(result, dict):
        return printed_of(result, item)
    if "same" in item:
        return difference(result, item["method"], item["same"])
    case = case_of(result, item["method"])
    if isinstance(item.get("is"), str):
        return result.texts(item["column"])[case]
    return float(result.numbers(item["column"])[case])


def holds(item, value):
    if "within" in item:
        return abs(value - item["is"]) <= item["within"]
    if "is" in item:
        return value == item["is"]
    return value <= item["below"] if "below" in item else value >= item["above"]


def asked(item):
    if "within" in item:
        return f"{item['is']} within {item['within']}"
    if "is" in item:
        return item["is"]
    return f"at most {item['below']:g}" if "below" in item else f"at least {item['above']:g}"


def line_of(item, value):
    what = f"difference from {item['same']}" if "same" in item else item["column"]
    shown = value if isinstance(value, str) else f"{value:.4g}"
    return f"  {'ok ' if holds(item, value) else 'NOT'}  {item['method']}: {what} {shown} ({asked(item)})"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip(), description=__doc__.split("\n\n")[0])
    parser.add_argument("paper", metavar="PAPER.toml", type=pathlib.Path)
    parser.add_argument("-o", dest="folder", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--overwrite", action="store_true")
    options = parser.parse_args()
    options.rows = None
    options.folder = options.folder or pathlib.Path(options.paper.stem)
    try:
        paper = tomllib.loads(options.paper.read_text())
    except (OSError, tomllib.TOMLDecodeError) as e:
        mistake(f"{options.paper}: {e}")
    options.folder.mkdir(parents=True, exist_ok=True)
    studies = Studies(options.paper.parent, options)
    if not options.overwrite:
        studies.refuse_existing({s["study"]: s for s in paper["statements"] if "study" in s})
    good = total = 0
    print(paper["source"])
    for statement in paper["statements"]:
        script = statement.get("script")
        result = printed(options.paper.parent / script) if script else studies.result(statement, statement["study"])
        print(f"\n{statement['says']} [{statement['where']}]")
        for item in statement["measured"]:
            value = measured_of(result, item)
            good, total = good + holds(item, value), total + 1
            print(line_of(item, value))
    print(f"\n{good} of {total} as stated")
    return good < total


if __name__ == "__main__":
    sys.exit(main())
