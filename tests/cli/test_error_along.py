"""test_error_along.py: the error against the reference over time, as observable and in stored states: it is that of the columns,
and of states that are stored; errors of the columns keep their values; the same bits for any ranks, batches, parts and interruptions,
extended by members; the picture of two results; mistakes."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, h5py, numpy, ok, path, resumes, run, table, together, write

TEXT = """study: order
system: double-pendulum
initial: {members: 5, seed: 3, spread: {q: 0.01, v: 0.01}}
end: 2
steps: [0.05, 0.025]
methods: [rattle, rk4]
reference: {method: "gauss(6)", step: 0.05}
observables: [energy, error]
samples: {count: 20, spacing: linear}
trajectories: {members: [0, 3], every: 5, store: [q, error]}
"""
MESH = TEXT + "error: {over: mesh}\n"
SELF = TEXT.replace('{method: "gauss(6)", step: 0.05}', "self")
COARSE = TEXT.replace("rk4", "euler-a") + "error: {of: [q, p, lambda], over: coarse}\n"
EXACT = TEXT.replace("double-pendulum", "planar-pendulum").replace('{method: "gauss(6)", step: 0.05}', "exact")


def without(text):
    return text.replace(", error]", "]")


def values():
    """The last sample is the error at the end; the largest is that over the mesh where every step is a sample; other errors do not change."""
    for name, text in (("end", TEXT), ("self", SELF), ("coarse", COARSE), ("exact", EXACT)):
        process, result = run(name, text)
        other = run(name + "-without", without(text))[1]
        if not ok(process.returncode == 0, f"{name}: it runs", process.stderr):
            continue
        with h5py.File(result) as f, h5py.File(other) as g:
            along, time = f["errors/along"][()], f["series/t"][()]
            ok(along.shape == (4, 5, 20) and (along[:, :, 0] == 0).all(), f"{name}: no error at the start", along.shape)
            most, rms = f["series/error/max"][()], f["series/error/rms"][()]
            there = numpy.isfinite(time)
            ok((most[there] == along.max(axis=1)[there]).all() and numpy.isnan(most[~there]).all(), f"{name}: the largest of the members")
            ok(numpy.allclose(rms[there], numpy.sqrt((along**2).mean(axis=1))[there], rtol=1e-14), f"{name}: the root mean square of the members")
            apart = max(abs(f[f"error/{x}"][()] / g[f"error/{x}"][()] - 1).max() for x in ("q", "p"))
            ok(apart < 1e-6, f"{name}: the errors of the columns are what they were", apart)
            if name in ("end", "exact"):
                last = [along[c][:, there[c].sum() - 1] for c in range(4)]
                ok((numpy.array(last) == f["error/total"][()]).all(), f"{name}: the last sample is the error at the end", last)
            for c in range(4):
                t, stored = f[f"trajectories/{c}/t"][()], f[f"trajectories/{c}/error"][()]
                at = [(i, j) for i, x in enumerate(t) for j, y in enumerate(time[c]) if x == y]
                ok(len(at) > 2 and all((stored[:, i] == along[c, [0, 3], j]).all() for i, j in at), f"{name}: case {c}: stored states have the same", len(at))
        verify = constella("verify", result)
        ok(verify.returncode == 0 and "all with the same bits" in verify.stdout, f"{name}: verified", verify.stdout, verify.stderr)
    for kind in ("work-precision", "conservation"):
        process, result = run(kind, TEXT.replace("study: order", f"study: {kind}"))
        with h5py.File(result) as f:
            ok(process.returncode == 0 and (f["series/error/max"][:, 1] > 0).all(), f"{kind}: it has errors over time", process.stderr)
    process, result = run("mesh", MESH.replace("count: 20", "count: 200"))
    with h5py.File(result) as f:
        top = numpy.nanmax(f["errors/along"][()], axis=2)
        ok(numpy.allclose(top, f["error/total"][()], rtol=1e-9), "mesh: the largest sample of all steps is the largest error", top)
        rows = table(result)
        ok([r["error_peak"] for r in rows] == list(top.max(axis=1)), "mesh: the column of it", rows)
        peak = f["series/t"][0][numpy.nanargmax(f["series/error/max"][0])]
        ok(rows[0]["error_peak_time"] == peak, "mesh: and of its time", rows[0], peak)


def stored_worst():
    """Members that are chosen at the end are stepped once more, and have the error then."""
    process, result = run("worst", TEXT.replace("[0, 3]", "{worst: 2, by: error}"))
    with h5py.File(result) as f:
        member, stored = f["trajectories/0/member"][()], f["trajectories/0/error"][()]
        ok((stored[:, -1] == f["error/total"][0][member]).all(), "worst: their errors at the end", stored, member)


def bits():
    for name, text in (("plain", TEXT), ("partner", SELF)):
        whole = run(name, text)[1]
        for how, more, ranks in (("batches", ["--batch", "2"], 0), ("ranks", [], 2)):
            process, other = run(f"{name}-{how}", text, *more, ranks=ranks)
            differ = differences(digests(whole), digests(other))
            ok(process.returncode == 0 and not differ, f"{name}: the same bits for other {how}", differ, process.stderr)
    parts = [run(f"part-{k}", TEXT, "--part", f"{k}/2")[1] for k in (1, 2)]
    process = constella("merge", *parts, "-o", path("merged.h5"), "--progress", "none")
    differ = differences(digests(path("plain.h5")), digests(path("merged.h5")))
    ok(process.returncode == 0 and not differ, "parts: the same bits, merged", differ, process.stderr)


def extended():
    run("few", TEXT.replace("members: 5", "members: 4"))
    process = constella("extend", path("few.h5"), write("more.yaml", TEXT), "-o", path("more.h5"), "--progress", "none")
    differ = differences(digests(path("more.h5")), digests(run("all", TEXT)[1]))
    ok(process.returncode == 0 and not differ, "extended by a member: the bits of a run in one piece", differ, process.stderr)
    early = TEXT + "extensible: true\n"
    run("early", early)
    process = constella("extend", path("early.h5"), write("late.yaml", early.replace("end: 2", "end: 4")), "-o", path("late.h5"))
    ok(process.returncode == 2 and "the samples of its errors are at other steps" in process.stderr, "a later end: refused", process.stdout, process.stderr)


def resumed():
    resumes("resumed", SELF.replace("end: 2", "end: 100") + "checkpoint: {seconds: 0.05}\n")


def drawn():
    run("one", TEXT)
    run("two", SELF)
    process = constella("plot", path("one.h5"), "error", "--other", path("two.h5"), "-o", path("both.svg"))
    with open(path("both.svg")) as f:
        text = f.read()
    ok(process.returncode == 0 and text.count("stroke-dasharray: 1.3") == 4, "drawn: two lines of the other result at each step", process.stderr, text.count("stroke-dasharray: 1.3"))
    run("none", without(TEXT))
    for words, said in ((("none.h5", "error"), "'error' is not among its observables"), (("one.h5", "error", "--other", path("none.h5")), "none.h5 has no errors over time")):
        process = constella("plot", path(words[0]), *words[1:], "-o", path("no.png"))
        ok(process.returncode == 2 and said in process.stderr, f"drawn: {said}", process.stderr)


def mistakes():
    plain = TEXT.replace('reference: {method: "gauss(6)", step: 0.05}\n', "").replace("order", "conservation")
    for name, text, said in (
        ("none", plain, ":7:23: error: the observable 'error' needs the key 'reference'"),
        ("store", plain.replace("[energy, error]", "[energy]"), "'store' has 'error', which this study does not observe"),
        ("lambda", TEXT + "error: {of: [lambda]}\n", "'error' is that of q and p"),
        ("samples", TEXT.replace("count: 20", "count: 0"), "'error' is kept at the samples, and `samples` has none"),
        ("taken", TEXT.replace("error]\nsamples", 'error, "error: x1"]\nsamples'), "the observable 'error' is the name of an expression too"),
        ("worst", SELF.replace("[0, 3]", "{worst: 2, by: error}"), "which members that are chosen at the end do not have"),
    ):
        process = constella("check", write(name + ".yaml", text))
        ok(process.returncode == 2 and said in process.stderr, f"{name}: refused", process.stderr)


together([values, stored_worst, bits, extended, resumed, drawn, mistakes])
done()
