#!/usr/bin/python3
"""test_bad_runs.py: pages, tables and messages for failed runs: failures, infinities, overflow. TAP.

Real runs in which methods blow up, and made-up files with numbers at and beyond the ends of what a double
holds.
"""
# SPDX-License-Identifier: BSD-2-Clause
import warnings

# first: it skips the test where modules are missing
from drawing import called, folder, make, ok, program, run_tests

import h5py
import numpy as np

import synthetic
from constella import edges, notes, page, plot, scales
from constella.plot import machine, motion
from constella.result import Result


def page_of(path):
    """The page, made within this process; a traceback or a warning on stderr is its error."""
    out = path.with_suffix(".html")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            code, said = called("report", file=path, output=out)
        except Exception as e:  # noqa: BLE001
            return "", repr(e)
    return out.read_text(encoding="utf-8") if code == 0 else "", said


def draw(path):
    """All figures of a file, drawn small; what went wrong, or ''."""
    with warnings.catch_warnings(), Result(path) as r:
        warnings.simplefilter("error")
        try:
            for _, _, figure in page.figures(r, "screen"):
                figure.set_dpi(30)
                figure.canvas.draw()
        except Exception as e:  # noqa: BLE001
            return repr(e)
    return ""


# ---- runs

BLOWS_UP = """study: {kind}
system: double-pendulum
end: {end}
steps: [{steps}]
methods: [rk4, rattle]
{more}"""


def run(name, kind, end, steps, more=""):
    (folder / f"{name}.yaml").write_text(BLOWS_UP.format(kind=kind, end=end, steps=steps, more=more))
    return program("run", f"{name}.yaml", "--progress", "none"), folder / f"{name}.h5"


def test_conservation():
    ended, path = run("conservation", "conservation", 1000.0, "0.3125, 0.15625")
    ok(
        ended.returncode == 1 and "2 of 4 trajectories failed (not finite: 2)" in ended.stderr,
        "the end of a run says why, in words",
        ended.stderr,
    )
    table = program("table", path).stdout
    ok(
        table.split()[:3] == ["method", "step", "failed"],
        "failed is in the default table of a conservation study",
        table,
    )
    ok("2 of 4 trajectories failed (not finite: 2)" in table, "the table says why, in words", table)
    ok(
        "trajectories failed" not in program("table", path, "--where", "method = rattle").stdout,
        "but not of rows that are not shown",
    )
    text = program(
        "table", path, "--format", "csv", "--columns", "method,failures,energy_max,evaluations_per_step"
    ).stdout.splitlines()[1:]
    ok(text[:2] == ["rk4,not finite: 1,nan,nan"] * 2, "a trajectory that failed enters no column", text)
    ok(all(",nan" not in line for line in text[2:]), "the others do", text)
    ok("2 of them failed (not finite: 2)" in program("status", path).stdout, "so does status")
    page, said = page_of(path)
    ok(page and not said and "not finite" in page, "a page of it, without a word on stderr", said)
    with Result(path) as r:
        rk4, rattle = r.curves()
        ok(
            len(r.time_series("energy", rk4.cases[0])[0]) == 0
            and len(r.time_series("energy", rattle.cases[0])[0]) > 100,
            "a failed trajectory is no line",
        )
        figure = plot.drift(r)
        legend = [t.get_text() for t in figure.legends[0].get_texts()]
        ok(any("rk4" in t and "2 of 2 failed" in t for t in legend), "the legend says that it failed", legend)
        top = max(ax.get_ylim()[1] for ax in figure.axes)
        ok(top < 1, "and the axis is for the others", top)


def test_order():
    ended, path = run("order", "order", 40.0, "0.5, 0.25, 0.125, 0.0625", "reference: self\n")
    ok(ended.returncode == 0, "a method that blows up and stays finite does not fail", ended.stderr)
    table = program("table", path).stdout
    ok(
        table.split()[:3] == ["method", "step", "failed"] and "trajectories failed" not in table,
        "failed is in the default table of an order study, too",
        table,
    )
    with h5py.File(path, "a") as f:
        for name in ("error_q", "error_p", "error", "error_lambda", "energy_max"):
            f[f"statistics/{name}"][0] = 1e267
    wrong = draw(path)
    ok(not wrong, "errors of 1e267 are drawn", wrong)
    with Result(path) as r:
        figure = plot.order(r)
        ok(
            all(ax.get_ylim()[1] < 1e6 and ax.get_ylim()[0] < 0.1 for ax in figure.axes),
            "and leave the others in sight",
            [ax.get_ylim() for ax in figure.axes],
        )
        ok(
            "▲ rk4: up to 1e+150 and more" in notes.of(figure.axes[0]),
            "which is said, with the curve and its value",
            notes.of(figure.axes[0]),
        )


ENSEMBLE = """study: ensemble
system: henon-heiles
initial: {members: 12, seed: 7, around: default, spread: {q: 0.4, v: 0.3}}
end: 50
steps: [0.25]
methods: [rattle]
observables: [energy, "big: exp(exp(x*x))", "bad: log(x)"]
trajectories: {members: all, every: 20}
"""


