"""test_taylor_curve.py: taylor-curve(p), the state w of lagrange-dalembert, and dopri5: the printed tables of
the thesis, orders, what is kept to round-off, the equations of w against numpy (lagrange_dalembert.py),
tolerances, the same bits, and what is refused with its words."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
import lagrange_dalembert as by_hand
from cli import (
    ENVIRONMENT,
    FOLDER,
    PROGRAM,
    constella,
    differences,
    digests,
    done,
    made,
    narrowest,
    not_built,
    ok,
    path,
    run,
    scratch,
    table,
    together,
    write,
)
from printed import tight

PAPERS = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "papers"
W = "lagrange-dalembert(%s, state=w)"
STUDY = """study: order
system: %s
end: %g
steps: [%s]
methods: [%s]
reference: {method: "gauss(6)", step: 0.01}
error: {of: [q, p]}
"""


def quoted(methods):
    return ", ".join(f'"{m}"' for m in methods)


def papers(script, *words):
    line = [sys.executable, str(PAPERS / script), *map(str, words)]
    return subprocess.run(
        line,
        env={**ENVIRONMENT, "CONSTELLA": PROGRAM},
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=1000,
    )


def tables():
    """All that is printed in Tables 6.1 to 6.3; a number of a table or a rate that is wrong is noticed."""
    folder = scratch()
    process = papers("tables.py", PAPERS / "cuell.toml", "-o", folder)
    count = re.search(r"^all +\d+ of (\d+) .* (\d+)$", process.stdout, re.M)
    ok(
        process.returncode == 0 and count and count[1] == "32" and count[2] == "0",
        "32 printed errors and 36 rates agree as asked",
        process.stdout[-600:],
        process.stderr,
    )
    tight("cuell.toml", folder, None)
    text = (PAPERS / "cuell.toml").read_text()
    for old, new in (("3.61", "3.65"), ("2.17 ", "2.20 ")):
        folder = pathlib.Path(scratch())
        for name in ("cuell-oscillator", "cuell-table1", "cuell-table3"):
            (folder / f"{name}.yaml").write_text((PAPERS / f"{name}.yaml").read_text())
        (folder / "cuell.toml").write_text(text.replace(old, new, 1))
        only = "table62" if "2.17" in old else "table63"
        process = papers("tables.py", folder / "cuell.toml", "-o", folder / "out", "--only", only)
        ok(
            process.returncode == 1 and process.stdout.count("DISAGREES") == 1,
            f"{new} in place of {old} disagrees",
            process.stdout[-600:],
            process.stderr,
        )


def statements():
    if "CONSTELLA_TEST_ALL" not in os.environ:
        return
    only = ["--only", "cuell-oscillator-long", "cuell-disk-long", "cuell-kepler-long", "cuell-oscillator-short", "misprints"]
    process = papers("statements.py", PAPERS / "cuell-statements.toml", "-o", scratch(), "--ranks", 0, *only)
    ok(
        process.returncode == 0 and re.search(r"^(\d+) of \1 as stated$", process.stdout, re.M),
        "the figures of the thesis",
        process.stdout,
        process.stderr,
    )


def orders():
    """p + 1 in q and p, and an even order more at the bias -1/2; p at w; 2p without constraints; p of the
    layer alone. A quadrature of n points allows 2n, its left end 1."""
    curve = "taylor-curve(%d)"
    cases = {
        f"lagrange-dalembert({curve % 1})": 2,
        f"lagrange-dalembert({curve % 2}, bias=-0.3)": 3,
        f"lagrange-dalembert({curve % 2}, bias=-0.5)": 4,
        f"lagrange-dalembert({curve % 3}, bias=-1)": 4,
        W % (curve % 1): 1,
        W % (curve % 2): 2,
        f"lagrange-dalembert({curve % 3}, bias=-0.5, state=w)": 4,
        W % "rk3, bias=-0.3": 3,
        curve % 2: 2,
        curve % 3: 3,
        "lagrange-dalembert(taylor-curve(4, quadrature=gauss(2)))": 4,
        "lagrange-dalembert(taylor-curve(2, quadrature=gauss(1)), state=w)": 2,
        "lagrange-dalembert(taylor-curve(3, quadrature=left))": 1,
        "lagrange-dalembert(taylor-curve(2, quadrature=left), bias=-0.5)": 2,
        W % "taylor-curve(1, quadrature=left)": 1,
        "taylor-curve(2, quadrature=left)": 2,
    }
    free = {
        f"convert({curve % 1})": 2,
        "convert(taylor-curve(3, quadrature=gauss(2)))": 4,
        f"lagrange-dalembert({curve % 2}, bias=-0.3)": 4,
    }
    for system, end, steps, methods in (
        ("rolling-disk", 1, "0.1, 0.05, 0.025", cases),
        ("kepler", 0.5, "0.02, 0.01, 0.005", free),
    ):
        process, result = run("orders-" + system, STUDY % (system, end, steps, quoted(methods)))
        rows = table(result) if process.returncode == 0 else []
        ok(len(rows) == 3 * len(methods), f"orders on {system} run", process.stderr)
        for k, (method, order) in enumerate(methods.items() if rows else ()):
            got = np.log2(rows[3 * k + 1]["error"] / rows[3 * k + 2]["error"])
            ok(
                abs(got - order) < 0.3 and rows[3 * k]["claimed"] == order,
                f"{system}: {method} has order {order}, as it claims",
                got,
                rows[3 * k]["claimed"],
            )


def kept():
    """phi v to round-off; the leaf of a holonomic constraint in disguise, to which other layers keep by their
    order alone."""
    write("disk.yaml", (PAPERS / "cuell-disk.yaml").read_text())
    methods = [W % "taylor-curve(2)", "lagrange-dalembert(taylor-curve(1), bias=-0.5)", W % "heun"]
    f = made(
        "leaf",
        f"""study: conservation
