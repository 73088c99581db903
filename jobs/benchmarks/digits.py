#!/usr/bin/python3
"""digits.py: runs benchmarks with reference values and prints how many digits agree, and the work for them.

  jobs/benchmarks/digits.py [NAME ...] [--folder DIRECTORY] [--first N] [--format text|markdown]

NAME is a benchmark of references.toml or iftomm-..., by default all; --first runs only the first N steps of a study.
Results go to the folder, build/benchmarks by default. Each benchmark has a row for each method and step: the least
number of digits of a coordinate that agree with the reference, -log10(|q - reference|/|reference|), of a reference 0
absolutely; the evaluations of the force in the trajectory (or of derivatives of it along one direction), the
iterations, and the linear systems that are solved. Then the methods with the least work at each accuracy of q against
the study's own reference. The benchmarks of IFToMM have a table of their own, by their criterion: the drift of the
energy; and the CPU time, which the format markdown leaves out because it differs from run to run.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tomllib

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
CONSTELLA = os.environ.get("CONSTELLA", "build/constella")
IFTOMM = sorted(x.stem for x in HERE.glob("iftomm-*.yaml"))
COSTS = ("evaluations", "iterations", "solves")


def shortened(text, first):
    """The study with only its first steps."""
    return re.sub(
        r"^(steps: .*\[)(.*)(\].*)$",
        lambda m: m[1] + ", ".join(m[2].split(", ")[:first]) + m[3],
        text,
        flags=re.M,
    )


def run(name, folder, first):
    """The result of the study NAME.yaml; its system is found by its name, or beside it."""
    text = (HERE / f"{name}.yaml").read_text().replace("file: ", f"file: {HERE}/")
    return run_text(name, shortened(text, first) if first else text, folder)


def run_text(name, text, folder):
    """The result of a study with this text."""
    study, result = folder / f"{name}.yaml", folder / f"{name}.h5"
    study.write_text(text)
    command = [CONSTELLA, "run", str(study), "-o", str(result), "--overwrite", "--progress", "none"]
    environment = {**os.environ, "CONSTELLA_SYSTEMS": str(HERE)}
    process = subprocess.run(command, capture_output=True, text=True, env=environment)
    if process.returncode not in (0, 1):  # 1: a trajectory failed, which its row says
        sys.exit(process.stderr)
    return result


def digits(q, reference):
    """-log10 of the largest relative error; 16 if there is none."""
    scale = np.where(reference == 0, 1, np.abs(reference))
    return -np.log10(max(1e-16, np.max(np.abs(q - reference) / scale)))


def table(result, *words):
    """The rows of a table of a result."""
    command = [CONSTELLA, "table", str(result), "--format", "csv", *words]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(out)))


def show(heads, rows, markdown):
    """A table, whose first column is left-aligned."""
    rows = [[str(x).replace("_", r"\_") if markdown else str(x) for x in row] for row in rows]
    if markdown:
        print("| " + " | ".join(heads) + " |")
        print("| --- |" + " ---: |" * (len(heads) - 1))
        for row in rows:
            print("| " + " | ".join(row) + " |")
    else:
        wide = [max(len(row[k]) for row in [heads, *rows]) for k in range(len(heads))]
        for row in [heads, *rows]:
            print("  ".join(f"{x:<{n}}" if k == 0 else f"{x:>{n}}" for k, (x, n) in enumerate(zip(row, wide))))
    print()


def number(text, digits=4):
    return "-" if text in ("nan", "") else f"{float(text):.{digits}g}"


def cheapest(result, markdown, costs=("evaluations", "solves")):
    """The methods with the least work at each accuracy that some method reaches, and for which any is needed."""
    rows = [r for r in table(result, "--cheapest") if r["method"] and r["cost"] in costs and float(r["least"])]
    heads = ["cheapest", "accuracy", "of", "step", "least", "next", "its least"]
    keys = ("method", "accuracy", "cost", "at_step", "least", "next", "next_least")
    texts = ("method", "cost", "next")
    if rows:
        show(heads, [[r[k] or "-" if k in texts else number(r[k], 3) for k in keys] for r in rows], markdown)


def head(title, source, markdown):
    print(f"### {title}\n\nReference: {source}.\n" if markdown else f"{title}: reference of {source}")


def report(name, entry, source, result, markdown):
    reference, of = np.array(entry["q"], float), entry.get("of", slice(None))
    head(name, entry.get("source", source), markdown)
    with h5py.File(result) as f:
        q, status = f["final/q"][:, 0], f["final/status"][:, 0]
    rows = []
    for k, row in enumerate(table(result)):
        agree = "failed" if status[k] else f"{digits(q[k][of], reference):.2f}"
        rows.append([row["method"], number(row["step"]), agree, *(number(row[c], 6) for c in COSTS)])
    show(["method", "step", "digits", *COSTS], rows, markdown)
    cheapest(result, markdown)


def report_iftomm(name, result, markdown):
    with h5py.File(result) as f:
        title = f.attrs["title"]
        title = title.decode() if isinstance(title, bytes) else title
    print(f"### {title}\n" if markdown else title)
    times = [] if markdown else ["cpu_seconds"]
    rows = [
        [r["method"], number(r["step"]), "failed" if r["failed"] != "0" else number(r["energy_max"], 3)]
        + [number(r[c], 6 if c in COSTS else 3) for c in [*COSTS, *times]]
        for r in table(result)
    ]
    show(["method", "step", "energy_max", *COSTS, *times], rows, markdown)
    cheapest(result, markdown, ["evaluations", "solves", *times])


def main():
    references = tomllib.loads((HERE / "references.toml").read_text())
    source = references.pop("source")
    known = [*references, *IFTOMM]
    parser = argparse.ArgumentParser(description="digits that agree with references, and the work for them")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/benchmarks"))
    parser.add_argument("--first", type=int, metavar="N")
    parser.add_argument("--format", choices=("text", "markdown"), default="text")
    options = parser.parse_args()
    for name in options.names:
        if name not in known:
            parser.error(f"no benchmark {name}; there are {', '.join(known)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or known:
        result, markdown = run(name, options.folder, options.first), options.format == "markdown"
        if name in references:
            report(name, references[name], source, result, markdown)
        else:
            report_iftomm(name, result, markdown)


if __name__ == "__main__":
    main()
