"""tables.py: the cells of the atlas: a number of a result, and the commands that make it again.

Costs are counted work, one evaluation or one iteration each, times a constant of each method on each system, which the
study of orders measures once.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import functools
import math
import pathlib
import re
from typing import Any

import numpy as np

from constella.reading import ResultError
from constella.result import Result

POSITION, ENERGY = 1e-6, 1e-4
HEADS = (
    "order of q", "energy, 32 steps a period", "drift beyond this is excluded", "momentum", "largest |g|", "units a step", "us a step",
    "1e-6 in q: units, us", "1e-4 in energy: units, us", "energy, many more periods",
)  # fmt: skip
BATH_HEADS = ("temperature, 8 steps a period", "16 steps", "32 steps")
FOREIGN = ("does not fit", "none declared", "no constraints", "not among the three")  # nothing that could be run
MIDDLE = 1  # place of 32 steps a period among those of the studies


@dataclasses.dataclass(frozen=True)
class Cell:
    """text: what is shown; study: the name of its study; where, columns: of `constella table`."""

    text: str = "not run"
    study: str = ""
    where: str = ""
    columns: str = ""

    @property
    def commands(self) -> str:
        """In the folder of the pages: they make it again beside the result, show it, and compare the bits."""
        if not self.study:
            return ""
        return (
            f"constella run studies/{self.study}.yaml -o again.h5 --overwrite; constella table again.h5 --where '{self.where}' --columns {self.columns}; "
            f"constella compare {self.study}.h5 again.h5"
        )


def slug(method: str) -> str:
    """`compose-rattle-suzuki4`: of a file."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", method).strip("-")


class Data:
    """A complete result, whose columns are read once; opening a file takes longer than all that is made of it."""

    def __init__(self, result: Result) -> None:
        self.result, self.uses, self.nominal, self.failing = result, result.uses, np.array(result.nominal), np.array(result.failing)
        self.chosen, self.ncase, self.verdicts = list(result.chosen), result.ncase, list(result.quantities("verdict"))

    @functools.lru_cache(maxsize=None)  # noqa: B019 (as long as the process)
    def texts(self, name: str) -> Any:
        return self.result.texts(name)

    @functools.lru_cache(maxsize=None)  # noqa: B019
    def numbers(self, name: str) -> Any:
        return self.result.numbers(name)

    @functools.lru_cache(maxsize=None)  # noqa: B019
    def column(self, name: str) -> Any:
        return self.result.column(name)

    @functools.lru_cache(maxsize=None)  # noqa: B019
    def data(self, name: str) -> Any:
        return np.array(self.result.data(name))


KNOWN: dict[pathlib.Path, Data] = {}


def opened(path: pathlib.Path) -> Data | None:
    """A complete result, or None."""
    if path not in KNOWN:
        try:
            result = Result(path)
        except ResultError:
            return None
        if not result.complete:
            result.close()
            return None
        KNOWN[path] = Data(result)
    return KNOWN[path]


def complete(path: pathlib.Path) -> bool:
    return opened(path) is not None


def path_of(folder: pathlib.Path, entry: Any, kind: str, method: str = "") -> pathlib.Path:
    return folder / f"{entry.label}-{kind}{'-' + slug(method) if method else ''}.h5"


def shown(x: float, digits: int = 3) -> str:
    return f"{x:.{digits}g}" if math.isfinite(x) else "-"


def where_of(result: Data, c: int) -> str:
    return f'method = "{result.texts("method")[c]}" and step = {float(result.nominal[c])!r}'


def case(result: Data, method: str, place: int) -> int | None:
    """The case of a method at a place among its steps, from the largest; None: the study does not have it."""
    found = sorted((c for c in result.chosen if result.texts("method")[c] == method), key=lambda c: -result.nominal[c])
    return int(found[min(place, len(found) - 1)]) if found else None


