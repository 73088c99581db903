"""test_tangent.py: Lyapunov exponents, MEGNO, two-form, volume and reversibility: known answers and controls; the
trajectory's own bits unchanged; the same bits for any ranks, batches and interruptions, extended to a later end;
mistakes of each key."""
# SPDX-License-Identifier: BSD-2-Clause
import math
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, h5py, numpy, ok, path, resumes, run, table, together, write

DOUBLE = """study: ensemble
system: {name: double-pendulum, parameters: {L2: 1.0}}
initial: {members: 3, seed: 2, around: {q: ["sin(2)", "-cos(2)", "2*sin(2)", "-2*cos(2)"], v: [0, 0, 0, 0]}, spread: {q: 0.01, v: 0.01}}
end: END
steps: [0.05]
methods: METHODS
samples: {count: 3}
"""
ALL = "observables: [energy, lyapunov, megno, two-form, volume, reversibility]\ntangent: {vectors: 3, every: 0.5}\n"
TWO = '[rattle, "compose(rattle, suzuki4)"]'


def double(end, methods=TWO, more=ALL):
    return DOUBLE.replace("END", str(end)).replace("METHODS", methods) + more


def exponents():
    """In pairs on the double pendulum, positive there and zero for motions that are integrable."""
    process, result = run("exponents", double(400, "[rattle]", "observables: [lyapunov]\ntangent: {vectors: 4, every: 1}\n"))
    if not ok(process.returncode == 0, "it runs", process.stderr):
        return
    (row,) = table(result)
    x = [row[f"lyapunov_{k}"] for k in range(1, 5)]
    ok(0.3 < x[0] < 0.55, "the largest exponent of the double pendulum", x)
    ok(abs(x[0] + x[3]) < 0.01 * x[0], "the first and the last are a pair", x)
    ok(abs(x[1] + x[2]) < 0.01 * x[0] and abs(x[1]) < 0.05, "the two of the flow and the energy are small", x)
    with h5py.File(result) as f:
        t, running = f["lyapunov/time"][0], f["lyapunov/running_1"][0]
        there = t <= 400.001
        ok(list(numpy.round(t[there])[:6]) == [1, 2, 3, 4, 6, 8], "times of the running exponents", t[there])
        ok(numpy.isfinite(running[:, there]).all() and numpy.isnan(running[:, ~there]).all(), "and no others")
        parts = f["lyapunov/blocks_1"][0]
        ok(numpy.isfinite(parts).sum(axis=1).tolist() == [50, 50, 50], "50 parts of 8 periods", parts)
        mean = abs(numpy.nanmean(parts, axis=1) - f["lyapunov/exponents"][0, :, 0])
        ok((mean < 1e-12).all(), "whose means are the exponents", mean)
    for name, system, start, end in (("pendulum", "planar-pendulum", "default", 512), ("kepler", "kepler", "default", 512)):
        text = f"study: conservation\nsystem: {system}\ninitial: {start}\nend: {end}\nsteps: [0.0625]\nmethods: [rattle]\n"
        process, result = run(name, text + "observables: [lyapunov, megno]\ntangent: {every: 1}\n")
        (row,) = table(result)
        with h5py.File(result) as f:
            t, running = f["lyapunov/time"][0], f["lyapunov/running_1"][0, 0]
        half, whole = running[numpy.round(t) == 64][0], running[numpy.round(t) == 512][0]
        ok(abs(whole) < 2.5 * math.log(512) / 512, f"{name}: zero but for log t / t", whole)
        ok(abs(whole) < 0.4 * abs(half), f"{name}: and decaying", half, whole)
        ok(abs(row["megno"] - 2) < 0.4, f"{name}: MEGNO is 2", row["megno"])


