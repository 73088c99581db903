"""result.py: a result file in terms of its study: cases, curves of cases, columns, series, failures.

The attributes `role` and `of` of a column define its meaning (docs/result-file.md), so a kind of study needs
no line here. Nothing is computed here but selections, and extrema over members.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import copy
import functools
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from . import brief, compare, labelled, mechanism, motions, selection, words
from .cases import Cases
from .reading import ResultError, nearest, of_file

if TYPE_CHECKING:
    import pandas
    import xarray

CONSTRAINTS = ("constraint", "constraint_scaled", "hidden", "hidden_scaled")
MOVES = 0.05  # of its scale: a quantity that changes by more with every method is not conserved
WINDOW_SPREAD = 0.35  # local slopes of a fitted window differ by at most this from its order (src/statistics/order-fit.c)


class Result(Cases):
    """One open result file.

    - `study`, `kind`, `system`, `title`: texts; the study is in canonical form
    - `cases`: a pandas DataFrame, a row per case, the columns of `constella table`
    - `statistic(role, of)`: a column by its meaning, an array by case: `statistic("error", "q")`
    - `error`, `order`, `rate`, `largest`, `verdict`, ...: all columns of this role as xarray data
    - `grid(role, of)`: a column along the axes of the study: an array, and the entries of its axes
    - `time_series(name, case)`: (t, largest |x - x(0)| over the members) of an observable
    - `trajectory(case, member)`: a stored one; `trajectories()` gives all
    - `verdicts(name)`: {method: {set: word}}
    - `failures`: sentences
    - `select(methods, where)`: the same result with fewer cases; all figures and tables show only these
    - `compare(other)`: what differs between two results
    - `to_xarray()`, `to_pandas()`: all data by case, labelled
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path)
        self.kind = self.attribute("/", "study_kind")
        self.figures = [name for name in self.attribute("/statistics", "figures").split(",") if name]

    def __repr__(self) -> str:
        methods = len(dict.fromkeys(c.method for c in self.curves()))
        return (
            f"<{self.kind} study of {self.system}: {int(self.shown.sum())} cases of {methods} methods, "
            f"{self.path}>"
        )

    def _repr_html_(self):
        return brief.result_html(self)

    def __dir__(self):
        return sorted({*super().__dir__(), *self._roles()})

    def _roles(self):
        """The roles of the columns, as attributes."""
        uses = self.__dict__.get("uses", {})
        return list(dict.fromkeys(use["role"].replace("-", "_") for use in uses.values()))

    def __getattr__(self, name):
        """A role of the table as labelled data."""
        role = name.replace("_", "-")
        if not name.startswith("_") and any(
            use["role"] == role for use in self.__dict__.get("uses", {}).values()
        ):
            return labelled.of_role(self, role)
        known, own = self._roles(), [n for n in dir(type(self)) if not n.startswith("_")]
        hint = nearest(name, [*known, *own])
        raise AttributeError(f"a result has no '{name}'{hint} roles of this one's columns are {', '.join(known)}")

    # ---- what it is

    @property
    def study(self) -> str:
        return self.attribute("/", "study")

    @property
    def system(self) -> str:
        return self.attribute("/", "system")

    @property
    def title(self) -> str:
        """The title of the study, or its kind and system."""
        return self.attribute("/", "title") or f"{self.kind} study of {self.system}"

    @property
    def description(self) -> str:
        """The text of the system."""
        return self.attribute("/", "system_description")

    @property
    def cases(self) -> pandas.DataFrame:
        """A pandas DataFrame of the selected cases: all columns of the table."""
        return labelled.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        return self.cases

    def to_xarray(self) -> xarray.Dataset:
        """An xarray Dataset: columns and what is shaped [case, member], with coordinates method, step,
        parameters, tolerance, start, member."""
        return labelled.everything(self)

    def grid(self, role: str, of: str = "") -> tuple[np.ndarray, dict[str, list]]:
        """(array, {axis: entries}): a column by its meaning, along every axis on which the selected cases
        differ, and always method and step."""
        return labelled.grid(self, self._column_of(role, of))

    def statistic(self, role: str, of: str = "") -> np.ndarray:
        """A column by its meaning, an array [case] of all cases; ResultError where there is none."""
        return self._column_of(role, of)

    @of_file
    def _column_of(self, role, of):
        if of == "" and not self.named(role) and self.named(role, "total"):
            of = "total"
        name = self.named(role, of)
        if not name:
            have = [f"{u['role']} of {u['of']}" if u["of"] else u["role"] for u in self.uses.values()]
            wanted = f"{role} of {of}" if of else role
            raise ResultError(f'has no column "{wanted}"{nearest(wanted, have)} there are: {", ".join(have)}')
        return self.column(name)

    # ---- selections

    @of_file
    def select(
        self, methods: str | Sequence[str] | None = None, where: str | None = None, cases: Sequence[int] | None = None
    ) -> Result:
        """The same file with fewer cases. methods: labels; where: conditions as in `constella table`; cases:
        numbers."""
        chosen = copy.copy(self)
        chosen._curves = None
        chosen.shown = self.shown & selection.of_methods(self, methods) & selection.of_conditions(self, where)
        if cases is not None:
            chosen.shown &= np.isin(np.arange(self.ncase), cases)
        if not chosen.shown.any() and self.ncase:
            raise ResultError("no case is left by the selection")
        return chosen

    def compare(self, other: Result | str | os.PathLike[str]) -> compare.Comparison:
        """What differs between the selected cases of two results: a Comparison, which prints as sentences.
        other: a Result, or the path of a file."""
        return compare.compare(self, Result(other) if isinstance(other, (str, os.PathLike)) else other)

    # ---- trajectories, failures, verdicts

    @of_file
    def trajectory(self, case: int, member: int | None = None) -> motions.Trajectory:
        """The stored Trajectory of a case and member (the first one stored)."""
        return motions.trajectory(self, case, member)

    @of_file
    def trajectories(
        self, members: Sequence[int] | None = None, finest: bool = False
    ) -> list[motions.Trajectory]:
        """All stored trajectories of the selected cases, of these members; finest: only at the finest step of
        each method."""
        return motions.trajectories(self, members, finest)

    @property
    def failures(self) -> list[str]:
        """Sentences: which trajectories failed, and why."""
        return words.failure_sentences(self)

    def verdicts(self, name: str = "energy") -> dict[str, dict[str, str]]:
        """{method: {set: verdict}} on a quantity; a set is a step, with parameters, tolerance, start where
        the study has several."""
        return words.verdict_matrix(self, name)

    def unit_of(self, name, path=""):
        """The unit of a coordinate, of the time or of an observable: that of the file, else that of the key
        `units` of the system file."""
        told = self.attribute(path, "units", "1") if path else "1"
        base = re.sub(r"\[[^]]*\]", "", name)  # an array has one unit
        return self._units.get(name, self._units.get(base, told)) if told == "1" else told

    @functools.cached_property
    def _units(self):
        return mechanism.units(self.description)

    # ---- quantities

    @property
    def drifting(self):
        """Observables whose change gets a verdict: energy, momenta, expressions."""
        return [n for n in self.names("/observables") if n not in CONSTRAINTS and n != "displacement"]

    @property
    def conserved(self):
        """Those of them that hardly move: for some method and step the largest change
        of all members is below a twentieth of the scale."""
        return [n for n in self.drifting if not self._moves(n)]

    def _moves(self, name):
        largest, scale = self.data(f"/observables/{name}", "drift"), self.data(
            f"/observables/{name}", "scale"
        )
        if name == "energy" or largest is None or scale is None:
            return False
        with np.errstate(all="ignore"):
            ratio = np.fmax.reduce((largest / scale)[self.shown], axis=1, initial=-np.inf)
        ratio = ratio[np.isfinite(ratio)]
        return bool(ratio.size) and ratio.min() > MOVES

    def members(self, name, case, figure):
        """A number of an observable for the members of a case that did not fail."""
        x = self.data(f"/observables/{name}", figure)
        if x is None:
            return np.array([])
        x = x[case][self.status[case] == 0]
        return x[np.isfinite(x)]

    @property
    def histograms(self):
        """Names of the histograms of the study: those with a density."""
        ending = "_density"
        return [n[: -len(ending)] for n in self.names("/histograms") if n.endswith(ending)]

    def histogram(self, name: str, case: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(edges, density, its standard error) of a case."""
        edges, density, error = (
            self.data(f"/histograms/{name}_{what}") for what in ("edges", "density", "error")
        )
        return edges, density[case], error[case]

    def time_series(self, name: str, case: int, which: str = "max") -> tuple[np.ndarray, np.ndarray]:
        """(t, x) of a sampled series, without padding, without t = 0, and without samples of members that
        failed later."""
        t, x = self.data("/series/t"), self.data(f"/series/{name}/{which}")
        if t is None or x is None:
            return np.array([]), np.array([])
        keep = np.isfinite(t[case]) & np.isfinite(x[case]) & (t[case] > 0) & self._survivors_alone(case)
        return t[case][keep], x[case][keep]

    def _survivors_alone(self, case):
        """True for the samples of a case without contributions of failed members: those with as many living
        members as at the end."""
        if not (self.status[case] > 0).any():
            return True
        counts = [self.data(f"/series/{name}/count") for name in self.names("/series") if name != "t"]
        counts = [c[case] for c in counts if c is not None]
        return np.max(counts, axis=0) <= (self.status[case] == 0).sum() if counts else False

    def fitted(self, curve, part="total"):
        """True for the points of a curve from which its order comes: the longest run of local slopes near the
        fitted order."""
        inside = np.zeros(len(curve.cases), dtype=bool)
        order = self.told("order", part)[curve.cases[0]]
        if self.said("flag", part)[curve.cases[0]] != "ok" or not np.isfinite(order):
            return inside
        near = np.abs(self.told("rate", part)[curve.cases] - order) <= WINDOW_SPREAD
        first, length = longest_run(near)
        if length:
            inside[max(first - 1, 0) : first + length] = True
        return inside


def longest_run(flags):
    """(first, length) of the longest run of True; the finer one of two equal ones."""
    best, start = (0, 0), None
    for i, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = i
        elif not flag and start is not None:
            best = (start, i - start) if i - start >= best[1] else best
            start = None
    return best
