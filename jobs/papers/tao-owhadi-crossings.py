#!/usr/bin/python3
"""tao-owhadi-crossings.py: runs the DNA chain of a paper from many starts, and compares its transitions with
those of another implementation.

    tao-owhadi-crossings.py PAPER.toml [-o FOLDER] [--only NAME ...] [--ranks N] [--overwrite]

Results go to FOLDER (default: the paper's name). Each mean is ok within a standard deviation of single starts of the
other's. Exit: 0; 1 when one is not; 2 for mistakes of the user. The program is that of the variable CONSTELLA (build/constella).
PAPER.toml contains `ensembles`, by name:

    title, study    the study's keys `steps`, `methods` and `every` are replaced by those of each block.
    of              crossing (the time at which the mean angle first passes pi, between samples along a straight
                    line) or transitions (how often it goes from below pi/2 to above 3 pi/2 or back).
    blocks          `step`, `every` (steps from sample to sample) and `rows`: one line per method with the mean
                    and the standard deviation over the starts of the other implementation, then the method.

The columns for each method: the starts that failed and those without a crossing (both are left out), mean,
standard deviation of single starts, standard error of the mean, least and largest; the distance of the mean
from that of the other implementation, in its standard deviations and in standard errors of the difference;
the distance from the first method of the last block, the benchmark, in standard deviations of single
starts; the time per unit of time.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import pathlib
import re
import sys
import tomllib

sys.dont_write_bytecode = True

import numpy as np  # noqa: E402

from studies import Studies, mistake  # noqa: E402


def first_crossing(t, m):
    """When the mean angle first passes pi; infinite where it never does."""
    above = np.flatnonzero(m > np.pi)
    if not above.size or not above[0]:
        return np.inf
    k = above[0]
    return t[k - 1] + (np.pi - m[k - 1]) / (m[k] - m[k - 1]) * (t[k] - t[k - 1])


def transitions(t, m):
    """How often it passes from one closed state to the other."""
    sides = [s for s in np.where(m < np.pi / 2, -1, np.where(m > 3 * np.pi / 2, 1, 0)) if s]
    return np.count_nonzero(np.diff(sides))


MEASURES = {"crossing": first_crossing, "transitions": transitions}


def samples(result, case, measure):
    """(a number for each start that does not fail, the number of those that fail)."""
    trajectory = result.file[f"trajectories/{case}"]
    t, m = trajectory["t"][:], trajectory["q"][:].mean(axis=-1)
    t = t if t.ndim == 1 else t[0]
    alive = np.isfinite(m).all(axis=1) & (result.data("/final/status")[case][: len(m)] == 0)
    return np.array([measure(t, x) for x in m[alive]], dtype=float), int((~alive).sum())


def text_of(paper, ensemble, block, methods):
    """The changes of the study's text."""
    listed = ", ".join(f'"{m}"' for m in methods)
    study = (paper / ensemble["study"]).read_text()
    found = {re.search(r"^methods:(.*\n  )*.*", study, re.M)[0]: f"methods: [{listed}]"}
    for line in study.splitlines():
        if line.startswith("steps:"):
            found[line] = f"steps: [{block['step']:g}]"
        if line.startswith("trajectories:"):
            found[line] = f"{line.split('every:')[0]}every: {block['every']}}}"
        if line.startswith("system:"):
            found[line] = line.replace("../systems", str((paper / "../systems").resolve()))
    return found


def rows_of(block):
    """[(method, mean, deviation)]"""
    lines = [line.split(maxsplit=2) for line in block["rows"].strip().splitlines()]
    return [(method, float(mean), float(deviation)) for mean, deviation, method in lines]


