"""test_order_trust.py: orders that must not have the flag ok, each with a control that must have it.

The cases: a return to the start, a reference as inaccurate as the run, amplified round-off, an order
between two whole numbers. Also the error of the reference itself: its value, and that its bits do not
depend on how it is computed.
"""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    constella,
    differences,
    digests,
    done,
    h5py,
    made,
    numpy,
    ok,
    path,
    run,
    table,
    together,
    write,
)

STUDY = """study: order
system: {system}
end: {end}
steps: {steps}
methods: [{methods}]
reference: {reference}
"""


def fits(name, extra="", **words):
    """{method: its first row} of a study that must run."""
    process, result = run(name, STUDY.format(**words) + extra)
    ok(process.returncode == 0, f"{name} runs", process.stderr)
    rows = {}
    for row in table(result):
        rows.setdefault(row["method"], row)
    return rows, process.stderr, result


def told(row, part):
    return " ".join(str(row[f"{x}{part}"]) for x in ("order", "order_low", "order_high", "flag", "claimed"))


def is_sound(row, part, order, name):
    ok(
        row[f"flag{part}"] == "ok" and row[f"order_low{part}"] <= order <= row[f"order_high{part}"],
        f"{name}: order{part} is {order} and ok",
        told(row, part),
    )


def is_never_wrong(row, part, order, name):
    """No order at all, or one whose interval holds the true one, or one that is not called ok."""
    ok(
        row[f"flag{part}"] != "ok" or row[f"order_low{part}"] <= order <= row[f"order_high{part}"],
        f"{name}: order{part} is not ok and wrong",
        told(row, part),
    )


def whole_period():
    kepler = dict(
        system="kepler",
        steps="{counts: [100, 200, 400, 800, 1600, 3200]}",
        methods="euler-a, euler-b, rattle",
        reference='{method: "gauss(8)", step: 0.01}',
    )
    rows, _, _ = fits("period", end='"2*pi"', **kepler)
    for method in ("euler-a", "euler-b"):
        for part in ("", "_q", "_p"):
            ok(
                rows[method][f"flag{part}"] == "returns" and rows[method][f"claimed{part}"] == 1,
                f"a whole period: {method} returns{part}",
                told(rows[method], part),
            )
    is_sound(rows["rattle"], "", 2, "a whole period, where the claim is confirmed")
    for name, extra, end, more in (
        ("mesh", "error: {over: mesh}\n", '"2*pi"', {"steps": "{counts: [3200, 6400, 12800, 25600]}"}),
        ("elsewhere", "", "3.0", {}),
    ):
        rows, _, _ = fits(f"period-{name}", extra, end=end, **{**kepler, **more})
        is_sound(rows["euler-a"], "", 1, f"euler-a, {name}")
        is_sound(rows["rattle"], "", 2, f"rattle, {name}")


def between():
    """Order 3 with a small constant, order 4 before it: intervals between the two are not ok."""
    biased = ["convert(minus=rk3, plus=rk4, bias=-0.2)", "convert(minus=rk3, plus=rk4, bias=-0.1)"]
    for system, halvings in (("spherical-pendulum", 5), ("double-pendulum", 6)):
        rows, _, _ = fits(
            f"between-{system}",
            system=system,
            end="1.0",
            steps=f"{{from: 0.125, halvings: {halvings}}}",
            methods=", ".join(f'"{m}"' for m in biased + ["convert(rk4)"]),
            reference='{method: "gauss(8)", step: 0.01, precision: quad}',
        )
        for method in biased:
            for part in ("", "_q", "_p"):
                low, high = rows[method][f"order_low{part}"], rows[method][f"order_high{part}"]
                ok(
                    rows[method][f"flag{part}"] != "ok" or numpy.ceil(low) <= high,
                    f"{system}: {method}: no ok without a whole number{part}",
                    told(rows[method], part),
                )
        is_sound(rows["convert(rk4)"], "_q", 4, f"{system}, convert(rk4)")


PENDULUM = dict(
    system="double-pendulum",
    end="2.0",
    steps="{from: 0.1, halvings: 5}",
    methods='rattle, rk4, "compose(rattle, suzuki4)"',
)


