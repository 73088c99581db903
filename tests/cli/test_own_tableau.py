"""test_own_tableau.py: tableaus of the user in a study, named and in place: their orders, labels, bits and
canonical text."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, h5py, ok, path, run, table

STUDY = """study: order
system: double-pendulum
initial: low
end: 2.0
steps: {{counts: [40, 80, 160, 320]}}
layers:
  kutta38:
    a: [[0, 0, 0, 0], [1/3, 0, 0, 0], [-1/3, 1, 0, 0], [1, -1, 1, 0]]
    b: [1/8, 3/8, 3/8, 1/8]
    c: [0, 1/3, 2/3, 1]
  radau-iia: {{a: [[5/12, -1/12], [3/4, 1/4]], b: [3/4, 1/4]}}
methods:
{methods}
reference: {{method: "gauss(8)", step: 0.01}}
"""
# As written in the file, the label, the order of q and p.
METHODS = [
    ("kutta38", "kutta38", 4),
    ("project( kutta38 )", "project(kutta38)", 4),
    ('"compose(kutta38,radau-iia)"', "compose(kutta38, radau-iia)", 3),
    ('"compose(radau-iia, adjoint(radau-iia))"', "compose(radau-iia, adjoint(radau-iia))", 4),
    ('"project({a:[[0,0],[2/3,0]],b:[1/4,3/4]})"', "project({a: [[0, 0], [2/3, 0]], b: [1/4, 3/4]})", 2),
    (
        "{b: [1/2, 1/2], a: [[1/4, 1/4 - sqrt(3)/6], [1/4 + sqrt(3)/6, 1/4]]}",
        "{a: [[1/4, 1/4-sqrt(3)/6], [1/4+sqrt(3)/6, 1/4]], b: [1/2, 1/2]}",
        4,
    ),
    ("gauss(2)", "gauss(2)", 4),
]


def study(methods):
    return STUDY.format(methods="\n".join(f"  - {x[0]}" for x in methods))


def orders(result):
    rows = table(result)
    for _, label, order in METHODS:
        mine = [r for r in rows if r["method"] == label]
        if not ok(
            len(mine) == 4, f"{label}: a row a step, under that label", sorted({r["method"] for r in rows})
        ):
            continue
        for part in "qp":
            got = mine[0][f"order_{part}"]
            ok(abs(got - order) < 0.1, f"{label}: order {order} in {part}", got)
    error = {label: [r["error_q"] for r in rows if r["method"] == label] for _, label, _ in METHODS[-2:]}
    first, second = error.values()
    ok(
        all(abs(x - y) <= 1e-13 for x, y in zip(first, second)),
        "Gauss's tableau written out is gauss(2)",
        error,
    )


def text_of(result):
    with h5py.File(result, "r") as f:
        x = f.attrs["study"]
    return x.decode() if isinstance(x, bytes) else str(x)


def canonical(result):
    text = text_of(result)
    ok("layers:" in text and "kutta38:" in text and "-1/3" in text, "the stored study holds the layers", text)
    process, again = run("again", text)
    ok(
        process.returncode == 0 and not differences(digests(result), digests(again)),
        "the stored study gives the same result",
        process.stderr,
    )


def shown():
    for words, lines in (
        (("show", "tableau"), ["{a:, b:, c:}: a method", "2 in q, 2 in p"]),
        (("show", "{a: [[1/2]], b: [1]}"), ["2 in q, 2 in p", "symmetric"]),
        (("show", "project(compose(heun, rk3))"), ["2 in q, 2 in p", "g(q) = 0"]),
        (("list", "methods"), ["{a:, b:, c:}", "rk8"]),
    ):
        process = constella(*words)
        ok(
            process.returncode == 0 and all(x in process.stdout for x in lines),
            "constella " + " ".join(words),
            process.stdout,
            process.stderr,
        )
    process = constella("show", "{a: [[1/2]], b: [2]}")
    ok(
        process.returncode == 2 and "'b' sums to 2" in process.stderr,
        "show of a wrong tableau: exit status 2, and why",
        process.stderr,
    )


if __name__ == "__main__":
    process, result = run("tableaus", study(METHODS))
    if ok(process.returncode == 0, "a study with tableaus of its own runs", process.stderr):
        orders(result)
        canonical(result)
        process, other = run("ranks", study(METHODS), ranks=2)
        ok(
            process.returncode == 0 and not differences(digests(result), digests(other)),
            "the same bits on two ranks",
            process.stderr,
        )
    shown()
    done()