def properties():
    """Symplectic methods, and controls that are not."""
    more = "observables: [two-form, volume, reversibility]\ntangent: {vectors: 4, every: 0.1}\n"
    process, result = run("properties", double(20, '[rattle, project(rk4), "convert(rk4)", euler-a]', more).replace("[0.05]", "[0.1]"))
    ok(process.returncode == 0, "it runs", process.stderr)
    rows = {row["method"]: row for row in table(result)}
    for name in ("rattle", "convert(rk4)", "euler-a"):
        ok(0 < rows[name]["two-form_max"] < 1e-7, f"{name} keeps the two-form", rows[name])
        ok(0 < rows[name]["volume_max"] < 1e-7, f"{name} keeps volume", rows[name])
        ok(0 < rows[name]["two-form_floor"] < 1e-7, f"{name} has a floor", rows[name])
    bad = rows["project(rk4)"]
    ok(bad["two-form_max"] > 1e-5 > 1e3 * bad["two-form_floor"], "project(rk4) changes the two-form", bad)
    ok(bad["volume_max"] > 1e-5, "and volume", bad)
    ok(rows["rattle"]["reversibility_max"] < 1e-11, "rattle goes back", rows["rattle"])
    ok(rows["euler-a"]["reversibility_max"] > 1e-4, "euler-a does not", rows["euler-a"])
    write("damped.yaml", """system: damped
coordinates: [x]
mass: [1]
potential: x^2/2
parameters: {c: 0.25}
forces: {drag: ["-c*x'"]}
states: {default: {q: [1], v: [0]}}
""")
    text = "study: conservation\nsystem: {file: damped.yaml}\nend: 1\nsteps: [0.01]\nmethods: [rk4]\n"
    process, result = run("friction", text + "observables: [two-form, volume]\ntangent: {every: 0.01}\n")
    (row,) = table(result)
    expected = 1 - math.exp(-0.25 * row["step_taken"])
    for name in ("two-form_max", "volume_max"):
        ok(abs(row[name] - expected) < 1e-8, f"{name} of friction is 1 - exp(-c h)", row[name], expected)


IDENTITY = """#include "constella/layer.h"
static void step(const cst_layer_step *s) {
  cst_layer_copy(s, s->q, s->q1), cst_layer_copy(s, s->v, s->v1);
  *s->S = s->lagrangian(s, s->q, s->v);
}
const cst_layer_method cst_user_layer = {CST_LAYER_VERSION, "identity", 1, "Nothing moves.", step};
"""


def one(name, text):
    """The row of a study with one case."""
    process, result = run(name, text)
    ok(process.returncode == 0, f"{name}: it runs", process.stderr)
    return table(result)[0] if process.returncode == 0 else {}


def study(system, method, end, h, more):
    return (
        f"study: conservation\nsystem: {system}\nend: {end}\nsteps: [{h}]\nmethods: [{method}]\n"
        f"samples: {{count: 2}}\nobserve: every\n{more}\n"
    )