def test_ensemble():
    (folder / "ensemble.yaml").write_text(ENSEMBLE)
    ended, path = program("run", "ensemble.yaml", "--progress", "none"), folder / "ensemble.h5"
    with h5py.File(path) as f:
        status, t = f["final/status"][0], f["series/t"][0]
        lost = [np.isnan(f["observables/bad"][0, status == 0, which]) for which in (1, 2)]
        last = f["final/steps"][0][status > 0].max() * f["cases/h"][0]
        most = f["observables/energy"][0, status == 0, 2].max()
        ok(ended.returncode == 1 and 0 < (status > 0).sum() < 12, "some members fail, some do not", status)
        ok(
            f["statistics/energy_max"][0] == most,
            "the largest value is that of the living",
            f["statistics/energy_max"][0],
        )
    with Result(path) as r:
        at, x = r.time_series("energy", 0)
        ok(
            len(at) and at.min() >= last and x.max() <= most,
            "the series begins where the last of the others ended",
            (at[:3], last, x.max(), most),
        )
        ok(len(at) < len(t), "and not before")
        failed, sound = (list(np.flatnonzero(is_it)) for is_it in (status > 0, status == 0))
        drawn = {
            "drawn over time": [t.member for t in motion.chosen(r, None)],
            "drawn as a mechanism": [t.member for t in machine.chosen(r, None, None)],
        }
        for how, members in drawn.items():
            ok(members == sound[:1], f"a member that did not fail is {how}", (members, failed))
        named = [t.member for t in motion.chosen(r, failed[:1])]
        ok(named == failed[:1], "a failed one is drawn where it is named", named)
    told = f"bad: {(lost[0] | lost[1]).sum()} ({lost[0].sum()} at the end)"
    ok(lost[0].sum() > 0, "some members have no number at the end", lost)
    for command in (("table", path), ("table", path, "--format", "csv", "--columns", "undefined")):
        said = program(*command).stdout
        ok(told in said, "a table says how many members a mean leaves out", said)
    with Result(path) as r:
        ok(any(told in words for words in page.words.others(r)), "so does the page", told)
    wrong = draw(path)
    ok(not wrong, "members whose observables overflow, or are none, are drawn", wrong)


ALL_FAIL = """study: ensemble
system: henon-heiles
initial: {list: [{q: [3, 3], v: [1, 1]}, {q: [4, 2], v: [1.0, 0.0]}]}
end: 100
steps: [0.1]
methods: [rattle]
trajectories: {members: {worst: 1, by: energy}}
"""


def test_all_failed():
    (folder / "fail.yaml").write_text(ALL_FAIL)
    program("run", "fail.yaml", "--progress", "none")
    for kind, words in (
        ("ensemble", "no member has a number at the end"),
        ("trajectory", "no member that did not fail was chosen"),
    ):
        code, said = called("plot", file="fail.h5", kind=kind, output="fail.png")
        ok(code == 2 and words in said, f"no member is left for the figure {kind}", said)


# ---- made-up files

EXTREMES = (np.inf, -np.inf, 1.7e308, -1.7e308, 1e267, 5e-324, 0.0, np.nan)


def damage(path, random, share):
    """Replace a share of all numbers that were measured."""
    with h5py.File(path, "a") as f:

        def visit(name, node):
            measured = (
                name.split("/")[0] in ("statistics", "observables", "series", "error", "final", "windows")
                and name != "series/t"
            )
            if (
                not isinstance(node, h5py.Dataset)
                or node.dtype.kind != "f"
                or not measured
                or name in ("statistics/step", "statistics/members")
            ):
                return
            x = node[()]
            hit = random.random(x.shape) < share
            x[hit] = random.choice(EXTREMES, hit.sum())
            node[...] = x

        f.visititems(visit)


def test_extremes():
    random = np.random.default_rng(3)
    for kind, share in (("order", 0.15), ("conservation", 0.5), ("ensemble", 0.15)):
        path = make(
            f"{kind}-{share}",
            kind,
            members=6 if kind == "ensemble" else 1,
            steps=(0.1, 0.05),
            methods=("rattle", "midpoint"),
            slopes=(2, 2),
            samples=20,
            figures=synthetic.FIGURES[kind] + ",axes",
        )
        damage(path, random, share)
        wrong = draw(path)
        ok(not wrong, f"{kind} study, {share:.0%} of its numbers at the ends of what there is: drawn", wrong)


def test_in_sight():
    ok(edges.worth_seeing([[1e-3, 1e-2, 1e-1, 1e12]]) == (1e-3, 1e-1), "what lies far above leaves the panel")
    ok(edges.worth_seeing([[1e-16, 1e-2, 1e-1, 1.0]]) == (1e-16, 1.0), "what lies far below does not")
    ok(
        edges.worth_seeing([[np.inf, np.nan, 1e300]]) is None,
        "of what has no place on an axis nothing is drawn",
    )
    marks = [scales.Decades()(x) for x in (0.0, np.inf, -1.0)]
    ok(marks == ["", "", ""], "marks beyond the ends of a double have no label", marks)


run_tests(globals())
