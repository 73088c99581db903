"""columns.py: the table of a result: its columns by name, and by their attributes `role` and `of`
(docs/result-file.md)."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .reading import Reader


SPEEDS = ("steps_per_second", "cpu_seconds", "cpu_seconds_most")


class Columns(Reader):
    """A result file with its table. uses: {column: {role, of, axis}}."""

    def __init__(self, path):
        super().__init__(path)
        keys = ("role", "of", "axis")
        self.uses = {
            n: {key: self.attribute(f"/statistics/{n}", key) for key in keys}
            for n in self.names("/statistics")
        }

    @property
    def ncase(self):
        h = self.data("/cases/h")
        return 0 if h is None else len(h)

    def column_unit(self, role, of=""):
        return self.unit(f"/statistics/{self.named(role, of)}")

    def column(self, name):
        """A column of the table, numbers or text; None where it is missing."""
        x = self.data(f"/statistics/{name}")
        return x if x is not None else self.data(f"/run/{name}")

    @property
    def speeds(self):
        """The measured columns that the file holds beside its table: they depend on the machine."""
        return [n for n in SPEEDS if self.data(f"/run/{n}") is not None]

    def numbers(self, name):
        """A column of numbers; all NaN where it is missing."""
        x = self.column(name)
        return x if x is not None and x.dtype.kind in "fi" else np.full(self.ncase, np.nan)

    def texts(self, name):
        """A column of text; all empty where it is missing."""
        x = self.column(name)
        return x if x is not None and x.dtype.kind == "O" else np.full(self.ncase, "", dtype=object)

    def named(self, role, of=""):
        """The name of the column with this role, of something or of the case; '' where there is none."""
        return next((name for name, use in self.uses.items() if (use["role"], use["of"]) == (role, of)), "")

    def told(self, role, of=""):
        """The numbers of that column."""
        return self.numbers(self.named(role, of))

    def said(self, role, of=""):
        """The texts of that column."""
        return self.texts(self.named(role, of))

    @property
    def families(self):
        """The method of each case, with names in place of swept arguments: penalty(rattle, omega)."""
        found = self.said("family")
        return np.where(found != "", found, self.texts("method"))

    def arguments(self):
        """{column: entries} of the swept arguments of methods, in the order of the table; None of a method that
        has not the argument."""
        found = {n: self.column(n) for n, use in self.uses.items() if use["role"] == "argument"}
        return {
            n: np.array([None if v != v or v == "" else v for v in x.tolist()], dtype=object)
            for n, x in found.items()
            if x is not None
        }

    def start_axes(self):
        """{column: numbers}: the coordinates and velocities of a sweep over a grid of starts."""
        return {n: self.numbers(n) for n, use in self.uses.items() if use["role"] == "start-axis"}

    def quantities(self, role):
        """The attributes `of` of the columns with a role, in the order of the table."""
        return [use["of"] for use in self.uses.values() if use["role"] == role]

    def on_axis(self, axis):
        """[(column, scale)] for the axis "x" or "y"; scale: log or linear."""
        found = [(name, use["axis"].split()) for name, use in self.uses.items()]
        return [(name, words[1]) for name, words in found if words[:1] == [axis]]

    @property
    def columns(self):
        """Names of the default columns that exist."""
        wanted = self.attribute("/statistics", "columns").replace(",", " ").split() or self.names(
            "/statistics"
        )
        return [name for name in wanted if self.column(name) is not None]
