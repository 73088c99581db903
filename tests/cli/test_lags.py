"""test_lags.py: autocorrelations and mean square displacements are those of stored trajectories, and of a heat bath
those of the theory; the same bits for any ranks, batches and interruptions, with more members; mistakes."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, h5py, numpy, ok, path, resumes, run, table, together, write

FREE = "system: free\ncoordinates: [x, y]\nmass: [1, 2]\npotential: 0*x\nstates: {default: {q: [0, 0], v: [0, 0]}}\n"
BATH = """study: ensemble
system: {file: free.yaml}
initial: {members: MEMBERS, seed: 7, around: default}
end: END
steps: [0.1, 0.05]
methods: ["langevin(rattle, friction=0.5, inverse-temperature=2)"]
burn-in: 0.1
samples: {count: 4}
observables: [energy]
autocorrelation:
  - {name: v, expression: "x'", every: 0.2, lags: 20}
  - {name: shifted, for: "i = 1..2", expression: "1 + i*x'", mean: 1, every: 0.2, lags: 5}
mean-square-displacement:
  - {name: way, expression: x, every: 0.2, lags: 100}
  - {name: plane, for: "i = 0..1", expression: "(1 - i)*x + i*y", every: 0.4, lags: 10}
"""
PARTS = 32


def filled(text, **words):
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text


write("free.yaml", FREE)


def means_of(x, lags, displaces):
    """y[part][lag] of the samples x[sample][expression] of a trajectory, as lags.h has them."""
    pairs = len(x) - lags
    y = numpy.zeros((PARTS, lags + 1))
    ends = [-(-part * pairs // PARTS) for part in range(PARTS + 1)]
    for part in range(PARTS):
        at = lags + numpy.arange(ends[part], ends[part + 1])
        for k in range(lags + 1):
            then = x[at - k]
            y[part, k] = (((x[at] - then) ** 2) if displaces else x[at] * then).sum() / len(at)
    return y


def curves(y):
    """The means over y[unit][lag], their errors, and those of the ratios to the first, without Student's factor."""
    mean, n = y.mean(axis=0), len(y)
    with numpy.errstate(all="ignore"):
        ratio = mean / mean[0]
        of_ratio = (y - ratio * y[:, :1]).std(axis=0, ddof=1) / abs(mean[0])
    return mean, y.std(axis=0, ddof=1) / n**0.5, ratio, of_ratio / n**0.5