def poor_reference():
    for name, reference in (
        ("itself", "{method: rattle, step: 0.00078125}"),
        ("rk4", "{method: rk4, step: 0.05}"),
        ("coarse", '{method: "gauss(6)", step: 1.0}'),
    ):
        rows, said, _ = fits(f"poor-{name}", reference=reference, **PENDULUM)
        ok(
            f"poor-{name}.yaml:6:" in said and ": warning: the reference" in said,
            f"reference {name}: a warning with its place",
            said,
        )
        for part in ("", "_q", "_p"):
            is_never_wrong(rows["rattle"], part, 2, f"reference {name}: rattle")
            for method in ("rk4", "compose(rattle, suzuki4)"):
                is_never_wrong(rows[method], part, 4, f"reference {name}: {method}")
                ok(
                    not rows[method][f"order{part}"] < 0.25,
                    f"reference {name}: {method}: a common value has no order{part}",
                    told(rows[method], part),
                )
    rows, said, _ = fits("good", reference='{method: "gauss(8)", step: 0.01}', **PENDULUM)
    ok("warning" not in said, "a good reference: no warning", said)
    for method, order in (("rattle", 2), ("rk4", 4), ("compose(rattle, suzuki4)", 4)):
        is_sound(rows[method], "_q", order, f"a good reference: {method}")
    ok(
        0 < rows["rattle"]["reference_error"] < 1e-13,
        "a good reference: its own error is round-off",
        rows["rattle"]["reference_error"],
    )


def checked():
    process = constella(
        "check", write("checked.yaml", STUDY.format(reference="{method: rk4, step: 0.05}", **PENDULUM))
    )
    ok(
        process.returncode == 0
        and "checked.yaml:6:32: warning: the reference, rk4 at step 0.05" in process.stderr
        and process.stdout.startswith("study"),
        "check warns of a poor reference and prints its plan",
        process.stderr,
    )


def amplified():
    chaos = dict(
        system="henon-heiles",
        end=200,
        methods='"compose(rattle, kahan-li6)"',
        reference='{method: "gauss(8)", step: 0.05, precision: quad}',
    )
    start = "initial: {q: [0.1, -0.2], v: [0.42, 0.2]}\n"
    rows, _, _ = fits("chaos", start, steps="{from: 0.125, halvings: 6}", **chaos)
    is_sound(rows["compose(rattle, kahan-li6)"], "", 6, "chaos: the good steps before the tail")
    rows, _, _ = fits("chaos-tail", start, steps="{from: 0.015625, halvings: 4}", **chaos)
    row = rows["compose(rattle, kahan-li6)"]
    ok(row["flag"] == "plateau", "chaos: too few steps before the tail are a plateau", told(row, ""))
    rows, _, _ = fits("chaos-noise", start, steps="{from: 0.0078125, halvings: 3}", **chaos)
    row = rows["compose(rattle, kahan-li6)"]
    ok(
        row["flag"] == "plateau" and all(numpy.isnan(row[x]) for x in ("order", "order_low", "order_high")),
        "chaos: a tail alone has no order",
        told(row, ""),
    )
    loose = dict(
        system="double-pendulum",
        end="2.0",
        steps="{from: 0.1, halvings: 8}",
        methods='rattle, "compose(rattle, suzuki4)"',
        reference='{method: "gauss(8)", step: 0.01}',
    )
    rows, _, _ = fits("loose", "solver: {tolerance: 1.0e-10}\n", **loose)
    for part in ("_q", "_p"):
        is_sound(rows["rattle"], part, 2, "tolerance 1e-10: rattle")
        is_sound(rows["compose(rattle, suzuki4)"], part, 4, "tolerance 1e-10: suzuki4")