system: {{file: disk.yaml}}
end: 10
steps: [0.05]
methods: [{quoted(methods)}]
observables: [constraint, "leaf_a: a - x*sin(th) + 2*sin(th/2)", "leaf_b: b + x*cos(th) - 2*cos(th/2)"]
observe: every
""",
    )
    rows = table(path("leaf.h5")) if f else []
    for row in rows:
        leaf, disguised = max(row["leaf_a_change"], row["leaf_b_change"]), "curve" in row["method"]
        ok(
            row["hidden_scaled_max"] < 1e-14 and (leaf < 1e-13) == disguised,
            f"{row['method']}: phi v = 0, and the leaf is {'kept' if disguised else 'left'}",
            leaf,
            row["hidden_scaled_max"],
        )


def map_of_w():
    """p-(w1) = p+(w0) on admissible variations and d-(w1) = d+(w0), the equations of the source, for layers
    of stages and for its method of order 1."""
    s, q, v = by_hand.Oscillator(), np.array([1, 1, 0.0]), np.array([0.3, 0.2, 0.3])
    cases = [("heun", 0), ("rk3", -0.3), ("rk4", -0.5), (by_hand.LEFT_CURVE, 0), (by_hand.LEFT_CURVE, -0.3)]
    f = made(
        "of-w",
        f"""study: order
system: nonholonomic-oscillator
end: 0.1
steps: [0.1]
methods: [{quoted(f"lagrange-dalembert({layer}, bias={bias}, state=w)" for layer, bias in cases)}]
reference: {{method: "gauss(4)", step: 0.01}}
""",
    )
    for k, (layer, bias) in enumerate(cases if f else ()):
        w0, w1 = np.concatenate([q, v]), np.concatenate([f["final/q"][k, 0], f["final/p"][k, 0]])
        _, end, _, after = by_hand.covectors(s, layer, w0, 0, 0.1, bias)
        begin, _, before, _ = by_hand.covectors(s, layer, w1, 0, 0.1, bias)
        off = max(
            abs(end - begin).max(),
            abs(by_hand.basis(s.phi(end)).T @ (after - before)).max(),
            abs(s.phi(w1[:3]) @ w1[3:]).max(),
        )
        ok(off < 1e-14, f"{layer}, bias {bias}: the equations of w hold", off)


def tolerances():
    """The error of dopri5 is that of its tolerance and not of the step, with forces and a time too, whose
    work is summed."""
    methods = [f"dopri5(tolerance={e})" for e in ("1e-6", "1e-8", "1e-10", "1e-12")]
    for system, end, steps in (
        ("kepler", 6, "0.5, 0.25"),
        ("nonholonomic-oscillator", 4, "0.5, 0.25"),
        ("damped-double-pendulum", 1, "0.25, 0.125"),
    ):
        process, result = run("tolerances-" + system, STUDY % (system, end, steps, quoted(methods)))
        rows = table(result) if process.returncode == 0 else []
        for k in range(3 if rows else 0):
            fall, step = (
                rows[2 * k]["error"] / rows[2 * k + 2]["error"],
                rows[2 * k]["error"] / rows[2 * k + 1]["error"],
            )
            ok(
                15 < fall < 1000 and 0.1 < step < 10,
                f"{system}: a tolerance of a hundredth of {methods[k]}",
                fall,
                step,
                process.stderr,
            )
        ok(rows and rows[-1]["error"] < 1e-7, f"{system}: errors are small", process.stderr)
    f = made(
        "work",
        f"""study: conservation
system: {{name: kapitza, parameters: {{w: 20}}}}
end: 1
steps: [0.1]
methods: [dopri5(tolerance=1e-10)]
observe: every
""",
    )
    ok(
        f is not None and table(path("work.h5"))[0]["balance_max"] < 1e-7,
        "the balance of the energy",
        table(path("work.h5")),
    )


def no_end():
    """A motion that reaches infinity in a finite time: the trajectory fails, and the others go on."""
    write(
        "blow.yaml",
        "system: blow\n"
        "coordinates: [x]\n"
        "mass: [1]\n"
        "potential: -x^4\n"
        "states: {default: {q: [1], v: [1]}, calm: {q: [0], v: [0]}}\n",
    )
    process, result = run(
        "infinity",
        """study: conservation
