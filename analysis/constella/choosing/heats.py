"""heats.py: one heat of a tournament: studies with all candidates as cases, run by the program; their rows.

Rows hold counted work and what the goal needs, nothing that differs between two runs. A heat that the record has is not run
again.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import contextlib
import json
import math
import os
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ..reading import ConstellaError
from ..result import Result
from ..running import OVER, call, program, worded, written

PLAN, SOME = 1.25, 0.5  # a study may take so many times what is planned, and so many seconds more, without a note
WORDS = ("failures", "verdict", "law", "why")
KEEPS = ("max", "scale", "slope", "slope_error", "slope_rms", "drift_limit", "verdict", "law", "why")


def clean(x: Any) -> Any:
    """JSON has no NaN and no infinity."""
    if isinstance(x, (float, np.floating)):
        return float(x) if math.isfinite(x) else None
    return x.item() if hasattr(x, "item") else x


def is_kept(name: str, of: list[str]) -> bool:
    """Columns that a judge reads: statistics of the named quantities, and errors against a reference."""
    if name in ("failed", "failures", "error_q", "reference_error_q", "constraint_max", "evaluations_per_step", "observe", "end", "step_taken"):
        return True
    return any(name == f"{quantity}_{k}" for quantity in of for k in (*KEEPS, "mean", "error"))


def read(path: pathlib.Path, of: list[str], timed: bool) -> list[dict[str, Any]]:
    with Result(path) as r:
        names = [n for n in r.uses if is_kept(n, of)]
        columns = {n: (r.texts(n) if n.endswith(WORDS) else r.numbers(n)) for n in names}
        work = {k: r.data(f"/final/{k}").mean(axis=1) for k in ("evaluations", "iterations", "steps")}
        method, tolerance = r.texts("method"), r.data("/cases/tolerance")
        extra = {}
        if timed:
            extra = {"cpu_seconds": r.numbers("cpu_seconds"), "rate": r.numbers("steps_per_second")}
        return [
            {"method": str(method[k]), "step": float(r.nominal[k]), "tolerance": float(tolerance[k])}
            | {n: clean(c[k]) for n, c in {**work, **columns, **extra}.items()}
            for k in range(r.ncase)
        ]


class Runner:
    """Runs studies. known: {text of a study: rows} of an earlier attempt; each: called after a study with (text, rows).
    part: the result that is being made, with its checkpoints. overruns: {text: seconds} of studies that took far longer
    than planned, which is found out once and then part of the plan: they count as what they were allowed. seconds: of the
    processor that were used; over: those of the overruns so far."""

    def __init__(self, known: dict[str, Any], each: Callable[[str, Any], None], part: pathlib.Path, progress: bool, overruns: dict[str, float] | None = None) -> None:
        self.known, self.each, self.part, self.progress = known, each, part, progress
        self.overruns = {} if overruns is None else overruns
        self.seconds = self.over = 0.0

    def run(self, study: dict[str, Any], of: list[str], limit: float = 0.0, planned: float = 0.0) -> list[dict[str, Any]]:
        """limit, planned: in seconds of the processor, 0: none; no rows: it does not end within the limit."""
        text = json.dumps(study, sort_keys=True)
        if text not in self.known:
            before = self.seconds
            rows = self._made(study, of, limit)
            took = self.seconds - before
            if planned and text not in self.overruns and (not rows or took > PLAN * planned + SOME):
                self.overruns[text] = max(0.0, limit - planned)
            self.known[text] = rows
            self.each(text, rows)
        self.over += self.overruns.get(text, 0.0)
        return self.known[text]

    def _made(self, study: dict[str, Any], of: list[str], limit: float) -> list[dict[str, Any]]:
        if limit < 0:
            return []
        before, timed = sum(os.times()[2:4]), "timing" in study
        with written(study) as path:
            line = [program(), "run", str(path), "-o", str(self.part), "--progress", "log" if self.progress else "none"]
            code, said = call([*line, "--resume"] if self.part.exists() else line, False, True, limit)
            if code == 2 and self.part.exists():  # of another study
                code, said = call([*line, "--overwrite"], False, True, limit)
        self.seconds += sum(os.times()[2:4]) - before
        if code == OVER:
            self.remove()
            return []
        if code not in (0, 1) or not self.part.exists():
            raise ConstellaError(worded(said, path) or f"a study of the tournament ended with status {code}")
        rows = read(self.part, of, timed)
        self.remove()
        return rows

    def remove(self) -> None:
        for path in self.part.parent.glob(self.part.name + "*"):
            with contextlib.suppress(OSError):
                path.unlink()