def methods():
    """Exponents do not depend on the method, with or without a memory, on the constraints or off them; bodies on the group;
    layers of the user; noise."""
    more = "observables: [lyapunov]\ntangent: {vectors: 4, every: 1}"
    low = "{name: double-pendulum}\ninitial: low"
    found = {}
    names = ["rattle", "shake", "bdf(4)", "generalized-alpha(rho=0.9)", "rk4", "hbvm(k=3, s=2)"]
    names += ["lagrange-dalembert(rk4)", "{a: [[0, 0], [1, 0]], b: [1/2, 1/2]}"]
    process, result = run("methods", study(low, ", ".join(f'"{name}"' if name[0] != "{" else name for name in names), 16, 0.015625, more))
    ok(process.returncode == 0, "methods: they run", process.stderr)
    for name, row in zip(names, table(result)):
        found[name] = [row.get(f"lyapunov_{k}") for k in range(1, 5)]
    ok(len(found) == len(names), "a row for each of the methods", found)
    for name in names[1:]:
        apart = max(abs(a - b) for a, b in zip(found[name], found["rattle"]))
        ok(apart < 2e-3, f"{name}: the exponents of rattle", found[name], found["rattle"])
    row = one("on-springs", study(low, '"penalty(rattle, omega=15)"', 16, 0.015625, more))
    ok(row["lyapunov_survivors"] == 1 and abs(row["lyapunov_1"]) < 0.5, "springs: an exponent", row)
    more = "observables: [lyapunov, two-form, volume, reversibility]\ntangent: {vectors: 2, every: 0.5}"
    body = [one(f"body-{i}", study("euler-top", x, 32, 0.05, more)) for i, x in enumerate(("lie-rattle", "rattle"))]
    ok(all(x["two-form_max"] < 1e-7 and x["volume_max"] < 1e-7 for x in body), "bodies: symplectic both ways", body)
    ok(body[0]["reversibility_max"] < 1e-10, "bodies: reversible", body)
    apart = abs(body[0]["lyapunov_1"] - body[1]["lyapunov_1"])
    ok(apart < 0.02 * abs(body[1]["lyapunov_1"]), "bodies: the same exponents", body)
    more = "observables: [two-form]\ntangent: {every: 0.5}"
    thermostat = "langevin(rattle, friction=0.25, inverse-temperature=1)"
    row = one("noisy", study("planar-pendulum", f'"{thermostat}"', 8, 0.0625, more))
    expected = 1 - math.exp(-0.25 * 0.0625)
    ok(
        0.98 * expected < row["two-form_max"] < expected + 1e-9,
        "the two-form shrinks by exp(-c h) under noise, times that of unit vectors, at most 1",
        row["two-form_max"],
        expected,
    )
    write("identity.c", IDENTITY)
    more = "layers: {still: {file: identity.c}}\nobservables: [energy, two-form, volume]\ntangent: {every: 0.5}"
    row = one("identity", study("henon-heiles", "still", 32, 0.0625, more))
    ok(row["two-form_max"] == 0 and row["volume_max"] == 0, "the identity changes nothing", row)
    ok(row["energy_verdict"] == "frozen", "and is frozen", row)


def driven():
    """Companions are put back onto constraints that depend on the time where these are then."""
    more = "observables: [lyapunov, two-form, volume]\ntangent: {vectors: 2, every: 1}"
    for method in ("rattle", "midpoint"):
        row = one(f"driven-{method}", study("driven-pendulum", method, 40, 0.05, more))
        ok(row["two-form_max"] < 1e-8 and row["volume_max"] < 1e-8, f"driven: {method} is symplectic", row)
        ok(abs(row["lyapunov_1"] + row["lyapunov_2"]) < 5e-3, f"driven: exponents of {method} come in pairs", row)


EXACT = "observables: [energy, lyapunov, megno, two-form, volume]\ntangent: {vectors: 4, every: 0.1, form: exact}\n"
KICKS = '[rattle, euler-a, euler-b, midpoint, "compose(rattle, yoshida4)"]'


def exact():
    """Exact derivatives: symplectic rows at round-off, with the same bits everywhere."""
    text = double(12.8, KICKS, EXACT)
    whole = run("exact", text)[1]
    for row in table(whole):
        name = row["method"]
        ok(0 < row["two-form_max"] < 1e-12 and row["two-form_floor"] < 1e-12, f"{name} keeps the two-form", row)
        ok(0 < row["volume_max"] < 1e-10 and row["volume_floor"] < 1e-10, f"{name} keeps volume", row)
    for how, more, ranks in (("batches", ["--batch", "2"], 0), ("ranks", [], 2)):
        process, other = run(f"exact-{how}", text, *more, ranks=ranks)
        differ = differences(digests(whole), digests(other))
        ok(process.returncode == 0 and not differ, f"the same bits for other {how}", differ, process.stderr)
    verify = constella("verify", whole)
    ok(verify.returncode == 0 and "all with the same bits" in verify.stdout, "verified", verify.stdout, verify.stderr)
    ok("lyapunov, megno, two-form, volume, 4 vectors, every 0.1, by exact derivatives" in constella("check", path("exact.yaml")).stdout, "told")
    run("exact-few", text.replace("members: 3", "members: 2"))
    process = constella("extend", path("exact-few.h5"), path("exact.yaml"), "-o", path("exact-more.h5"), "--progress", "none")
    differ = differences(digests(whole), digests(path("exact-more.h5")))
    ok(process.returncode == 0 and not differ, "extended by members", differ, process.stderr)


