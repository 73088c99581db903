#!/usr/bin/python3
"""tables.py: runs the studies of a paper's tables, and compares printed with measured numbers.

    tables.py [-o FOLDER] [--only NAME ...] [--rows N] [--ranks N] [--format text|markdown]
              [--counts] [--overwrite] PAPER.toml

Results go to FOLDER (default: the paper's name). Exit: 0; 1 when a number that
must agree does not; 2 for mistakes of the user. The program is that of the variable CONSTELLA
(build/constella).

PAPER.toml, in which the names of studies are relative to it, contains

    source    where the numbers are printed.
    columns   by name: `heading` (the name), `measured`, and one of
                digits   that many digits must agree, or all that are printed if they are fewer,
                within   the difference, rounded to the printed decimals, must not be larger (rates),
                bound    the measured value must not be larger, whatever is printed (round-off).
              `measured` is a column of the result, or the path of an observable, of which the largest change is
              taken; with `figure` another figure of docs/result-file.md minus the one at the start. For a
              dataset of vectors `component` is the change of that component from the preceding, larger step to
              this one. Instead of `measured`, `rate_of` names another column: the base-2 logarithm of its value
              at the preceding step over that at this one, or (`ahead`) of that at this one over that at the
              next. `method` is in a column if the columns of a table, not its blocks, differ in the method.
    tables    by name: `title`, `study`, `row` (the heading of the row labels), `columns`, `blocks`. A block has
              `title`, `method` and `rows`: one line per step of the study, coarse first, with a label and a cell
              for each column; `-` is empty, VALUE~X replaces the column's digits, width or bound by X. A table
              may be `like` another, with a `change` of the study's text, and with some of its columns (`only`).
              A `control` has no numbers of the paper: its numbers must all agree (control = "agree"), or half of
              them or more must disagree ("disagree").

--counts prints only how many numbers agree, by the one rule of agreement.py, and the exceptions to it.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import contextlib
import io
import math
import pathlib
import sys
import tomllib

sys.dont_write_bytecode = True

from agreement import SOUGHT, WIDTH, as_printed, entry_of, significant  # noqa: E402
from studies import Studies, mistake  # noqa: E402


# ---- tables


def case_of(column, cases, block, step):
    method = column.get("method", block.get("method"))
    if not 0 <= step < len(cases.get(method, ())):
        mistake(f"the study of '{block['title']}' has no step {step + 1} of {method}")
    return cases[method][step]


def rate_of(columns, result, column, cases, block, step):
    """The base-2 logarithm of another column at a step over that at the next."""
    first = step if column.get("ahead") else step - 1
    above, below = (
        measured_of(columns, result, columns[column["rate_of"]], cases, block, k) for k in (first, first + 1)
    )
    return math.log2(above / below) if above and below else math.nan


def measured_of(columns, result, column, cases, block, step):
    """The value of a column of the result at the step; for an observable, the largest change over the
    members.
    """
    if "rate_of" in column:
        return rate_of(columns, result, column, cases, block, step)
    case = case_of(column, cases, block, step)
    if "component" in column:
        before = case_of(column, cases, block, step - 1)
        values = result.data(column["measured"])
        return float(
            abs(values[case][..., column["component"]] - values[before][..., column["component"]]).max()
        )
    if "figure" in column:
        return float(
            abs(
                result.data(column["measured"], column["figure"])[case]
                - result.data(column["measured"], "start")[case]
            ).max()
        )
    if column["measured"].startswith("/"):
        return float(result.data(column["measured"], "drift")[case].max())
    return float(result.numbers(column["measured"])[case])


def shown(table):
    return table.get("only", table["columns"])


def cells_of(table, block, line):
    """The label of a row, and its cells by column."""
    label, *cells = line.split()
    if len(cells) != len(table["columns"]):
        mistake(
            f"'{table['title']}', {block['title']}: row {label} has {len(cells)} cells "
            f"for {len(table['columns'])} columns"
        )
    return label, dict(zip(table["columns"], cells))


def block_entries(paper, table, label, block, result, rows):
    """[[label of the row, Entry or None for each column]], one line per step."""
    cases = {curve.method: curve.cases for curve in result.curves()}
    lines = []
    for step, line in enumerate(block["rows"].strip().splitlines()[:rows]):
        row, cells = cells_of(table, block, line)
        entries = []
        for name in shown(table):
            column = paper["columns"][name]
            place = (label, block["title"], row, column.get("heading", name))
            if cells[name] == "-":
                entries.append(None)
                continue
            entries.append(
                entry_of(
                    place,
                    column,
                    cells[name],
                    measured_of(paper["columns"], result, column, cases, block, step),
                )
            )
        lines.append([row, *entries])
    return lines


def aligned(rows, form):
    """Rows of text as lines: columns side by side, or a table of Markdown whose first row is its head."""
    if form == "markdown":
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def print_layout(paper, table, block, lines, form):
    """What is measured, as the paper prints it."""
    head = [table["row"], *(paper["columns"][name].get("heading", name) for name in shown(table))]
    rows = [[row, *(as_printed(e) if e else "" for e in entries)] for row, *entries in lines]
    method = f"   {block['method']}" if "method" in block else ""
    print(f"\n{block['title']}{method}" + ("\n" if form == "markdown" else ""))
    print(*aligned([head, *rows], form), sep="\n")


def print_entries(table, entries, form):
    """A line for each printed number."""
    rows = [["block", table["row"], "column", "printed", "measured", "agreement", ""]]
    for e in entries:
        measured = f"{e.measured:.6f}" if e.kind == "within" else f"{e.measured:.7e}"
        rows.append([*e.place[1:], e.printed, measured, e.words, "" if e.passed else "disagrees"])
    print("\nNumber by number" + ("\n" if form == "markdown" else ""))
    print(*aligned(rows, form), sep="\n")


def print_checks(checks):
    for what, passed in checks:
        print(f"  {'ok ' if passed else 'NOT'}  {what}")


def column_checks(table, block, lines):
    """(what, passed) for each column of a block."""
    for name, column in zip(shown(table), list(zip(*lines))[1:]):
        some = [e for e in column if e]
        if not some:
            continue
        exceptions = sum(e.passed and not e.agrees for e in some)
        what = f"{block['title']}, {name}: {sum(e.passed for e in some)} of {len(some)} agree"
        what += f", {exceptions} as exceptions" if exceptions else ""
        if some[0].kind == "bound":
            largest = max(e.measured for e in some)
            yield f"{what}, largest {largest:.2g} ({some[0].words})", all(e.passed for e in some)
        else:
            ends = " to ".join(dict.fromkeys(as_printed(e) for e in (some[0], some[-1])))
            yield f"{what}, {ends}", all(e.passed for e in some)


def print_table(paper, label, table, studies, options):
    """A table in the paper's layout, then number by number; its entries."""
    result = studies.result(table, label)
    print(f"\n{'## ' if options.format == 'markdown' else ''}{label}: {table['title']}")
    blocks = [(b, block_entries(paper, table, label, b, result, options.rows)) for b in table["blocks"]]
    for block, lines in blocks:
        print_layout(paper, table, block, lines, options.format)
    entries = [e for _, lines in blocks for _, *cells in lines for e in cells if e]
    print_entries(table, entries, options.format)
    if "control" not in table:
        print(f"\n{label}: {table['title']}")
        print_checks(check for block, lines in blocks for check in column_checks(table, block, lines))
    return entries


