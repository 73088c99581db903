"""test_extremes.py: the least and the largest values of expressions, and their times, are those of the stored
states; the same bits for any ranks, batches and interruptions, extended by members and to a later end; mistakes.
So are those of observables that the motion changes, NAME_min and NAME_max."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import close, constella, differences, digests, done, h5py, numpy, ok, path, resumes, run, table, together, write

EXTREMES = """observables: [energy, "level: y[4]", "quick: x'[4]", "part: sqrt(x[4])"]
extremes:
  - {name: height, expression: "y[4]"}
  - {name: pairs, for: ["i = 1..n", "j = i+1..n"], expression: "sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)"}
  - {name: speed, expression: "x'[4]"}
  - {name: partly, expression: "sqrt(x[4])"}
  - {name: never, expression: "sqrt(-1 - x[1]^2)"}
"""
CHAIN = """study: ensemble
system: {name: pendulum-chain, parameters: {n: 4}}
initial: {members: 5, seed: 5, around: zigzag, spread: {q: 0.1, v: 0.1}}
end: END
steps: [0.02]
methods: [rattle, "compose(rattle, suzuki4)"]
observe: every
samples: {count: 4}
"""
TEXT = CHAIN.replace("END", "10.24") + EXTREMES
TENSION = '  - {name: tension, expression: "lambda_link[2]"}\n'
NAMES = ["height", "pairs", "speed", "partly"]


def values(f, case, k):
    """The expressions at the stored states of a member, [time][value]."""
    q, p = f[f"trajectories/{case}/q"][k], f[f"trajectories/{case}/p"][k]
    x, y = q[:, :4], q[:, 4:]
    pairs = [
        numpy.sqrt((x[:, i] - x[:, j]) ** 2 + (y[:, i] - y[:, j]) ** 2) for i in range(4) for j in range(i + 1, 4)
    ]
    with numpy.errstate(invalid="ignore"):
        return {
            "height": y[:, 3:],
            "pairs": numpy.stack(pairs, axis=1),
            "speed": p[:, 3:4],  # the masses are 1
            "partly": numpy.sqrt(x[:, 3:]),
        }


def stored():
    """Against the stored states, which are every one that is observed."""
    process, result = run("stored", TEXT + "trajectories: {members: [0, 1, 2, 3, 4], every: 1}\n")
    if not ok(process.returncode == 0, "it runs", process.stderr):
        return
    rows = table(result)
    with h5py.File(result) as f:
        for case in range(2):
            t = f[f"trajectories/{case}/t"][()]
            for name in NAMES:
                found, when = f[f"extremes/{name}"][case], f[f"extremes/{name}_time"][case]
                apart = []
                for k in range(5):
                    x = values(f, case, k)[name]
                    low, high = numpy.fmin.reduce(x, axis=1), numpy.fmax.reduce(x, axis=1)
                    at = numpy.nanargmin(low), numpy.nanargmax(high)
                    if not close(found[k], [low[at[0]], high[at[1]]], 1e-13) or any(when[k] != t[list(at)]):
                        apart.append((k, found[k], when[k], low[at[0]], high[at[1]], t[list(at)]))
                ok(not apart, f"case {case}: {name} of every member, with its times", apart)
                low, high = found[:, 0].argmin(), found[:, 1].argmax()
                told = [rows[case][f"{name}_{x}"] for x in ("least", "least_time", "largest", "largest_time")]
                mine = [found[low, 0], when[low, 0], found[high, 1], when[high, 1]]
                ok(told == mine, f"case {case}: the columns of {name} are over the members", told, mine)
            never = f["extremes/never"][case], f["extremes/never_time"][case]
            ok(numpy.isnan(never).all(), f"case {case}: no value, no time", never)
        there = f["extremes/height"]
        ok(
            there.attrs["units"] == "1" and "least" in there.attrs["long_name"],
            "it says what it is",
            dict(there.attrs),
        )
        ok([x.decode() if isinstance(x, bytes) else x for x in f["extreme"][()]] == ["least", "largest"], "its axis too")
        for name, like in (("level", "height"), ("quick", "speed")):
            ok((f[f"values/{name}"][()] == f[f"extremes/{like}"][()]).all(), f"the values of {name} are those of {like}")
            for ending, other in (("min", "least"), ("max", "largest")):
                told = [(r[f"{name}_{ending}"], r[f"{like}_{other}"]) for r in rows]
                ok(all(a == b for a, b in told), f"{name}_{ending} is over the members", told)
            most = f[f"observables/{name}"][..., 2].max(axis=1)
            ok(([r[f"{name}_change"] for r in rows] == most).all(), f"{name}_change is the largest change", most)
        begun = numpy.isfinite(f["observables/part"][..., 0])
        mine = numpy.where(begun[..., None], f["extremes/partly"][()], numpy.nan)
        ok(numpy.array_equal(f["values/part"][()], mine, equal_nan=True) and 0 < begun.sum(), "from a number on", begun)
        ok("energy" not in f["values"] and "energy_change" not in rows[0], "the energy has none", rows[0])
    verify = constella("verify", result)
    ok(verify.returncode == 0 and "all with the same bits" in verify.stdout, "verified", verify.stdout, verify.stderr)


def bits():
    """Looked at on the way, or one state after another where an expression has multipliers."""
    for name, text in (("plain", TEXT), ("lambda", TEXT + TENSION)):
        whole = run(name, text)[1]
        for how, more, ranks in (("batches", ["--batch", "2"], 0), ("ranks", [], 2)):
            process, other = run(f"{name}-{how}", text, *more, ranks=ranks)
            differ = differences(digests(whole), digests(other))
            ok(process.returncode == 0 and not differ, f"{name}: the same bits for other {how}", differ, process.stderr)
    differ = [x for x in differences(digests(path("plain.h5")), digests(path("lambda.h5"))) if "extremes/" in x or "values/" in x]
    ok(all("tension" in x for x in differ), "the same values both ways", differ)


def changed(name, first, last, but=()):
    """Extends the result of one study to another, and compares with that run in one piece."""
    run(name + "-part", first)
    study = write(name + "-more.yaml", last)
    process = constella("extend", path(name + "-part.h5"), study, "-o", path(name + ".h5"), "--progress", "none")
    ok(process.returncode == 0, f"{name}: extended", process.stdout, process.stderr)
    whole = run(name + "-whole", last)[1]
    differ = [
        x
        for x in differences(digests(path(name + ".h5")), digests(whole))
        if not any(y in x for y in ("continue/", "@continued", *but))
    ]
    ok(not differ, f"{name}: the bits of a run in one piece", differ)
    verify = constella("verify", path(name + ".h5"))
    ok(verify.returncode == 0, f"{name}: verified", verify.stdout, verify.stderr)


def extended():
    later = CHAIN + EXTREMES + "extensible: true\n"
    changed("later", later.replace("END", "10.24"), later.replace("END", "20.48"), ["series/"])
    changed("members", TEXT.replace("members: 5", "members: 3"), TEXT)


def resumed():
    text = TEXT.replace("10.24", "400") + "checkpoint: {seconds: 0.05}\n"
    resumes("resumed", text)


def failed():
    """Failed members have extremes up to their last good state, and no part in the columns."""
    process, result = run(
        "failed",
        """study: ensemble
