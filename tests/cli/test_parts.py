"""test_parts.py: one study over many jobs: `constella run --part K/N`, `constella merge`. The merged file has the
bits of a run in one job; parts that are missing, repeated, unfinished or foreign are named."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, h5py, numpy, ok, path, run, write

STRIKE = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tests/survive/strike.so"))

# Together: every kind of study and of reference, series, stored states, the worst members, averages, histograms,
# weights, extremes, failures, a later end.
STUDIES = {
    "order": """study: order
system: double-pendulum
initial: {members: 3, seed: 3, spread: {q: 0.05, v: 0.05}}
end: 1.0
steps: {from: 0.1, halvings: 2}
methods: [rattle, euler-a, midpoint]
reference: {method: "gauss(4)", step: 0.005}
error: {of: [q, p, lambda], over: coarse}
observables: [energy, "height: y1"]
""",
    "single": """study: conservation
system: {name: heavy-top, parameters: {g: [1, 2]}}
end: 20
steps: [0.05, 0.025]
methods: [rattle, project(rk4)]
samples: {count: 30}
reference: self
error: {of: [q, p, lambda], over: coarse}
trajectories: {members: all, every: 50, store: [q, v, lambda, energy]}
extensible: true
observe: every
""",
    "failing": """study: ensemble
system: planar-pendulum
initial: {members: 11, seed: 1, around: default, spread: {v: 8.0}}
end: 50.0
steps: [0.25]
methods: [rattle, midpoint]
samples: {count: 10}
trajectories: {members: [0, 1, 5], every: 10}
""",
    "worst": """study: ensemble
system: spherical-pendulum
initial: {members: 4, seed: 1, around: default, spread: {q: 0.05, v: 0.3}}
end: 4
steps: [0.04]
methods: [rattle]
observables: [energy, momentum, "height: z", "pull: lambda_rod"]
extremes: [{name: lowest, expression: "z"}]
trajectories: {members: {worst: 2, by: energy}, every: 10, store: [q, energy, pull]}
""",
}
LONG = """study: ensemble
system: double-pendulum
initial: {members: 70, seed: 3, around: default, spread: {q: 0.01, v: 0.1}}
end: 2000
steps: [0.1, 0.05]
methods: [rattle, "langevin(rattle, friction=0.5, inverse-temperature=2)"]
observables: [energy, temperature, "upper: y1"]
samples: {count: 40}
burn-in: 0.1
averages: {weight: fixman}
histograms:
  - {name: fold, expression: "x1*x2 + y1*y2", from: -1, to: 1, bins: 8, weight: fixman}
  - {name: ends, expression: "x2", from: -2, to: 2, bins: 10}
