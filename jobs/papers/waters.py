#!/usr/bin/python3
"""waters.py: seven waters in a bath from three seeds, the table of README.md.

    waters.py [-o FOLDER]

Runs tao-owhadi-water.yaml with the seeds 1, 2 and 3 into FOLDER (tao-owhadi-water/), and prints a table of
Markdown: the least and the largest of the three; for the mean temperature, in brackets, and for the mean energy
also the largest standard error, which is large where a molecule has left the cluster of a member. The program
is that of the variable CONSTELLA (build/constella).
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import pathlib
import sys
import types

sys.dont_write_bytecode = True

import distributions  # noqa: E402
from studies import Studies  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = (1, 2, 3)
NEAR = 3.3  # the distances of neighbours
ROWS = {  # heading: the measure of a histogram and what the other code requires
    "peak of the distance of oxygens": ("peak", "2.70 to 2.85"),
    "its mean below 3.3": ("mean", "2.83 +- 0.03"),
    "its fraction below 3.3": ("part", "0.37 +- 0.03"),
}


def heading(method):
    """rods or springs, and the bath."""
    kind = "springs" if "penalty" in method else "rods"
    bath = next(x for x in ("coefficient=0.01", "friction=0.1") if x in method)
    return f"{kind}, `{bath}`"


def between(values, form):
    low, high = (form % x for x in (min(values), max(values)))
    return low if low == high else f"{low}-{high}"


def measured(result, case, of):
    item = {"histogram": "oxygens", "of": of}
    return distributions.measured_of(result, case, item if of == "peak" else {**item, "under": NEAR})


def temperatures(results, case):
    values = [float(r.numbers("temperature_mean")[case]) for r in results]
    errors = [float(r.numbers("temperature_error")[case]) for r in results]
    return f"{between(values, '%.5f')} ({max(errors):.5f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--folder", type=pathlib.Path, default=pathlib.Path("tao-owhadi-water"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    studies = Studies(HERE, types.SimpleNamespace(folder=options.folder, rows=None, ranks=0))
    study = "tao-owhadi-water.yaml"
    results = [
        studies.result({"study": study, "change": {"seed: 1": f"seed: {seed}"}}, f"seed-{seed}")
        for seed in SEEDS
    ]
    methods = {curve.method: curve.cases[-1] for curve in results[0].curves()}
    print("| | required |", " | ".join(heading(m) for m in methods), "|")
    print("|---|---|" + "---|" * len(methods))
    for row, (of, required) in ROWS.items():
        cells = [between([measured(r, case, of) for r in results], "%.3f") for case in methods.values()]
        print(f"| {row} | {required} |", " | ".join(cells), "|")
    print("| kinetic kT | 0.020 |", " | ".join(temperatures(results, c) for c in methods.values()), "|")
    errors = [max(float(r.numbers("energy_error")[c]) for r in results) for c in methods.values()]
    print("| energy, largest standard error | |", " | ".join(f"{x:.4f}" for x in errors), "|")


if __name__ == "__main__":
    main()
