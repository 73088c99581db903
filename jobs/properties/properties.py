#!/usr/bin/python3
"""properties.py: measures what docs/events.md, docs/tangent.md and docs/shadow.md say, against known answers.

    properties.py [-o FOLDER] [LINE ...]

Runs the studies of each LINE (default: all but costs) into FOLDER (default: properties), and prints one row for each
figure: what it is, the value, what it has to be, and `holds` or `fails`. README.md has the rows. `costs` counts instructions, with
valgrind. The program is that of the variable CONSTELLA (build/constella). Exit: 0; 1 where a row fails; 2 for mistakes
of the user.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import math
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HOME = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HOME.parents[1] / "analysis"))

import numpy  # noqa: E402
from constella import Result  # noqa: E402

CONSTELLA = os.environ.get("CONSTELLA", "build/constella")
FAILED = []


def row(line, what, value, bound, good):
    print(f"| {line} | {what} | {value:.3g} | {bound} | {'holds' if good else 'fails'} |", flush=True)
    if not good:
        FAILED.append(what)


def below(line, what, value, most):
    row(line, what, value, f"at most {most:g}", value <= most)


def above(line, what, value, least):
    row(line, what, value, f"at least {least:g}", value >= least)


def about(line, what, value, near, within):
    row(line, what, value, f"{near:.3g} +- {within:.2g}", abs(value - near) <= within)


class Runs:
    """Runs studies into a folder."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, name, changes):
        """The study, or a copy whose text is changed."""
        text = (HOME / f"{name}.yaml").read_text()
        for old, new in changes.items():
            if old not in text:
                sys.exit(f"{name}.yaml has no '{old}'")
            text = text.replace(old, new)
        return re.sub(r"(?<=file: )[^,}\s]+", lambda m: str((HOME / m[0]).resolve()), text)

    def run(self, name, label=None, **changes):
        """The cases of a study, as a list of (method, step, values of columns), and its result."""
        return self.of(self.write(name, changes.get("changes", {})), label or name)

    def of(self, text, label):
        study, result = self.folder / f"{label}.yaml", self.folder / f"{label}.h5"
        study.write_text(text)
        done = subprocess.run(
            [CONSTELLA, "run", study, "-o", result, "--overwrite", "--progress", "none"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{label}: {done.stderr.strip()}")
        return Result(str(result))


def rows_of(result):
    """[(method, step, column name -> value)] of the cases, in their order."""
    return [
        (curve.method, result.data("/cases/h")[case], lambda name, case=case: result.column(name)[case], case)
        for curve in result.curves()
        for case in curve.cases
    ]


def crossings(runs):
    result = runs.run("crossings")
    exact = (numpy.arange(50) + 0.5) * math.pi
    error = [float(abs(result.data("/events/zero/t")[case, 0, :50] - exact).max()) for *_, case in rows_of(result)]
    about("crossings", "order of the first 50 crossings, compose(rattle, kahan-li8), h = 0.2 and 0.1", math.log2(error[0] / error[1]), 8, 0.2)
    below("crossings", "their largest error, h = 0.05", error[2], 1e-13)


def surface(runs):
    result = runs.run("surface")
    size, off, points = {}, 0, 0
    for method, step, _, case in rows_of(result):
        x = result.data("/events/section/take")[case, 0]
        x = x[numpy.isfinite(x[:, 0])]
        start = result.data("/observables/energy")[case, 0, 0]
        size[method, step] = float(numpy.sqrt(numpy.mean((x[:, 1] - start) ** 2)))
        off, points = max(off, float(abs(x[:, [0, 2, 3]]).max())), points + len(x)
    below("surface", f"largest of g and x1 at {points} points of six runs", off, 2e-14)
    for method, order in (("rattle", 2), ("compose(rattle, suzuki4)", 4)):
        steps = sorted(h for m, h in size if m == method)
        about("surface", f"order of the energy at the points, {method}", math.log2(size[method, steps[1]] / size[method, steps[0]]), order, 0.2)


def pair(line, cases, near, within):
    """Exponents of the double pendulum: the first, pairs, and the two of the flow and the energy."""
    all_of = [[column(f"lyapunov_{k}") for k in range(1, 5)] for *_, column, _ in cases]
    for (method, step, *_), x in zip(cases, all_of):
        about(line, f"largest exponent, {method}, h = {step:.3g}", x[0], near, within)
    below(line, "first + last, of the first, at most", max(abs(x[0] + x[3]) / x[0] for x in all_of), 0.01)
    below(line, "second + third, of the first, at most", max(abs(x[1] + x[2]) / x[0] for x in all_of), 0.01)
    below(line, "second, the flow's and the energy's, in (log t)/t, at most", max(abs(x[1]) for x in all_of) / (math.log(1600) / 1600), 2)
    exact = cases[0][2]("tangent_form") == "exact"
    below(line, "floor, at most", max(column("lyapunov_floor") for *_, column, _ in cases), 1e-11 if exact else 1e-6)


def exponents(runs):
    pair("exponents", rows_of(runs.run("exponents")), 0.43, 0.01)


def companions(runs):
    pair("companions", rows_of(runs.run("exponents", "exponents-companions", changes={", form: exact": ""})), 0.43, 0.01)


# Other starts: angles at rest.
HELD_OUT = ((2.5, 1.0), (1.5, 2.5))


def held_out(runs):
    angles = "q: [2, 2]"
    x = [column for *_, column, _ in rows_of(runs.run("exponents-angles"))][0]
    about("held-out", "largest exponent of the equations in angles, gauss(3), from (2, 2)", x("lyapunov_1"), 0.43, 0.01)
    for a, b in HELD_OUT:
        start = f'q: ["sin({a})", "-cos({a})", "sin({a}) + sin({b})", "-cos({a}) - cos({b})"]'
        other = runs.run("exponents-angles", f"angles-{a}-{b}", changes={angles: f"q: [{a}, {b}]"})
        y = [column for *_, column, _ in rows_of(other)][0]
        mine = runs.run("exponents", f"exponents-{a}-{b}", changes={'q: ["sin(2)", "-cos(2)", "2*sin(2)", "-2*cos(2)"]': start, ", form: exact": ""})
        for method, step, column, _ in rows_of(mine):
            error = 4 * math.hypot(column("lyapunov_1_error"), y("lyapunov_1_error"))
            about("held-out", f"largest exponent from ({a}, {b}), {method}, h = {step:.3g}; in angles", column("lyapunov_1"), y("lyapunov_1"), error)
        worst = max(abs(column("lyapunov_1") + column("lyapunov_4")) / column("lyapunov_1") for *_, column, _ in rows_of(mine))
        below("held-out", f"first + last, of the first, from ({a}, {b}), at most", worst, 0.01)


def integrable(runs):
    for name in ("pendulum", "kepler"):
        result = runs.run(name)
        column = rows_of(result)[0][2]
        t, running = result.data("/lyapunov/time")[0], result.data("/lyapunov/running_1")[0, 0]
        at = {n: float(running[numpy.round(t) == n][0]) for n in (256, 1024, 4096, 16384)}
        for n, x in at.items():
            below("integrable", f"{name}: exponent until t = {n}, in (log t)/t", abs(x) / (math.log(n) / n), 2)
        below("integrable", f"{name}: exponent until 16384 over that until 1024", abs(at[16384] / at[1024]), 0.2)
        about("integrable", f"{name}: MEGNO", column("megno"), 2, 0.6)




def two_form(runs):
    for form, change, most in (("exact", {}, 1e-12), ("central pairs", {", form: exact": ""}, 1e-7)):
        cases = rows_of(runs.run("two-form", "two-form-" + form.split()[-1], changes=change))
        keep = [column for method, _, column, _ in cases if not method.startswith("project")]
        below("two-form", f"change in a step of {len(keep)} symplectic rows, {form}, at most", max(x("two-form_max") for x in keep), most)
        below("two-form", f"floor of all {len(cases)} rows, {form}, at most", max(x("two-form_floor") for *_, x, _ in cases), most)
        for method, step, column, _ in cases:
            if method == "project(rk4)":
                above("two-form", f"change in a step of {method}, {form}, h = {step:.3g}", column("two-form_max"), 1e-5)


def controls(runs):
    for _, step, column, _ in rows_of(runs.run("friction")):
        c = 0.25 * column("step_taken")
        about("controls", f"two-form under friction c, over 1 - exp(-c h), h = {step:.3g}", column("two-form_max") / -math.expm1(-c), 1, 1e-4)
    column = rows_of(runs.run("identity"))[0][2]
    below("controls", "two-form and volume of the identity", max(column("two-form_max"), column("volume_max")), 0)
    row("controls", "its energy is frozen", 1, "frozen", column("energy_verdict") == "frozen")
    study = runs.folder / "off.yaml"
    study.write_text(runs.write("two-form", {"project(rk4)]": "rk4]"}))
    done = subprocess.run([CONSTELLA, "check", study], capture_output=True, text=True)
    row("controls", "exit status of a layer that leaves the constraints", done.returncode, "2, with the reason", done.returncode == 2 and "leaves the constraints" in done.stderr)


def shadow(runs):
    cases = rows_of(runs.run("shadow"))
    gain = {k: cases[0][2]("energy-shadow_energy") / cases[0][2](f"energy-shadow_{k}") for k in (4, 8, 12)}
    for k, least in ((4, 10), (8, 1000), (12, 10000)):
        above("shadow", f"how many times less order {k} varies than the energy, h = 0.05", gain[k], least)
    for k, within in ((4, 0.2), (8, 0.5)):
        for coarse, fine in zip(cases, cases[1:]):
            slope = math.log2(coarse[2](f"energy-shadow_{k}") / fine[2](f"energy-shadow_{k}"))
            about("shadow", f"order {k} shrinks from h = {coarse[1]:.3g} to {fine[1]:.3g} as h to the", slope, k, within)
    column = rows_of(runs.run("shadow-violent"))[0][2]
    row("shadow", "gain of order 8 from (2, 2), h = 0.05", column("energy-shadow_gain"), "orders-disagree", column("energy-shadow_verdict") == "orders-disagree")


# ---- costs ----------------------------------------------------------------------------------------

PENDULA = """study: ensemble
system: {name: SYSTEM}
initial: {members: MEMBERS, seed: 1, around: AROUND, spread: {q: 0.001, v: 0.001}}
end: END
steps: [STEP]
methods: ["METHOD"]
samples: {count: 3}
"""


def instructions(runs, text, label, ends):
    """Those that a rank spends on steps, and on what looks at them, between two ends of a run; not those by which it keeps a way back
    and asks whether to stop, which it does so many times a second."""
    counts = []
    for end in ends:
        study, result = runs.folder / f"{label}.yaml", runs.folder / f"{label}.h5"
        study.write_text(text.replace("END", str(end)))
        program = [CONSTELLA, "run", study, "-o", result, "--overwrite", "--progress", "none"]
        counted = [f"--toggle-collect={name}" for name in ("cst_runner_advance", "cst_runner_watch", "cst_run_control_poll")]  # off in the latter
        environment = dict(os.environ, CONSTELLA_ISA="v3")  # valgrind does not know wider ones
        subprocess.run(program, stdin=subprocess.DEVNULL, capture_output=True, env=environment)  # compiles what it needs
        result.unlink(missing_ok=True)
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *counted, *program], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not found:
            sys.exit(f"{label}: {done.stderr.strip()}")
        counts.append(int(found[1]))
    return counts[1] - counts[0]


def pendula(system, around, step, method="rattle", members=16):
    text = PENDULA.replace("SYSTEM", system).replace("AROUND", around).replace("MEMBERS", str(members))
    return text.replace("STEP", str(step)).replace("METHOD", method)


def costs(runs):
    start = '{q: ["sin(2)", "-cos(2)", "2*sin(2)", "-2*cos(2)"], v: [0, 0, 0, 0]}'
    plain = pendula("double-pendulum, compile: always, parameters: {L2: 1.0}", start, 0.05)  # as in studies of millions of periods
    ends = (776, 936)
    one = instructions(runs, plain + "observables: []\n", "cost-plain", ends)
    for k in (1, 4):
        more = f"observables: [lyapunov]\ntangent: {{vectors: {k}, every: 1}}\n"
        cost = instructions(runs, plain + more, f"cost-lyapunov-{k}", ends) / one
        below("costs", f"a run with {k} companion{'s' * (k > 1)}, every 20 steps, in runs without", cost, 1.1 * (k + 1))
    more = "observables: [two-form]\ntangent: {vectors: 2, every: 1}\n"
    cost = instructions(runs, plain + more, "cost-pairs", ends) / one
    below("costs", "a run with central pairs of 2 vectors, every 20 steps", cost, 1.1 * 5)
    for system, method, members, when, step, most, ends in (
        ("planar-pendulum", "rattle", 64, "x - 10", 0.0625, 1.5, (1024, 1536)),
        ("euler-top", "rattle", 32, "R11 - 10", 0.0625, 1.1, (324, 435)),
        ("euler-top", "lie-rattle", 32, "R11 - 10", 0.0625, 1.1, (324, 435)),
        ("tip3p-water", "rattle", 8, "Ox[1] - 1000", 0.0009765625, 1.1, (5.125, 6.75)),
    ):
        text = pendula(system, "default", step, method, members)
        without = instructions(runs, text + "observables: []\n", f"cost-{system}", ends)
        cost = instructions(runs, text + f'observables: []\nevents: [{{name: never, when: "{when}"}}]\n', f"cost-event-{system}", ends)
        below("costs", f"an event without a hit on {system} by {method}, in runs without", cost / without, most)


LINES = {
    "crossings": crossings,
    "surface": surface,
    "exponents": exponents,
    "companions": companions,
    "held-out": held_out,
    "integrable": integrable,
    "two-form": two_form,
    "controls": controls,
    "shadow": shadow,
    "costs": costs,
}


def main():
    parser = argparse.ArgumentParser(description="measures properties against known answers", add_help=True)
    parser.add_argument("lines", metavar="LINE", nargs="*", help=", ".join(LINES))
    parser.add_argument("-o", dest="folder", type=pathlib.Path, default=pathlib.Path("properties"))
    options = parser.parse_args()
    for line in options.lines:
        if line not in LINES:
            parser.error(f"unknown line '{line}'; allowed: {', '.join(LINES)}")
    runs = Runs(options.folder)
    print("| line | figure | value | has to be | |\n|---|---|---|---|---|")
    for line in options.lines or [x for x in LINES if x != "costs"]:
        LINES[line](runs)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
