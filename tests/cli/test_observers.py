"""test_observers.py: an observer that keeps a vector (`travel`) and one that reads what substeps keep (`rejected`):
their values are those of the stored states and of an independent count; the same bits for any ranks, batches,
stops and a later end; mistakes."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import close, constella, differences, digests, done, h5py, numpy, ok, path, run, together, write

SPRING = """system: spring
coordinates: [x]
mass: [1]
potential: x^4/4
states: {default: {q: [1], v: [0]}}
"""
STUDY = """study: conservation
system: {file: spring.yaml}
initial: {members: 5, seed: 5, around: default, spread: {q: 0.1, v: 0.1}}
end: END
steps: [2, 1]
methods: ["dopri5(tolerance=1e-6)", midpoint]
observables: [energy, travel, rejected]
samples: {count: 4}
"""
STORED = "observe: every\ntrajectories: {members: all, every: 1, store: [q, p, rejected]}\n"

A = [
    [],
    [1 / 5],
    [3 / 40, 9 / 40],
    [44 / 45, -56 / 15, 32 / 9],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
]
E = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]


def rejections(y, h, steps, tolerance):
    """Dormand and Prince's pair on x'' = -x^3, written anew: rejected steps after each step of length h."""
    length, count, counts = h, 0, [0]
    for _ in range(steps):
        done_, last = 0.0, False
        while not last:
            last = done_ + 1.01 * length >= h
            t = h - done_ if last else length
            k = []
            for row in A:
                z = y + t * sum((a * x for a, x in zip(row, k)), numpy.zeros(2))
                k.append(numpy.array([z[1], -z[0] ** 3]))
            scale = tolerance * (1 + numpy.maximum(abs(y), abs(z)))
            square = numpy.mean((t * sum(e * x for e, x in zip(E, k)) / scale) ** 2)
            after = t * min(max(0.9 * max(square, 1e-30) ** -0.1, 0.2), 5)
            if square > 1:
                count, length, last = count + 1, after, False
                continue
            length = max(after, length) if last else after
            y, done_ = z, done_ + t
        counts.append(count)
    return counts


def counted():
    process, result = run("counted", STUDY.replace("END", "40") + STORED)
    ok(process.returncode == 0, "it runs", process.stderr)
    with h5py.File(result) as f:
        for case, h in ((0, 2.0), (1, 1.0)):
            q, p = f[f"trajectories/{case}/q"][()], f[f"trajectories/{case}/p"][()]
            mine = [rejections(numpy.array([q[m, 0, 0], p[m, 0, 0]]), h, int(40 / h), 1e-6) for m in range(5)]
            found = f[f"trajectories/{case}/rejected"][()]
            ok((found == mine).all(), f"step {h}: the count of an independent program at every step", found, mine)
            ok(found[:, -1].min() > 5, f"step {h}: there are some", found[:, -1])
        ok(numpy.isnan(f["observables/rejected"][2:, :, 1]).all(), "a method without them has none")
        for case in range(4):
            q = f[f"trajectories/{case}/q"][()]
            way = numpy.sqrt((numpy.diff(q, axis=1) ** 2).sum(axis=2)).sum(axis=1)
            found = f["observables/travel"][case, :, 1]
            ok(close(found, way, 1e-13) and way.min() > 5, f"case {case}: the way through all states", found, way)
    verify = constella("verify", result)
    ok(verify.returncode == 0 and "all with the same bits" in verify.stdout, "verified", verify.stdout, verify.stderr)


def bits():
    text = STUDY.replace("END", "40") + "observe: every\n"
    whole = run("whole", text)[1]
    for how, more, ranks in (("batches", ["--batch", "2"], 0), ("ranks", [], 3)):
        process, other = run("other-" + how, text, *more, ranks=ranks)
        differ = differences(digests(whole), digests(other))
        ok(process.returncode == 0 and not differ, f"the same bits for other {how}", differ, process.stderr)
    # looked at on the way, several states at once, where no observer reads a block
    process, alone = run("alone", text.replace(", rejected", ""))
    differ = [x for x in differences(digests(whole), digests(alone)) if "travel" in x]
    ok(process.returncode == 0 and not differ, "the same travel without `rejected`", differ)


def resumed():
    text = STUDY.replace("END", "40000") + "observe: every\ncheckpoint: {seconds: 0.05}\n"
    process, result = run("resumed", text, "--max-hours", "0.00002")
    stops = 0
    while process.returncode == 75 and stops < 40:
        stops += 1
        more = ["--max-hours", "0.00002"] if stops < 4 else []
        process = constella("run", path("resumed.yaml"), "-o", result, "--resume", "--progress", "none", *more)
    ok(process.returncode == 0 and stops > 0, "stopped on its way, and resumed", stops, process.stderr)
    differ = differences(digests(result), digests(run("at-once", text)[1]))
    ok(not differ, "the bits of a run without a stop", differ)


def later():
    text = STUDY + "observe: every\nextensible: true\n"
    run("short", text.replace("END", "40"))
    study = write("long.yaml", text.replace("END", "80"))
    process = constella("extend", path("short.h5"), study, "-o", path("long.h5"), "--progress", "none")
    ok(process.returncode == 0, "extended to a later end", process.stdout, process.stderr)
    whole = run("at-last", text.replace("END", "80"))[1]
    differ = [x for x in differences(digests(path("long.h5")), digests(whole)) if "observables/" in x]
    ok(not differ, "the bits of a run in one piece", differ)


def mistakes():
    text = STUDY.replace("END", "4").replace('"dopri5(tolerance=1e-6)", ', "")
    process = constella("check", write("none.yaml", text))
    said = ":7:14: error: 'rejected' is kept by none of the methods of this study"
    ok(process.returncode == 2 and said in process.stderr, "no method keeps it: refused", process.stderr)


write("spring.yaml", SPRING)
together([counted, bits, resumed, later, mistakes])
done()