def cell(path: pathlib.Path, method: str, place: int, columns: list[str]) -> Cell:
    """The values of columns in one row of a table."""
    result = opened(path)
    if result is None:
        return Cell()
    c = case(result, method, place)
    if c is None:
        return Cell("does not fit")
    said = [str(x) if isinstance(x := result.column(n)[c], (str, bytes)) else shown(float(x)) for n in columns]
    text, failing = ", ".join(said), int(result.failing[c].sum())
    if failing:
        text = "all fail" if failing == len(result.failing[c]) else f"{text}; {failing} fail"
    return Cell(text, path.stem, where_of(result, c), ",".join(columns))


# ---- costs


def units(result: Data, c: int) -> float:
    """Of a step."""
    return float((result.data("/final/evaluations")[c] + result.data("/final/iterations")[c]).mean() / np.mean(result.data("/final/steps")[c]))


def cases(result: Data, method: str) -> list[int]:
    """Its cases without a failing trajectory, from the largest step."""
    found = [int(c) for c in result.chosen if result.texts("method")[c] == method and not result.failing[c].any()]
    return sorted(found, key=lambda c: -result.nominal[c])


@functools.lru_cache(maxsize=None)
def constants(path: pathlib.Path) -> dict[str, float]:
    """Of a complete result: {method: seconds of a unit}, the median over its steps; of the processor, of a trajectory in a
    batch of eight, the least of three repeats."""
    result = opened(path)
    if result is None:
        return {}
    seconds, steps = result.numbers("cpu_seconds"), result.data("/final/steps").mean(axis=1)
    found = {m: [seconds[c] / steps[c] / units(result, c) for c in cases(result, m)] for m in dict.fromkeys(result.texts("method"))}
    return {m: float(np.median(x)) for m, x in found.items() if x}


def constant(folder: pathlib.Path, entry: Any, method: str) -> float:
    """Seconds of a unit; 0: not known."""
    return constants(path_of(folder, entry, "order")).get(method, 0.0)


def seconds_of_step(folder: pathlib.Path, entry: Any, method: str, place: int) -> float:
    """Its units times the constant; 0: not known."""
    result = opened(path_of(folder, entry, "order"))
    if result is None or not constant(folder, entry, method):
        return 0.0
    c = case(result, method, place)
    return units(result, c) * constant(folder, entry, method) if c is not None else 0.0


def at_level(points: list[tuple[float, float]], level: float) -> tuple[float, str]:
    """The least work from which on an error stays below a level, of points (work, error): log work is linear in log error
    between two steps. The sign `<`: the error is below it at the largest step already. NaN: it is not reached."""
    points = sorted(points)
    if not points or not points[-1][1] <= level:
        return math.nan, ""
    for (w0, e0), (w1, e1) in reversed(list(zip(points, points[1:]))):
        if not e0 <= level:
            x = math.log(e0 / level) / math.log(e0 / e1) if e1 > 0 and math.isfinite(e0) else 1.0
            return w0 * (w1 / w0) ** x, ""
    return points[0][0], "<"


def points_of(result: Data, method: str, error: str, scale: str, period: float) -> list[tuple[float, float]]:
    """(units in a period, error) of its steps; an error that is not finite is infinite."""
    size = result.numbers(scale) if scale else np.ones(result.ncase)
    found = []
    for c in cases(result, method):
        e = float(result.numbers(error)[c] / size[c])
        found.append((units(result, c) * period / float(result.nominal[c]), e if math.isfinite(e) else math.inf))
    return found


def energy_points(folder: pathlib.Path, entry: Any, method: str) -> list[tuple[float, float]]:
    result = opened(path_of(folder, entry, "energy", method))
    if result is None:
        return []
    return points_of(result, method, "energy_max", "energy_scale", entry.time)


def cost(folder: pathlib.Path, entry: Any, method: str, kind: str, error: str, scale: str, level: float, columns: str) -> Cell:
    """Units and microseconds in a period."""
    path = path_of(folder, entry, kind, method if kind == "energy" else "")
    result = opened(path)
    if result is None:
        return Cell()
    if method not in result.texts("method"):
        return Cell("does not fit")
    x, sign = at_level(points_of(result, method, error, scale, entry.time), level)
    text = f"{sign}{shown(x)}, {shown(1e6 * x * constant(folder, entry, method), 2)}" if math.isfinite(x) else "not reached"
    return Cell(text, path.stem, f'method = "{method}"', columns)