"""


def part(name, k, n, *words, status=0, **how):
    """Computes a part; its path."""
    result = path(f"{name}-{k}-of-{n}.h5")
    process = constella(
        "run", path(name + ".yaml"), "--part", f"{k}/{n}", "-o", result, "--progress", "none", *words, **how
    )
    if process.returncode != status:
        ok(False, f"{name}: part {k}/{n} ends with {status}", process.returncode, process.stderr)
    return result


def merge(parts, result, *words, **how):
    return constella("merge", *parts, "-o", result, "--progress", "none", *words, **how)


def same(name, whole, result, what):
    wrong = differences(digests(whole), digests(result))
    return ok(not wrong, f"{name}: {what} has the bits of one job", *wrong[:5])


def small_studies():
    for name, text in STUDIES.items():
        process, whole = run(name, text)
        ok(process.returncode in (0, 1), f"{name}: one job runs", process.stderr)
        n = 6 if name == "worst" else 3  # 6: more than there are members
        # one failing trajectory is enough for the status 1 of all
        parts = [path(f"{name}-{k}-of-{n}.h5") for k in range(1, n + 1)]
        for k in range(1, n + 1):
            if constella("run", path(name + ".yaml"), "--part", f"{k}/{n}", "-o", parts[k - 1]).returncode > 1:
                ok(False, f"{name}: part {k}/{n} is computed")
        merged = path(name + "-merged.h5")
        got = merge(reversed(parts), merged, ranks=2 if name == "order" else 0)
        ok(
            got.returncode == process.returncode and got.stdout == process.stdout.replace(whole, merged),
            f"{name}: the merge ends and says as one job does",
            got.returncode,
            got.stdout,
            got.stderr,
        )
        same(name, whole, merged, f"the merge of {n} parts")
        with h5py.File(merged, "r") as f:
            ok("part" not in f.attrs, f"{name}: it is no part")


def killed():
    """Seven parts; some are killed at their second checkpoint and resumed on other ranks."""
    process, whole = run("long", LONG)
    ok(process.returncode == 0, "long runs", process.stderr)
    parts = []
    for k in range(1, 8):
        if k in (2, 5):
            strike = {"LD_PRELOAD": STRIKE, "STRIKE": "rename:2:KILL", "STRIKE_PATH": "checkpoint", "STRIKE_CLOCK": "20"}
            killed = part("long", k, 7, "--checkpoint-seconds", "0.001", status=-9, env=strike)
            said = constella("status", killed).stdout
            ok(f"part {k}/7, interrupted" in said and "of 40 done" in said, f"part {k}/7 was killed", said)
            got = merge([*parts, killed], path("early.h5"))
            ok(
                got.returncode == 2
                and f"is part {k}/7, which is not complete (interrupted); finish it with --part {k}/7 and --resume"
                in got.stderr,
                f"part {k}/7 that is not complete is refused",
                got.stderr,
            )
            got = constella("run", path("long.yaml"), "-o", killed, "--resume")
            ok(
                got.returncode == 2 and f"resume it with --part {k}/7" in got.stderr,
                f"part {k}/7 is not resumed as the whole study",
                got.stderr,
            )
        parts.append(part("long", k, 7, "--resume", ranks=2 if k == 5 else 0))
    for ranks in 0, 2:
        merged = path(f"long-{ranks}.h5")
        got = merge(parts, merged, ranks=ranks)
        ok(got.returncode == 0, f"seven parts are merged by {ranks or 1} ranks", got.stdout, got.stderr)
        same("long", whole, merged, f"the merge by {ranks or 1} ranks")
    strike = {"LD_PRELOAD": STRIKE, "STRIKE": "fsync:4:KILL", "STRIKE_PATH": "cut"}
    merged = path("cut.h5")
    got = merge(parts, merged, env=strike)
    ok(got.returncode == -9, "the merge is killed", got.returncode, got.stderr)
    got = merge(parts, merged, "--resume")
    ok(got.returncode == 0, "and resumed", got.stdout, got.stderr)
    same("long", whole, merged, "the merge that was killed")
    got = constella("verify", parts[2], "--sample", "3")
    ok(got.returncode == 0 and "3 trajectories, all with the same bits" in got.stdout, "a part is verified", got.stdout)
    got = constella("verify", parts[2], "--case", "0", "--member", "0")
    ok("member 0: in another part" in got.stdout, "but not what it does not have", got.stdout)
    got = constella("status", parts[2]).stdout
    ok("part 3/7, complete" in got and "40 of 40 done" in got, "its status", got)
    got = constella("table", parts[2]).stderr
    ok("part 3/7 of a study" in got, "its table says that it is a part", got)
    report = path("part.html")
    got = constella("report", parts[2], "-o", report)
    text = open(report).read() if os.path.exists(report) else ""
    ok("This is part 3/7 of a study: 40 of its 280 trajectories" in text, "so does its report", got.stderr)
    return parts


def holes():
    """The file of a part takes the space of its rows alone."""
    text = STUDIES["worst"].replace("members: 4", "members: 8000").replace("end: 4", "end: 0.04")
    write("many.yaml", re.sub("trajectories:.*", "", text))
    one = part("many", 2, 7)
    size, taken = os.stat(one).st_size, 512 * os.stat(one).st_blocks
    ok(taken < 0.3 * size, "the file of one part of seven takes less than 0.3 of its size", size, taken)
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "analysis"))
    from constella.result import Result

    with Result(one) as result:
        there = result.status >= 0
        q, steps = result.data("/final/q"), result.data("/final/steps")
    ok(1142 <= there.sum() <= 1143, "it has a seventh of the trajectories", there.sum())
    ok(
        numpy.isfinite(q[there]).all()
        and (steps[there] == 1).all()
        and numpy.isnan(q[~there]).all()
        and (steps[~there] == -1).all(),
        "Python reads numbers of these alone",
    )


def own_code():
    """The study inside a file may come from anybody: its methods in C are not compiled unasked."""
    layer = os.path.join(os.path.dirname(__file__), "..", "..", "jobs", "layers", "kutta38.c")
    shutil.copy(layer, path("kutta38.c"))
    text = STUDIES["order"].replace("rattle, euler-a, midpoint]", "kutta38]\nlayers: {kutta38: {file: kutta38.c}}")
    write("own.yaml", text)
    one = part("own", 1, 2)
    for words, line in ((), "not compiled without permission: 'kutta38'"), (["--trust-code"], "part 2/2 is missing"):
        got = merge([one], path("x.h5"), *words)
        ok(got.returncode == 2 and line in got.stderr, f"methods in C: {line}", got.stderr)


def refused(parts):
    def says(what, words, *lines, status=2):
        got = constella(*words)
        ok(
            got.returncode == status and all(x in got.stderr for x in lines),
            f"{what} is refused" if status else what,
            got.returncode,
            got.stderr,
        )

    x = ["-o", path("x.h5")]
    says("missing parts", ["merge", parts[3], *x], "parts 1/7, 2/7, 3/7, 5/7, 6/7, 7/7 are missing")
    whole = path("long.h5")
    whole = path("long.h5")
    says("no output", ["merge", *parts], "--output is missing")
    says("an output that is there", ["merge", *parts, "-o", whole], "exists (complete); --overwrite replaces it")
    says("a part as output", ["merge", *parts, "-o", parts[0], "--overwrite"], "is read by the study")
    write("other.yaml", LONG.replace("seed: 3", "seed: 4").replace("end: 4000", "end: 6"))
    other, eighth = path("other-2.h5"), path("other-8.h5")
    constella("run", path("other.yaml"), "--part", "2/7", "-o", other)
    constella("run", path("other.yaml"), "--part", "2/8", "-o", eighth)
    says(
        "what is no part of the study",
        ["merge", parts[0], whole, path("long.yaml"), other, eighth, path("none.h5"), *x],
        whole + ": error: is not a part of a study",
        "long.yaml: error: is not a Constella result",
        other + ": error: is of another study than",
        "is part 2/8, and",
        "is one of 7 parts",
        "none.h5: error: No such file",
    )
    says("the extension of a part", ["extend", parts[0], path("long.yaml")], "is part 1/7 of a study; only the whole")
    says(
        "another part",
        ["run", path("long.yaml"), "--part", "2/7", "--resume", "-o", parts[0]],
        "is part 1/7 of this study; resume it with --part 1/7",
    )
    says("a part over a result", ["run", path("long.yaml"), "--part", "1/7", "--resume", "-o", whole], "but all of it")
    for word in "1/0", "1/1000001":
        says(f"--part {word}", ["run", path("long.yaml"), f"--part={word}"], "--part takes K/N, with K from 1 to N")

    copy = path("copy.h5")
    shutil.copy(parts[2], copy)
    got = merge([*parts, copy], path("twice.h5"))
    ok(
        got.returncode == 0 and "copy.h5 is left out: it is part 3/7, as" in got.stderr,
        "a part that is there twice is left out",
        got.stderr,
    )
    same("long", path("long.h5"), path("twice.h5"), "the merge of a part and its copy")
    with h5py.File(copy, "r+") as f:
        case, member = first(f)
        f["final/q"][case, member, 0] += 1e-9
    says("a part that differs from its copy", ["merge", *parts, copy, *x], "with 1 other numbers of", "/final/q[")
    with h5py.File(copy, "r+") as f:
        f["final/status"][case, member] = -1
    says("a damaged part", ["merge", copy, *x], "is damaged: 1 trajectories of part 3/7 have no rows")
    with h5py.File(copy, "r+") as f:
        f.attrs["git"] = "v0.0"
    says("a part of another program", ["merge", copy, *x], "was made by another program: version 'v0.0'")
    ok(not os.path.exists(path("x.h5")), "nothing was written")


def first(f):
    """A trajectory that the file has."""
    return [int(x[0]) for x in (f["final/status"][()] >= 0).nonzero()]


small_studies()
holes()
own_code()
refused(killed())
done()
