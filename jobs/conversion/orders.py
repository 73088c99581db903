#!/usr/bin/python3
"""orders.py: the study orders.yaml on sixteen systems, and one table of measured and expected orders.

    orders.py [-o FOLDER] [--exceptions] [SYSTEM ...]

Writes a study and a result for each system into FOLDER (orders/), prints a row for each system, layer and
bias, then counts; with --exceptions the counts, and as a table of Markdown the rows whose order is not the
expected one. The program is that of the variable CONSTELLA (build/constella).
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import collections
import csv
import io
import os
import pathlib
import re
import subprocess
import sys

# Replacements in orders.yaml for each system. The start is generic, because a symmetric one hides terms of
# the error; `first` is the number of steps at the largest step.
SYSTEMS = {
    "spherical-pendulum": dict(initial="default", end=1.6, first=4),
    "planar-pendulum": dict(initial="rotating", end=1, first=4),
    "double-pendulum": dict(initial="default", end=1.6, first=4),
    "double-pendulum-angles": dict(initial="{q: [1, 0.5], v: [0.5, 1]}", end=1, first=4),
    "modified-pendulum": dict(initial="default", end=1.6, first=6),
    "charged-pendulum": dict(initial="default", end=1.6, first=4),
    "bead-on-torus": dict(initial="default", end=1.6, first=8),
    "rigid-body": dict(initial="default", end=2, first=8),
    "heavy-top": dict(system="{name: heavy-top, parameters: {g: 10}}", initial="default", end=0.5, first=8),
    "magnetised-body": dict(initial="precessing", end=1, first=8),
    "underwater-vehicle": dict(initial="default", end=2, first=4),
    "four-bar": dict(initial="default", end=0.4, first=8),
    "slider-crank": dict(initial="default", end=1, first=8),
    "tethered-satellites": dict(initial="orbit", end=2, first=4),
    "kepler": dict(initial="default", end=1.2, first=12),
    "henon-heiles": dict(initial="default", end=2, first=4),
}
LAYERS = {
    "euler": 1,
    "heun": 2,
    "rk3": 3,
    "rk4": 4,
    "rk5": 5,
    "rk6": 6,
    "rk8": 8,
    "gauss(2)": 4,
    "gauss(3)": 6,
    "taylor(4)": 4,
}
BIASES = ("0", "-0.3", "-0.5", "-1")
RATIOS = (1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96)
NEAR = 0.15  # an order within this of the expected one is equal to it
HERE = pathlib.Path(__file__).parent
CONSTELLA = os.environ.get("CONSTELLA", "build/constella")


def study_of(name, system="", initial="default", end=1, first=4):
    """The text of orders.yaml for another system."""
    counts = [int(first * ratio) for ratio in RATIOS]
    lines = {"system": system or name, "initial": initial, "end": end, "steps": f"{{counts: {counts}}}"}
    text = (HERE / "orders.yaml").read_text()
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    for key, value in lines.items():
        text = re.sub(rf"^{key}: .*$", f"{key}: {value}", text, flags=re.M)
    return text


def run(name, folder):
    """Runs the study; the first row of each method, as the program's table has it."""
    study, result = folder / f"{name}.yaml", folder / f"{name}.h5"
    study.write_text(study_of(name, **SYSTEMS[name]))
    done = subprocess.run(
        [CONSTELLA, "run", study, "-o", result, "--overwrite", "--progress", "none"],
        capture_output=True,
        text=True,
    )
    if done.returncode > 1:
        sys.exit(done.stderr)
    if done.returncode == 1:
        print(f"{name}: {done.stderr.strip()}", file=sys.stderr)
    table = subprocess.run(
        [CONSTELLA, "table", result, "--format", "csv"], capture_output=True, text=True, check=True
    )
    rows = {}
    for row in csv.DictReader(io.StringIO(table.stdout)):
        rows.setdefault(row["method"], row)
    return rows


def split(method):
    """Layer and bias of convert(LAYER, bias=b)."""
    layer, _, bias = method.removeprefix("convert(").removesuffix(")").partition(", bias=")
    return layer, bias or "0"