def exact_exponents():
    """Exponents by exact derivatives are those of companions, with a floor at round-off, of all forms of methods; the exponents of
    methods off the constraints are those along them; MEGNO; the form is told."""
    names = '[rattle, midpoint, "compose(rattle, suzuki4)", "project(gauss(2))", "project(rk4)", rk4]'
    text = double(32, names, "observables: [lyapunov, megno]\ntangent: {vectors: 4, every: 0.5, form: FORM}\n")
    exactly, by_companions = (table(run(f"form-{x}", text.replace("FORM", x))[1]) for x in ("exact", "companions"))
    for a, b in zip(exactly, by_companions):
        name = a["method"]
        ok((a["tangent_form"], b["tangent_form"]) == ("exact", "companions"), f"{name}: the form is told", a["tangent_form"])
        off = name == "rk4"  # its companions leave the constraints
        apart = max(abs(a[f"lyapunov_{k}"] - b[f"lyapunov_{k}"]) for k in range(1, 2 if off else 5))
        ok(apart < 3e-5, f"{name}: the exponents of companions", apart)
        ok(abs(a["megno"] - b["megno"]) < 1e-3, f"{name}: their MEGNO", a["megno"], b["megno"])
        ok(0 < a["lyapunov_floor"] < 1e-11 < b["lyapunov_floor"], f"{name}: the floor", a["lyapunov_floor"])
        ok(abs(a["lyapunov_1"] + a["lyapunov_4"]) < 0.05 and a["lyapunov_1"] > 0.2, f"{name}: a pair", a)
    few = table(run("form-few", text.replace("FORM", "exact").replace("members: 3", "members: 1").replace("vectors: 4", "vectors: 1"))[1])
    ok(all(x["lyapunov_survivors"] == 1 and 0 < x["lyapunov_1"] < 1 for x in few), "of one member and vector", few)


def exact_layers():
    """Derivatives of layers and projections: what companions measure, and round-off where the tableau is symplectic."""
    names = '["project(rk4)", "project(gauss(2))", "project(compose(heun, heun))"]'
    exactly, by_pairs = (table(run(f"layers-{k}", double(12.8, names, EXACT.replace("exact", k)))[1]) for k in ("exact", "companions"))
    for a, b in zip(exactly, by_pairs):
        for what in ("two-form_max", "volume_max"):
            ok(abs(a[what] - b[what]) < 1e-8 + 1e-5 * b[what], f"{a['method']}: {what} of pairs of companions", a[what], b[what])
            ok(a[what.replace("max", "floor")] < 1e-9, f"{a['method']}: the floor of {what}", a)
    ok(exactly[0]["two-form_max"] > 1e-6, "project(rk4) is not symplectic", exactly[0])
    more = "observables: [two-form, volume]\ntangent: {vectors: 4, every: 0.5, form: exact}"
    names = ("rk4", "gauss(2)", "gauss(3)", "{a: [[1/2]], b: [1]}")
    process, result = run("layers", study("henon-heiles", ", ".join(names), 16, 0.125, more))
    ok(process.returncode == 0, "layers: they run", process.stderr)
    rows = table(result)
    ok(len(rows) == len(names), "layers: a row for each", rows)
    for name, row in zip(names, rows):
        symplectic = name != "rk4"
        ok((row["two-form_max"] < 1e-14) == symplectic, f"{name}: {'' if symplectic else 'not '}symplectic", row)


