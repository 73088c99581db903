"""printed.py: numbers printed in the tables of papers, each moved by ten of its tolerances: none may agree then with what
is measured. Reads the results of jobs/papers/tables.py.
"""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import random
import sys
import tomllib
import types
from decimal import Decimal

from cli import ok

PAPERS = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "papers"
sys.path.insert(0, str(PAPERS))

import agreement  # noqa: E402
import tables  # noqa: E402
from studies import Result, Studies  # noqa: E402


def off_by_ten(column, printed, allowed):
    """A printed number ten tolerances away."""
    value = Decimal(printed)
    if "within" in column:
        return str(value + 10 * Decimal(str(allowed)))
    digits = min(int(allowed), agreement.significant(printed))
    return f"{value + Decimal(5).scaleb(value.adjusted() + 1 - digits):.{agreement.significant(printed) - 1}e}"


def tight(name, folder, rows):
    """In the results of a folder, a tenth of the printed numbers of a paper, drawn, each moved by ten tolerances."""
    paper = tomllib.loads((PAPERS / name).read_text())
    home = Studies(PAPERS, types.SimpleNamespace(folder=folder, rows=None, ranks=0))
    cells = []
    for label, table in paper["tables"].items():
        if "control" in table:
            continue
        result = Result(str(pathlib.Path(folder) / f"{home.name(table, label)}.h5"))
        for block in table["blocks"]:
            lines = tables.block_entries(paper, table, label, block, result, rows)
            texts = [tables.cells_of(table, block, line)[1] for line in block["rows"].strip().splitlines()]
            cells += [
                (e, paper["columns"][column], text[column])
                for (_, *entries), text in zip(lines, texts)
                for column, e in zip(table["columns"], entries)
                if e and e.kind != "bound"
            ]
    left = []
    for e, column, cell in random.Random(1).sample(cells, len(cells) // 10):
        asked = cell.partition("~")[2] or column[e.kind]
        other = off_by_ten(column, e.printed, asked)
        tilde = f"{other}~{asked}"
        left += [(e, other)] * (not e.passed or agreement.entry_of(e.place, column, tilde, e.measured).passed)
    ok(len(cells) > 60 and not left, f"{name}: none agrees with a number ten tolerances away", *left)