def expected(layer, bias):
    return LAYERS[layer] + (LAYERS[layer] % 2 if bias == "-0.5" else 0)


def verdict(row, order):
    """equal, higher or lower; open if one of the fits has no window. A fit that contradicts the claim has
    one.
    """
    if any(row[f"flag_{part}"] not in ("ok", "contradicts", "returns") for part in "qp"):
        return "open"
    off = [float(row[f"order_{part}"]) - order for part in "qp"]
    return "lower" if min(off) < -NEAR else "higher" if max(off) > NEAR else "equal"


def fit_of(row, part):
    return f"{float(row[f'order_{part}'] or 'nan'):.3f}"


def judged(rows):
    """The verdict of each layer and bias."""
    return {split(method): verdict(row, expected(*split(method))) for method, row in rows.items()}


def print_system(name, rows):
    """A line for each layer and bias."""
    found = judged(rows)
    for method, row in rows.items():
        layer, bias = split(method)
        fits = [f"{fit_of(row, part):>6} {row[f'flag_{part}']:14}" for part in "qp"]
        print(
            f"{name:23}{layer:10}{bias:>5}   {expected(layer, bias)}   {fits[0]} {fits[1]} "
            f"{found[layer, bias]}",
            flush=True,
        )


def print_exceptions(results):
    """The rows whose order is not the expected one, as a table of Markdown."""
    print("\n| system | layer | bias | expected | measured in q | in p | |\n|---|---|---|---|---|---|---|")
    for name, rows in results.items():
        for method, row in rows.items():
            layer, bias = split(method)
            word = verdict(row, expected(layer, bias))
            fits = " | ".join(f"{fit_of(row, part)} {row[f'flag_{part}']}" for part in "qp")
            if word != "equal":
                print(f"| {name} | {layer} | {bias} | {expected(layer, bias)} | {fits} | {word} |")


def print_number(found):
    words = collections.Counter(word for system in found.values() for word in system.values())
    print(
        "of",
        sum(words.values()),
        "rows:",
        ", ".join(f"{words[word]} {word}" for word in ("equal", "higher", "open", "lower")),
    )


def statement(found):
    """The counts as stated of all systems, in the form that jobs/papers/all reads."""
    words = [word for system in found.values() for word in system.values()]
    lines = [f"The order of a conversion is that of its layer, in {len(words)} rows"]
    for word, stated, within in (("equal", 620, 5), ("lower", 0, 3)):
        good = abs(words.count(word) - stated) <= within
        lines.append(f"  {'ok ' if good else 'NOT'}  rows {word} {words.count(word)} ({stated} within {within})")
    return lines


def print_counts(found):
    """The count of each verdict, and on how many systems each layer and bias has its order."""
    print()
    print_number(found)
    if len(found) == len(SYSTEMS):
        print("", *statement(found), sep="\n")
    print(f"\nsystems, of {len(found)}, on which the order is equal to the expected one")
    print(f"{'layer':10}" + "".join(f"{b:>7}" for b in BIASES))
    for layer in LAYERS:
        counts = [sum(system[layer, bias] == "equal" for system in found.values()) for bias in BIASES]
        print(f"{layer:10}" + "".join(f"{n:7}" for n in counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--folder", type=pathlib.Path, default=pathlib.Path("orders"))
    parser.add_argument(
        "systems", nargs="*", metavar="SYSTEM", choices=[[], *SYSTEMS], help=", ".join(SYSTEMS)
    )
    parser.add_argument("--exceptions", action="store_true", help="print only counts and exceptions")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if not options.exceptions:
        print(f"{'system':23}{'layer':10}{'bias':>5} order  measured in q         measured in p")
    results = {}
    for name in options.systems or SYSTEMS:
        results[name] = run(name, options.folder)
        if not options.exceptions:
            print_system(name, results[name])
    found = {name: judged(rows) for name, rows in results.items()}
    if options.exceptions:
        print_number(found)
        print_exceptions(results)
    else:
        print_counts(found)


if __name__ == "__main__":
    main()