def bits():
    text = double(12.8)
    whole = run("whole", text)[1]
    plain = run("plain", double(12.8, more="observables: [energy]\n"))[1]
    a, b = digests(whole), digests(plain)
    there = [x for x in b if x in a and x.split("/")[0] in ("final", "series", "windows") or "observables/energy" in x]
    differ = [x for x in there if a.get(x) != b[x]]
    ok(there and not differ, "the trajectories' own bits are those without companions", differ)
    for how, more, ranks in (("batches", ["--batch", "2"], 0), ("ranks", [], 2)):
        process, other = run(f"whole-{how}", text, *more, ranks=ranks)
        differ = differences(a, digests(other))
        ok(process.returncode == 0 and not differ, f"the same bits for other {how}", differ, process.stderr)
    verify = constella("verify", whole)
    ok(verify.returncode == 0 and "all with the same bits" in verify.stdout, "verified", verify.stdout, verify.stderr)


def wide():
    """More members than lanes: companions in groups of their own, and side by side in small batches, in both forms."""
    for form, methods, more in (("companions", '[rattle, "generalized-alpha(rho=0.9)"]', "lyapunov"), ("exact", "[rattle]", "lyapunov, two-form")):
        more = f"observables: [{more}]\ntangent: {{vectors: 4, every: 0.5, form: {form}}}\n"
        text = double(6.4, methods, more).replace("members: 3", "members: 11").replace("v: 0.01}}", "v: 0.3}}")
        one, other = (digests(run(f"wide-{form}-{i}", text, *how)[1]) for i, how in enumerate(([], ["--batch", "3"])))
        ok(not differences(one, other), f"{form}: the same bits in wide and narrow batches", differences(one, other))


def resumed(name="resumed", text=double(1200)):
    text += "checkpoint: {seconds: 0.05}\n"
    resumes(name, text)


def extended(name="", more=ALL, methods=TWO):
    """To an end that is no multiple of `every`, and on from there."""
    first, last = (double(end, methods, more) + "extensible: true\n" for end in (10.2, 20.4))
    run("part" + name, first)
    study = write(f"more{name}.yaml", last)
    process = constella("extend", path(f"part{name}.h5"), study, "-o", path(f"more{name}.h5"), "--progress", "none")
    ok(process.returncode == 0, "extended to a later end", process.stdout, process.stderr)
    whole = run("one-piece" + name, last)[1]
    differ = [
        x
        for x in differences(digests(path(f"more{name}.h5")), digests(whole))
        if not any(y in x for y in ("continue/", "@continued", "series/"))
    ]
    ok(not differ, "the bits of a run in one piece", differ)


def exactly_extended():
    extended("-exactly", EXACT.replace("every: 0.1", "every: 0.5"), "[rattle, project(rk4)]")


ESCAPES = """study: ensemble
system: henon-heiles
initial: {list: [{q: [1.0, 0.5], v: [0.5, 0.5]}, {q: [0.1, 0.1], v: [0.1, 0.05]}, {q: [0.1, 0.2], v: [0.1, 0.05]}]}
end: 100
steps: [0.1]
methods: [rk4]
tangent: {vectors: 1, every: 1}
observables: [lyapunov, megno]
samples: {count: 0}
events: [{name: escape, when: "x^2+y^2-4", stop: true}]
"""


def ended_first():
    """The first trajectory of a group ends: the exponents of the others are what they are beside another one."""
    many = "initial: {list: [" + ", ".join(["{q: [1.0, 0.5], v: [0.5, 0.5]}"] + ["{q: [0.1, %.2f], v: [0.1, 0.05]}" % (0.1 + 0.01 * k) for k in range(15)]) + "]}"
    text = "\n".join(many if line.startswith("initial") else line for line in ESCAPES.splitlines())
    _, result = run("escapes", text)
    _, without = run("beside", text.replace("{q: [1.0, 0.5], v: [0.5, 0.5]}", "{q: [0.1, 0.05], v: [0.1, 0.05]}"))
    with h5py.File(result) as f, h5py.File(without) as g:
        for name in ("lyapunov/exponents", "lyapunov/megno"):
            one, other = f[name][0, 1:], g[name][0, 1:]
            ok(f["final/status"][0, 0] == 6 and (one == other).all(), f"the first of a group has ended: {name}", one, other)