def cheapest(folder: pathlib.Path, entry: Any, methods: list[str]) -> list[str]:
    """Methods by the seconds that a period costs at an energy error of 1e-4; those that reach it."""
    found = {m: at_level(energy_points(folder, entry, m), ENERGY)[0] * constant(folder, entry, m) for m in methods}
    return sorted((m for m in methods if math.isfinite(found[m]) and found[m] > 0), key=lambda m: (found[m], m))


def place(folder: pathlib.Path, entry: Any, method: str) -> int:
    """Of the largest step from which on the energy error is below that level, among the steps."""
    errors = [e for _, e in sorted(energy_points(folder, entry, method))]
    return max((k + 1 for k, e in enumerate(errors[:-1]) if not e <= ENERGY), default=0)


# ---- rows


def per_step(folder: pathlib.Path, entry: Any, method: str) -> Cell:
    """Units times the constant; it differs from machine to machine."""
    path = path_of(folder, entry, "order")
    found = cell(path, method, MIDDLE, ["cpu_seconds"])
    seconds = seconds_of_step(folder, entry, method, MIDDLE)
    return dataclasses.replace(found, text=shown(1e6 * seconds, 2)) if found.study and seconds else found if not found.study else Cell("all fail")


def work_of_step(path: pathlib.Path, method: str) -> Cell:
    found = cell(path, method, MIDDLE, ["evaluations_per_step", "iterations_mean"])
    result = opened(path)
    if result is None or not found.study:
        return found
    c = case(result, method, MIDDLE)
    return dataclasses.replace(found, text=shown(units(result, c))) if c is not None else found


def momentum(path: pathlib.Path, method: str) -> Cell:
    result = opened(path)
    if result is None:
        return Cell()
    own = [f"{q}_verdict" for q in result.verdicts if q not in ("energy", "constraint", "hidden")]
    return cell(path, method, MIDDLE, own) if own else Cell("none declared")


def has(path: pathlib.Path, column: str) -> bool:
    """Whether it applies: it is not a number only where all trajectories fail."""
    result = opened(path)
    return result is None or (column in result.uses and bool((np.isfinite(result.numbers(column)) | result.failing.all(axis=1)).any()))


def long_one(folder: pathlib.Path, entry: Any, method: str, among: list[str]) -> Cell:
    found = cell(path_of(folder, entry, "long", method), method, 0, ["energy_verdict", "energy_drift_limit"])
    return found if found.study or method in among[:3] or not among else Cell("not among the three")


def rows(folder: pathlib.Path, entry: Any, method: str, among: list[str]) -> list[Cell]:
    """The cells of a method on a system, as HEADS, or BATH_HEADS. among: `cheapest`."""
    if entry.bath:
        t = path_of(folder, entry, "temperature")
        return [cell(t, method, k, ["temperature_mean", "temperature_error"]) for k in range(len(BATH_HEADS))]
    o, e = path_of(folder, entry, "order"), path_of(folder, entry, "energy", method)
    if opened(o) is not None and not cell(o, method, 0, ["order_q"]).study:
        return [Cell("does not fit")] * len(HEADS)
    return [
        cell(o, method, 4, ["order_q"]), cell(e, method, MIDDLE, ["energy_verdict"]), cell(e, method, MIDDLE, ["energy_drift_limit"]),
        momentum(e, method), cell(e, method, MIDDLE, ["constraint_max"]) if has(e, "constraint_max") else Cell("no constraints"),
        work_of_step(o, method), per_step(folder, entry, method),
        cost(folder, entry, method, "order", "error_q", "", POSITION, "step,error_q,evaluations_per_step,iterations_mean"),
        cost(folder, entry, method, "energy", "energy_max", "energy_scale", ENERGY, "step,energy_max,energy_scale,evaluations_per_step,iterations_mean"),
        long_one(folder, entry, method, among),
    ]  # fmt: skip
