"""test_work_precision.py: studies of the kind work-precision: counted costs against what is known of the methods,
costs at an accuracy, the front and the cheapest methods against numpy, the same bits on any number of ranks, after
an extension and by verify, and refusals."""
# SPDX-License-Identifier: BSD-2-Clause
import csv
import io
import re
import shutil
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, h5py, numpy, ok, path, run, table, together, write

METHODS = 'rattle, "compose(rattle, suzuki4)", project(rk4), radau(2), gauss(3)'
STUDY = f"""study: work-precision
system: {{name: double-pendulum, parameters: {{L2: [1, 1.5]}}}}
end: 1
steps: {{from: 0.05, halvings: 3}}
methods: [{METHODS}]
reference: {{method: gauss(6), step: 0.0125}}
solver: {{tolerance: [1.0e-14, 1.0e-9]}}
accuracies: [1.0e-3, 1.0e-5, 1.0e-7, 1.0e-20]
"""
ACCURACIES = ("0.001", "1e-05", "1e-07", "1e-20")
COSTS = ("evaluations", "iterations", "solves")
STEPS = 4


def at(error, cost, accuracy):
    """The cost at an accuracy, by the rule of docs/work-precision.md."""
    for i in range(len(error) - 1, 0, -1):
        if error[i] <= accuracy < error[i - 1]:
            if cost[i - 1] == 0 or cost[i] == 0:
                return cost[i]
            return float(
                numpy.exp(numpy.interp(-numpy.log(accuracy), -numpy.log(error[i - 1 : i + 1]), numpy.log(cost[i - 1 : i + 1])))
            )
    good = [c for e, c in zip(error, cost) if e <= accuracy]
    return good[0] if good else numpy.nan


def same(a, b):
    return (a != a and b != b) or abs(a - b) <= 1e-9 * abs(b)


def counted(rows):
    n = {"rattle": lambda x: (x["n"], x["n"] + x["iterations"]), "radau(2)": lambda x: (None, x["iterations"])}
    n["project(rk4)"] = lambda x: (4 * x["n"], 5 * x["n"] + x["iterations"])
    wrong = []
    for row in rows:
        row["n"] = round(1 / row["step"])
        if row["method"] not in n:
            continue
        evaluations, solves = n[row["method"]](row)
        if row["solves"] != solves or evaluations not in (None, row["evaluations"]):
            wrong.append((row["method"], row["step"], row["evaluations"], row["solves"]))
    ok(not wrong, "evaluations and linear solves are those that the methods take", *wrong)
    wrong = [r["method"] for r in rows if not same(r["evaluations"], r["n"] * r["evaluations_per_step"])]
    ok(not wrong, "a trajectory takes its steps times the evaluations of a step", *wrong)


def at_accuracies(rows):
    wrong = []
    for first in range(0, len(rows), STEPS):
        mine = rows[first : first + STEPS]
        for c in COSTS:
            for a in ACCURACIES:
                wanted = at([r["accuracy"] for r in mine], [r[c] for r in mine], float(a))
                if not all(same(r[f"{c}_at_{a}"], wanted) for r in mine):
                    wrong.append((mine[0]["method"], c, a, mine[0][f"{c}_at_{a}"], wanted))
    ok(not wrong, "costs at the accuracies are those between the steps", *wrong)
    ok(all(r["accuracy"] == r["error"] for r in rows), "the accuracy is that of the error")
    ok(any(r["evaluations_at_1e-07"] > 0 for r in rows), "an accuracy is reached")
    ok(all(numpy.isnan(r["evaluations_at_1e-20"]) for r in rows), "one below the reference's error is not")


def fronts(rows):
    wrong = []
    for value in (1.0, 1.5):
        mine = [r for r in rows if r["L2"] == value]
        for c in COSTS:
            for r in mine:
                beaten = any(
                    x[c] <= r[c]
                    and x["accuracy"] <= r["accuracy"]
                    and (x[c] < r[c] or x["accuracy"] < r["accuracy"] or x["case"] < r["case"])
                    for x in mine
                )
                if (r[f"front_{c}"] == 1) == beaten:
                    wrong.append((value, c, r["method"], r["step"], r[f"front_{c}"]))
    ok(not wrong, "the front has the cases to which no other is superior", *wrong)


def cheapest(result, rows):
    process = constella("table", result, "--cheapest", "--format", "csv")
    found = list(csv.DictReader(io.StringIO(process.stdout)))
    ok(
        process.returncode == 0 and len(found) == 2 * len(ACCURACIES) * len(COSTS),
        "a row for each accuracy, cost and set of parameters",
        process.stdout,
        process.stderr,
    )
    wrong = []
    for row in found:
        mine = [r for r in rows if r["L2"] == float(row["L2"])]
        name = f"{row['cost']}_at_{ACCURACIES[[float(a) for a in ACCURACIES].index(float(row['accuracy']))]}"
        costs = [r[name] for r in mine if r[name] == r[name]]
        least = min(costs) if costs else numpy.nan
        others = [r[name] for r in mine if r["method"] != row["method"] and r[name] == r[name]]
        holders = {r["method"] for r in mine if r[name] == least}
        if not same(float(row["least"]), least) or (costs and row["method"] not in holders):
            wrong.append(row)
        if not same(float(row["next_least"]), min(others) if others and costs else numpy.nan):
            wrong.append(row)
    ok(not wrong, "the least cost, its method, and the next method", *wrong)
    chosen = constella("table", result, "--cheapest", "--where", "method != project(rk4)", "--columns", "cost,method")
    ok("rk4" not in chosen.stdout and "suzuki4" in chosen.stdout, "--where leaves methods out", chosen.stdout)
    sorted_ = constella("table", result, "--cheapest", "--format", "csv", "--columns", "at_step", "--sort", "-at_step").stdout.split()
    ok(sorted_[0] == "at_step" and sorted_[1:] == sorted([r["at_step"] for r in found], key=lambda x: -float(x) if x != "nan" else 1), "--columns and --sort are for this table", sorted_)
    process = constella("table", result, "--cheapest", "--sort", "acuracy")
    ok("--sort: unknown column 'acuracy'" in process.stderr and "did you mean 'accuracy'" in process.stderr, "a mistake in them", process.stderr)
    process = constella("table", result, "--cheapest", env={"PYTHON": "/nowhere/python3"})
    ok(process.returncode == 2 and "/nowhere/python3 cannot be started; set PYTHON" in process.stderr, "no Python", process.stderr)
    shutil.copy(result, path("damaged.h5"))
    with h5py.File(path("damaged.h5"), "a") as file:
        del file["statistics/step"]
    process = constella("table", path("damaged.h5"), "--cheapest")
    ok(process.returncode == 2 and "--cheapest is for results of the kind work-precision" in process.stderr, "a column is missing", process.stderr)
    text = constella("table", result).stdout
    ok("`constella table FILE --cheapest`" in text, "the table tells of it")


