"""test_hostile_extend.py: results with crafted numbers, whose seals and shapes are right: `extend` refuses
them before any work, in every lane, with the place."""
# SPDX-License-Identifier: BSD-2-Clause
import shutil
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, done, h5py, numpy, ok, path, run, scratch, together, write

LONGER = """study: order
system: planar-pendulum
initial: {members: 3, seed: 3, around: default, spread: {q: 0.05, v: 0.1}}
end: END
steps: [0.1, 0.05]
methods: [rattle, midpoint]
reference: REFERENCE
error: {of: [q, p], over: end}
observe: every
samples: {count: 5, spacing: linear}
extensible: true
"""
WIDER = """study: ensemble
system: planar-pendulum
initial: {members: MEMBERS, seed: 3, around: default, spread: {q: 0.05, v: 0.1}}
end: 2
steps: [0.1]
methods: [rattle]
observe: every
samples: {count: 5, spacing: linear}
histograms: [{name: height, expression: y, from: -2, to: 2, bins: 4}]
"""
STEP, HALF, NUMBERS, HEAD = 0, 1, 2, 3


def numbers(count, keep=False):
    """Another count of numbers, with a matching seal."""

    def change(row):
        old = int(row[NUMBERS])
        at = int(row[HEAD + old]) if keep else row[STEP]
        row[NUMBERS] = old + count if abs(count) == 1 else count
        place = row[NUMBERS]
        if place == place and 0 <= place < len(row) - HEAD:
            row[HEAD + int(place)] = at

    return change


def value(index, x):
    def change(row):
        row[index] = x

    return change


CRAFTED = {
    "few numbers": numbers(3),
    "no numbers": numbers(0),
    "negative numbers": numbers(-5),
    "one number less": numbers(-1),
    "one number more": numbers(1),
    "huge numbers": numbers(1e18),
    "numbers that are none": numbers(numpy.nan),
    "half a number": numbers(10.5),
    "infinite numbers": numbers(numpy.inf),
    "a half step of 1e18": value(HALF, 1e18),
    "a half step of nan": value(HALF, numpy.nan),
    "a half step of -5": value(HALF, -5),
    "a half step of 0.5": value(HALF, 0.5),
    "another step": value(STEP, 7),
    "a step of nan": value(STEP, numpy.nan),
    "no reason": value(HEAD, 77),
    "a reason of nan": value(HEAD, numpy.nan),
    "no start": value(HEAD, 3),
    "a step of -1": value(HEAD + 1, -1),
    "a parameter": value(HEAD + 2, 1e300),
}


def refused(name, process, late, *said):
    text = process.stdout + process.stderr
    ok(
        process.returncode == (1 if late else 2)
        and "error" in text
        and "mistake of the program" not in text
        and all(x in text for x in said),
        f"{name}: refused",
        process.returncode,
        text,
    )


def crafted(base, study, name, where, change):
    file = f"{scratch()}/bad.h5"
    shutil.copy(base, file)
    with h5py.File(file, "r+") as f:
        rows = f["continue/rows"]
        row = rows[where]
        change(row)
        rows[where] = row
    output = file + ".out.h5"
    process = constella("extend", file, study, "-o", output, "--progress", "none")
    late = name in LATE
    said = ("is not a state of a trajectory",) if late else ("/continue/rows", f"case {where[0]}, member")
    refused(f"{name} in case {where[0]}, member {where[1]}", process, late, *said)


# what is only seen when the state is restored
LATE = {"a parameter", "no start"}


def rows(reference):
    text = LONGER.replace("REFERENCE", reference)
    _, base = run(f"short-{reference}", text.replace("END", "2"))
    study = write(f"long-{reference}.yaml", text.replace("END", "4"))
    some = CRAFTED if reference == "self" else {k: CRAFTED[k] for k in ("few numbers", "a half step of nan", "no reason")}
    for k, (name, change) in enumerate(some.items()):
        where = [(0, 0), (1, 2), (3, 1)][k % 3]
        crafted(base, study, name, where, change)
    for where in ((0, 0), (2, 2)):
        crafted(base, study, "few numbers", where, CRAFTED["few numbers"])


DATASETS = {
    "final/status": [77, -1, -128],
    "final/steps": [-3, 10**9],
    "final/iterations": [numpy.nan, -1],
    "series/energy/count": [-1, 10**12],
    "series/energy/max": [-1],
    "histograms/height_members": [1e300, -1, numpy.nan, 0.5],
}


def wider():
    process, base = run("few", WIDER.replace("MEMBERS", "3"))
    ok(process.returncode == 0, "a result with histograms", process.stderr)
    study = write("more.yaml", WIDER.replace("MEMBERS", "5"))
    for dataset, values in DATASETS.items():
        for x in values:
            file = f"{scratch()}/bad.h5"
            shutil.copy(base, file)
            with h5py.File(file, "r+") as f:
                data = f[dataset][...]
                data.reshape(-1)[-1] = x
                f[dataset][...] = data
            output = file + ".out.h5"
            process = constella("extend", file, study, "-o", output, "--progress", "none")
            refused(f"{dataset} = {x}", process, False, "/" + dataset)
    shutil.copy(base, path("good.h5"))
    process = constella("extend", path("good.h5"), study, "-o", path("good-more.h5"), "--progress", "none")
    ok(process.returncode == 0, "the file itself is extended", process.stderr)


together([lambda: rows("self"), lambda: rows("exact"), wider])
done()
