"""test_errors.py: errors, their norms, points and references, and the hidden constraints, recomputed here
from stored trajectories."""
# SPDX-License-Identifier: BSD-2-Clause
import functools
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    GOOD,
    close,
    constella,
    differences,
    digests,
    done,
    h5py,
    made,
    narrowest,
    numpy,
    ok,
    path,
    run,
    table,
    together,
    write,
)


def jacobi(u, k):
    """sn, cn, dn by the arithmetic-geometric mean."""
    a, b, c = [1.0], numpy.sqrt(1 - k * k), [k]
    while abs(c[-1]) > 1e-17:
        a, b, c = a + [(a[-1] + b) / 2], numpy.sqrt(a[-1] * b), c + [(a[-1] - b) / 2]
    phi = 2.0 ** (len(a) - 1) * a[-1] * u
    for i in range(len(a) - 1, 0, -1):
        phi = (phi + numpy.arcsin(c[i] / a[i] * numpy.sin(phi))) / 2
    sn = numpy.sin(phi)
    return sn, numpy.cos(phi), numpy.sqrt(1 - (k * sn) ** 2)


def pendulum(t):
    """The default motion of the planar pendulum, v(0) = 1 at the bottom: sin(theta/2) = k sn(t, k), k =
    1/2."""
    k = 0.5
    sn, cn, dn = jacobi(numpy.asarray(t, float), k)
    sine, cosine, rate = 2 * k * sn * dn, 1 - 2 * (k * sn) ** 2, 2 * k * cn
    q = numpy.stack([sine, -cosine], -1)
    v = numpy.stack([cosine * rate, sine * rate], -1)
    return q, v, ((v**2).sum(-1) - q[..., 1])[..., None] / 2


ERRORS = ("total", "q", "p", "lambda")
NORMS = {
    "max": lambda x: abs(x).max(-1),
    "one": lambda x: abs(x).sum(-1),
    "two": lambda x: numpy.sqrt((x**2).sum(-1)),
}


@functools.cache
def where(method):
    """The multipliers of step n -> n+1 belong to t = (n + this) h, as the method's page tells; to its end
    where they are no values of its own."""
    told = re.search(r"t = \(n \+ ([0-9.]+)\) h", constella("show", method).stdout)
    return float(told.group(1)) if told else 1.0


def stored(f, case):
    """The trajectory of a case by its steps: q, p, and as `lambda` the multipliers of the step that ends
    there."""
    return {k: f[f"trajectories/{case}/{k}"][0] for k in ("q", "p", "lambda")}


def reads(n, coarse, over, at):
    """Steps after which q and p are compared, and those whose multipliers are: on the coarse mesh its points
    after t_0, and where multipliers belong to the left end of a step those of the steps that begin at its
    points before the last."""
    k = n // coarse
    states = {"end": [n], "mesh": range(1, n + 1), "coarse": range(k, n + 1, k)}[over]
    return numpy.array(states), numpy.array(range(1, n + 1, k) if over == "coarse" and at == 0 else states)


def largest(norm, together, of, each):
    """The error of each part and that of all in `of`: one norm over those that are read together, the larger
    one of what is read apart."""
    size = {k: NORMS[norm](x).max() for k, x in each.items()}
    if together:
        return size | {"total": NORMS[norm](numpy.concatenate([each[k] for k in of], -1)).max()}
    states = [each[k] for k in of if k != "lambda"]
    apart = [NORMS[norm](numpy.concatenate(states, -1)).max()] if states else []
    return size | {"total": max(apart + [size["lambda"]] * ("lambda" in of))}


def between(fine, steps, at):
    """Multipliers of the partner's two steps in each of `steps`, as far into it as the method's belong: with
    its own left end or middle, its end."""
    return {0: fine[2 * steps - 1], 0.5: (fine[2 * steps - 1] + fine[2 * steps]) / 2, 1: fine[2 * steps]}[at]


METHODS = ("rattle", "rk4", "euler-a", "midpoint", "shake", '"hbvm(k=2, s=2)"')
SWING = """study: order
system: planar-pendulum
end: 2.0
steps: [{steps}]
methods: [{methods}]
reference: {reference}
error: {{of: [{of}], norm: {norm}, over: {over}}}
trajectories: {{members: [0], every: 1}}
"""
STEPS, REFERENCES = (0.25, 0.125, 0.0625, 0.03125), {
    "exact": "exact",
    "self": "self",
    "method": '{method: "gauss(8)", step: 0.01}',
    "quad": '{method: "gauss(8)", step: 0.05, precision: quad}',
}