def reference_error():
    """At twice its step the reference is a run of its method at that step."""
    words = dict(system="henon-heiles", end="2.0", steps="[0.1, 0.05]", methods="rk4, rattle")
    some = "initial: {members: 11, seed: 5, spread: {q: 0.1, v: 0.1}}\n"
    for norm, of in (("max", ["q", "p"]), ("one", ["q"]), ("two", ["q", "p"])):
        _, _, result = fits(
            f"twice-{norm}",
            some + f"error: {{norm: {norm}, of: [{', '.join(of)}]}}\n",
            reference="{method: rk4, step: 0.05}",
            **words,
        )
        norms = {
            "max": lambda x: abs(x).max(-1),
            "one": lambda x: abs(x).sum(-1),
            "two": lambda x: numpy.sqrt((x**2).sum(-1)),
        }
        with h5py.File(result, "r") as f:
            apart = {k: f[f"final/{k}"][0, :8] - f[f"final/{k}"][1, :8] for k in "qp"}
            wanted = {"": numpy.concatenate([apart[k] for k in of], -1)} | {f"_{k}": apart[k] for k in "qp"}
            for part, x in wanted.items():
                got = f[f"statistics/reference_error{part}"][()]
                ok(
                    (abs(got - norms[norm](x).max()) < 1e-14).all(),
                    f"norm {norm}: reference_error{part} is that of eight members at twice the step",
                    got,
                    norms[norm](x),
                )
            ok(
                numpy.isnan(f["statistics/reference_error_lambda"][()]).all(),
                f"norm {norm}: no multipliers, no error of theirs",
            )
    for name in ("self", "exact"):
        rows, _, _ = fits(
            f"twice-{name}",
            system="planar-pendulum",
            end="1.0",
            steps="[0.1, 0.05]",
            methods="rattle",
            reference=name,
        )
        ok(numpy.isnan(rows["rattle"]["reference_error"]), f"reference: {name} has no error of its own")
    rows, _, _ = fits("twice-mesh", "error: {over: mesh}\n", reference="{method: rk4, step: 0.5}", **words)
    ok(
        rows["rattle"]["reference_error"] > 1e-8,
        "read at every step, the reference is compared with one that takes every other",
        rows["rattle"]["reference_error"],
    )


def beside_failures():
    """A member that fails changes no order of the others."""
    alone = "initial: {list: [{q: [0.1, 0.2], v: [0.1, 0.0]}]}\n"
    beside = alone.replace("]}\n", ", {q: [3.0, 3.0], v: [1.0, 1.0]}]}\n")
    study = STUDY.format(
        system="henon-heiles",
        end=6.0,
        steps="{from: 0.1, halvings: 3}",
        methods="rattle, rk4",
        reference="self",
    )
    (_, one), (process, two) = run("unfailed", study + alone), run("beside-failed", study + beside)
    ok(process.returncode == 1, "a member fails", process.returncode, process.stderr)
    columns = ("error", "order_q", "order_low_q", "order_high_q", "flag_q", "order_p", "flag_p")
    for a, b in zip(table(one), table(two)):
        ok(
            all(a[x] == b[x] for x in columns) and a["flag_q"] == "ok" and b["failed"] == 1,
            f"{a['method']}, step {a['step']:.3g}: orders beside a failed member",
            [(a[x], b[x]) for x in columns],
        )


def same_bits():
    text = (
        STUDY.format(reference="{method: rk4, step: 0.01}", **PENDULUM)
        + "initial: {members: MANY, seed: 5, spread: {q: 0.1, v: 0.1}}\nerror: {over: coarse}\n"
    )
    one = digests(made("bits-1", text.replace("MANY", "70")).filename)
    ok("statistics/reference_error_lambda" in one, "the file holds the reference's error")
    for ranks, words in ((2, ("--batch", 8)), (3, ())):
        other = made(f"bits-{ranks}", text.replace("MANY", "70"), *words, ranks=ranks)
        ok(
            other and not differences(one, digests(other.filename)),
            f"{ranks} ranks: same bits",
            other and differences(one, digests(other.filename)),
        )
    few = made("bits-few", text.replace("MANY", "3")).filename
    for times in (0, 1):  # more members, and then what there is already
        process = constella(
            "extend", few, write("more.yaml", text.replace("MANY", "70")), "--progress", "none"
        )
        ok(
            process.returncode == 0 and not differences(one, digests(few)),
            f"extended, {times}: same bits",
            process.stderr,
            differences(one, digests(few)),
        )


if __name__ == "__main__":
    together(
        [
            whole_period,
            between,
            poor_reference,
            checked,
            amplified,
            reference_error,
            beside_failures,
            same_bits,
        ],
        most=3,
    )
    done()
