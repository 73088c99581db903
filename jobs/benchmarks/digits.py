#!/usr/bin/python3
"""digits.py: runs benchmarks with published reference values and prints how many digits agree.

  jobs/benchmarks/digits.py [NAME ...] [--folder DIRECTORY] [--first N]

NAME is a benchmark of references.toml, by default all; --first runs only the first N steps of a study. Results go
to the folder, build/benchmarks by default. One row for each method and step: the least number of digits of a
coordinate that agree, -log10(|q - reference|/|reference|), of a reference 0 absolutely; the iterations of a step; and
the evaluations in a step, of the force or the residual and of derivatives of it along one direction.
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


def shortened(text, first):
    """The study with only its first steps."""
    return re.sub(
        r"^(steps: .*\[)(.*)(\].*)$",
        lambda m: m[1] + ", ".join(m[2].split(", ")[:first]) + m[3],
        text,
        flags=re.M,
    )


def run(name, folder, first):
    """The result of the study NAME.yaml, whose system is beside it."""
    text = (HERE / f"{name}.yaml").read_text().replace("file: ", f"file: {HERE}/")
    study, result = folder / f"{name}.yaml", folder / f"{name}.h5"
    study.write_text(shortened(text, first) if first else text)
    command = [CONSTELLA, "run", str(study), "-o", str(result), "--overwrite", "--progress", "none"]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode not in (0, 1):  # 1: a trajectory failed, which its row says
        sys.exit(process.stderr)
    return result


def digits(q, reference):
    """-log10 of the largest relative error; 16 if there is none."""
    scale = np.where(reference == 0, 1, np.abs(reference))
    return -np.log10(max(1e-16, np.max(np.abs(q - reference) / scale)))


def rows(result):
    """The cases of a result, with their method, step, iterations and evaluations of a step."""
    columns = "method,step,iterations_mean,evaluations_per_step"
    command = [CONSTELLA, "table", str(result), "--format", "csv", "--columns", columns]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(out)))


def report(name, entry, source, result):
    reference = np.array(entry["q"], float)
    print(f"{name}: reference of {entry.get('source', source)}")
    print(f"{'method':30} {'step':>12} {'digits':>7} {'iterations':>11} {'evaluations':>12}")
    with h5py.File(result) as f:
        q, status = f["final/q"][:, 0], f["final/status"][:, 0]
    for k, row in enumerate(rows(result)):
        head = f"{row['method']:30} {float(row['step']):12.6g}"
        if status[k]:
            print(f"{head} {'failed':>7}")
            continue
        work = f"{float(row['iterations_mean']):11.2f} {float(row['evaluations_per_step']):12.5g}"
        print(f"{head} {digits(q[k], reference):7.2f} {work}")
    print()


def main():
    references = tomllib.loads((HERE / "references.toml").read_text())
    source = references.pop("source")
    parser = argparse.ArgumentParser(description="digits that agree with published references")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/benchmarks"))
    parser.add_argument("--first", type=int, metavar="N")
    options = parser.parse_args()
    for name in options.names:
        if name not in references:
            parser.error(f"no benchmark {name}; there are {', '.join(references)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or references:
        report(name, references[name], source, run(name, options.folder, options.first))


if __name__ == "__main__":
    main()
