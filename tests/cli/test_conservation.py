"""test_conservation.py: long runs: RATTLE keeps the energy error bounded, momenta and constraints to
round-off; methods that are not symplectic drift."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import done, h5py, note, numpy, ok, run, table, together

EPS = 2.220446049250313e-16


def study(name, text):
    process, result = run(name, "study: conservation\n" + text, "--progress", "none")
    if not ok(process.returncode == 0, f"{name} runs", process.stderr):
        return None, []
    return h5py.File(result, "r"), table(result)


def momenta(f):
    return [name for name in f["observables"] if f"{name}_verdict" in f["statistics"] and name != "energy"]


def tell(row):
    return {
        k: v
        for k, v in row.items()
        if k.startswith(("energy", "rotation", "constraint", "hidden")) or k in ("method", "step", "end")
    }


def kept(name, f, row, case):
    title = f"{name}: {row['method']}, h = {row['step']:g}"
    n = f["cases/n"][case]
    ok(
        row["failed"] == 0 and row["displacement"] > 0.05,
        f"{title}: every trajectory ends, and moves",
        tell(row),
    )
    ok(row["energy_verdict"] in ("bounded", "exact"), f"{title}: the energy is bounded", tell(row))
    for momentum in momenta(f):
        bound = max(1e-13, 5 * EPS * numpy.sqrt(n)) * row[f"{momentum}_scale"]
        ok(
            row[f"{momentum}_max"] <= bound,
            f"{title}: {momentum} is kept to round-off",
            row[f"{momentum}_max"],
            bound,
        )
        ok(
            row[f"{momentum}_verdict"] in ("exact", "random-walk"),
            f"{title}: {momentum} has no trend",
            tell(row),
        )
    ok(row["constraint_scaled_max"] <= 1e-14, f"{title}: g = 0 to the solver's tolerance", tell(row))
    ok(row["hidden_scaled_max"] <= 1e-13, f"{title}: G v = 0 to round-off", tell(row))


def good(name, text):
    f, rows = study(name, text)
    for case, row in enumerate(rows):
        kept(name, f, row, case)


def drifting(name, text):
    """rattle first, the others after it at the same step: their energy drifts, or is worse."""
    f, rows = study(name + "-drift", text)
    if not rows:
        return
    for row in rows[1:]:
        title = f"{name}: {row['method']}, h = {row['step']:g}"
        note(
            f"{title}: {row['energy_verdict']}, "
            f"energy_max {row['energy_max']:.2e} against {rows[0]['energy_max']:.2e} of rattle"
        )
        ok(
            row["energy_verdict"] in ("linear", "quadratic", "exponential")
            or not row["energy_max"] <= rows[0]["energy_max"],
            f"{title}: the energy drifts",
            tell(row),
        )
        if row["method"].startswith("project"):
            ok(
                row["constraint_scaled_max"] <= 1e-13 and row["hidden_scaled_max"] <= 1e-13,
                f"{title}: projection keeps both constraints",
                tell(row),
            )
        else:
            ok(
                not row["constraint_scaled_max"] <= 1e-13,
                f"{title}: no method of its kind keeps the constraints",
                tell(row),
            )
    ok(
        rows[0]["energy_verdict"] in ("bounded", "exact"),
        f"{name}: rattle at the same step stays bounded",
        tell(rows[0]),
    )


DOUBLE = "system: double-pendulum\ninitial: {members: 16, seed: 7, around: low, spread: {q: 0.05, v: 0.05}}\n"
BODY = "system: rigid-body\ninitial: {members: 8, seed: 7, around: default, spread: {q: 0.1, v: 0.1}}\n"
TOP = "system: heavy-top\ninitial: {members: 8, seed: 7, around: default, spread: {q: 0.05, v: 0.1}}\n"

if __name__ == "__main__":
    together(
        [
            lambda: good("double pendulum", DOUBLE + "end: 1000.0\nsteps: [0.05, 0.01]\nmethods: [rattle]\n"),
            lambda: good(
                "double pendulum, composed",
                DOUBLE + 'end: 1000.0\nsteps: [0.05]\nmethods: ["compose(rattle, yoshida4)"]\n',
            ),
            lambda: good("rigid body", BODY + "end: 1000.0\nsteps: [0.05, 0.02]\nmethods: [rattle]\n"),
            lambda: good("heavy top", TOP + "end: 500.0\nsteps: [0.02, 0.01]\nmethods: [rattle]\n"),
            lambda: drifting(
                "double pendulum",
                DOUBLE + "end: 2000.0\nsteps: [0.1]\nmethods: [rattle, rk4, project(rk4)]\n",
            ),
            lambda: drifting(
                "rigid body", BODY + "end: 300.0\nsteps: [0.1]\nmethods: [rattle, rk4, project(rk4)]\n"
            ),
            lambda: drifting(
                "heavy top", TOP + "end: 100.0\nsteps: [0.05]\nmethods: [rattle, rk4, project(rk4)]\n"
            ),
        ],
        most=2,
    )
    done()
