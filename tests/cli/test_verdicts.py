"""test_verdicts.py: verdicts on real runs: what drifts, is at rest, breaks down or leaves is called so, and
what does not is not."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, done, h5py, numpy, ok, path, run, table, together, write

CART = (
    "system: cart\n"
    "coordinates: [x]\n"
    "mass: [1]\n"
    "potential: (x - {0})^2/2\n"
    "states: {{default: {{q: [{0} + 1], v: [0]}}}}\n"
)
GALAXY = (
    "system: galaxy\n"
    "coordinates: [x, y]\n"
    "mass: [1, 1]\n"
    "potential: (x^2 + y^2)/2 + x^2*y - y^3/3 + {0}\n"
    "states: {{default: {{q: [0.1, -0.2], v: [0.3, 0.16]}}}}\n"
)
OSCILLATOR = (
    "system: oscillator\n"
    "coordinates: [x, y]\n"
    "mass: [1, 1]\n"
    "potential: (x^2 + y^2)/2\n"
    "states: {default: {q: [1, 0.5], v: [0.2, 0.3]}}\n"
)
SADDLE = (
    "system: saddle\n"
    "coordinates: [x, y]\n"
    "mass: [1, 1]\n"
    "potential: (y^2 - x^2)/2\n"
    "states: {default: {q: [0.1, 0.2], v: [0.1, 0.2]}}\n"
)
LOW = (
    "system: double-pendulum\n"
    "initial: {members: 32, seed: 7, around: low, spread: {q: 0.05, v: 0.05}}\n"
    "steps: [0.05]\n"
    "observables: [energy, constraint]\n"
)

HANGING = (
    "system: hanging\n"
    "coordinates: [u]\n"
    "parameters: {{k: {0}, m: {1}, g: {2}, w: sqrt(k/m), c: {4}}}\n"
    "mass: [m]\n"
    "potential: k/2*((u - m*g/k)^2 - (m*g/k)^2) + m*g*u\n"
    "forces: {{drag: [\"-c*m*w*u'\"]}}\n"
    "states: {{default: {{q: [{3}*m*g/k], v: [0]}}}}\n"
)


def study(name, text):
    process, result = run(name, "study: conservation\n" + text, "--progress", "none")
    rows = table(result) if process.returncode in (0, 1) else []
    ok(rows, f"{name} runs", process.stderr)
    return rows


def own(name, system, text):
    """A study of a system of its own."""
    write(f"{name}-system.yaml", system)
    return study(name, f"system: {{file: {name}-system.yaml}}\n{text}")


def energies(rows):
    return [row["energy_verdict"] for row in rows]


def slow_drift():
    """Drifts of a few deviations of a window mean are not bounded; rattle beside them is."""
    rows = study(
        "drift", LOW + 'end: 1000.0\nmethods: ["compose(rattle, project(rk4))", rattle, project(rk4), rk4]\n'
    )
    if len(rows) == 4:
        ok(rows[0]["energy_verdict"] != "bounded", "a slope of seven errors: not bounded", rows[0])
        ok(rows[0]["energy_drift_limit"] > abs(rows[0]["energy_slope"]), "its limit holds it", rows[0])
        ok(
            energies(rows)[1:3] == ["bounded", "linear"],
            "rattle bounded, project(rk4) linear",
            energies(rows),
        )
        ok(
            rows[1]["energy_drift_limit"] * 1000 < rows[1]["energy_max"],
            "and what rattle may drift by is below what it swings by",
            rows[1],
        )
        ok(rows[0]["energy_slope_rms"] >= abs(rows[0]["energy_slope"]), "rms of the slopes", rows[0])
        kept = [(row["constraint_verdict"], row["hidden_verdict"]) for row in rows]
        ok(kept[1] == ("exact", "exact"), "rattle keeps both constraints to round-off", kept)
        ok(kept[3][0] not in ("exact", "frozen", "bounded"), "rk4 keeps none", kept)


def constants():
    """A constant in V moves nothing and changes no verdict."""
    for constant in (0, 1000):
        rows = own(
            f"galaxy{constant}",
            GALAXY.format(constant),
            "end: 500.0\nsteps: [0.01]\nmethods: [rattle, rk4]\nobservables: [energy]\n",
        )
        ok(
            energies(rows) == ["bounded", "linear"],
            f"potential + {constant}: rattle bounded, rk4 linear",
            rows,
        )


def explosion():
    """An unstable mode grows by e^20: the energy's change is no round-off of a scale that is reached at the
    end only."""
    rows = own(
        "saddle",
        SADDLE,
        "initial: {members: 16, seed: 3, around: default, spread: {q: 0.1, v: 0.1}}\n"
        "end: 20.0\n"
        "steps: [0.05]\n"
        "methods: [rattle]\n"
        "observables: [energy]\n",
    )
    ok(
        rows and rows[0]["energy_verdict"] not in ("exact", "bounded", "frozen"),
        "what explodes is not exact",
        rows,
    )


def origins():
    for x in (0, 3000, 3000000):
        rows = own(f"cart{x}", CART.format(x), "end: 500.0\nsteps: [0.05]\nmethods: [rattle, rk4]\n")
        ok("frozen" not in energies(rows), f"a cart that swings about x = {x} is not frozen", energies(rows))
        ok(
            len(rows) == 2 and rows[1]["energy_verdict"] == "linear",
            "and rk4 loses its energy linearly",
            energies(rows),
        )
    rows = own("still", CART.format(0).replace("0 + 1", "0"), "end: 50.0\nsteps: [0.05]\nmethods: [rattle]\n")
    ok(energies(rows) == ["frozen"], "one that stands still is", rows)


def wide_interval():
    """An exponent whose interval holds 0 is no random walk."""
    rows = study(
        "wide",
        "system: henon-heiles\n"
        "initial: {members: 32, seed: 3, around: {q: [0.1, -0.2], v: [0.42, 0.16]}, "
        "spread: {q: 0.01, v: 0.01}}\n"
        "end: 4000.0\n"
        "steps: [1.0]\n"
        'methods: ["compose(rattle, suzuki4)"]\n',
    )
    ok(
        rows and rows[0]["energy_verdict"] in ("bounded", "undecided"),
        "no random walk of a symplectic method",
        rows,
    )
    ok(
        rows and (rows[0]["energy_verdict"] != "undecided") == (rows[0]["energy_why"] == ""),
        "and undecided has a reason",
        rows,
    )


def escapes():
    rows = study(
        "leaving",
        "system: kepler\n"
        "initial: {members: 8, seed: 3, around: {q: [1.0, 0.0], v: [0.0, 1.6]}, spread: {q: 0.01, "
        "v: 0.01}}\n"
        "end: 500.0\n"
        "steps: [0.05]\n"
        "methods: [rattle, rk4]\n"
        "observables: [energy]\n",
    )
    ok(energies(rows) == ["escaped", "escaped"], "planets that are not bound have left", energies(rows))
    rows = study(
        "staying",
        "system: kepler\n"
        "initial: {members: 8, seed: 3, around: default, spread: {q: 0.01, v: 0.01}}\n"
        "end: 200.0\n"
        "steps: [0.02]\n"
        "methods: [rattle, rk4]\n"
        "observables: [energy]\n",
    )
    ok("escaped" not in energies(rows), "bound ones have not", energies(rows))


def whole_steps():
    """An oscillation of a whole number of steps, observed at one step in 15: no drift, and maxima as at every
    step."""
    common = (
        'end: "1000*2*pi"\n'
        "steps: {counts: [10000, 15000, 30000, 60000]}\n"
        'methods: ["compose(rattle, suzuki4)"]\n'
        "observables: [energy]\n"
    )
    some, every = own("whole", OSCILLATOR, common), own("each", OSCILLATOR, common + "observe: every\n")
    for a, b in zip(some, every):
        label = f"{a['observe']:.0f} steps a look, h = {a['step']:.4g}"
        ok(
            a["energy_verdict"] not in ("linear", "quadratic", "random-walk", "exponential"),
            f"{label}: does not drift",
            a,
        )
        ok(
            0.7 * b["energy_max"] <= a["energy_max"] <= b["energy_max"],
            f"{label}: the maximum is that of every step, nearly",
            a["energy_max"],
            b["energy_max"],
        )
    ok(
        [a["observe"] for a in some] == [9, 13, 15, 15] and {b["observe"] for b in every} == {1},
        "and the table says how many steps there are to a look",
        some,
    )


def failures():
    """Members that break down: the verdict says so, and no extremum is theirs."""
    rows = study(
        "broken",
        "system: henon-heiles\n"
        "initial: {members: 32, seed: 3, around: {q: [0.1, -0.2], v: [0.48, 0.16]}, spread: {q: 0.1, "
        "v: 0.1}}\n"
        "end: 400.0\n"
        "steps: [0.5]\n"
        "methods: [rk4]\n"
        "observables: [energy]\n",
    )
    if ok(rows and 0 < rows[0]["failed"] < 32, "some members fail", rows):
        ok(rows[0]["energy_verdict"] == "failed", "the verdict is failed", rows)
        ok(
            numpy.isfinite(rows[0]["energy_max"]) and rows[0]["energy_max"] < 1e3,
            "energy_max is of the others",
            rows,
        )


def unkept():
    """The row of what is undecided says how far it is from its start; so does the page. What is kept has no such number."""
    write(
        "unkept.yaml",
        "study: conservation\nsystem: kepler\nend: 6\nsteps: [0.01]\nmethods: [rattle]\nobservables: [energy, 'place: x']\n",
    )
    process = constella("run", path("unkept.yaml"), "-o", path("unkept.h5"), "--progress", "none")
    ok(process.returncode == 0, "unkept runs", process.stderr)
    with h5py.File(path("unkept.h5")) as f:
        change, scale = f["statistics/place_end_change"][0], f["statistics/place_scale"][0]
        verdict = f["statistics/place_verdict"][0].decode()
        away = abs(f["final/q"][0, 0, 0] - 0.4)
    ok(verdict == "undecided" and abs(change - away / scale) < 1e-12 and change > 0.1, "over its scale", verdict, change, away, scale)
    text = constella("table", path("unkept.h5")).stdout
    ok(f"undecided({change:.2g})" in text and "NAME_end_change" in text, "the row of the table", text)
    ok(f"{change:.2g}" not in constella("table", path("unkept.h5"), "--columns", "energy_verdict").stdout, "not that of another quantity")
    csv = constella("table", path("unkept.h5"), "--format", "csv", "--columns", "place_verdict").stdout
    ok(csv.split() == ["place_verdict", "undecided"], "for programs the word alone", csv)
    page = constella("report", path("unkept.h5"), "-o", path("unkept.html"))
    if page.returncode == 0:
        with open(path("unkept.html"), encoding="utf-8") as file:
            ok("place is undecided, and at the end off its start by a part of its scale" in file.read(), "the summary of the page")


def settling():
    """What loses or gains all at the start and then stays is not bounded: it has settled, or drifts."""
    rows = study(
        "lost",
        "system: planar-pendulum\nend: 10000\nsteps: [0.05]\nmethods: [radau(1), bdf(1), rattle]\nobservables: [energy]\n",
    )
    ok(energies(rows) == ["settled", "settled", "bounded"], "dissipating methods have lost all energy for good", rows)
    for row in rows[:2]:
        ok(abs(row["energy_settled_change"] - 0.5) < 0.01 and row["energy_settled_at"] < 1000, "how much, and when", row)
        ok(0.4 < row["energy_scale"] < 2, "the scale is that before", row["energy_scale"])
    ok(rows and numpy.isnan(rows[-1]["energy_settled_change"]), "rattle has not settled", rows)
    rows = own(
        "blown",
        "system: blown\ncoordinates: [x, y]\nmass: [1, 1]\npotential: 9.81*y\nconstraints: {rod: (x^2 + y^2 - 1)/2}\n"
        "states: {default: {q: [1, 0], v: [0, 0]}}\n",
        "initial: {around: default, members: 8, seed: 2, spread: {q: 0.02, v: 0.02}}\nend: 1000\nsteps: [0.1, 0.05]\n"
        'methods: ["generalized-alpha(rho={0.8, 0.9, 0.95})", rattle]\nobservables: [energy]\n',
    )
    ok(rows and "bounded" not in [row["energy_verdict"] for row in rows if row["energy_max"] > 10], "what blew up is not bounded", rows)


def drifting():
    """What drifts by a law that is not told drifts, and is not undecided."""
    rows = study(
        "euler",
        "system: kepler\nend: 100.0\nsteps: [0.01]\nmethods: [euler]\nobservables: [energy]\n",
    )
    ok(energies(rows) == ["drifts"], "explicit Euler on Kepler drifts", rows)
    ok(rows and rows[0]["energy_slope"] > 0 and rows[0]["energy_slope_error"] > 0, "with its rate", rows)
    ok(rows and rows[0]["energy_law"] == "" and rows[0]["energy_why"], "without a law, and why", rows)


def scales():
    """A part that moves uniformly hides neither a drift nor an error."""
    rows = own(
        "fast",
        "system: fast\ncoordinates: [x, y]\nmass: [1, 1]\npotential: y^2/2\n"
        "states: {default: {q: [0, 1], v: [10000, 0]}}\n",
        "end: 1000.0\nsteps: [0.05]\nmethods: [rk4]\nobservables: [energy]\n",
    )
    ok(energies(rows) == ["linear"] and rows[0]["energy_law"] == "linear", "truncation is no round-off", rows)
    rows = own(
        "clock",
        "system: clock\ncoordinates: [x, y, s]\nmass: [1, 1, 1e12]\npotential: 9.81*y\n"
        "constraints: {rod: (x - 0.1*sin(5*s))^2 + y^2 - 1}\n"
        "states: {default: {q: [0, -1, 0], v: [0.5, 0, 1]}}\n",
        "end: 100\nsteps: [0.01]\nmethods: [rattle]\nobservables: [energy]\n",
    )
    ok(rows and energies(rows) != ["exact"], "an error of 0.01 beside a heavy clock is not exact", rows)


def roundings():
    """What rounds inside an expression is round-off, in any unit and about any origin; a loss above it is not."""
    kept = {"exact", "linear (round-off)"}
    for unit, k, m, g in (("one", 100, 1, 9.81), ("nano", 0.5, 1e-26, 9.81e9), ("fast", 1e8, 1e-3, 9.81)):
        how = f"end: {2000 * (m / k) ** 0.5!r}\nsteps: [{0.1 * (m / k) ** 0.5!r}]\nmethods: [midpoint]\nobservables: [energy]\n"
        rows = own(f"hanging-{unit}", HANGING.format(k, m, g, 1e-6, 0), how)
        ok(rows and energies(rows)[0] in kept, f"a load that swings by 1e-6 of its sag, unit {unit}", rows)
        rows = own(f"losing-{unit}", HANGING.format(k, m, g, 1e-3, 1e-8), how)
        ok(energies(rows) == ["linear"], "one that loses 2e-5 of that", rows)
    for name, potential in (("exponential", "exp(x) - x - 1"), ("catenary", "cosh(x) - 1"), ("wave", "1 - cos(x)")):
        rows = own(
            name,
            f"system: {name}\ncoordinates: [x]\nmass: [1]\npotential: {potential}\nstates: {{default: {{q: [1e-6], v: [0]}}}}\n",
            "end: 1000\nsteps: [0.05]\nmethods: [midpoint]\nobservables: [energy]\n",
        )
        ok(rows and energies(rows)[0] in kept, f"V = {potential} near 0", rows)
    for x in (1e4, 1e8):
        how = f"end: 2000\nsteps: [0.1]\nmethods: [midpoint]\nobservables: [energy, \"H: x'^2/2 + (x - {x})^2/2\"]\n"
        rows = own(f"far{x:g}", CART.format(x), how)
        ok(rows and energies(rows)[0] in kept and rows[0]["H_verdict"] in kept, f"a cart that swings about x = {x:g}", rows)
        rows = own(f"farther{x:g}", CART.format(x).replace("states", f"forces: {{drag: [\"-{1e-15 * x}*x'\"]}}\nstates"), how)
        ok(rows and energies(rows) == ["linear"] and rows[0]["H_verdict"] == "linear", "one that is slowed down", rows)
    rows = own(
        "little",
        OSCILLATOR.replace("[1, 0.5]", "[1, 1]").replace("[0.2, 0.3]", "[0.5, 0.5 + 1e-12]"),
        "end: 2000\nsteps: [0.1]\nmethods: [midpoint]\nobservables: [\"L: x*y' - y*x'\"]\n",
    )
    ok(rows and rows[0]["L_verdict"] in kept, "a momentum that is small against its terms", rows)
    with open(path("exponential-rest.yaml"), "w", encoding="utf-8") as file:
        file.write("study: conservation\nsystem: {file: exponential-system.yaml}\ninitial: {q: [1e-8], v: [0]}\nend: 200\nsteps: [0.01]\nmethods: [midpoint]\n")
    process = constella("run", path("exponential-rest.yaml"), "-o", path("exponential-rest.h5"), "--progress", "none")
    ok(process.returncode == 0 and "warning" not in process.stderr, "round-off as large as the energy: no warning", process.stderr)


def survivors():
    """Means over survivors say so."""
    rows = table(
        run(
            "survive",
            "study: ensemble\nsystem: henon-heiles\n"
            "initial: {members: 32, seed: 3, around: {q: [0.1, -0.2], v: [0.48, 0.16]}, "
            "spread: {q: 0.1, v: 0.1}}\n"
            "end: 400.0\nsteps: [0.5]\nmethods: [rk4]\nobservables: [energy]\n",
            "--progress",
            "none",
        )[1]
    )
    if ok(rows and 0 < rows[0]["failed"] < 32, "some members fail", rows):
        row = rows[0]
        ok(row["energy_survivors"] == 32 - row["failed"], "the others count", row)
        ok(row["energy_flag"] == "biased", "and the mean is biased", row)


if __name__ == "__main__":
    together(
        [slow_drift, constants, explosion, origins, wide_interval, escapes, whole_steps, failures, settling, unkept, drifting, scales, roundings, survivors],
        most=2,
    )
    done()
