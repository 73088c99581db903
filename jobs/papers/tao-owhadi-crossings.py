#!/usr/bin/python3
"""tao-owhadi-crossings.py RESULT ...: when the mean angle of a DNA chain first passes pi, over the members of each method, and what a unit of
time costs. Results are those of tao-owhadi-dna.yaml and tao-owhadi-dna-fine.yaml."""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))
sys.dont_write_bytecode = True

from result import Result  # noqa: E402


def first_crossing(t, q):
    """The time at which the mean of q first lies above pi; infinite where it never does."""
    above = np.flatnonzero(q.mean(axis=-1) > np.pi)
    return t[above[0]] if above.size else np.inf


def crossings(trajectory):
    t, q = trajectory["t"][:], trajectory["q"][:]
    t = t if t.ndim == 1 else t[0]
    return np.array([first_crossing(t, member) for member in q])


def main():
    print(f"{'method':42} {'step':>6} {'failed':>6} {'crossed':>7} {'least':>7} {'median':>7} {'mean':>7} {'deviation':>9} {'ns/time':>9}")
    for path in sys.argv[1:]:
        result = Result(path)
        for curve in result.curves():
            for case in curve.cases:
                x = crossings(result.file[f"trajectories/{case}"])
                some, step = x[np.isfinite(x)], float(result.numbers("step")[case])
                told = (some.min(), np.median(x), some.mean(), some.std()) if some.size else (np.nan,) * 4
                cost = 1e9 / float(result.numbers("steps_per_second")[case]) / step
                print(f"{curve.method:42} {step:6g} {int(result.numbers('failed')[case]):6d} {some.size:7d} {told[0]:7.0f} {told[1]:7.0f} {told[2]:7.0f} {told[3]:9.0f} {cost:9.0f}")


main()