def mistakes():
    base = double(10, "[rattle]", "")
    asks = "observables: [lyapunov]\n"
    for name, more, said in (
        ("without", asks, ":8:15: error: 'lyapunov' needs the key 'tangent'"),
        ("idle", "tangent: {every: 1}\n", "'tangent' has no effect: none of lyapunov, megno"),
        ("every", asks + "tangent: {vectors: 2}\n", "missing key 'every' in 'tangent'"),
        ("negative", asks + "tangent: {every: -1}\n", ":9:18: error: 'every' is -1; it must be above 0"),
        ("fraction", asks + "tangent: {every: 0.07}\n", ":9:18: error: 'every' is 0.07, which is no multiple of the step 0.05"),
        ("late", asks + "tangent: {every: 20}\n", "'every' is 20 and the run ends at 10"),
        ("vectors", asks + "tangent: {every: 1, vectors: 5}\n", ":9:30: error: 'vectors' is 5; it must be an integer from 1 to 4"),
        ("one", "observables: [two-form]\ntangent: {every: 1, vectors: 1}\n", "'vectors' must be at least 2"),
        ("form", "observables: [lyapunov, reversibility]\ntangent: {every: 1, form: exact}\n", ":9:27: error: 'form' is exact, and 'reversibility' takes companions"),
        ("derivative", "observables: [volume]\ntangent: {every: 1, form: exact}\n", "'form' is exact: convert(rk4) has no exact derivative; rattle, euler-a"),
        ("word", asks + "tangent: {every: 1, form: exakt}\n", "unknown form 'exakt'"),
        ("key", asks + "tangent: {every: 1, vector: 2}\n", "did you mean 'vectors'?"),
        ("twice", "observables: [lyapunov, lyapunov]\ntangent: {every: 1}\n", "the observable 'lyapunov' appears twice"),
        ("taken", 'observables: ["lyapunov: y1"]\n', "the name 'lyapunov' is taken"),
        ("near", "observables: [lyapunow]\n", "did you mean 'lyapunov'?"),
    ):
        text = base.replace("[rattle]", "[rattle, convert(rk4)]") if name == "derivative" else base
        process = constella("check", write(name + ".yaml", text + more))
        ok(process.returncode == 2 and said in process.stderr, f"{name}: refused", process.stderr)
    for name, method, what, said in (
        ("off", "rk4", "two-form", "rk4 leaves the constraints g(q) = 0"),
        ("hidden", "shake", "volume", "shake keeps G v = 0 to the order of its error only"),
        ("history", "bdf(2)", "two-form", "bdf(2) keeps 'q-earlier' from step to step"),
        ("springs", '"penalty(rattle, omega=50)"', "reversibility", "steps another system in the place of the study's"),
        ("noise", '"langevin(rattle, friction=1, inverse-temperature=1)"', "reversibility", "has noise"),
    ):
        text = double(10, f"[{method}]", f"observables: [{what}]\ntangent: {{every: 1}}\n")
        process = constella("check", write(name + ".yaml", text))
        ok(process.returncode == 2 and f"'{what}': " in process.stderr and said in process.stderr, f"{name}: refused", process.stderr)
    process = constella("plot", path("good.h5"), "exponents") if run("good", double(10))[0].returncode == 0 else None
    ok(process and process.returncode == 0, "drawn", process and process.stderr)
    process = constella("check", path("good.yaml"))
    ok("tangent        lyapunov, megno, two-form, volume, reversibility, 3 vectors, every 0.5\n" in process.stdout, "told", process.stdout)
    names = constella("list", "observables").stdout
    ok("lyapunov " in names and "reversibility " in names, "listed", names)


def exactly_resumed():
    resumed("exactly-resumed", double(100, KICKS, EXACT))


together([exponents, properties, methods, driven, bits, wide, exact, exact_exponents, exact_layers, resumed, exactly_resumed, extended, exactly_extended, ended_first, mistakes])
done()
