#!/usr/bin/env python3
"""verdicts.py: judges verdicts on real runs by runs that are 15 times longer.

    tests/bench/verdicts.py [PROGRAM [SECONDS]]

Each study is run to its end and to 15 times its end. A `drifts`, `linear` or `quadratic` of the short run is
false if the slope of the long run is below a tenth of it, or of the other sign. It prints each false verdict,
and how many verdicts of each kind there were; after SECONDS (default 900) it stops between two studies.
"""
# SPDX-License-Identifier: BSD-2-Clause
import csv
import io
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter

LONGER = 15
METHODS = {
    "free": ["rattle", '"compose(rattle, yoshida4)"', '"compose(rattle, suzuki4)"', "rk4", "rk3", "heun", '"gauss(2)"'],
    "held": [
        "rattle", '"compose(rattle, yoshida4)"', "project(rk4)", "project(heun)", "convert(rk4)",
        '"convert(rk3, bias=-0.5)"', "midpoint",
    ],
}  # fmt: skip
SYSTEMS = [  # name, methods, end, steps
    ("henon-heiles", "free", 400, "[0.4, 0.2]"),
    ("kepler", "free", 200, "[0.05, 0.02]"),
    ("double-pendulum", "held", 100, "[0.05, 0.02]"),
    ("spherical-pendulum", "held", 100, "[0.05, 0.02]"),
    ("planar-pendulum", "held", 100, "[0.05, 0.02]"),
    ("heavy-top", "held", 40, "[0.05, 0.02]"),
    ("rigid-body", "held", 40, "[0.1, 0.05]"),
    ("tethered-satellites", "held", 50, "[0.05, 0.02]"),
    ("underwater-vehicle", "held", 40, "[0.05, 0.02]"),
    ("modified-pendulum", "held", 50, "[0.02, 0.01]"),
    ("bead-on-torus", "held", 50, "[0.02, 0.01]"),
    ("slider-crank", "held", 50, "[0.02, 0.01]"),
]


def rows(program, folder, system, methods, end, steps, members, seed):
    path = os.path.join(folder, "study.yaml")
    with open(path, "w") as out:
        out.write(
            f"study: conservation\nsystem: {system}\n"
            f"initial: {{members: {members}, seed: {seed}, spread: {{q: 0.03, v: 0.03}}}}\n"
            f"end: {end}\nsteps: {steps}\nmethods: [{', '.join(METHODS[methods])}]\n"
            "samples: {count: 0}\n"
        )
    result = os.path.join(folder, "result.h5")
    run = [program, "run", path, "-o", result, "--overwrite", "--progress", "none"]
    done = subprocess.run(run, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        print(f"{system} not run: {done.stderr.strip()[:200]}")
        return []
    table = subprocess.run([program, "table", result, "--format", "csv"], capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(table.stdout)))


def is_false(word, name, short, long):
    """The change of the short run has gone in the long one. NaN: it cannot be said."""
    if word not in ("drifts", "linear", "quadratic"):
        return False
    both = [float(row[f"{name}_slope"] or "nan") for row in (short, long)]
    spread = [float(row[f"{name}_slope_rms"] or "nan") for row in (short, long)]
    return all(LONGER * abs(late) < 0.5 * abs(early) for early, late in (both, spread))


def compare(label, short, long, counts):
    for a, b in zip(short, long):
        for column in (k for k in a if k.endswith("_verdict")):
            name, word = column[: -len("_verdict")], a[column]
            if not word or word in ("failed", "exact", "frozen"):
                continue
            counts[word] += 1
            if is_false(word, name, a, b):
                counts["false " + word] += 1
                print("false:", label, a["method"], a["step"], name, word, "then", b[column], flush=True)


def main(program="build/constella", seconds="900"):
    start, counts = time.time(), {1: Counter(), 16: Counter()}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(3, 10):
            for system, methods, end, steps in SYSTEMS:
                for members in counts:
                    if time.time() - start > float(seconds):
                        break
                    both = [rows(program, folder, system, methods, e, steps, members, seed) for e in (end, LONGER * end)]
                    compare(f"{system}, {members} members, seed {seed}:", *both, counts[members])
    for members, found in counts.items():
        total = sum(n for word, n in found.items() if not word.startswith("false"))
        print(f"{members} members: {total} verdicts,", ", ".join(f"{w} {n}" for w, n in sorted(found.items())))


if __name__ == "__main__":
    main(*sys.argv[1:])
