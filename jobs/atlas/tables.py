"""tables.py: the cells of the atlas: a number of a result, and the commands that make it again."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import math
import pathlib

import numpy as np

from constella.reading import ResultError
from constella.result import Result

ENERGY = 1e-4
HEADS = (
    "order of q", "energy, 32 steps a period", "drift excluded", "momentum", "largest |g|", "evaluations a step", "s a step",
    "work for 1e-6 in q", "work for 1e-4 in energy", "many more periods", "temperature, error",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Cell:
    """text: what is shown; study: the name of its study; where, columns: of `constella table`."""

    text: str = "not run"
    study: str = ""
    where: str = ""
    columns: str = ""

    @property
    def commands(self) -> str:
        if not self.study:
            return ""
        return f"constella run studies/{self.study}.yaml -o {self.study}.h5; constella table {self.study}.h5 --where '{self.where}' --columns {self.columns}"


def opened(path: pathlib.Path) -> Result | None:
    """A complete result, or None."""
    try:
        result = Result(path)
    except ResultError:
        return None
    return result if result.complete else None


def shown(x: float, digits: int = 3) -> str:
    return f"{x:.{digits}g}" if math.isfinite(x) else "-"


def case(result: Result, method: str, place: int) -> int | None:
    """The case of a method at a place among its steps, from the largest; None: the study does not have it."""
    found = sorted((c for c in result.chosen if result.texts("method")[c] == method), key=lambda c: -result.nominal[c])
    return int(found[min(place, len(found) - 1)]) if found else None


def cell(path: pathlib.Path, method: str, place: int, column: str, words: bool = False) -> Cell:
    result = opened(path)
    if result is None:
        return Cell()
    with result:
        c = case(result, method, place)
        if c is None:
            return Cell("does not fit")
        names = column.split(",")
        text = ", ".join(str(result.texts(n)[c]) if words else shown(float(result.numbers(n)[c])) for n in names)
        if result.failing[c].any():
            text = f"{text}; {int(result.failing[c].sum())} fail" if text.strip(", -") else "all fail"
        step = repr(float(result.nominal[c]))
        return Cell(text, path.stem, f'method = "{method}" and step = {step}', column)


def work_for_energy(result: Result, method: str, level: float = ENERGY) -> float:
    """Evaluations and iterations of a period's length at the step whose largest change of the energy is `level` of its
    terms: log work is linear in log change between the steps of the study; NaN: not reached, or failing."""
    found = []
    for c in result.chosen:
        if result.texts("method")[c] == method and not result.failing[c].any():
            work = float((result.data("/final/evaluations")[c] + result.data("/final/iterations")[c]).mean())
            found.append((work, float(result.numbers("energy_max")[c] / result.numbers("energy_scale")[c])))
    found.sort()
    for (w0, e0), (w1, e1) in zip(found, found[1:]):
        if e0 > level >= e1 > 0:
            x = math.log(e0 / level) / math.log(e0 / e1)
            return w0 * (w1 / w0) ** x
    return found[0][0] if found and 0 < found[0][1] <= level else math.nan


def cheapest(path: pathlib.Path) -> list[str]:
    """Methods by that work whose energy is not seen to drift at the smallest step."""
    result = opened(path)
    if result is None:
        return []
    with result:
        methods = list(dict.fromkeys(result.texts("method")))
        work = {m: work_for_energy(result, m) for m in methods}
        return sorted((m for m in methods if math.isfinite(work[m])), key=lambda m: (work[m], m))


def momentum(path: pathlib.Path, method: str) -> Cell:
    result = opened(path)
    if result is None:
        return Cell()
    with result:
        own = [q for q in result.quantities("verdict") if q not in ("energy", "constraint", "hidden")]
    return cell(path, method, 1, f"{own[0]}_verdict", True) if own else Cell("none declared")


def energy_work(path: pathlib.Path, method: str) -> Cell:
    result = opened(path)
    if result is None:
        return Cell()
    with result:
        if method not in result.texts("method"):
            return Cell("does not fit")
        x = work_for_energy(result, method)
        text = shown(x) if math.isfinite(x) else "not reached"
        return Cell(text, path.stem, f'method = "{method}"', "step,energy_max,energy_scale,evaluations_per_step,iterations_mean")


def rows(folder: pathlib.Path, name: str, method: str) -> list[Cell]:
    """The cells of a method on a system, as HEADS."""
    if name.endswith("-bath"):
        t = folder / f"{name}-temperature.h5"
        return [*[Cell("no claim")] * (len(HEADS) - 1), cell(t, method, 1, "temperature_mean,temperature_error")]
    o, p, e, many = (folder / f"{name}-{k}.h5" for k in ("order", "precision", "energy", "long"))
    return [
        cell(o, method, 4, "order_q"), cell(e, method, 1, "energy_verdict", True), cell(e, method, 1, "energy_drift_limit"),
        momentum(e, method), cell(e, method, 1, "constraint_max"), cell(e, method, 1, "evaluations_per_step"),
        per_step(e, method), cell(p, method, 4, "evaluations_at_1e-06"), energy_work(e, method),
        long_one(many, method), Cell("no bath"),
    ]  # fmt: skip


def long_one(path: pathlib.Path, method: str) -> Cell:
    found = cell(path, method, 0, "energy_verdict", True)
    return Cell("not among the three") if found.text == "does not fit" else found


def per_step(path: pathlib.Path, method: str) -> Cell:
    """Of the processor, measured; the only cell that differs from run to run."""
    result = opened(path)
    if result is None:
        return Cell()
    with result:
        c = case(result, method, 1)
        if c is None:
            return Cell("does not fit")
        cpu, steps = result.numbers("cpu_seconds")[c], np.mean(result.data("/final/steps")[c])
        return Cell(shown(float(cpu / steps), 2), path.stem, f'method = "{method}" and step = {float(result.nominal[c])!r}', "cpu_seconds")
