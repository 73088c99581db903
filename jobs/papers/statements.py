#!/usr/bin/python3
"""statements.py: runs the studies of a paper's statements, and compares each statement with the measured
values.

    statements.py [-o FOLDER] [--only NAME ...] [--ranks N] [--overwrite] PAPER.toml

Results go to FOLDER (default: the paper's name). --only takes the statements of these studies and scripts, without
the end of their names. Exit: 0; 1 when a measured value contradicts a statement;
2 for mistakes of the user. The program is that of the variable CONSTELLA (build/constella). PAPER.toml, in
which the names of studies are relative to it, contains

    source       where the statements are made.
    statements   a list: `says`, `where` (section or equation), `study` or `script`, and `measured`, a list of
                   method      as in the study, at its smallest step, or as in the script; `methods` measures
                               each of a list; and
                   column      of the result, with `is`, or with `below`, `above` or both. `is` has a word, or a number
                               that is met `within` a difference or within a multiple of its standard error
                               (`errors`; for a column NAME_mean that of NAME_error); round-off is 0 `within` its
                               bound; `below` and `above` are within a factor of ten of what is measured; with
                               `rate` the number
                               is the base-2 logarithm of the column at the second smallest step over that at
                               the smallest one; with `over` the column is divided by that of another method; or
                   same        another method, whose q and p at the end differ by the measured number, with
                               `below` or `above`; or
                   histogram   of the result, with `of`: its peak, or the fraction or the mean of the samples
                               `under` an edge (distributions.py), compared like a column.
                 The text of a study may be changed (`change`, a table of old and new) under another `name`.

A script measures methods that the program does not have. It is a Python file that prints TOML, one table per
method with its columns and their values.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import functools
import math
import pathlib
import subprocess
import sys
import tomllib

sys.dont_write_bytecode = True

import distributions  # noqa: E402
from studies import Studies, case_of, mistake  # noqa: E402


def difference(result, one, other):
    """The largest difference of q and p at the end between two methods, at their smallest steps."""
    cases = [case_of(result, m) for m in (one, other)]
    return max(
        float(abs(result.data(path)[cases[0]] - result.data(path)[cases[1]]).max())
        for path in ("/final/q", "/final/p")
    )


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
    if "histogram" in item:
        return distributions.measured_of(result, case, item)
    if isinstance(item.get("is"), str):
        return result.texts(item["column"])[case]
    values = result.numbers(item["column"])
    if item.get("rate"):
        return math.log2(values[case - 1] / values[case])
    if "over" in item:
        return float(values[case] / values[case_of(result, item["over"])])
    return float(values[case])


def error_of(result, item):
    """The standard error of a mean, if the item allows a multiple of it."""
    if "errors" not in item:
        return 0.0
    return float(
        result.numbers(item["column"].removesuffix("mean") + "error")[case_of(result, item["method"])]
    )


def holds(item, value, error):
    if "errors" in item:
        return abs(value - item["is"]) <= item["errors"] * error
    if "within" in item:
        return abs(value - item["is"]) <= item["within"]
    if "is" in item:
        return value == item["is"]
    if not item.keys() & {"below", "above"}:
        mistake(f"{item['method']}: {name_of(item)} has no `is`, `below` or `above`")
    return item.get("above", -math.inf) <= value <= item.get("below", math.inf)


def asked(item):
    if "errors" in item:
        return f"{item['is']} within {item['errors']} errors"
    if "within" in item:
        return f"{item['is']} within {item['within']}"
    if "is" in item:
        return item["is"]
    words = {"above": "at least", "below": "at most"}
    return ", ".join(f"{words[k]} {item[k]:g}" for k in words if k in item)


def name_of(item):
    if "same" in item:
        return f"difference from {item['same']}"
    if "histogram" in item:
        return f"{item['of']} of {item['histogram']}" + (
            f" under {item['under']:g}" if "under" in item else ""
        )
    if item.get("rate"):
        return f"rate of {item['column']}"
    if "over" in item:
        return f"{item['column']} over that of {item['over']}"
    return item["column"]


def line_of(item, value, error=0.0):
    shown = value if isinstance(value, str) else f"{value:.4g}"
    shown += f" +- {error:.2g}" if error else ""
    verdict = "ok " if holds(item, value, error) else "NOT"
    return f"  {verdict}  {item['method']}: {name_of(item)} {shown} ({asked(item)})"


def each(measured):
    """What is measured, of one method each."""
    return [
        {**item, "method": method}
        for item in measured
        for method in item.get("methods", [item.get("method")])
    ]


def chosen(statements, only):
    """Those of these studies and scripts; all if none is named."""

    def of(statement):
        return pathlib.Path(statement.get("study") or statement["script"]).stem

    unknown = set(only) - {of(s) for s in statements}
    if unknown:
        mistake(f"no statement of {', '.join(sorted(unknown))}; there are {', '.join(sorted({of(s) for s in statements}))}")
    return [s for s in statements if not only or of(s) in only]


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("\n\n")[1].strip(), description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("paper", metavar="PAPER.toml", type=pathlib.Path)
    parser.add_argument("-o", dest="folder", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--overwrite", action="store_true")
    options = parser.parse_args()
    options.rows = None
    options.folder = options.folder or pathlib.Path(options.paper.stem)
    try:
        paper = tomllib.loads(options.paper.read_text())
    except (OSError, tomllib.TOMLDecodeError) as e:
        mistake(f"{options.paper}: {e}")
    paper["statements"] = chosen(paper["statements"], options.only)
    options.folder.mkdir(parents=True, exist_ok=True)
    studies = Studies(options.paper.parent, options)
    if not options.overwrite:
        studies.refuse_existing({s.get("name", s["study"]): s for s in paper["statements"] if "study" in s})
    good = total = 0
    print(paper["source"])
    for statement in paper["statements"]:
        script = statement.get("script")
        result = (
            printed(options.paper.parent / script)
            if script
            else studies.result(statement, statement.get("name", statement["study"]))
        )
        print(f"\n{statement['says']} [{statement['where']}]")
        for item in each(statement["measured"]):
            value, error = measured_of(result, item), error_of(result, item)
            good, total = good + holds(item, value, error), total + 1
            print(line_of(item, value, error))
    print(f"\n{good} of {total} as stated")
    return good < total


if __name__ == "__main__":
    sys.exit(main())
