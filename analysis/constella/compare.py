"""compare.py: what differs between two results: their studies, their cases, and the columns of cases that
both have."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING, Any

import numpy as np

from . import brief, labelled
from .reading import optional

if TYPE_CHECKING:
    from .result import Result

Key = tuple[Any, ...]
NAMED = 3  # cases that a sentence names


@dataclasses.dataclass(frozen=True)
class Difference:
    """A column in which a case differs. relative: |a - b| / max(|a|, |b|); NaN for texts, and where one of
    both is no number."""

    case: str
    column: str
    a: Any
    b: Any
    relative: float


@dataclasses.dataclass(frozen=True, repr=False)
class Comparison:
    """a, b: the files. study: lines of the studies that differ, with - or + before them. alone: {file: names
    of cases that only this one has}. common: how many both have; of them `differences` lists the columns of
    the table, and `data` the other datasets whose bits differ."""

    a: str
    b: str
    study: list[str]
    alone: dict[str, list[str]]
    common: int
    differences: list[Difference]
    data: list[str]

    @property
    def same(self) -> bool:
        """Whether both hold the same cases with the same bits."""
        return not (any(self.alone.values()) or self.differences or self.data)

    def table(self) -> Any:
        """A pandas DataFrame, a row per case and column that differ."""
        pandas = optional("pandas", "python3-pandas", "a table of differences")
        names = [f.name for f in dataclasses.fields(Difference)]
        return pandas.DataFrame([dataclasses.astuple(d) for d in self.differences], columns=names)

    def sentences(self) -> list[str]:
        out = [f"The studies of {self.a} and {self.b} differ: {'; '.join(self.study)}."] if self.study else []
        for path, names in self.alone.items():
            if names:
                out.append(f"{len(names)} cases are only in {path}: {'; '.join(names[:NAMED])}{' ...' * (len(names) > NAMED)}.")
        out += [self._worst(name) for name in dict.fromkeys(d.column for d in self.differences)]
        if self.data:
            out.append(f"Other data that differ in some bits: {brief.some(self.data)}.")
        equal = self.common > 0 and not (self.differences or self.data)
        return [*out, f"The {self.common} cases that both have are{' equal in all bits' if equal else ' compared'}."]

    def _worst(self, column: str) -> str:
        mine = [d for d in self.differences if d.column == column]
        worst = max(mine, key=lambda d: d.relative if np.isfinite(d.relative) else -1.0)
        much = f" by a factor 1 + {worst.relative:.2g} at most" if np.isfinite(worst.relative) else ""
        return f"{column} differs in {len(mine)} cases{much}: {brief.entry(worst.a)} and {brief.entry(worst.b)} for {worst.case}."

    def __repr__(self) -> str:
        return "\n".join(self.sentences())

    def _repr_html_(self) -> str:
        rows = [[d.case, d.column, d.a, d.b, d.relative] for d in self.differences[: brief.ROWS]]
        heads = ["case", "column", self.a, self.b, "relative"]
        said = " ".join(self.sentences())
        return brief.table(said, heads, rows, len(self.differences))


def keys(result: Result) -> dict[Key, int]:
    """{what a case is: its number}, of the selected cases."""
    methods, starts, tolerance = result.texts("method"), result.said("start"), result.data("/cases/tolerance")
    found: dict[Key, int] = {}
    for case in result.chosen:
        parameters = tuple(sorted(result.parameters(case).items()))
        limit = float(tolerance[case]) if tolerance is not None else 0.0
        found[methods[case], float(result.nominal[case]), parameters, limit, starts[case]] = int(case)
    return found


def name_of(result: Result, case: int) -> str:
    curve = result.curve_of(case)
    return f"{curve.label if curve else f'case {case}'}, step {result.nominal[case]:.4g}"


def columns_that_differ(a: Result, b: Result, pairs: list[tuple[int, int]]) -> list[Difference]:
    found = []
    for name in [n for n in a.names("/statistics") if n in b.names("/statistics")]:
        x, y = a.column(name), b.column(name)
        for i, j in pairs:
            if x[i] == y[j] or (x[i] != x[i] and y[j] != y[j]):
                continue
            relative = float("nan")
            if x.dtype.kind in "fi" and y.dtype.kind in "fi" and np.isfinite([x[i], y[j]]).all():
                relative = float(abs(x[i] - y[j]) / max(abs(x[i]), abs(y[j])))
            found.append(Difference(name_of(a, i), name, x[i], y[j], relative))
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


def compare(a: Result, b: Result) -> Comparison:
    """What differs between the selected cases of two results. Measured times, and what depends on the
    machine, are left out."""
    of_a, of_b = keys(a), keys(b)
    pairs = [(case, of_b[key]) for key, case in of_a.items() if key in of_b]
    lines = difflib.unified_diff(a.study.splitlines(), b.study.splitlines(), lineterm="", n=0)
    changed = [line[0] + " " + line[1:].strip() for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    alone = {
        a.path: [name_of(a, case) for key, case in of_a.items() if key not in of_b],
        b.path: [name_of(b, case) for key, case in of_b.items() if key not in of_a],
    }
    return Comparison(
        a.path, b.path, changed, alone, len(pairs), columns_that_differ(a, b, pairs), data_that_differ(a, b, pairs)
    )