def stored():
    """Against stored states; with few members, whose parts give the errors, and with many."""
    for members in (3, 16):
        text = filled(BATH, MEMBERS=members, END=40) + f"trajectories: {{members: {list(range(members))}, every: 1, store: [q, v]}}\n"
        process, result = run(f"stored-{members}", text)
        if not ok(process.returncode == 0, "it runs", process.stderr):
            return
        rows = table(result)
        with h5py.File(result) as f:
            for case, steps in ((0, 2), (1, 4)):
                q, v = f[f"trajectories/{case}/q"][()], f[f"trajectories/{case}/v"][()]
                first = -(-round(0.1 * (q.shape[1] - 1)) // steps)
                signals = {
                    "autocorrelation/v": (v[:, ::steps, :1][:, first:], 20),
                    "autocorrelation/shifted": (v[:, ::steps, :1][:, first:] * [1, 2], 5),
                    "mean-square-displacement/way": (q[:, ::steps, :1][:, first:], 100),
                    "mean-square-displacement/plane": (q[:, :: 2 * steps][:, -(-first // 2) :], 10),
                }
                for name, (x, lags) in signals.items():
                    displaces = "square" in name
                    y = numpy.array([means_of(one, lags, displaces) for one in x])
                    units = y.mean(axis=1) if members >= 16 else y.reshape(-1, lags + 1)
                    mean, error, ratio, of_ratio = curves(units)
                    wide = f[f"{name}_error"][case][1:] / error[1:]
                    ok(f[f"{name}_pairs"][case] == x.shape[1] - lags, f"case {case}: all pairs of {name}")
                    near = numpy.allclose(f[name][case], mean, rtol=1e-11, atol=1e-13)
                    ok(near, f"{members} members, case {case}: {name}", f[name][case], mean)
                    same = numpy.ptp(wide) < 1e-6 and 1 <= wide[0] < 1.2  # Student's t
                    ok(same, f"{members} members, case {case}: errors of {name}", wide)
                    lag = f[f"{name}_lag"][case]
                    h = f[f"trajectories/{case}/t"][1] * steps * (2 if "plane" in name else 1)
                    ok(numpy.allclose(lag, numpy.arange(lags + 1) * h, rtol=1e-13), "the lags", lag)
                    if displaces:
                        continue
                    good = numpy.allclose(f[f"{name}_normalised"][case], ratio, rtol=1e-10)
                    other = f[f"{name}_normalised_error"][case][1:] / of_ratio[1:]
                    ok(good and numpy.ptp(other) < 1e-6 and abs(other[0] - wide[0]) < 1e-6, "normalised", other, wide)
                    area = numpy.trapz(mean, lag)
                    told = [rows[case][f"{name[16:]}_{x}"] for x in ("square", "integral", "time")]
                    ok(numpy.allclose(told, [mean[0], area, area / mean[0]], rtol=1e-9), "columns", told, mean[0], area)
                mean = f["mean-square-displacement/plane"][case]
                told = [rows[case][f"plane_{x}"] for x in ("last", "diffusion", "exponent")]
                mine = [mean[10], (mean[10] - mean[5]) / (20 * lag[1]), numpy.log2(mean[10] / mean[5])]
                ok(numpy.allclose(told, mine, rtol=1e-9), "columns of displacements", told, mine)
        verify = constella("verify", result)
        ok(verify.returncode == 0 and "all with the same bits" in verify.stdout, "verified", verify.stdout, verify.stderr)


def known():
    """The Ornstein-Uhlenbeck process: e^-(gamma t), ballistic at first, then D = kT/gamma."""
    result = run("known", filled(BATH, MEMBERS=64, END=400))[1]
    rows = table(result)
    with h5py.File(result) as f:
        for case in range(2):
            t, c, e = (f[f"autocorrelation/v{x}"][case] for x in ("_lag", "", "_error"))
            off = numpy.abs(c - 0.5 * numpy.exp(-0.5 * t)) / e
            ok(off.max() < 4.5 and e[0] < 0.02, f"case {case}: the velocity's correlation, in errors", off.max(), e[0])
            t, m, e = (f[f"mean-square-displacement/way{x}"][case] for x in ("_lag", "", "_error"))
            h = rows[case]["step"]
            off = numpy.abs(m[1:] - 2 * (t[1:] - 2 * (1 - numpy.exp(-0.5 * t[1:])))) / (e[1:] + h * h * t[1:])
            ok(off.max() < 4.5, f"case {case}: the displacement, in errors", off.max())
            ok(abs(m[1] / (0.5 * t[1] ** 2) - 1) < 0.1, f"case {case}: ballistic at first", m[1], t[1])
            far = (rows[case]["way_diffusion"] - 1) / rows[case]["way_diffusion_error"]
            ok(abs(far) < 4.5 and rows[case]["way_diffusion_error"] < 0.15, f"case {case}: D = kT/gamma, in errors", far)
            near = (rows[case]["v_integral"] - (1 - numpy.exp(-2))) / rows[case]["v_integral_error"]
            ok(abs(near) < 4.5, f"case {case}: the integral, in errors", near)


def bits():
    text = filled(BATH, MEMBERS=17, END=40)
    whole = run("plain", text)[1]
    for how, more, ranks in (("batches", ["--batch", "2"], 0), ("ranks", [], 2)):
        process, other = run(f"other-{how}", text, *more, ranks=ranks)
        differ = differences(digests(whole), digests(other))
        ok(process.returncode == 0 and not differ, f"the same bits for other {how}", differ, process.stderr)
    sparse = text.replace("samples: {count: 4}", "samples: {count: 0}")
    parts = [run(f"part-{k}", sparse, "--part", f"{k}/3")[1] for k in (1, 2, 3)]
    process = constella("merge", *parts, "-o", path("merged.h5"))
    ok(process.returncode == 0, "computed in three parts, and merged", process.stdout, process.stderr)
    differ = differences(digests(path("merged.h5")), digests(run("sparse", sparse)[1]))
    ok(not differ, "the same bits in parts", differ)
    study = write("more.yaml", filled(BATH, MEMBERS=20, END=40))
    process = constella("extend", whole, study, "-o", path("more.h5"), "--progress", "none")
    ok(process.returncode == 0, "extended by members", process.stdout, process.stderr)
    differ = differences(digests(path("more.h5")), digests(run("more-whole", filled(BATH, MEMBERS=20, END=40))[1]))
    differ = [x for x in differ if "@continued" not in x]
    ok(not differ, "the bits of a run in one piece", differ)


def more_than_few():
    """From 15 members to 17 the errors become those of the members' means: all is computed again."""
    run("few", filled(BATH, MEMBERS=15, END=40))
    study = write("many.yaml", filled(BATH, MEMBERS=17, END=40))
    process = constella("extend", path("few.h5"), study, "-o", path("many.h5"), "--progress", "none")
    ok(process.returncode == 0 and "errors are those of other means" in process.stdout + process.stderr, "told", process.stderr)
    differ = differences(digests(path("many.h5")), digests(run("many-whole", filled(BATH, MEMBERS=17, END=40))[1]))
    ok(not [x for x in differ if "@continued" not in x], "the bits of a run in one piece", differ)


def resumed():
    text = filled(BATH, MEMBERS=5, END=6400) + "checkpoint: {seconds: 0.05}\n"
    resumes("resumed", text)


def failed():
    """Members that failed are in none of the sums."""
    text = """study: ensemble
system: planar-pendulum
initial: {members: 12, seed: 3, spread: {q: 0.05, v: 2.5}}
end: 40
steps: [0.5]
methods: [rattle]
samples: {count: 0}
autocorrelation: [{name: c, expression: x, every: 0.5, lags: 4}]
"""
    process, result = run("failed", text)
    ok(process.returncode == 1, "some members fail", process.stderr)
    with h5py.File(result) as f:
        good, parts, c = f["final/status"][0] == 0, f["autocorrelation/c_parts"][0], f["autocorrelation/c"][0]
    ok(0 < good.sum() < 12 and numpy.isnan(parts[~good]).all(), "they have no parts", parts)
    ok(abs(parts[good, :, 0].mean() - c[0]) < 1e-13, "the curve is that of the others", c)
    ok(abs(table(result)[0]["c_square"] - c[0]) < 1e-13, "so is the column", table(result))


def same_name():
    """An autocorrelation and a displacement of one name, with other lags."""
    for lags in ((4, 8), (9, 8)):
        text = "study: ensemble\nsystem: double-pendulum\ninitial: {members: 4, spread: {q: 0.1, v: 0.1}}\nend: 20\nsteps: [0.2]\nmethods: [rattle]\n"
        text += "mean-square-displacement: [{name: a, expression: x1, every: 0.2, lags: %d}]\nautocorrelation: [{name: a, expression: x1, every: 0.2, lags: %d}]\n" % lags
        _, result = run("twins", text)
        with h5py.File(result) as f:
            shapes = f["mean-square-displacement/a"].shape, f["autocorrelation/a"].shape
            ok(shapes == ((1, lags[0] + 1), (1, lags[1] + 1)), f"one name, {lags} lags: their shapes", shapes)
        process = constella("verify", result)
        ok(process.returncode == 0 and "sums over members complete" in process.stdout, f"one name, {lags} lags: verified", process.stdout, process.stderr)


def mistakes():
    base = filled(BATH, MEMBERS=2, END=40).split("autocorrelation:")[0]
    for key, what in (("autocorrelation", "an autocorrelation"), ("mean-square-displacement", "a mean square displacement")):
        for name, value, said in (
            ("scalar", "x", f"'{key}' is"),
            ("empty", "[]", f"'{key}' is an empty list"),
            ("text", "[x]", f"{what} is a map"),
            ("key", "[{name: h, of: y}]", "unknown key 'of'"),
            ("missing", "[{name: h, every: 1, lags: 4}]", "missing key 'expression'"),
            ("unnamed", "[{expression: y, every: 1, lags: 4}]", "missing key 'name'"),
            ("often", "[{name: h, expression: y, lags: 4}]", "missing key 'every'"),
            ("lags", "[{name: h, expression: y, every: 1}]", "missing key 'lags'"),
            ("one", "[{name: h, expression: y, every: 1, lags: 1}]", "'lags' is 1"),
            ("word", "[{name: 4you, expression: y, every: 1, lags: 4}]", f"'4you' cannot name {what}"),
            ("expression", "[{name: h, expression: y + z, every: 1, lags: 4}]", f"{key} 'h': unknown name 'z'"),
            ("multiple", "[{name: h, expression: y, every: 0.25, lags: 4}]", "no multiple of the step 0.1"),
            ("negative", "[{name: h, expression: y, every: 0, lags: 4}]", "'every' is 0; it must be above 0"),
            ("short", "[{name: h, expression: y, every: 1, lags: 9}]", "gives 41 samples in a run; with 9 lags it takes at least"),
            (
                "many",
                '[{name: h, for: "i = 1..100", expression: "i*y", every: 0.1, lags: 4000}]',
                "4000 lags of 100 expressions are 400000 numbers",
            ),
            (
                "twice",
                "[{name: h, expression: y, every: 1, lags: 4}, {name: h, expression: x, every: 1, lags: 4}]",
                f"the name 'h' appears twice in '{key}'",
            ),
            (
                "nine",
                "[" + ", ".join(f"{{name: h{i}, expression: y, every: 1, lags: 4}}" for i in range(9)) + "]",
                f"'{key}' has 9 entries; at most 8 are allowed",
            ),
        ):
            process = constella("check", write(f"{key}-{name}.yaml", f"{base}{key}: {value}\n"))
            ok(process.returncode == 2 and said in process.stderr, f"{key}, {name}: refused", process.stderr)
    line = "mean-square-displacement: [{name: h, expression: y, mean: 1, every: 1, lags: 4}]\n"
    process = constella("check", write("mean.yaml", base + line))
    ok("unknown key 'mean'" in process.stderr, "displacements have no mean", process.stderr)
    line = "autocorrelation: [{name: h, expression: y, mean: nothing, every: 1, lags: 4}]\n"
    process = constella("check", write("word.yaml", base + line))
    ok(process.returncode == 2 and "nothing" in process.stderr, "the mean is a number", process.stderr)
    line = "autocorrelation: [{name: h, expression: y, every: 1, lags: 4}]\nextensible: true\n"
    first = base.replace("burn-in: 0.1\n", "")
    run("ends", first + line)
    study = write("later.yaml", (first + line).replace("end: 40", "end: 80"))
    process = constella("extend", path("ends.h5"), study, "-o", path("later.h5"))
    said = "autocorrelations are means over parts of the run"
    ok(process.returncode == 2 and said in process.stderr, "no later end", process.stderr)
    process = constella("check", write("good.yaml", filled(BATH, MEMBERS=2, END=40)))
    said = "correlation    v: x', 1 value, until 4 after every 0.2 (0.864 kB per trajectory)\n"
    ok(said in process.stdout, "told", process.stdout)


together([stored, known, bits, more_than_few, resumed, failed, same_name, mistakes])
done()