def errors(norm, over, of, reference="exact"):
    name = f"errors-{norm}-{over}-{len(of)}-{reference}"
    words = dict(methods=", ".join(METHODS), of=", ".join(of), norm=norm, over=over)
    f = made(
        name, SWING.format(steps=", ".join(map(str, STEPS[:3])), reference=REFERENCES[reference], **words)
    )
    halved = (
        made(name + "-halved", SWING.format(steps=", ".join(map(str, STEPS)), reference="exact", **words))
        if reference == "self"
        else None
    )
    if not f or reference == "self" and not halved:
        return
    bound = 1e-13 if reference in ("exact", "self") else 1e-12
    for case in range(len(f["cases/n"])):
        label, h, n = f["statistics/method"][case].decode(), f["cases/h"][case], f["cases/n"][case]
        own, at = stored(f, case), where(label)
        states, multipliers = reads(n, 8, over, at)
        if halved:
            fine = stored(halved, case // 3 * 4 + case % 3 + 1)
            right = {
                "q": fine["q"][2 * states],
                "p": fine["p"][2 * states],
                "lambda": between(fine["lambda"], multipliers, at),
            }
        else:
            right = {
                "q": pendulum(states * h)[0],
                "p": pendulum(states * h)[1],
                "lambda": pendulum((multipliers - 1 + at) * h)[2],
            }
        each = {k: own[k][multipliers if k == "lambda" else states] - right[k] for k in right}
        for part, wanted in largest(norm, over != "coarse" or at > 0, of, each).items():
            got = f[f"error/{part}"][case, 0]
            ok(abs(got - wanted) <= bound, f"{name}: error {part} of {label}, h = {h:g}", got, wanted)
        ok(
            f["statistics/error"][case] == f["error/total"][case, 0]
            and f["statistics/error_q"][case] == f["error/q"][case, 0],
            f"{name}: the table holds it, {label}",
        )
        if (
            over == "coarse" and label == "shake" and reference != "self" and n > 8
        ):  # a plausible but wrong value
            for what, x in (
                ("steps that end at coarse points", own["lambda"][states] - pendulum((states - 1) * h)[2]),
                ("the right end of steps", own["lambda"][multipliers] - pendulum(multipliers * h)[2]),
            ):
                other = NORMS[norm](x).max()
                ok(
                    abs(f["error/lambda"][case, 0] - other) > 1e-3 * other,
                    f"{name}: {what} would differ, h = {h:g}",
                    other,
                )


def coarse_sweep(reference):
    """Two lengths share the step 0.125 and its mesh, but not the largest step: each reads where it would
    alone."""
    text = SWING.format(
        steps='"0.5/L", 0.125',
        methods="rattle, shake",
        reference=reference,
        of="q, lambda",
        norm="max",
        over="coarse",
    )
    made_of = lambda name, length: made(
        name,
        text.replace(
            "system: planar-pendulum", f"system: {{name: planar-pendulum, parameters: {{L: {length}}}}}"
        ),
    )
    both = made_of(f"coarse-sweep-{len(reference)}", "[1, 2]")
    for i in (0, 1):
        alone = made_of(f"coarse-sweep-{len(reference)}-{i}", i + 1)
        for part in ERRORS if both and alone else ():
            ok(
                (both[f"error/{part}"][4 * i : 4 * i + 4] == alone[f"error/{part}"][()]).all(),
                f"a sweep, errors against {reference}: {part} with L = {i + 1} as alone",
                both[f"error/{part}"][()].ravel(),
                alone[f"error/{part}"][()].ravel(),
            )


def coarse_single():
    """A coarse mesh of one step: states at its end, multipliers at its beginning, however many finer steps
    there are."""
    for steps in ("0.25", "0.25, 0.125, 0.0625"):
        f = made(
            f"coarse-single-{len(steps)}",
            SWING.format(
                steps=steps, methods="shake", reference="exact", of="q, p, lambda", norm="two", over="coarse"
            ).replace("end: 2.0", "end: 0.25"),
        )
        for case in range(len(f["cases/n"]) if f else 0):
            own, n = stored(f, case), f["cases/n"][case]
            first, last = abs(own["lambda"][1] - pendulum(0.0)[2])[0], numpy.concatenate(
                [own["q"][n] - pendulum(0.25)[0], own["p"][n] - pendulum(0.25)[1]]
            )
            ok(
                abs(f["error/lambda"][case, 0] - first) < 1e-13,
                f"coarse mesh of one step: lambda of the first of {n} steps",
                f["error/lambda"][case, 0],
                first,
            )
            ok(
                abs(f["error/total"][case, 0] - max(first, numpy.sqrt((last**2).sum()))) < 1e-13,
                f"coarse mesh of one step: the larger of the two readings, {n} steps",
            )


def coarse_failures(reference):
    """Failed trajectories have no error in any part; others keep theirs, whatever their neighbours in the
    lanes."""
    text = f"""study: order
system: planar-pendulum
initial: {{members: 40, seed: 1, around: default, spread: {{v: 8.0}}}}
end: 10.0
steps: {{from: 0.25, halvings: 2}}
methods: [shake, rattle]
reference: {reference}
error: {{of: [q, lambda], norm: one, over: coarse}}
"""
    process, result = run(f"coarse-failures-{reference}", text, ranks=2)
    ok(
        process.returncode == 1,
        f"coarse reading against {reference} with failures: exit status 1",
        process.returncode,
        process.stderr,
    )
    process, narrow = run(f"coarse-failures-{reference}-v2", text, "--batch", 16, env={"CONSTELLA_ISA": narrowest()})
    ok(
        not differences(digests(result), digests(narrow)),
        f"coarse reading against {reference}: the same bits in narrow batches",
        differences(digests(result), digests(narrow)),
    )
    with h5py.File(result, "r") as f:
        status, error = f["final/status"][()], {k: f["error/" + k][()] for k in ERRORS}
        ok(
            (status[0] > 0).any() and (status == 0).any(),
            f"coarse reading against {reference}: some fail, some go on",
            status,
        )
        none = numpy.isnan(error["q"])
        ok(
            none[status > 0].all() and (reference == "self" or not none[status == 0].any()),
            f"coarse reading against {reference}: no error of those that failed",
        )
        ok(
            all((numpy.isnan(x) == none).all() for x in error.values()),
            f"coarse reading against {reference}: all parts are numbers, or none is",
        )
        for part, x in error.items():
            column = f["statistics/error" + ("" if part == "total" else "_" + part)][()]
            ok(
                (column == numpy.nanmax(x, 1)).all(),
                f"coarse reading against {reference}: the table's {part} is the largest of the others",
                column,
            )


SATELLITES = """study: {study}
system: tethered-satellites
initial: orbit
end: 1.0
steps: {{from: 0.0625, halvings: 4}}
methods: [shake, rk4, rattle]
observe: every
{more}
trajectories: {{members: [0], every: 1}}
"""


def tethers(q, v):
    """G v of three masses on the corners of a triangle of tethers, |x_i - x_j|^2 = L^2, and what each is
    scaled by."""
    x, y = q.reshape(-1, 3, 3), v.reshape(-1, 3, 3)
    pairs = [(0, 1), (1, 2), (2, 0)]
    fastest = numpy.maximum.accumulate(abs(v).max(-1))[:, None]
    return (
        numpy.stack([2 * ((x[:, i] - x[:, j]) * (y[:, i] - y[:, j])).sum(-1) for i, j in pairs], -1),
        numpy.stack([4 * abs(x[:, i] - x[:, j]).sum(-1) for i, j in pairs], -1) * fastest,
    )


def hidden(study, norm, asked):
    """hidden_max in each norm over three constraints, hidden_scaled_max constraint by constraint, and what is
    fitted to it."""
    name = f"hidden-{study}-{norm}-{asked}"
    error = ["norm: two, over: coarse"] * (study == "order") + [f"hidden: {norm}"] * asked
    more = "reference: self\n" * (study == "order") + f"error: {{{', '.join(error)}}}\n" * bool(error)
    f = made(name, SATELLITES.format(study=study, more=more))
    if not f:
        return
    said = str(f["observables/hidden"].attrs["long_name"])
    ok(
        {"max": "max_j", "one": "sum_j |", "two": "sqrt(sum_j"}[norm] in said,
        f"{name}: the file says which norm",
        said,
    )
    for case in range(len(f["cases/n"])):
        label, h = f["statistics/method"][case].decode(), f["cases/h"][case]
        gv, scale = tethers(*(stored(f, case)[k] for k in "qp"))
        got, scaled = f["statistics/hidden_max"][case], f["statistics/hidden_scaled_max"][case]
        ok(
            abs(got - NORMS[norm](gv).max()) <= 1e-14,
            f"{name}: hidden_max of {label}, h = {h:g}",
            got,
            NORMS[norm](gv).max(),
        )
        ok(
            abs(scaled - (abs(gv) / scale).max()) <= 1e-15,
            f"{name}: hidden_scaled_max of {label}, h = {h:g}",
            scaled,
            (abs(gv) / scale).max(),
        )
        if label == "shake":
            ok(
                all(abs(got / NORMS[other](gv).max() - 1) > 0.1 for other in NORMS if other != norm),
                f"{name}: the other norms would differ, h = {h:g}",
            )
    if study != "order":
        ok("rate_hidden" not in f["statistics"], f"{name}: no order where none is asked for")
        return
    for case in range(
        4
    ):  # three multipliers of shake, against those of the next case's steps that begin where they do
        _, steps = reads(f["cases/n"][case], 16, "coarse", 0)
        wanted = NORMS["two"](
            stored(f, case)["lambda"][steps] - between(stored(f, case + 1)["lambda"], steps, 0)
        ).max()
        ok(
            abs(f["error/lambda"][case, 0] - wanted) <= 1e-13,
            f"{name}: error lambda of shake, h = {f['cases/h'][case]:g}",
            f["error/lambda"][case, 0],
            wanted,
        )
    size, h = f["statistics/hidden_max"][()], f["cases/h"][()]
    rate = numpy.log(size[:-1] / size[1:]) / numpy.log(h[:-1] / h[1:])
    ok(
        all(
            numpy.isnan(f["statistics/rate_hidden"][i])
            if i % 5 == 0
            else close(f["statistics/rate_hidden"][i], rate[i - 1])
            for i in range(len(h))
        ),
        f"{name}: rate_hidden",
        f["statistics/rate_hidden"][()],
    )
    order, low, high, flag = (
        f[f"statistics/{x}_hidden"][()][::5] for x in ("order", "order_low", "order_high", "flag")
    )
    ok(
        abs(order[0] - 1) < 0.02
        and abs(order[1] - 4) < 0.1
        and (low <= order)[:2].all()
        and (order <= high)[:2].all(),
        f"{name}: shake keeps G v = 0 to order 1, rk4 to 4",
        order,
        low,
        high,
    )
    ok(
        list(flag) == [b"ok", b"ok", b"plateau"] and numpy.isnan(order[2]),
        f"{name}: rattle keeps it to round-off",
        flag,
        order,
    )


def hidden_of_none():
    """Without constraints, or without observing them, nothing is fitted."""
    for name, text in (
        ("free", GOOD.replace("planar-pendulum", "henon-heiles").replace("exact", "self")),
        ("unobserved", GOOD + "observables: [energy]\n"),
    ):
        f = made(f"hidden-of-none-{name}", text)
        if f:
            ok(
                all(
                    numpy.isnan(f[f"statistics/{x}"][()]).all()
                    for x in (
                        "hidden_max",
                        "rate_hidden",
                        "order_hidden",
                        "order_low_hidden",
                        "order_high_hidden",
                    )
                ),
                f"{name}: no order of G v",
            )
            ok(
                set(f["statistics/flag_hidden"][()]) == {b"too-few"},
                f"{name}: its flag is too-few",
                f["statistics/flag_hidden"][()],
            )


def dyadic():
    f = made(
        "dyadic",
        GOOD.replace("study: order", "study: conservation").replace("reference: exact\n", "")
        + "roundoff: {dyadic-steps: true}\ninitial: small\n",
    )
    g = made("plain", GOOD + "initial: small\n")
    if not f or not g:
        return
    mantissa = numpy.frexp(f["cases/h"][()])[0] * 2.0**20
    ok((mantissa == numpy.rint(mantissa)).all(), "dyadic steps have 20 bits", mantissa)
    ok(
        close(f["cases/h"][()], [0.1, 0.05] * 2, 1e-6) and not (f["cases/h"][()] == [0.1, 0.05] * 2).any(),
        "they are the nearest ones",
        f["cases/h"][()],
    )
    ok((f["statistics/step"][()] == [0.1, 0.05] * 2).all(), "the column step is nominal")
    ok(close(f["statistics/end"][()], f["cases/h"][()] * f["cases/n"][()], 0), "the column end is n h")
    ok((g["cases/h"][()] == [0.1, 0.05] * 2).all(), "an order study takes its steps as they are")
    d = made("dyadic-order", GOOD + "roundoff: {dyadic-steps: true}\n")
    if d:
        rq = pendulum(d["cases/h"][()] * d["cases/n"][()])[0]
        ok(
            close(d["error/q"][:, 0], abs(d["final/q"][:, 0] - rq).max(-1), 1e-14),
            "errors are taken at t = n h",
            d["error/q"][:, 0],
            abs(d["final/q"][:, 0] - rq).max(-1),
        )


FALL = """study: order
system: kepler
initial: STARTS
end: 2.0
steps: [0.1, 0.05, 0.025]
methods: [rk4]
reference: {method: "gauss(2)", step: 0.1}
"""
GONE = """study: order
system: {file: gone.sys.yaml}
end: 2.0
steps: [0.5, 0.25, 0.125]
methods: [midpoint]
reference: exact
"""


def unreferred():
    """A trajectory whose reference is not finite has no error, and the run says so."""
    fall = "{q: [1, 0], v: [0, 0]}"
    write(
        "gone.sys.yaml",
        "system: gone\ncoordinates: [x]\nmass: [1]\npotential: 0\n"
        'states: {default: {q: [1], v: [1], exact: {q: ["(1 + t)*(2 - t)/(2 - t)"], v: [1]}}}\n',
    )
    for name, text, each in (
        ("fall-one", FALL.replace("STARTS", f"{{list: [{fall}, default]}}"), 2),
        ("fall-all", FALL.replace("STARTS", fall), 1),
        ("gone", GONE, 1),
    ):
        process, result = run(name, text)
        said = f"3 of {3 * each} trajectories failed (no finite reference: 3)"
        ok(process.returncode == 1 and said in process.stderr, f"{name}: the run says so", process.stderr)
        with h5py.File(result, "r") as f:
            lost = numpy.isnan(f["error/total"][()])
            ok((f["final/status"][()] == 0).all() and (lost == (numpy.arange(each) == 0)).all(), name, lost)
        process = constella("status", result)
        ok("3 of them failed (no finite reference: 3)" in process.stdout, f"{name}: status", process.stdout)
        flags = {row["flag_q"] for row in table(result)}
        ok(("no-reference" in flags) == (each == 1), f"{name}: the flag", flags)
        process = constella("run", path(f"{name}.yaml"), "-o", result, "--resume")
        ok(process.returncode == 1, f"{name}: complete already, exit status 1", process.stdout)
        process = constella("verify", result)
        ok(process.returncode == 0, f"{name}: verify", process.stdout, process.stderr)


if __name__ == "__main__":
    together(
        [
            lambda n=n, o=o: errors(n, o, ["q", "p"])
            for n in ("max", "one", "two")
            for o in ("end", "mesh", "coarse")
        ]
        + [
            lambda n=n, o=o: errors(n, o, ["q", "p", "lambda"])
            for n in ("one", "two")
            for o in ("mesh", "coarse")
        ]
        + [
            lambda o=o, r=r: errors("two", o, ["p", "lambda"], r)
            for o in ("end", "mesh", "coarse")
            for r in ("self", "method")
        ]
        + [
            lambda: errors("max", "coarse", ["lambda"], "quad"),
            unreferred,
            coarse_single,
            hidden_of_none,
            dyadic,
        ]
        + [lambda s=s, n=n: hidden(s, n, True) for s in ("order", "conservation") for n in NORMS]
        + [lambda s=s: hidden(s, "max", False) for s in ("order", "conservation")]
        + [lambda r=r: coarse_sweep(r) for r in ("self", REFERENCES["method"])]
        + [lambda r=r: coarse_failures(r) for r in ("exact", "self")]
    )
    done()