system: planar-pendulum
initial: {members: 12, seed: 3, spread: {q: 0.05, v: 2.5}}
end: 20
steps: [0.5]
methods: [rattle]
observe: every
extremes: [{name: speed, expression: "sqrt(x'^2 + y'^2)"}]
""",
    )
    ok(process.returncode == 1, "some members fail", process.stderr)
    (row,) = table(result)
    with h5py.File(result) as f:
        good, speed = f["final/status"][0] == 0, f["extremes/speed"][0]
    ok(0 < good.sum() < 12 and numpy.isfinite(speed).all(), "all members have extremes", speed)
    mine = [speed[good, 0].min(), speed[good, 1].max()]
    ok(
        [row["speed_least"], row["speed_largest"]] == mine and speed[:, 1].max() > mine[1],
        "columns are over the others",
        row,
        mine,
    )


def moving():
    """Of all observables that the motion changes, in windows too; those of lane code are looked at on the way, or one by one."""
    text = """study: STUDY
system: henon-heiles
initial: {members: 5, seed: 2, spread: {q: 0.1, v: 0.1}}
end: 10.24
steps: [0.02]
methods: [rattle, dopri5]
observe: every
observables: [energy, temperature, travel, "height: yMORE"]
trajectories: {members: [0, 1, 2, 3, 4], every: 1, store: [energy, temperature, height]}
"""
    for kind, names in (("conservation", ["height"]), ("ensemble", ["temperature", "height", "travel"])):
        for way, more in (("along", ""), ("one by one", '", rejected, "also: x')):
            process, result = run("moving", text.replace("STUDY", kind).replace("MORE", more))
            if not ok(process.returncode == 0, f"{kind}, {way}: it runs", process.stderr):
                continue
            rows = table(result)
            with h5py.File(result) as f:
                for case, row in enumerate(rows):
                    for name in names:
                        found = f[f"values/{name}"][case]
                        told = [found[:, 0].min(), found[:, 1].max()] == [row[f"{name}_min"], row[f"{name}_max"]]
                        ok(told, f"{kind}, {way}: columns of {name}", found, row)
                        if name == "travel":
                            good = (found[:, 0] == 0).all() and (found[:, 1] == f["observables/travel"][case, :, 1]).all()
                        else:
                            x = f[f"trajectories/{case}/{name}"][()].reshape(5, -1)
                            good = (found[:, 0] == x.min(axis=1)).all() and (found[:, 1] == x.max(axis=1)).all()
                        ok(good, f"{kind}, {way}: case {case}: {name} of every member", found)


def mistakes():
    for name, line, said in (
        ("scalar", "extremes: y", "'extremes' is"),
        ("empty", "extremes: []", ":9:11: error: 'extremes' is an empty list"),
        ("text", "extremes: [y]", ":9:12: error: an extreme is a map"),
        ("key", "extremes: [{name: h, of: y}]", "unknown key 'of'"),
        ("missing", "extremes: [{name: h}]", "missing key 'expression'"),
        ("unnamed", 'extremes: [{expression: "y[1]"}]', "missing key 'name'"),
        ("word", 'extremes: [{name: 4you, expression: "y[1]"}]', ":9:19: error: '4you' cannot name an extreme"),
        ("observable", 'extremes: [{name: energy, expression: "y[1]"}]', ":9:19: error: the name 'energy' is taken"),
        ("expression", 'extremes: [{name: h, expression: "y[1] + z"}]', ":9:42: error: extreme 'h': unknown name 'z'"),
        ("family", 'extremes: [{name: h, for: "i = 1..5", expression: "y[i]"}]', "extreme 'h', in one of its expressions"),
        (
            "twice",
            'extremes: [{name: h, expression: "y[1]"}, {name: h, expression: "y[2]"}]',
            ":9:50: error: the extreme 'h' appears twice",
        ),
        (
            "collide",
            'extremes: [{name: h, expression: "y[1]"}, {name: h_time, expression: "y[2]"}]',
            ":9:50: error: the extremes 'h_time' and 'h' would have datasets of the same name",
        ),
        (
            "many",
            "extremes: [" + ", ".join(f'{{name: h{i}, expression: "y[1]"}}' for i in range(65)) + "]",
            ":9:11: error: there are 65 extremes; at most 64 are allowed",
        ),
    ):
        process = constella("check", write(name + ".yaml", CHAIN.replace("END", "1.28") + line + "\n"))
        ok(process.returncode == 2 and said in process.stderr, f"{name}: refused", process.stderr)
    process = constella("check", write("good.yaml", TEXT))
    ok("extremes       height: y[4]\n" in process.stdout and ", 6 values\n" in process.stdout, "told", process.stdout)


together([stored, bits, extended, resumed, failed, moving, mistakes])
done()
