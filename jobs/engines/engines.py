#!/usr/bin/python3
"""engines.py: one step by the lanes and by PETSc's solvers from each of many states along a motion, on every system of the
catalogue and by every method that both take.

    engines.py [-o FOLDER] [--states 1000] [--systems NAME,...] [--methods METHOD;...] [--test-jacobians]

A motion by the first method that steps the system gives the states. Prints for each system the number of methods, the
largest difference of the two states behind a step, relative to the largest coordinate and the largest momentum of the
motion, and that difference over 1e-12 times the least condition number that PETSc's singular values say of a matrix of the
same method (`-pc_type svd -pc_svd_monitor`); with the method of which it is the largest. Exits with 1 where it is above 1,
or trajectories fail by one engine alone. With --test-jacobians the last column is the worst relative difference
that -snes_test_jacobian finds in steps from the first states, of any method; it exits with 1 above 1e-6 too. PETSc's
differences are of order 1, ahead by -snes_test_err times the root of 1 + |x|: more has more truncation, less more
round-off. It is 1e-5, and where that finds more than 1e-6 also more and less, from 1e-3 to 1e-8. Of each method the least
of these counts, since a wrong Jacobian is wrong with all. The
systems of this folder follow, each in three systems of units: of the size of 1, of atoms in SI units, and with a fast time.
The program is that of the variable CONSTELLA (build/constella).
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import h5py  # noqa: E402
import numpy  # noqa: E402

CONSTELLA = os.path.abspath(os.environ.get("CONSTELLA", "build/constella"))
METHODS = (
    "rattle; shake; euler-a; euler-b; rattle(form=null-space); midpoint; midpoint(form=null-space); discretization(theta=0.25); "
    "staged; compose(rattle, yoshida4); compose(midpoint, suzuki4); ends(yoshida4); adjoint(shake); lie-euler-a; lie-euler-b; "
    "lie-lobatto; lie-rattle; lie-midpoint; lie-discretization(theta=0.25); rattlie; lie-generalized-alpha(rho=0.8); "
    "lagrange-dalembert(rk4); discrete-lagrange-dalembert(midpoint); discrete-lagrange-dalembert(leapfrog); gauss(2); "
    "radau(2); bdf(2); generalized-alpha(rho=0.8); hht(alpha=-0.1); project(rk4); project(gauss(2)); "
    "symmetric-project(gauss(2)); convert(rk4); hbvm(k=4, s=2); newmark; pushforward-newmark(beta=0.25); "
    "penalty(newmark, omega=20); penalty(pushforward-newmark(beta=0.25), omega=20); penalty(gauss(2), omega=20)"
)
STEPS = {"outer-solar-system": 10, "andrews": 1e-5, "crank": 1e-4, "wheelset": 1e-4, "arenstorf": 1e-4, "governor": 1e-3}
HERE = pathlib.Path(__file__).resolve().parent
UNITS = {"1": (1, 1, 1), "atomic": (1e-10, 2.4e-26, 1e-13), "fast": (1, 1, 1e-7)}  # of length, mass and time
SCALED = {
    f"{path.name.split('.')[0]}-{unit}": (f"{{file: {path}, parameters: {{L: {L!r}, M: {M!r}, T: {T!r}}}}}", T)
    for path in sorted(HERE.glob("*.system.yaml"))
    for unit, (L, M, T) in UNITS.items()
}
BETWEEN = 5  # steps between two states
SOME = 25  # states whose condition numbers are looked at
STUDY = """study: conservation
system: {system}
end: {end!r}
steps: {{counts: [{steps}]}}
methods: [{methods}]
"""


def constella(folder, *words):
    return subprocess.run([CONSTELLA, *words], cwd=folder, capture_output=True, text=True)


def study(folder, name, *, system, end, steps, methods, more=""):
    text = STUDY.format(system=system, end=end, steps=steps, methods=", ".join(f'"{x}"' for x in methods))
    (folder / f"{name}.yaml").write_text(text + more)


def run(folder, name, *options):
    return constella(folder, "run", f"{name}.yaml", "-o", f"{name}.h5", "--overwrite", "--progress", "none", *options)


def takes(folder, system, h, method):
    """Whether PETSc takes a method on a system, and has equations to solve; lanes then take it too."""
    study(folder, "try", system=system, end=h, steps=1, methods=[method], more="solver: {engine: petsc}\n")
    process = constella(folder, "check", "try.yaml")
    return process.returncode == 0 and re.search(r"engine +.*: petsc: ", process.stdout) is not None


def move(folder, system, h, states, methods):
    """Writes states along a motion as a table of starts."""
    more = f"trajectories: {{members: [0], every: {BETWEEN}, store: [q, v]}}\n"
    for method in [*methods, "dopri5"]:
        steps = BETWEEN * (states - 1)
        study(folder, "motion", system=system, end=h * steps, steps=steps, methods=[method], more=more)
        if run(folder, "motion").returncode == 0:
            break
    else:
        raise SystemExit(f"{system}: no motion")
    with h5py.File(folder / "motion.h5") as f:
        names = [x.decode() if isinstance(x, bytes) else x for x in f["/coordinate"][()]]
        q, v = (f[f"/trajectories/0/{x}"][0] for x in "qv")
    rows = [",".join([*names, *(f"{x}'" for x in names)])]
    rows += [",".join(repr(float(x)) for x in row) for row in numpy.concatenate([q, v], axis=1)]
    (folder / "starts.csv").write_text("\n".join(rows) + "\n")


def final(folder, name):
    with h5py.File(folder / f"{name}.h5") as f:
        return [f[f"/final/{x}"][()] for x in ("q", "p", "status")]


def conditions(folder, system, h, method, more):
    """The least condition number of a matrix in the steps from the first states; 1 where there are none."""
    lines = (folder / "starts.csv").read_text().splitlines(keepends=True)
    (folder / "some.csv").write_text("".join(lines[: 1 + SOME]))
    more = more.replace("starts.csv", "some.csv")
    study(folder, "condition", system=system, end=h, steps=1, methods=[method], more=more)
    text = run(folder, "condition", "-pc_type", "svd", "-pc_svd_monitor").stdout
    found = [float(x) for x in re.findall(r"condition number\s+(\S+?),", text)]
    return max(1, min((x for x in found if numpy.isfinite(x)), default=1))


def jacobians(folder, system, h, methods, more):
    """The worst relative difference of a Jacobian from PETSc's own, and its method; (0, "") where none is tested."""
    found = [(0.0, "")]
    for method in methods:
        study(folder, "jacobian", system=system, end=h, steps=1, methods=[method], more=more.replace("starts.csv", "some.csv"))
        least = None
        for ahead in ("1e-5", "1e-6", "1e-4", "1e-7", "1e-3", "1e-8"):
            text = run(folder, "jacobian", "-snes_test_jacobian", "-snes_test_err", ahead).stdout
            ratios = [float(x) for x in re.findall(r"\|\|J - Jfd\|\|_F/\|\|J\|\|_F = (\S+?),", text)]
            worst = max(ratios, key=lambda x: (not numpy.isfinite(x), x), default=0.0)
            least = worst if least is None or not least <= worst else least
            if least <= 1e-6:
                break
        found.append((least, method))
    return max(found, key=lambda x: (not numpy.isfinite(x[0]), x[0]))


