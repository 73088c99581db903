#!/usr/bin/python3
"""test_compare.py: `constella compare A B`: what is equal, noise, or more than noise. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import folder, ok, program, run_tests

import contextlib
import csv
import io
import shutil

import h5py

import constella
from constella.commands import main
from constella.noise import contradict

KUTTA = "{a: [[0, 0, 0, 0], [1/3, 0, 0, 0], [%s, 1, 0, 0], [1, -1, 1, 0]], b: [1/8, 3/8, 3/8, 1/8]}"
ORDER = """study: order
system: double-pendulum
end: 1
steps: {from: 0.1, halvings: %d}
layers:
  mine: %s
methods: [rattle, project(mine)]
reference: {method: gauss(6), step: 0.02}
timing: {repeats: 2}
"""
ENSEMBLE = """study: ensemble
system: double-pendulum
initial: {around: default, members: 60, seed: %d, spread: {q: 0.05, v: 0.05}}
end: 5
steps: [0.05]
methods: [%s]
"""


def result(name, text):
    (folder / f"{name}.yaml").write_text(text)
    done = program("run", f"{name}.yaml", "-o", f"{name}.h5")
    assert done.returncode == 0, done.stderr
    return f"{name}.h5"


def changed(file, name, change):
    """A copy of a result with a change to it."""
    shutil.copy(folder / file, folder / f"{name}.h5")
    with h5py.File(folder / f"{name}.h5", "r+") as f:
        change(f)
    return f"{name}.h5"


def compared(*words):
    """As the program: with status, output and messages."""
    done = program("compare", *words)
    return done.returncode, done.stdout, done.stderr


def told(a, b, **words):
    """The same within this process, which is faster."""
    words = {"file": a, "other": b, **words}
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as error:
        code = main(["compare", *(f"{name}={value}" for name, value in words.items())])
    return code, said.getvalue(), error.getvalue()


def last(text):
    return text.strip().splitlines()[-1] if text.strip() else ""


RIGHT = result("right", ORDER % (3, KUTTA % "-1/3"))


def test_equal():
    """The same study twice: the same bits. Measured times of tiny runs may differ, so they are made equal."""
    other = changed(RIGHT, "same", lambda f: None)
    code, said, _ = compared(RIGHT, other)
    ok(code == 0 and last(said) == "A and B agree.", "equal: status 0", said)
    ok("bits          equal in all columns and data" in said and "study         the same" in said, "equal: all bits", said)
    ok(said.startswith("A             right.h5: constella "), "equal: what made either", said)
    ok("cpu_seconds 1" in said and "evaluations 1" in said, "equal: the work", said)


def test_wrong():
    """A tableau with a digit off."""
    other = result("wrong", ORDER % (3, KUTTA % "-0.34"))
    code, said, _ = compared(RIGHT, other, "-o", "wrong.csv")
    ok(code == 1 and last(said) == "A and B differ beyond noise.", "wrong digit: status 1", said)
    lines = [line.split() for line in said.splitlines()]
    ok(any(line[:1] == ["error_q"] and "project(mine)," in line for line in lines), "wrong digit: the error and its case", said)
    with open(folder / "wrong.csv") as f:
        rows = list(csv.DictReader(f))
    beyond = {(r["case"].split(",")[0], r["column"]) for r in rows if r["beyond"] == "True"}
    ok(("project(mine)", "error_q") in beyond and ("project(mine)", "order_q") in beyond, "wrong digit: error and order in the table", beyond)
    ok(not any(method == "rattle" and "seconds" not in column for method, column in beyond), "wrong digit: nothing of the other method", beyond)


def test_cases():
    """One step more in B."""
    code, said, _ = told(RIGHT, result("longer", ORDER % (4, KUTTA % "-1/3")), methods="rattle")
    ok(code == 1 and "4 in both; 1 only in B: rattle, step 0.00625" in said, "cases: those of one file", said)
    ok("- halvings: 3, + halvings: 4" in said, "cases: the studies differ", said)


def test_tolerances():
    """One tolerance each: the same cases; several: cases are told apart by them."""
    loose = result("loose", ORDER % (3, KUTTA % "-1/3") + "solver: {tolerance: 1e-5}\n")
    _, said, _ = told(RIGHT, loose, methods="rattle")
    ok("cases         4 in both\n" in said and "+ tolerance: 1e-5" in said and "iterations_mean" in said, "tolerances: another one", said)
    both = result("both", ORDER % (3, KUTTA % "-1/3") + "solver: {tolerance: [1e-14, 1e-5]}\n")
    code, said, _ = told(RIGHT, both, methods="rattle")
    ok(code == 1 and "4 in both; 4 only in B: rattle" in said and ", tolerance 1e-05" in said, "tolerances: one more", said)
    code, said, _ = told(loose, result("other", (ORDER % (0, KUTTA % "-1/3")).replace("from: 0.1", "from: 0.04")), methods="rattle")
    ok(code == 1 and "bits          no case to compare\n" in said, "tolerances: no case in common", said)


def test_samples():
    """Samples of the same population agree, also where their extremes differ; another start does not."""
    seeds = [result(f"seed{k}", ENSEMBLE % (k, "rattle")) for k in (1, 2, 3)]
    found = [told(seeds[0], other) for other in seeds[1:]]
    ok(all(code == 0 for code, _, _ in found), "samples: two seeds agree", found)
    with constella.Result(folder / seeds[0]) as a, constella.Result(folder / seeds[1]) as b:
        columns = {d.column for d in a.compare(b).unjudged}
    ok("energy_max" in columns, "samples: their extremes are not judged", columns)
    text = (ENSEMBLE % (2, "rattle")).replace("around: default", "around: low")
    code, said, _ = told(seeds[0], result("low", text))
    ok(code == 1, "samples: another population", said)


def test_judgement():
    """Numbers and words of a column, one by one."""

    def column(name, value, case=0):
        def change(f):
            f[f"statistics/{name}"][case] = value

        return change

    def times(least, most):
        def change(f):
            for name, value in (("cpu_seconds", least), ("cpu_seconds_most", most)):
                f[f"run/{name}"][...] = value

        return change

    with h5py.File(folder / RIGHT) as f:
        error, evaluations = f["statistics/error_q"][0], f["statistics/evaluations_per_step"][0]
    base = changed(RIGHT, "base", times(1.0, 1.01))
    for what, change, wanted in (
        ("an error by half a percent", column("error_q", error * 1.005), 0),
        ("an error by two percent", column("error_q", error * 1.02), 1),
        ("an error that is not a number", column("error_q", float("nan")), 1),
        ("an order within its interval", column("order_q", 2.0), 0),
        ("a failed trajectory", column("failed", 1), 1),
        ("evaluations by a tenth", column("evaluations_per_step", evaluations * 1.1 + 0.1), 1),
        ("a rate, which follows from errors", column("rate_q", 3.0, 1), 0),
        ("times within their spread", times(1.005, 1.02), 0),
        ("times that do not meet, by 3 percent", times(1.03, 1.04), 0),
        ("times that do not meet, by 10 percent", times(1.1, 1.2), 1),
    ):
        code, said, _ = told(base, changed("base.h5", "one", change))
        ok(code == wanted, f"judged: {what}", said)
    for x, y, wanted in (
        ("exact", "linear", True),
        ("linear", "quadratic", True),
        ("drifts", "linear", False),
        ("undecided", "exponential", False),
        ("bounded", "bounded", False),
        ("bounded", "drifts", True),
        ("ok", "contradicts", True),
    ):
        ok(contradict(x, y) == contradict(y, x) == wanted, f"words: {x}, {y}")


SUMS = """histograms: [{name: height, expression: y2, from: -3, to: 3, bins: 4}]
autocorrelation: [{name: swing, expression: x1, every: 0.1, lags: 4}]
mean-square-displacement: [{name: way, expression: x1, every: 0.1, lags: 4}]
"""


def test_lost():
    """Sums over members that have lost a term, of each kind, and in a result that was continued."""
    whole = result("whole", ENSEMBLE % (1, "rattle") + SUMS)
    short = (ENSEMBLE % (1, "rattle")).replace("end: 5", "end: 2.5") + "extensible: true\nsamples: {count: 7}\n"
    result("part", short)
    (folder / "later.yaml").write_text(short.replace("end: 2.5", "end: 5"))
    done = program("extend", "part.h5", "later.yaml", "-o", "later.h5")
    assert done.returncode == 0, done.stderr

    def lose(path, at=slice(None)):
        """A term of each dataset of this name."""

        def change(f):
            for name in [x for x in f["series"] if x != "t"] if "*" in path else [""]:
                x = f[path.replace("*", name)]
                x[0, at] = x[0, at] - 1

        return change

    for file, what, change in (
        (whole, "a series", lose("series/*/count", 3)),
        (whole, "an autocorrelation", lose("autocorrelation/swing_members")),
        (whole, "a displacement", lose("mean-square-displacement/way_members")),
        (whole, "the bins of a histogram", lose("histograms/height", 1)),
        (whole, "all samples of a histogram", lose("histograms/height_outside", 3)),
        ("later.h5", "a continued series at its start", lose("series/*/count", 0)),
        ("later.h5", "a continued series at its end", lose("series/*/count", -1)),
    ):
        lost = changed(file, "lost", change)
        code, said, _ = told(file, lost)
        ok(code == 1 and "fewer terms than members" in said and "lost.h5" in said, f"lost: {what}", said)
        code, said, _ = told(file, changed(file, "kept", lambda f: None))
        ok(code == 0 and "fewer" not in said, f"lost: nothing, {what}", said)
    done = program("verify", "lost.h5", "--sample", "1")
    ok(done.returncode == 1 and "sums over the members of case 0 have 59 terms at step 100, where 60 members were" in done.stdout, "lost: verify", done.stdout)
    done = program("verify", "later.h5", "--sample", "1")
    ok(done.returncode == 0 and "sums over members complete" in done.stdout, "lost: verify finds nothing", done.stdout)


def test_mistakes():
    (folder / "text.h5").write_text("no result")
    for words, wanted in (((RIGHT,), "needs a result and a second one"), ((RIGHT, "text.h5"), "text.h5")):
        code, said, error = compared(*words)
        ok(code == 2 and wanted in error and not said, f"mistake: {' '.join(words)}", said + error)
    def damage(f):
        del f["cases/tolerance"]
        f["cases/tolerance"] = [1.0]

    for a, b in ((RIGHT, damaged := changed(RIGHT, "damaged", damage)), (damaged, RIGHT)):
        code, said, error = told(a, b)
        ok(code == 2 and "damaged.h5: error: is damaged: cases/tolerance" in error, f"mistake: {a} and {b}, of which one is damaged", error)
    for b, more, wanted in (
        ("none.h5", {}, "none.h5: error: No such file"),
        ("wrong.h5", {"output": "wrong.h5"}, "is the result file itself"),
        ("wrong.h5", {"methods": "ratle"}, 'did you mean "rattle"'),
    ):
        code, said, error = told(RIGHT, b, **more)
        ok(code == 2 and wanted in error and not said, f"mistake: {b} {more}", said + error)


run_tests(globals())