system: {file: blow.yaml}
end: 4
steps: [0.5]
methods: [dopri5]
""",
    )
    ok(
        process.returncode == 1 and table(result)[0]["failed"] == 1,
        "no number at infinity",
        process.stderr,
        table(result),
    )


def same_bits():
    """Ranks, batches, instruction sets, a verification, an extension: neighbours of a lane do not matter."""
    text = """study: conservation
system: nonholonomic-oscillator
initial: {members: MEMBERS, seed: 2, around: default, spread: {q: 0.2, v: 0.2}}
end: 2
steps: [0.125]
methods: ["lagrange-dalembert(taylor-curve(2), bias=-0.3)", "lagrange-dalembert(taylor-curve(1), state=w)", dopri5(tolerance=1e-9), discrete-lagrange-dalembert(leapfrog)]
"""
    first, a = run("bits", text.replace("MEMBERS", "11"))
    ok(first.returncode == 0, "an ensemble runs", first.stderr)
    for name, how in (
        ("three ranks", {"ranks": 3}),
        ("batches of 3", {"words": ("--batch", "3")}),
        ("v2", {"env": {"CONSTELLA_ISA": narrowest()}}),
    ):
        other, b = run("bits-too", text.replace("MEMBERS", "11"), *how.pop("words", ()), **how)
        if name == "v2" and not_built(other, f"the same bits: {name}"):
            continue
        ok(
            other.returncode == 0 and not differences(digests(a), digests(b)),
            f"the same bits: {name}",
            other.stderr,
        )
    again = constella("verify", a)
    ok(again.returncode == 0, "verify finds the same bits", again.stdout, again.stderr)
    _, b = run("fewer", text.replace("MEMBERS", "5"))
    more = constella("extend", b, path("bits.yaml"))
    ok(
        more.returncode == 0 and not differences(digests(a), digests(b)),
        "extended, the same bits",
        more.stdout,
        more.stderr,
        differences(digests(a), digests(b))[:5],
    )


def refused():
    write("disk.yaml", (PAPERS / "cuell-disk.yaml").read_text())
    cases = [
        ("rolling-disk", "taylor-curve(0)", "an integer from 1 to 4"),
        ("rolling-disk", "taylor-curve(5)", "an integer from 1 to 4"),
        ("rolling-disk", "taylor-curve", "takes the degree"),
        ("rolling-disk", "taylor-curve(quadrature=left)", "takes the degree"),
        ("rolling-disk", "taylor-curve(2, 3)", "takes one degree"),
        ("rolling-disk", "taylor-curve(2, nodes=3)", "takes no 'nodes='"),
        ("rolling-disk", "taylor-curve(2, quadrature=right)", "exact, left, or gauss(n) with n from 1 to 8"),
        ("rolling-disk", "taylor-curve(2, quadrature=gauss(9))", "exact, left, or gauss(n) with n from 1 to 8"),
        ("disk-on-circle", W % "taylor-curve(1)", "constraints on positions"),
        ("planar-pendulum", "taylor-curve(2)", "constraints on positions"),
        ("knife-edge", "lagrange-dalembert(taylor-curve(1))", "determine everywhere"),
        ("snakeboard", "lagrange-dalembert(taylor-curve(1))", "forces"),
        ("kapitza", "taylor-curve(1)", "time"),
        ("rolling-disk", "lagrange-dalembert(rk4, state=v)", "is p or w"),
        ("rolling-disk", "lagrange-dalembert(rk4, state=w, state=w)", "appears twice"),
        ("snakeboard", W % "rk4", "forces or time dependence"),
        ("kepler", "dopri5(tolerance=2)", "from 1e-15 to 1"),
        ("kepler", "dopri5(tol=1e-3)", "tolerance"),
        ("kepler", "dopri5(1e-3)", "tolerance"),
        ("rolling-disk", "project(dopri5)", "layer"),
        ("kepler", "compose(dopri5, yoshida4)", "adjoint"),
        ("rolling-disk", "convert(taylor-curve(1))", "constraints on velocities"),
        ("chaplygin-sleigh", "discrete-lagrange-dalembert(shake)", "midpoint, reversible or leapfrog"),
    ]
    for system, method, words in cases:
        process, _ = run("refused", STUDY % (system, 1, 0.1, quoted([method])))
        ok(
            process.returncode == 2 and words in process.stderr and ".yaml:5:" in process.stderr,
            f"refused: {method} on {system}",
            process.stderr,
        )


together([tables, statements, orders, kept, map_of_w, tolerances, no_end, same_bits, refused])
done()
