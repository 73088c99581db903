"""result.py: reads a Constella result file: labels as text, curves of cases, counts of trajectories.

A *case* is parameters x tolerance x method x step. A *curve* is the cases that differ in their step alone, coarse to fine.
What a column of the table is, the file says: its attributes `role` and `of` (docs/result-file.md); so a kind of study needs no line here.
Nothing is computed here but selections, and extrema over members.
"""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses
import os
import re

os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")  # MPI-IO takes no locks; file systems without flock would refuse

import h5py  # noqa: E402
import numpy as np  # noqa: E402

FIGURES = ("start", "end", "drift", "scale")
CONSTRAINTS = ("constraint", "constraint_scaled", "hidden", "hidden_scaled")
WINDOW_SPREAD = 0.35  # local slopes of a fitted window differ by at most this from its order (src/study/order-fit.c)


class ResultError(Exception):
    """The file is missing or is no result; the message follows `FILE: error: `."""


@dataclasses.dataclass(frozen=True)
class Curve:
    """Cases of one method, coarse to fine. variant: what else sets the curve apart, '' where nothing does."""

    method: str
    variant: str
    cases: np.ndarray
    method_index: int
    variant_index: int
    variants: int  # of the study

    @property
    def label(self):
        return f"{self.method}, {self.variant}" if self.variant else self.method


def as_text(value):
    """An attribute or an entry of a text dataset as str."""
    if isinstance(value, bytes):
        value = value.rstrip(b"\0").decode("utf-8", "replace")
    return str(value)


def shortest(x):
    """The shortest decimal form that a person would write."""
    return f"{x:.12g}"