def compare(folder, system, states, methods, tests):
    """(method, difference, condition number, failures of one engine alone) of each method."""
    folder.mkdir(parents=True, exist_ok=True)
    system, unit = SCALED.get(system, (system, 1))
    h = STEPS.get(system, 0.01) * unit
    methods = [x.replace("omega=20", f"omega={20 / unit!r}") for x in methods]
    methods = [x for x in methods if takes(folder, system, h, x)]
    if not methods:
        return [], (0.0, "")
    move(folder, system, h, states, methods)
    more = "initial: {csv: starts.csv, project: true}\nsolver: {engine: ENGINE}\n"
    ends = []
    for engine in ("lanes", "petsc"):
        study(folder, engine, system=system, end=h, steps=1, methods=methods, more=more.replace("ENGINE", engine))
        process = run(folder, engine)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{system}: {process.stderr}")
        ends.append(final(folder, engine))
    (q, p, failed), (other_q, other_p, other_failed) = ends
    rows = []
    for k, method in enumerate(methods):
        both = (failed[k] == 0) & (other_failed[k] == 0)
        apart = [
            abs(x[k] - y[k])[both].max(initial=0) / (abs(x[k][both]).max(initial=0) or 1) for x, y in ((q, other_q), (p, other_p))
        ]
        condition = conditions(folder, system, h, method, more.replace("ENGINE", "petsc"))
        rows.append((method, max(apart), condition, int((failed[k] != other_failed[k]).sum())))
    return rows, jacobians(folder, system, h, methods, more.replace("ENGINE", "petsc")) if tests else (0.0, "")


def systems():
    lines = subprocess.run([CONSTELLA, "list", "systems"], capture_output=True, text=True).stdout.splitlines()
    return [*(x.split()[0] for x in lines if "coordinates," in x), *SCALED]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", default="engines")
    parser.add_argument("--states", type=int, default=1000)
    parser.add_argument("--systems")
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--test-jacobians", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    a = parser.parse_args()
    folder, methods = pathlib.Path(a.o), [x.strip() for x in a.methods.split(";")]
    names = a.systems.split(",") if a.systems else systems()
    pool = concurrent.futures.ThreadPoolExecutor(a.jobs)
    print("| system | methods | difference | over 1e-12 times the condition number | of |" + " Jacobians off by |" * a.test_jacobians)
    print("|---" * (5 + a.test_jacobians) + "|")
    bad = pairs = 0
    for name, (rows, (off, of)) in zip(names, pool.map(lambda x: compare(folder / x, x, a.states, methods, a.test_jacobians), names)):
        if not rows:
            print(f"| {name} | 0 | | | |", flush=True)
            continue
        ratio, worst = max((apart / (1e-12 * condition), method) for method, apart, condition, _ in rows)
        alone = [f"{method}: {n} fail by one engine alone" for method, *_, n in rows if n]
        if a.test_jacobians:
            worst += f" | {off:.1e} ({of or 'none'})"
        print(f"| {name} | {len(rows)} | {max(x[1] for x in rows):.1e} | {ratio:.2g} | {worst} |", *alone, flush=True)
        bad += ratio > 1 or bool(alone) or not off <= 1e-6
        pairs += len(rows)
    print(f"\n{pairs} pairs of a system and a method, {a.states} states each")
    return int(bad > 0)


sys.exit(main())