def costs():
    process, result = run("works", STUDY, ranks=2)
    ok(process.returncode == 0, "a study runs", process.stderr)
    rows = table(result)
    for k, row in enumerate(rows):
        row["case"] = k
    counted(rows)
    at_accuracies(rows)
    fronts(rows)
    cheapest(result, rows)
    _, timed = run("timed", STUDY.replace("halvings: 3", "halvings: 1") + "timing: {repeats: 2}\n")
    _, plain = run("plain", STUDY.replace("halvings: 3", "halvings: 1"))
    apart = [x for x in differences(digests(timed), digests(plain)) if not x.startswith("/@study")]
    ok(not apart, "neither ranks nor measured times change a number", apart)
    rows = list(csv.DictReader(io.StringIO(constella("table", timed, "--cheapest", "--format", "csv").stdout)))
    mine = [r for r in rows if r["cost"] == "cpu_seconds" and r["method"]]
    ok(mine and all(float(r["spread"]) >= 0 for r in mine), "measured times have a row and a spread", *rows)
    ok(constella("verify", result).returncode == 0, "verify takes its trajectories again")


def extended():
    short = STUDY.replace(METHODS, "rattle, radau(2)").replace("halvings: 3", "halvings: 1")
    short = short.replace("L2: [1, 1.5]", "L2: [1]")
    more = short.replace("rattle, radau(2)", "rattle, radau(2), project(rk4)")
    _, grown = run("grown", short)
    process = constella("extend", grown, write("more.yaml", more))
    ok(process.returncode == 0, "extend adds a method", process.stderr)
    _, whole = run("more", more)
    with h5py.File(grown) as f, h5py.File(whole) as g:
        apart = [
            n
            for n in g["statistics"]
            if f[f"statistics/{n}"][()].tobytes() != g[f"statistics/{n}"][()].tobytes()
        ]
    ok(not apart, "and the columns are those of a run in one piece", apart)


def of_energy():
    text = STUDY.replace("accuracies:", "accuracy: energy\naccuracies:").replace("halvings: 3", "halvings: 1")
    _, result = run("energy", text)
    ok(all(r["accuracy"] == r["energy_max"] for r in table(result)), "accuracy: energy")
    _, other = run("other", text.replace("work-precision", "order").replace("accuracy: energy\n", "").rsplit("accuracies", 1)[0])
    process = constella("table", other, "--cheapest")
    ok(
        process.returncode == 2 and "--cheapest is for results of the kind work-precision" in process.stderr,
        "--cheapest of another kind is refused",
        process.stderr,
    )


def keys():
    page = constella("show", "work-precision").stdout
    examples = re.findall(r"^ +example +(.*)$", page, re.M)
    ok(len(examples) == 2, "the page of the kind has its keys", page)
    plain = STUDY.rsplit("accuracies", 1)[0]
    for line in examples:
        process = constella("check", write("example.yaml", plain + line + "\n"))
        ok(process.returncode == 0, f"{line}: accepted", process.stderr)
        process = constella("check", write("apart.yaml", plain.replace("work-precision", "order") + line + "\n"))
        ok("unknown key" in process.stderr, f"{line}: not in another kind", process.stderr)


def mistakes():
    for old, new, at_place, words in (
        ("accuracies: [1.0e-3,", "accuracies: [0,", "8:14", "an accuracy is 0; it must be above 0"),
        ("1.0e-20]", "1.0e-3]", "8:38", "the accuracy 0.001 appears twice"),
        ("accuracies:", "accuracy: speed #", "8:11", "unknown accuracy 'speed'"),
        ("reference:", "#", "1:1", "missing key 'reference': a work-precision study needs one"),
        ("accuracies: [1.0e-3, 1.0e-5, 1.0e-7, 1.0e-20]", f"accuracies: [{', '.join(map(str, range(1, 18)))}]", "8:13", "there are 17 accuracies; at most 16 are allowed"),
    ):
        process = constella("check", write("mistake.yaml", STUDY.replace(old, new)))
        ok(
            process.returncode == 2 and f"mistake.yaml:{at_place}: error: " in process.stderr and words in process.stderr,
            f"{words}: in its place",
            process.stderr,
        )
    free = STUDY.replace("{name: double-pendulum, parameters: {L2: [1, 1.5]}}", "kepler").replace(
        "accuracies:", "accuracy: lambda\naccuracies:"
    )
    process = constella("check", write("free.yaml", free))
    ok("'accuracy' is lambda, but kepler has no constraints" in process.stderr, "lambda needs constraints", process.stderr)


together([costs, extended, of_energy, keys, mistakes])
done()
