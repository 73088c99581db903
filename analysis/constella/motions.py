"""motions.py: trajectories that a result stores, with names for all their quantities.

The datasets of /trajectories/CASE tell which quantities there are: their last dimension shows whether they
hold coordinates, multipliers or single numbers. Names are those of the system file: x1 and x1' are a
coordinate and its velocity, p_x1 its momentum, lambda_rod a multiplier.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import re

import numpy as np

from . import brief
from .expressions import evaluate
from .reading import ResultError, optional

PATTERNS = {"q": "{}", "v": "{}'", "p": "p_{}", "lambda": "lambda_{}"}


@dataclasses.dataclass(frozen=True, repr=False)
class Trajectory:
    """One member of one case. values: {name: [time]}, "t" among them; arrays: {dataset: [time, component]} as
    stored; units, words: by name.

    trajectory["x1^2 + y1^2"] evaluates an expression of the names and of the parameters of the case."""

    case: int
    member: int
    label: str
    step: float
    values: dict
    arrays: dict
    units: dict
    words: dict
    parameters: dict

    def __repr__(self):
        return (
            f"<trajectory of {self.label}, step {self.step:.4g}, case {self.case}, member {self.member}: "
            f"{len(self.t)} times from {self.t[0]:.4g} to {self.t[-1]:.4g}, {brief.some(self.names)}>"
        )

    def _repr_html_(self):
        return brief.trajectory_html(self)

    @property
    def t(self) -> np.ndarray:
        return self.values["t"]

    def __getitem__(self, expression: str) -> np.ndarray:
        x = evaluate(expression, {**self.parameters, **self.values})
        return np.broadcast_to(np.asarray(x, dtype=float), self.t.shape)

    def between(self, first: float, last: float) -> Trajectory:
        """The part of it with first <= t <= last."""
        keep = (self.t >= first) & (self.t <= last)
        if not keep.any():
            raise ResultError(
                f"no time of a trajectory is between {first:g} and {last:g}; they go from "
                f"{self.t[0]:g} to {self.t[-1]:g}"
            )
        cut = {n: x[keep] for n, x in self.values.items()}
        return dataclasses.replace(self, values=cut, arrays={n: x[keep] for n, x in self.arrays.items()})

    def unit(self, expression):
        """' [unit]' of what is a name alone, else ''."""
        unit = self.units.get(expression, "")
        return f" [{unit}]" if unit not in ("", "1") else ""

    @property
    def names(self) -> list[str]:
        return list(self.values)

    def to_xarray(self):
        """An xarray Dataset along the time."""
        xarray = optional("xarray", "python3-xarray", "labelled data")
        told = {
            name: {"units": self.units.get(name, "1"), "long_name": self.words.get(name, name)}
            for name in self.values
        }
        variables = {n: ("t", x, told[n]) for n, x in self.values.items() if n != "t"}
        about = {"case": self.case, "member": self.member, "label": self.label, "step": self.step}
        return xarray.Dataset(variables, coords={"t": ("t", self.t, told["t"])}, attrs=about)


def folder(result, case):
    return f"/trajectories/{case}"


def stored_cases(result):
    """Numbers of the selected cases with stored trajectories."""
    return [case for case in result.chosen if folder(result, case) in result.file]


def stored_members(result, case):
    """Numbers of the members that are stored of a case, in the order of its rows; -1 where a row is empty."""
    root = folder(result, case)
    told = result.data(f"{root}/member")
    if told is not None:
        return [int(m) for m in told]
    count = next(
        (result.shape(path)[0] for path in result.datasets(root) if result.scales(path)[:1] == ["chosen"]), 0
    )
    # of files without that dataset
    named = re.search(r"^trajectories:\n(?:  .*\n)*?  members:\n((?:    - \d+\n)+)", result.study, re.M)
    members = sorted({int(m) for m in re.findall(r"\d+", named[1])}) if named else []
    return members if len(members) == count else list(range(count))


def component_names(result, path, scale, length):
    """Names of the components of a dataset whose last dimension is that scale."""
    short = path.rsplit("/", 1)[1]
    entries = result.data(f"/{scale}") if scale in ("coordinate", "multiplier") else None
    if entries is None or len(entries) != length:
        labels = result.data(f"/{scale}")
        usable = labels is not None and labels.dtype.kind == "O" and len(labels) == length
        return [f"{short}_{x}" for x in (labels if usable else range(length))]
    pattern = PATTERNS.get(short, short + "_{}")
    return [velocity(x) if pattern == "{}'" else pattern.format(x) for x in entries]


def velocity(name):
    """x' of x, and x'[i] of x[i]."""
    base, bracket, index = name.partition("[")
    return f"{base}'{bracket}{index}"


def read(result, case, row, member):
    root = folder(result, case)
    values, arrays, units, words = {}, {}, {}, {}
    for path in result.datasets(root):
        scales, data = result.scales(path), result.data(path)
        if scales and scales[0].startswith("chosen"):
            data, scales = data[row], scales[1:]
        short = path.rsplit("/", 1)[1]
        if data.ndim == 0:
            continue
        arrays[short] = data
        if data.ndim == 1:
            named = {short: data}
        elif data.ndim == 2:
            named = dict(zip(component_names(result, path, scales[-1], data.shape[1]), data.T))
        else:
            continue
        for name, x in named.items():
            values[name], units[name] = x, result.unit_of(name, path)
            words[name] = result.attribute(path, "long_name")
    if "t" not in values:
        raise ResultError(f"{root} holds no times")
    good = np.isfinite(values["t"])
    for x in arrays.values():
        if x.ndim == 2 and x.dtype.kind == "f" and len(x) == len(good):
            good &= np.isfinite(x).any(axis=1) if x.shape[1] else True
    values = {name: x[good] for name, x in values.items()}
    curve = result.curve_of(case)
    label = curve.label if curve else f"case {case}"
    step = float(result.nominal[case])
    return Trajectory(
        case,
        member,
        label,
        step,
        values,
        {n: x[good] for n, x in arrays.items()},
        units,
        words,
        result.parameters(case),
    )


def trajectory(result, case, member=None):
    """The stored trajectory of a case; member: its number, the first one stored where it is left out."""
    members = stored_members(result, case)
    if not members:
        have = ", ".join(map(str, stored_cases(result)))
        raise ResultError(
            f"case {case} has no trajectory" + (f"; the cases that have are {have}" if have else NONE)
        )
    if member is not None and member not in members:
        raise ResultError(
            f"member {member} of case {case} was not stored; {', '.join(map(str, members))} were"
        )
    member = members[0] if member is None else member
    return read(result, case, members.index(member), member)


NONE = (
    "; the study stores none (`trajectories: {members: [0], "
    "every: 10}` in the study file stores that of member 0)"
)


def listed(result, members=None, finest=False):
    """[(curve, case, member)] of the selected cases that are stored; ResultError where there are none."""
    cases = set(stored_cases(result))
    if not cases:
        raise ResultError("holds no trajectories" + NONE)
    wanted = [(c, [k for k in c.cases if k in cases]) for c in result.curves()]
    wanted = [(c, k) for c, ks in wanted for k in (ks[-1:] if finest else ks)]
    stored = {k: [m for m in stored_members(result, k) if m >= 0] for _, k in wanted}
    found = [(c, k, m) for c, k in wanted for m in stored[k] if members is None or m in members]
    if not found:
        have = sorted({m for ms in stored.values() for m in ms})
        if not have:
            raise ResultError(
                "stored no trajectory of the selected cases: no member that did not fail was chosen"
            )
        raise ResultError(
            f"no trajectory of these members was stored; members {', '.join(map(str, have))} were"
        )
    return found


def foremost(result, found, members=None):
    """The first entry of listed(); where no members are named, the first that did not fail, if there is one."""
    sound = (entry for entry in found if members is None and result.status[entry[1], entry[2]] == 0)
    return next(sound, found[0])


def trajectories(result, members=None, finest=False):
    """All stored trajectories of the selected cases and of these members (None: all). finest: only the finest
    step of each curve."""
    return [trajectory(result, k, m) for _, k, m in listed(result, members, finest)]
