"""command.py: `constella explain FILE`."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import pathlib
import sys
from typing import Any

from ..choosing.command import seconds
from ..choosing.ladder import divisors
from ..choosing.told import aligned
from ..reading import ConstellaError, ResultError
from ..result import Result
from . import chart
from .cause import explain

DRIFTS = ("linear", "quadratic", "random-walk", "exponential", "drifts", "linear (round-off)", "failed", "undecided")
SHORTEST = 640  # of the largest steps, that a map lasts at least: ten in each window


def drifting(result: Result, case: int) -> list[str]:
    """The quantities of a case that have a drift, or have not been shown to have none."""
    if result.failing[case].any():
        return ["energy"]
    return [q for q in result.quantities("verdict") if result.texts(f"{q}_verdict")[case] in DRIFTS and q in result.conserved]


def wanted(result: Result) -> dict[tuple[float, float], list[int]]:
    """{(step, tolerance): cases}: of each method the case with the largest step that drifts."""
    found: dict[tuple[float, float], list[int]] = {}
    done: set[str] = set()
    for case in sorted(result.chosen, key=lambda c: (-result.nominal[c], c)):
        method = result.texts("method")[case]
        if method and method not in done and drifting(result, case):
            done.add(method)
            found.setdefault((float(result.nominal[case]), float(result.data("/cases/tolerance")[case])), []).append(int(case))
    return found


def parameters(result: Result, case: int, system: Any) -> Any:
    values = result.parameters(case)
    return {**system, "parameters": values} if values else system


def horizon(result: Result, cases: list[int], h: float, budget: float, many: int) -> float:
    """The longest part of the run that the budget allows."""
    end = float(result.numbers("end")[cases[0]])
    cost = chart.seconds_of(result, cases, h, result.status.shape[1], many)
    fits = [end / m for m in divisors() if cost * end / m <= budget and end / m >= SHORTEST * h]
    return max(fits, default=min(end, SHORTEST * h))


def explained(result: Result, budget: float, folder: pathlib.Path, system: Any) -> tuple[list[dict[str, Any]], list[pathlib.Path]]:
    groups, found, maps = wanted(result), [], []
    for (h, tolerance), cases in groups.items():
        methods = [result.texts("method")[c] for c in cases]
        study = chart.study_of(result, cases[0], methods, parameters(result, cases[0], system))
        end = horizon(result, cases, h, budget / len(groups), len(chart.tolerances(tolerance)))
        maps.append(chart.made(chart.timed(study, end), folder))
        points = chart.points(maps[-1])
        for case, method in zip(cases, methods):
            for of in drifting(result, case):
                cause = explain(points[(method, of)], h, tolerance)
                word = result.texts(f"{of}_verdict")[case]
                found.append({"method": method, "step": h, "quantity": of, "verdict": word, "cause": cause.word, "said": cause.said, "map": len(maps) - 1, "until": end})
    return found, maps


def run(args: Any) -> int:
    budget = seconds(args.budget or "1min")
    with Result(args.file) as whole:
        if whole.kind != "conservation":
            raise ResultError(f"is of {'an' if whole.kind[0] in 'aeiou' else 'a'} {whole.kind} study; `constella explain` explains conservation studies")
        result = whole.select(args.methods, args.where)
        of = whole.attribute("/run", "id")
        folder, system = chart.folder_with_system(whole)
        with folder as name:
            found, maps = explained(result, budget, pathlib.Path(name), system)
            if found:
                chart.keep(chart.beside(args.file), maps, found, str(of))
    if not found:
        sys.stdout.write("nothing drifts\n")
        return 0
    rows = [["method", "step", "of", "verdict", "cause", ""]]
    rows += [[f["method"], f"{f['step']:.6g}", f["quantity"], f["verdict"], f["cause"], f["said"]] for f in found]
    sys.stdout.write(aligned(rows) + f"\nthe maps are in {chart.beside(args.file)}\n")
    return 0


__all__ = ["ConstellaError", "run"]