# ---- counts


def agreeing(entries, kind):
    """How many numbers of a kind follow the rule of agreement.py, of how many."""
    of = [e for e in entries if e.kind == kind]
    return f"{sum(e.agrees for e in of)} of {len(of)}"


def counts_of(label, entries):
    """A row of the last table: how many of the numbers agree by the rule, and the exceptions to it."""
    values = [e for e in entries if e.kind == "digits"]
    columns = (
        agreeing(entries, "digits"),
        sum(e.digits == significant(e.printed) for e in values),
        agreeing(entries, "within"),
        agreeing(entries, "bound"),
        sum(not e.agrees for e in entries),
        sum(not e.passed for e in entries),
    )
    return [label, *map(str, columns)]


def print_counts(found, form, bare=False):
    """The counts of each table and of all; the exceptions; the numbers that disagree. bare: no heading."""
    everything = [e for entries in found.values() for e in entries]
    rule = f"{SOUGHT} digits, or all printed"
    head = ["", rule, "all printed", f"rates to {WIDTH}", "round-off", "exceptions", "disagree"]
    rows = [counts_of(label, entries) for label, entries in found.items()]
    if not bare:
        print("\nNumbers of the paper that agree" + ("\n" if form == "markdown" else ""))
    print(*aligned([head, *rows, counts_of("all", everything)], form), sep="\n")
    print_exceptions([e for e in everything if not e.agrees], form)
    for e in everything:
        if not e.passed:
            print(f"DISAGREES {', '.join(e.place)}: {e.printed} printed, {as_printed(e)} measured, {e.words}")