def line_of(x, failed, cost, method, step, other, seeds):
    """The printed line without the benchmark; the mean, the deviation, and the judged line."""
    some, (mean, deviation) = x[np.isfinite(x)], other
    spread, error = some.std(ddof=1), some.std(ddof=1) / some.size**0.5
    away = some.mean() - mean
    errors = away / np.hypot(error, deviation / seeds**0.5)
    line = f"{method:40} {step:5g} {failed:6d} {some.size:7d} {some.mean():8.4g} {spread:6.3g} {error:6.2g} "
    line += f"{some.min():7.4g} {some.max():7.4g} "
    verdict = "ok " if abs(away) <= deviation else "NOT"
    return (
        line + f"{mean:8.4g} {deviation:6.3g} {away / deviation:7.2f} {errors:7.1f} {cost:8.0f}",
        some.mean(),
        spread,
        f"  {verdict}  {method}, h = {step:g}: mean {some.mean():.4g} ({mean:g} within {deviation:g})",
    )


def measured(studies, paper, label, ensemble):
    """[(line, mean, deviation, judged line)] for all rows."""
    lines = []
    for block in ensemble["blocks"]:
        rows = rows_of(block)
        item = {
            "study": ensemble["study"],
            "change": text_of(paper, ensemble, block, [m for m, _, _ in rows]),
        }
        result = studies.result(item, f"{label}-{block['step']:g}")
        cases = {curve.method: curve.cases[0] for curve in result.curves()}
        for method, mean, deviation in rows:
            case = cases[method]
            x, failed = samples(result, case, MEASURES[ensemble["of"]])
            cost = 1e9 / float(result.numbers("steps_per_second")[case]) / block["step"]
            lines.append(
                line_of(x, failed, cost, method, block["step"], (mean, deviation), ensemble["starts"])
            )
    return lines


def told(studies, paper, label, ensemble):
    """Prints an ensemble; how many means are not as those of the other."""
    print(f"\n{label}: {ensemble['title']}\n")
    print(
        f"{'method':40} {'step':>5} {'failed':>6} {'counted':>7} {'mean':>8} {'dev.':>6} {'error':>6} "
        f"{'least':>7} {'largest':>7} "
        f"{'other':>8} {'dev.':>6} {'in dev.':>7} {'in err.':>7} {'ns/time':>8} {'from benchmark':>14}"
    )
    lines = measured(studies, paper, label, ensemble)
    count = len(rows_of(ensemble["blocks"][-1]))
    _, benchmark, spread, _ = lines[-count]
    for line, mean, _, _ in lines:
        print(f"{line} {(mean - benchmark) / spread:14.2f}")
    print(f"\n{label}: {ensemble['title']}", *(judged for *_, judged in lines), sep="\n")
    return sum(judged.startswith("  NOT") for *_, judged in lines)


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("\n\n")[1].strip(), description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("paper", metavar="PAPER.toml", type=pathlib.Path)
    parser.add_argument("-o", dest="folder", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--ranks", type=int, default=0)
    parser.add_argument("--overwrite", action="store_true")
    options = parser.parse_args()
    options.rows = None
    options.folder = options.folder or pathlib.Path(options.paper.stem)
    try:
        paper = tomllib.loads(options.paper.read_text())
    except (OSError, tomllib.TOMLDecodeError) as e:
        mistake(f"{options.paper}: {e}")
    ensembles = {k: x for k, x in paper.get("ensembles", {}).items() if not options.only or k in options.only}
    if not ensembles:
        mistake(
            f"{options.paper} has no such ensembles; it has {', '.join(paper.get('ensembles', {})) or 'none'}"
        )
    options.folder.mkdir(parents=True, exist_ok=True)
    studies = Studies(options.paper.parent, options)
    if not options.overwrite:
        studies.refuse_existing(
            {f"{k}-{b['step']:g}": {"change": 1, **x} for k, x in ensembles.items() for b in x["blocks"]}
        )
    print(paper["source"])
    sys.exit(any([told(studies, options.paper.parent, k, x) for k, x in ensembles.items()]))


if __name__ == "__main__":
    main()
