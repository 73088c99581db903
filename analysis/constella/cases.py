"""cases.py: the cases of a result: steps, status, curves of cases, and the selection.

A *case* is parameters x tolerance x method x step. A *curve* is the list of cases that differ only in their
step, coarse to fine.
"""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses
import re

import numpy as np

from . import digits
from .columns import Columns
from .reading import ResultError


@dataclasses.dataclass(frozen=True, eq=False)
class Curve:
    """Cases of one method, coarse to fine. variant: the text that distinguishes curves of one method; ''
    where there is one."""

    method: str
    variant: str
    cases: np.ndarray
    method_index: int
    variant_index: int
    variants: int  # of the study

    @property
    def label(self):
        return f"{self.method}, {self.variant}" if self.variant else self.method


def _numbered(things):
    """{thing: its number}, in the order of their first appearance."""
    return {thing: k for k, thing in enumerate(dict.fromkeys(things))}


class Cases(Columns):
    """A result file with its cases. shown: [case] True for the selected ones; curves consist of these."""

    def __init__(self, path):
        super().__init__(path)
        self.shown = np.ones(self.ncase, dtype=bool)
        self._curves = None

    @property
    def chosen(self):
        """The numbers of the selected cases."""
        return np.flatnonzero(self.shown)

    @property
    def steps(self):
        """Step taken by each case."""
        return self.data("/cases/h")

    @property
    def nominal(self):
        """Step as the study writes it; the step taken where the table is not written yet."""
        x = self.numbers("step")
        return np.where(np.isfinite(x), x, self.steps)

    @property
    def status(self):
        """[case, member]: -1 not run, 0 done, > 0 ended before (reasons)."""
        x = self.data("/final/status")
        if x is None or x.ndim != 2 or len(x) != self.ncase:
            raise ResultError(
                "holds no status of its trajectories (/final/status): it is damaged, or not a whole result"
            )
        return x.astype(int)

    @property
    def reasons(self):
        """The text for each number of the status, from the description of the dataset."""
        text = self.attribute("/final/status", "long_name")
        return {int(k): words.strip() for k, words in re.findall(r"(-?\d+) ([^,;]+)", text)}

    @property
    def failing(self):
        """[case, member]: the trajectory has failed; one that an event ended has not."""
        fine = [k for k, words in self.reasons.items() if words.endswith("(not a failure)")]
        return (self.status > 0) & ~np.isin(self.status, fine)

    @property
    def unreferred(self):
        """[case, member]: the trajectory ended well, and its reference is not finite."""
        x = self.data("/error/total")
        return (self.status == 0) & (np.isnan(x) if x is not None else False)

    def failed_of(self, cases):
        """(number of failed trajectories, number of all) of some cases."""
        s = self.failing[cases] | self.unreferred[cases]
        return int(s.sum()), s.size

    def counts(self):
        """Numbers of trajectories: all, finished, failed."""
        s = self.status[self.shown]
        return s.size, int((s >= 0).sum()), self.failed_of(self.shown)[0]

    def stopped(self):
        """Number of trajectories that events have ended."""
        return int(((self.status > 0) & ~self.failing)[self.shown].sum())

    @property
    def complete(self):
        return self.attribute("/run", "state") == "complete"

    def _variants(self):
        """[case] (parameters, tolerance, start, swept arguments)."""
        parameters, tolerance = self.data("/cases/parameters"), self.data("/cases/tolerance")
        return list(
            zip(
                map(tuple, parameters) if parameters is not None else [()] * self.ncase,
                map(float, tolerance) if tolerance is not None else [0.0] * self.ncase,
                self.said("start"),
                list(zip(*self.arguments().values())) or [()] * self.ncase,
            )
        )

    def _variant_labels(self, variants):
        """For each variant of the study the entries in which they differ."""
        names = list(self.data("/parameter")) if self.data("/parameter") is not None else []
        swept = [
            (k, name)
            for k, name in enumerate(names)
            if len({v[0][k] for v in variants if k < len(v[0])}) > 1
        ]
        tolerances, starts = ({v[k] for v in variants} for k in (1, 2))
        arguments = list(self.arguments())
        digit = {k: digits.places([v[0][k] for v in variants]) for k, _ in swept}
        return [
            ", ".join(
                [f"{name} = {digits.with_places(v[0][k], digit[k])}" for k, name in swept]
                + [f"tolerance {v[1]:.4g}"] * (len(tolerances) > 1)
                + [v[2]] * (len(starts) > 1)
                + [f"{name} = {x:.6g}" if isinstance(x, float) else f"{name} = {x}" for name, x in zip(arguments, v[3]) if x is not None]
            )
            for v in variants
        ]

    def curves(self):
        """The curves of all selected cases that have a label, in the order of the study."""
        if self._curves is None:
            self._curves = self._made_curves()
        return self._curves

    def _made_curves(self):
        methods, variant = self.families, self._variants()
        groups: dict = {}
        for case in self.chosen:
            if methods[case]:
                groups.setdefault((methods[case], variant[case]), []).append(case)
        order = _numbered(method for method, _ in groups)
        variants = _numbered(v for _, v in groups)
        labels = self._variant_labels(list(variants))
        return [
            Curve(
                m, labels[variants[v]], self._coarse_to_fine(cases), order[m], variants[v], len(variants)
            )
            for (m, v), cases in groups.items()
        ]

    def _coarse_to_fine(self, cases):
        return np.array(sorted(cases, key=lambda c: -self.steps[c]))

    def chosen_steps(self, most=3):
        """Nominal steps, coarse to fine; the first, the middle and the last one where there are more than
        `most`."""
        named = (self.texts("method") != "") & self.shown
        steps = sorted(set(self.nominal[named]), reverse=True)
        if len(steps) <= most:
            return steps
        return [steps[round(k * (len(steps) - 1) / (most - 1))] for k in range(most)]

    def steps_written(self):
        """All nominal steps of the selected cases, coarse to fine."""
        return sorted(set(self.nominal[self.shown]), reverse=True)

    def at_step(self, curve, step):
        """The case of a curve with that nominal step, or None."""
        found = [c for c in curve.cases if self.nominal[c] == step]
        return found[0] if found else None

    def curve_of(self, case):
        """The curve to which a selected case belongs, or None."""
        return next((c for c in self.curves() if case in c.cases), None)

    def parameters(self, case):
        """{name: value} of the system's parameters in a case."""
        names, values = self.data("/parameter"), self.data("/cases/parameters")
        return {} if names is None or values is None else dict(zip(map(str, names), values[case].tolist()))
