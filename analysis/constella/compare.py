"""compare.py: what differs between two results: their programs and machines, studies, cases, costs, and the
columns of cases that both have; which of it is more than noise says noise.py."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING, Any

import numpy as np

from . import brief, labelled, noise
from .reading import optional

if TYPE_CHECKING:
    from .result import Result

Key = tuple[Any, ...]
NAMED = 3  # cases that a sentence names
DONE, NO_START = 0, 3  # status of a trajectory that reached the end; whose start could not be projected


@dataclasses.dataclass(frozen=True)
class Difference:
    """A column in which a case differs. relative: |a - b| / max(|a|, |b|); NaN for texts, and where one of
    both is no number. beyond: by more than noise; judged: whether noise.py has a rule for the column."""

    case: str
    column: str
    a: Any
    b: Any
    relative: float
    beyond: bool
    judged: bool


@dataclasses.dataclass(frozen=True)
class Cost:
    """A measure of work in the cases that both have. ratios: B / A by case, where both are known and A is not 0;
    beyond: names of the cases in which the measured times differ by more than their repeats do."""

    name: str
    ratios: list[float]
    beyond: list[str]


@dataclasses.dataclass(frozen=True, repr=False)
class Comparison:
    """a, b: the files. study: lines of the studies that differ, with - or + before them. alone: {file: names
    of cases that only this one has}. common: how many both have; of them `differences` lists the columns of
    the table, and `data` the other datasets whose bits differ. origin: what made either file, [(what, in a, in
    b)]; costs: work of b beside that of a; short: the files in which sums over members have fewer terms than members."""

    a: str
    b: str
    study: list[str]
    alone: dict[str, list[str]]
    common: int
    differences: list[Difference]
    data: list[str]
    origin: list[tuple[str, str, str]]
    costs: list[Cost]
    short: list[str]

    @property
    def beyond(self) -> list[Difference]:
        """The differences that are more than noise."""
        return [d for d in self.differences if d.beyond]

    @property
    def within(self) -> list[Difference]:
        return [d for d in self.differences if d.judged and not d.beyond]

    @property
    def unjudged(self) -> list[Difference]:
        return [d for d in self.differences if not d.judged]

    @property
    def agrees(self) -> bool:
        """Whether both have the same cases, and nothing in them differs beyond noise."""
        return not (any(self.alone.values()) or self.beyond or any(c.beyond for c in self.costs) or self.short)

    @property
    def same(self) -> bool:
        """Whether both hold the same cases with the same bits."""
        return not (any(self.alone.values()) or self.differences or self.data)

    def rows(self) -> list[tuple[Any, ...]]:
        """All differences, with the names of their columns first."""
        return [tuple(f.name for f in dataclasses.fields(Difference)), *map(dataclasses.astuple, self.differences)]

    def table(self) -> Any:
        """A pandas DataFrame, a row per case and column that differ."""
        pandas = optional("pandas", "python3-pandas", "a table of differences")
        names, *rows = self.rows()
        return pandas.DataFrame(rows, columns=list(names))

    def sentences(self) -> list[str]:
        out = [f"The studies of {self.a} and {self.b} differ: {'; '.join(self.study)}."] if self.study else []
        for path, names in self.alone.items():
            if names:
                count = "1 case is" if len(names) == 1 else f"{len(names)} cases are"
                out.append(f"{count} only in {path}: {'; '.join(names[:NAMED])}{' ...' * (len(names) > NAMED)}.")
        out += [f"In {path} sums over the members have fewer terms than members: constella verify {path} shows where." for path in self.short]
        out += [worst(name, [d for d in self.beyond if d.column == name]) for name in dict.fromkeys(d.column for d in self.beyond)]
        out += [f"{c.name} of {some(c.beyond)} differs by more than its repeats do." for c in self.costs if c.beyond]
        if self.within:
            most = max((d.relative for d in self.within if np.isfinite(d.relative)), default=0.0)
            out.append(f"Within noise, by a factor 1 + {most:.2g} at most: {brief.some(columns_of(self.within))}.")
        if self.unjudged:
            out.append(f"Not judged, since they follow from others: {brief.some(columns_of(self.unjudged))}.")
        if self.data:
            out.append(f"Other data that differ in some bits: {brief.some(self.data)}.")
        equal = self.common > 0 and not (self.differences or self.data)
        many = "The case that both have is" if self.common == 1 else f"The {self.common} cases that both have are"
        return [*out, f"{many}{' equal in all bits' if equal else ' compared'}."]

    def __repr__(self) -> str:
        return "\n".join(self.sentences())

    def _repr_html_(self) -> str:
        rows = [[d.case, d.column, d.a, d.b, d.relative] for d in self.differences[: brief.ROWS]]
        heads = ["case", "column", self.a, self.b, "relative"]
        said = " ".join(self.sentences())
        return brief.table(said, heads, rows, len(self.differences))


def some(names: list[str]) -> str:
    return "; ".join(names[:NAMED]) + " ..." * (len(names) > NAMED)


def columns_of(differences: list[Difference]) -> list[str]:
    return list(dict.fromkeys(d.column for d in differences))


def largest(mine: list[Difference]) -> Difference:
    return max(mine, key=lambda d: d.relative if np.isfinite(d.relative) else -1.0)


def worst(column: str, mine: list[Difference]) -> str:
    """A sentence on the differences in a column, with the largest of them."""
    most = largest(mine)
    much = f" by a factor 1 + {most.relative:.2g} at most" if np.isfinite(most.relative) else ""
    count = "1 case" if len(mine) == 1 else f"{len(mine)} cases"
    return f"{column} differs beyond noise in {count}{much}: {brief.entry(most.a)} and {brief.entry(most.b)} for {most.case}."


def tolerances(result: Result) -> list[float]:
    """Of the selected cases, each once."""
    told = result.data("/cases/tolerance")
    return sorted({float(told[case]) for case in result.chosen}) if told is not None else []


def keys(result: Result, tolerance: Any) -> dict[Key, int]:
    """{what a case is: its number}, of the selected cases. tolerance: of all cases; None: it makes no difference."""
    methods, starts = result.texts("method"), result.said("start")
    found: dict[Key, int] = {}
    for case in result.chosen:
        parameters = tuple(sorted(result.parameters(case).items()))
        limit = float(tolerance[case]) if tolerance is not None else 0.0
        found[methods[case], float(result.nominal[case]), parameters, limit, starts[case]] = int(case)
    return found


def name_of(result: Result, case: int, alike: bool = True) -> str:
    """alike: the tolerances of both results are the same, so that a name tells none."""
    curve = result.curve_of(case)
    tolerance = "" if alike else f", tolerance {float(result.data('/cases/tolerance')[case]):.4g}"
    return f"{curve.label if curve else f'case {case}'}, step {result.nominal[case]:.4g}{tolerance}"


def judgement(a: Result, i: int, b: Result, j: int, name: str) -> tuple[bool, bool]:
    """(beyond noise, judged)"""
    return noise.beyond(a, i, b, j, name), noise.judged(a, b, name)


def columns_that_differ(a: Result, b: Result, pairs: list[tuple[int, int]]) -> list[Difference]:
    found = []
    for name in [n for n in a.names("/statistics") if n in b.names("/statistics")]:
        x, y = a.column(name), b.column(name)
        for i, j in pairs:
            if noise.all_equal(x[i], y[j]):
                continue
            relative = float("nan")
            if x.dtype.kind in "fi" and y.dtype.kind in "fi" and np.isfinite([x[i], y[j]]).all():
                relative = float(abs(x[i] - y[j]) / max(abs(x[i]), abs(y[j])))
            found.append(Difference(name_of(a, i), name, x[i], y[j], relative, *judgement(a, i, b, j, name)))
    return found


def data_that_differ(a: Result, b: Result, pairs: list[tuple[int, int]]) -> list[str]:
    """Paths of the datasets by case, outside the table, whose bits differ, or whose shapes do."""
    mine, other = np.array(pairs, dtype=int).reshape(-1, 2).T
    theirs = [path for path, _ in labelled.shaped_by_cases(b)]
    found = []
    for path, _ in labelled.shaped_by_cases(a):
        if path.startswith(("/statistics", "/run")):
            continue
        if path not in theirs:
            found.append(path)
            continue
        x, y = a.data(path)[mine], b.data(path)[other]
        if x.shape != y.shape or (x.tobytes() != y.tobytes() if x.dtype.kind != "O" else (x != y).any()):
            found.append(path)
    return found


def series_are_short(result: Result) -> bool:
    """The same of the series. Members that were continued from an earlier end have terms at the start and at the end, but perhaps not between
    them."""
    counts = [result.data(f"/series/{name}/count") for name in result.names("/series") if name != "t"]
    if not counts or any(x is None for x in counts):
        return False
    most, joined = np.max(counts, axis=0), result.data("/continue/joined")
    status, steps = result.data("/final/status"), result.data("/final/steps")
    at = np.rint(result.data("/series/t") / result.data("/cases/h")[:, None])
    for case, n in enumerate(result.data("/cases/n")):
        stayed = np.where((status[case] >= 0) & (status[case] != NO_START), steps[case], -1)
        known = np.isfinite(at[case])
        step, first = at[case][known], 0 if joined is None else joined[case]
        whole, here = (len(x) - np.searchsorted(x, step) for x in (np.sort(stayed), np.sort(stayed[first:])))
        if (most[case][known] < np.where((step == 0) | (step == n), whole, here)).any():
            return True
    return False


def lags_are_short(result: Result, group: str) -> bool:
    """The same of autocorrelations or displacements, which have a term of each member that reached the end."""
    names = [name for name in result.names(group) if name.endswith("_members")]
    ended = (result.data("/final/status") == DONE).sum(axis=1)
    return any((result.data(f"{group}/{name}").max(axis=1) < ended).any() for name in names)


def histograms_are_short(result: Result) -> bool:
    """The same of histograms, whose samples of each member are in the file."""
    ended = result.data("/final/status") == DONE
    for name in result.names("/histograms"):
        members = result.data(f"/histograms/{name}_members")
        if members is None:
            continue
        outside, inside = result.data(f"/histograms/{name}_outside"), result.data(f"/histograms/{name}").sum(axis=1)
        terms = np.minimum(outside[:, -1], inside + outside[:, :-1].sum(axis=1))
        if (terms < np.where(ended, members.sum(axis=(2, 3)), 0).sum(axis=1)).any():
            return True
    return False


def is_short(result: Result) -> bool:
    """Whether some sum over members has fewer terms than members were there."""
    if result.attribute("/run", "finished") is None:
        return False
    lags = (lags_are_short(result, group) for group in ("/autocorrelation", "/mean-square-displacement"))
    return series_are_short(result) or any(lags) or histograms_are_short(result)


ORIGIN = {  # what made a file, as a reader calls it: the group and the attribute
    "program": ("/", "creator"), "version": ("/", "version"), "source": ("/", "git"), "compiler": ("/run", "compiler"),
    "libraries": ("/run", "libraries"), "machine": ("/run", "host"), "instruction set": ("/run", "instruction_set"),
    "kernels": ("/run", "kernels"), "ranks": ("/run", "ranks"),
}  # fmt: skip


def origins(a: Result, b: Result) -> list[tuple[str, str, str]]:
    return [(what, str(a.attribute(*at)), str(b.attribute(*at))) for what, at in ORIGIN.items()]


def costs(a: Result, b: Result, pairs: list[tuple[int, int]]) -> list[Cost]:
    found = []
    for name in ("evaluations", "iterations", "cpu_seconds"):
        timed = name == "cpu_seconds"
        x, y = (r.numbers(name) if timed else r.told(name) for r in (a, b))
        ratios = [float(y[j] / x[i]) for i, j in pairs if np.isfinite([x[i], y[j]]).all() and x[i] > 0]
        if ratios:
            found.append(Cost(name, ratios, [name_of(a, i) for i, j in pairs if timed and noise.cost_beyond(a, i, b, j)]))
    return found


def compare(a: Result, b: Result) -> Comparison:
    """What differs between the selected cases of two results. Among the columns are no measured times, and nothing
    that depends on the machine: these are in `origin` and `costs`."""
    ones, others = tolerances(a), tolerances(b)
    apart = len(ones) == len(others) == 1  # each has one tolerance: they are compared whatever these are
    of_a, of_b = (keys(r, None if apart else r.data("/cases/tolerance")) for r in (a, b))
    alike = apart or ones == others
    pairs = [(case, of_b[key]) for key, case in of_a.items() if key in of_b]
    lines = difflib.unified_diff(a.study.splitlines(), b.study.splitlines(), lineterm="", n=0)
    changed = [line[0] + " " + line[1:].strip() for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    alone = {
        a.path: [name_of(a, case, alike) for key, case in of_a.items() if key not in of_b],
        b.path: [name_of(b, case, alike) for key, case in of_b.items() if key not in of_a],
    }
    return Comparison(
        a.path, b.path, changed, alone, len(pairs), columns_that_differ(a, b, pairs), data_that_differ(a, b, pairs),
        origins(a, b), costs(a, b, pairs), list(dict.fromkeys(r.path for r in (a, b) if is_short(r)))
    )
