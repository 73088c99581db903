"""cheapest.py: `constella table --cheapest`: of a work-precision study the method with the least cost at each accuracy, and the
next one.

Counted costs at an accuracy are columns of the result. Those in CPU time, which is measured and therefore in no column,
and steps are found here in the same way. A curve is the steps of one method, system, set of parameters and tolerance;
its rows stand one after the other. The table is a result of its own, which the program prints.
"""
# SPDX-License-Identifier: BSD-2-Clause
import functools
import itertools
import subprocess
import tempfile

import h5py
import numpy as np

from .library import Doubles, loaded
from .result import Result
from .running import program, status_of
from .selection import of_conditions

COSTS = ("evaluations", "iterations", "solves", "cpu_seconds")
GROUP = ("system", "parameter", "start", "start-axis")  # roles
AT = "evaluations_at_"
FOUND = {"accuracy": float, "cost": str, "method": str, "at_step": float, "least": float, "spread": float, "next": str, "next_least": float}


class Table:
    """The rows of a result as curves, and of the curves those of which all rows are kept."""

    def __init__(self, result, kept):
        self.result, self.kept = result, kept
        self.roles = {n: use["role"] for n, use in result.uses.items()}
        self.accuracies = [n for n, role in self.roles.items() if role == "work-at"]

    def columns(self, *roles):
        return [n for n, role in self.roles.items() if role in roles]

    def runs(self, rows, names):
        """[rows] that follow each other and do not differ in these columns."""
        columns = [self.result.column(n) for n in names]
        return [list(run) for _, run in itertools.groupby(rows, lambda row: [c[row] for c in columns])]

    def groups(self):
        """[[curve]] of each system and set of parameters."""
        for group in self.runs(range(self.result.ncase), self.columns(*GROUP)):
            curves = self.runs(group, self.columns(*GROUP, "method", "tolerance"))
            yield [rows for rows in curves if self.kept[rows].all()]

    @functools.cached_property
    def keys(self):
        """The columns in which kept rows and groups differ, and the tolerance if it is swept."""
        return [n for n in self.columns(*GROUP, "tolerance") if len(set(self.result.column(n)[self.kept].tolist())) > 1]

    def at(self, name, rows, accuracy):
        """The numbers of a column at an accuracy, between the steps that were run."""
        error, x = (np.ascontiguousarray(self.result.numbers(n)[rows], dtype=float) for n in ("accuracy", name))
        return np.float64(loaded().cst_work_at(error.ctypes.data_as(Doubles), x.ctypes.data_as(Doubles), len(rows), accuracy))

    def price(self, rows, cost, name, accuracy):
        """(cost, step, spread: of measured costs, largest / least - 1) of a curve; None where it does not get there."""
        if np.isnan(self.result.column(name)[rows[0]]):
            return None
        step = self.at("step", rows, accuracy)
        if cost != "cpu_seconds":
            found, spread = self.result.numbers(cost + name.removeprefix("evaluations"))[rows[0]], np.nan
        else:
            found = self.at(cost, rows, accuracy)
            with np.errstate(all="ignore"):
                spread = self.at("cpu_seconds_most", rows, accuracy) / found - 1
        return None if np.isnan(found) else (found, step, spread)

    def row(self, curves, cost, name):
        """The entries of keys and of FOUND: the best curve and the next one, of another method."""
        method, accuracy = self.result.texts("method"), float(name.removeprefix(AT))
        priced = [(rows[0], self.price(rows, cost, name, accuracy)) for rows in curves]
        priced = sorted((x for x in priced if x[1] is not None), key=lambda x: x[1][0])
        if not priced:
            keys = [np.nan if n == "tolerance" else self.result.column(n)[curves[0][0]] for n in self.keys]
            return [*keys, accuracy, cost, "", np.nan, np.nan, np.nan, "", np.nan]
        best, (least, step, spread) = priced[0]
        others = [(method[first], found[0]) for first, found in priced if method[first] != method[best]]
        keys = [self.result.column(n)[best] for n in self.keys]
        return [*keys, accuracy, cost, method[best], step, least, spread, *(others[0] if others else ("", np.nan))]

    def rows(self):
        costs = [c for c in COSTS if c != "cpu_seconds" or self.result.column(c) is not None]
        asked = [(name, cost) for name in self.accuracies if name.startswith(AT) for cost in costs]
        return [self.row(curves, cost, name) for curves in self.groups() if curves for name, cost in asked]


def written(path, table):
    """The rows as the columns of a result."""
    kinds = {n: str if table.result.column(n).dtype.kind == "O" else float for n in table.keys} | FOUND
    rows = table.rows()
    with h5py.File(path, "w") as file:
        file.create_group("run").attrs["state"] = "complete"
        columns = file.create_group("statistics", track_order=True)
        for k, (name, kind) in enumerate(kinds.items()):
            x = [row[k] for row in rows]
            columns[name] = np.array(x, dtype=float) if kind is float else np.array([v.encode() for v in x], dtype="S256")
            columns[name].attrs["role"] = table.roles[name] if k < len(table.keys) else ""


def run(args):
    """Print the table; return the exit status of the program that prints it."""
    with Result(args.file) as result, tempfile.NamedTemporaryFile(suffix=".h5") as file:
        written(file.name, Table(result, of_conditions(result, args.where)))
        asked = [f"--{name}={args.given[name]}" for name in ("format", "columns", "sort") if name in args.given]
        return status_of(subprocess.run([program(), "table", file.name, *asked], check=False))