def print_exceptions(entries, form):
    """Each number that does not follow the rule."""
    if not entries:
        return
    head = ["table", "block", "row", "column", "printed", "measured", "agreement"]
    rows = [[*e.place, e.printed, as_printed(e), e.words] for e in entries]
    print("\nExceptions" + ("\n" if form == "markdown" else ""))
    print(*aligned([head, *rows], form), sep="\n")


def control_check(label, wanted, entries):
    """(what, passed) for a table that holds no numbers of the paper."""
    off, count = sum(not e.passed for e in entries), len(entries)
    if wanted == "agree":
        return f"{label}: {count - off} of {count} agree (all)", off == 0
    return f"{label}: {off} of {count} disagree (at least {math.ceil(count / 2)})", 2 * off >= count


# ---- the command


def chosen(items, only):
    """The requested tables, each with what it takes from the one that it is like."""
    full = {label: {**items.get(item.get("like"), {}), **item} for label, item in items.items()}
    return {label: item for label, item in full.items() if not only or label in only}


def read_options():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], epilog="The opening words of this file describe PAPER.toml."
    )
    parser.add_argument("paper", type=pathlib.Path, metavar="PAPER.toml")
    parser.add_argument("-o", "--folder", type=pathlib.Path, help="where results go")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these tables")
    parser.add_argument(
        "--rows", type=int, metavar="N", help="the first N rows of each block: the largest steps"
    )
    parser.add_argument("--ranks", type=int, default=0, metavar="N", help="under mpirun with N ranks")
    parser.add_argument("--format", choices=("text", "markdown"), default="text")
    parser.add_argument("--counts", action="store_true", help="print only counts and exceptions")
    parser.add_argument("--overwrite", action="store_true", help="replace results")
    options = parser.parse_args()
    options.folder = options.folder or pathlib.Path(options.paper.stem)
    return options


def read_paper(path, only):
    """The contents of the file; `only` must name some of them."""
    try:
        paper = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as e:
        mistake(f"{path}: {getattr(e, 'strerror', None) or e}")
    for name in only or ():
        if name not in paper["tables"]:
            mistake(f"no '{name}' in {path}; there are {', '.join(paper['tables'])}")
    return paper


def main():
    options = read_options()
    paper = read_paper(options.paper, options.only)
    tables = chosen(paper["tables"], options.only)
    studies = Studies(options.paper.parent, options)
    options.folder.mkdir(parents=True, exist_ok=True)
    if not options.overwrite:
        studies.refuse_existing(tables)
    with contextlib.redirect_stdout(io.StringIO() if options.counts else sys.stdout):
        print(paper["source"])
        found = {label: print_table(paper, label, table, studies, options) for label, table in tables.items()}
    controls = [
        control_check(label, tables[label]["control"], found.pop(label))
        for label in list(found)
        if "control" in tables[label]
    ]
    print_counts(found, options.format, options.counts)
    if controls and not options.counts:
        print("\nControls, without numbers of the paper")
        print_checks(controls)
    passed = [e.passed for entries in found.values() for e in entries] + [passed for _, passed in controls]
    sys.exit(not all(passed))


if __name__ == "__main__":
    main()
