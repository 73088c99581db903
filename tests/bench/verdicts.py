#!/usr/bin/env python3
"""verdicts.py: judges verdicts on real runs by runs that are 15 times longer.

    tests/bench/verdicts.py [PROGRAM [SECONDS [FOLDER]]]

Each study is run to its end and to 15 times its end. A verdict of growth of the short run is false if the long
run has no growth either: its own verdict is bounded or undecided, and its rate, of the mean and as rms over
members, is below a tenth of that of the short run. A law x ~ t^a changes the rate by 15^(a - 1); it has ended
where both rates differ from that by more than a factor of two: it held in the short run, but does not go on. It
prints each such verdict, and how many of each kind there were; after SECONDS (default 900) it stops between two
studies.
FOLDER keeps the tables of the long runs, which are then not run again.
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
GROWING = ("random-walk", "linear", "quadratic", "exponential", "drifts")
POWERS = {"random-walk": 0.5, "linear": 1, "quadratic": 2}
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


def run(program, folder, system, methods, end, steps, members, seed):
    """The table of a study, as CSV; empty if it was not run."""
    path = os.path.join(folder, "study.yaml")
    with open(path, "w") as out:
        out.write(
            f"study: conservation\nsystem: {system}\n"
            f"initial: {{members: {members}, seed: {seed}, spread: {{q: 0.03, v: 0.03}}}}\n"
            f"end: {end}\nsteps: {steps}\nmethods: [{', '.join(METHODS[methods])}]\n"
            "samples: {count: 0}\n"
        )
    result = os.path.join(folder, "result.h5")
    command = [program, "run", path, "-o", result, "--overwrite", "--progress", "none"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        print(f"{system} not run: {done.stderr.strip()[:200]}")
        return ""
    table = [program, "table", result, "--format", "csv"]
    return subprocess.run(table, capture_output=True, text=True).stdout


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def kept(folder, name, make):
    """The text of the file `name` in a folder; made where there is none."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        text = make()
        with open(path, "w") as out:
            out.write(text)
    with open(path) as text:
        return text.read()


def ratios(name, short, long):
    """Rates of the long run relative to the short one: of the mean, and as rms over members."""
    for ending in ("slope", "slope_rms"):
        early, late = (float(row[f"{name}_{ending}"] or "nan") for row in (short, long))
        if early:
            yield late / early


def is_false(word, name, short, long):
    """The growth of the short run has gone. NaN: it cannot be said."""
    if word not in GROWING or long[name + "_verdict"] not in ("bounded", "undecided"):
        return False
    return all(r < 0.1 for r in ratios(name, short, long))


def has_ended(word, name, short, long):
    if word not in POWERS:
        return False
    expected = LONGER ** (POWERS[word] - 1)
    return all(r < 0.5 * expected or r > 2 * expected for r in ratios(name, short, long))


def tell(what, label, word, name, short, long):
    found = ", ".join(f"{r:.3g}" for r in ratios(name, short, long))
    print(f"{what}: {label} {short['method']} {short['step']}: {name} {word}, then {long[name + '_verdict']};", end=" ")
    print(f"ratios {found}", flush=True)


def compare(label, short, long, counts):
    for a, b in zip(short, long):
        for column in (k for k in a if k.endswith("_verdict")):
            name, word = column[: -len("_verdict")], a[column]
            if not word or word in ("failed", "exact", "frozen"):
                continue
            counts[word] += 1
            if word == "undecided":
                counts[f"undecided ({a[name + '_why']})"] += 1
            for what, test in (("false", is_false), ("ended", has_ended)):
                if test(word, name, a, b):
                    counts[f"{what} {word}"] += 1
                    tell(what, label, word, name, a, b)
                    break


def judge(program, folder, keep, study, members, seed, counts):
    system, methods, end, steps = study
    short = run(program, folder, system, methods, end, steps, members, seed)
    long = kept(
        keep,
        f"{system}-{members}-{seed}.csv",
        lambda: run(program, folder, system, methods, LONGER * end, steps, members, seed),
    )
    compare(f"{system}, {members} members, seed {seed}:", read(short), read(long), counts)


def main(program="build/constella", seconds="900", keep=None):
    start, counts = time.time(), {1: Counter(), 16: Counter()}
    with tempfile.TemporaryDirectory() as folder:
        if keep:
            os.makedirs(keep, exist_ok=True)
        for seed in range(3, 10):
            for study in SYSTEMS:
                for members in counts:
                    if time.time() - start > float(seconds):
                        break
                    judge(program, folder, keep or folder, study, members, seed, counts[members])
    for members, found in counts.items():
        total = sum(n for word, n in found.items() if not word.startswith(("false", "ended", "undecided (")))
        print(f"{members} members: {total} verdicts,", ", ".join(f"{w} {n}" for w, n in sorted(found.items())))


if __name__ == "__main__":
    main(*sys.argv[1:])