class Result:
    """One open result file. Use as a context manager, or leave it to the end of the program."""

    def __init__(self, path):
        self.path = path
        self.file = self._open(path)
        self._cache = {}
        self.kind = self.attribute("/", "study_kind")
        if "figures" not in self.attributes("/statistics"):
            self.file.close()
            raise ResultError("was written by a release whose files do not say what their columns are; `constella table` prints it, and a new run can be drawn")
        self.figures = [name for name in self.attribute("/statistics", "figures").split(",") if name]
        self.uses = {name: {key: self.attribute(f"/statistics/{name}", key) for key in ("role", "of", "axis")} for name in self.names("/statistics")}

    @staticmethod
    def _open(path):
        try:
            with open(path, "rb"):
                pass
            file = h5py.File(path, "r")
        except OSError as e:
            reason = e.strerror if isinstance(e.strerror, str) and e.strerror else "not an HDF5 file, or one whose run was killed at its start"
            missing = isinstance(e, (FileNotFoundError, PermissionError, IsADirectoryError))
            raise ResultError(reason if missing else f"is not a Constella result: {reason}") from None
        if "run" not in file or "state" not in file["run"].attrs:
            file.close()
            raise ResultError("is not a Constella result: HDF5, but without the attribute /run state")
        return file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    # ---- attributes and datasets

    def attribute(self, group, name, default=""):
        """An attribute as text; a whole number without its point."""
        if group not in self.file or name not in self.file[group].attrs:
            return default
        value = self.file[group].attrs[name]
        return shortest(value) if isinstance(value, (float, np.floating)) else as_text(value)

    def attributes(self, group):
        return {name: self.attribute(group, name) for name in sorted(self.file[group].attrs)} if group in self.file else {}

    def data(self, path, figure=None):
        """A dataset as an array (text as str), or None where it is absent. figure: that entry of the last dimension."""
        key = (path, figure)
        if key not in self._cache:
            self._cache[key] = self._read(path, figure)
        return self._cache[key]

    def _read(self, path, figure):
        node = self.file.get(path)
        if not isinstance(node, h5py.Dataset):
            return None
        if node.dtype.kind in "SO":
            return np.array([as_text(x) for x in node[()].ravel()], dtype=object).reshape(node.shape)
        x = node[()] if figure is None else node[..., FIGURES.index(figure)]
        return x if np.issubdtype(x.dtype, np.integer) else x.astype(float)

    def names(self, group):
        """What a group holds, in the order of its creation where the file keeps it."""
        node = self.file.get(group)
        return list(node) if isinstance(node, h5py.Group) else []

    def unit(self, path):
        """' [unit]', or nothing for numbers without one."""
        unit = self.attribute(path, "units")
        return f" [{unit}]" if unit not in ("", "1") else ""

    def column_unit(self, role, of=""):
        return self.unit(f"/statistics/{self.named(role, of)}")

    # ---- the table

    def column(self, name):
        """A column of the table, numbers or text; None where there is none."""
        x = self.data(f"/statistics/{name}")
        return x if x is not None else self.data(f"/run/{name}")

    def numbers(self, name):
        """A column of numbers; NaN everywhere where there is none."""
        x = self.column(name)
        return x if x is not None and x.dtype.kind in "fi" else np.full(self.ncase, np.nan)

    def texts(self, name):
        """A column of text; empty everywhere where there is none."""
        x = self.column(name)
        return x if x is not None and x.dtype.kind == "O" else np.full(self.ncase, "", dtype=object)

    def named(self, role, of=""):
        """The column that is `role` of something, or of the case; '' where there is none."""
        return next((name for name, use in self.uses.items() if (use["role"], use["of"]) == (role, of)), "")

    def told(self, role, of=""):
        """The numbers of that column."""
        return self.numbers(self.named(role, of))

    def said(self, role, of=""):
        """The texts of that column."""
        return self.texts(self.named(role, of))

    def quantities(self, role):
        """What the columns of a role are of, in the order of the table."""
        return [use["of"] for use in self.uses.values() if use["role"] == role]

    def on_axis(self, axis):
        """[(column, scale)] for the axis "x" or "y"; scale: log or linear."""
        found = [(name, use["axis"].split()) for name, use in self.uses.items()]
        return [(name, words[1]) for name, words in found if words[:1] == [axis]]

    @property
    def columns(self):
        """Names of the default columns that exist."""
        wanted = self.attribute("/statistics", "columns").replace(",", " ").split() or self.names("/statistics")
        return [name for name in wanted if self.column(name) is not None]

    # ---- cases and members

    @property
    def ncase(self):
        h = self.data("/cases/h")
        return 0 if h is None else len(h)

    @property
    def steps(self):
        """Step taken by each case."""
        return self.data("/cases/h")

    @property
    def nominal(self):
        """Step as the study writes it; the one taken where the table is not written yet."""
        x = self.numbers("step")
        return np.where(np.isfinite(x), x, self.steps)

    @property
    def status(self):
        """[case, member]: -1 not run, 0 done, > 0 failed."""
        x = self.data("/final/status")
        return np.zeros((self.ncase, 0), dtype=int) if x is None else x.astype(int)

    @property
    def reasons(self):
        """Words for the numbers of the status, which the dataset's own description holds."""
        text = self.attribute("/final/status", "long_name")
        return {int(k): words.strip() for k, words in re.findall(r"(-?\d+) ([^,;]+)", text)}

    def failed_of(self, cases):
        """(failed, all) of the trajectories of some cases."""
        s = self.status[cases]
        return int((s > 0).sum()), s.size

    def counts(self):
        """Trajectories: all, finished, failed."""
        s = self.status
        return s.size, int((s >= 0).sum()), int((s > 0).sum())

    @property
    def complete(self):
        return self.attribute("/run", "state") == "complete"

    def _variant(self, case):
        """(parameters, tolerance, start) of a case."""
        parameters, tolerance = self.data("/cases/parameters"), self.data("/cases/tolerance")
        start = self.said("start")[case]
        return (tuple(parameters[case]) if parameters is not None else (), float(tolerance[case]) if tolerance is not None else 0.0, start)

    def _variant_label(self, variant, variants):
        """The entries of a variant in which the variants of the study differ."""
        names = list(self.data("/parameter")) if self.data("/parameter") is not None else []
        parts = [
            f"{name} = {shortest(value)}"
            for k, (name, value) in enumerate(zip(names, variant[0]))
            if len({v[0][k] for v in variants}) > 1
        ]
        if len({v[1] for v in variants}) > 1:
            parts.append(f"tolerance {variant[1]:g}")
        if len({v[2] for v in variants}) > 1:
            parts.append(variant[2])
        return ", ".join(parts)

    def curves(self):
        """The curves of all labelled cases, in the order of the study."""
        methods = self.texts("method")
        groups = {}
        for case in range(self.ncase):
            if methods[case]:
                groups.setdefault((methods[case], self._variant(case)), []).append(case)
        order = list(dict.fromkeys(method for method, _ in groups))
        variants = list(dict.fromkeys(variant for _, variant in groups))
        return [
            Curve(m, self._variant_label(v, variants), self._coarse_to_fine(cases), order.index(m), variants.index(v), len(variants))
            for (m, v), cases in groups.items()
        ]

    def _coarse_to_fine(self, cases):
        return np.array(sorted(cases, key=lambda c: -self.steps[c]))

    def chosen_steps(self, most=3):
        """Nominal steps, coarse to fine; of more than `most` the first, the middle one and the last."""
        labelled = self.texts("method") != ""
        steps = sorted(set(self.nominal[labelled]), reverse=True)
        if len(steps) <= most:
            return steps
        return [steps[round(k * (len(steps) - 1) / (most - 1))] for k in range(most)]

    def at_step(self, curve, step):
        """The case of a curve with that nominal step, or None."""
        found = [c for c in curve.cases if self.nominal[c] == step]
        return found[0] if found else None

    # ---- quantities

    @property
    def drifting(self):
        """Observables whose change is judged: energy, momenta, the user's."""
        return [n for n in self.names("/observables") if n not in CONSTRAINTS and n != "displacement"]

    def members(self, name, case, figure):
        """A figure of an observable for the members of a case that finished well."""
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

    def histogram(self, name, case):
        """(edges, density, its standard error) of a case."""
        edges, density, error = (self.data(f"/histograms/{name}_{what}") for what in ("edges", "density", "error"))
        return edges, density[case], error[case]

    def series(self, name, case, which="max"):
        """(t, x) of a sampled series, without padding and without t = 0, and where no member adds to it that failed later."""
        t, x = self.data("/series/t"), self.data(f"/series/{name}/{which}")
        if t is None or x is None:
            return np.array([]), np.array([])
        keep = np.isfinite(t[case]) & np.isfinite(x[case]) & (t[case] > 0) & self._survivors_alone(case)
        return t[case][keep], x[case][keep]

    def _survivors_alone(self, case):
        """True for the samples of a case to which no member adds that failed: those at which no more are alive than live to the end."""
        if not (self.status[case] > 0).any():
            return True
        counts = [self.data(f"/series/{name}/count") for name in self.names("/series") if name != "t"]
        counts = [c[case] for c in counts if c is not None]
        return np.max(counts, axis=0) <= (self.status[case] == 0).sum() if counts else False

    def fitted(self, curve, part="total"):
        """True for the points of a curve that its order rests on: the longest run of local slopes near the fitted order."""
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
