"""test_frequencies.py: frequencies of known motions; their drift tells chaotic from regular orbits; the same bits for
any ranks, batches and interruptions, extended by members and to a later end; mistakes."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, h5py, numpy, ok, path, resumes, run, survives, table, together, write

OSCILLATOR = "system: oscillator\ncoordinates: [x]\nmass: [1]\npotential: x^2/2\nstates: {default: {q: [1], v: [0.3]}}\n"
KNOWN = """study: ensemble
system: SYSTEM
initial: START
end: 204.8
steps: [0.05]
methods: ["compose(rattle, kahan-li8)"]
samples: {count: 0}
frequencies:
  - {name: real, expression: x, every: 0.2, window: 2}
  - {name: signed, expression: x, imaginary: "-x'", every: 0.2}
  - {name: back, expression: x, imaginary: "x'", every: 0.2}
"""
GRID = """study: ensemble
system: henon-heiles
initial: {members: MEMBERS, seed: 5, spread: {q: 0.05, v: 0.05}}
end: END
steps: [0.1, 0.05]
methods: ["compose(rattle, suzuki4)"]
samples: {count: 4}
frequencies:
  - {name: nu, expression: x, imaginary: "-x'", every: 0.4, terms: 3}
  - {name: y, expression: "x*y", every: 0.3}
"""


def filled(text, **words):
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text


def mean(a, b):
    """The arithmetic-geometric mean."""
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, (a * b) ** 0.5
    return a


def oscillator():
    write("oscillator.yaml", OSCILLATOR)
    result = run("known", filled(KNOWN, SYSTEM="{file: oscillator.yaml}", START="default"))[1]
    with h5py.File(result) as f:
        found = {name: f[f"frequencies/{name}"][0, 0, 0] for name in ("real", "signed", "back")}
        size = f["frequencies/signed_amplitude"][0, 0, 0]
        halves = f["frequencies/signed_halves"][0, 0]
    off = [found["real"] - 1, found["signed"] - 1, found["back"] + 1, *(halves - 1)]
    ok(max(numpy.abs(off)) < 1e-10, "the oscillator, real and complex, forth and back", off)
    ok(abs(size - 1.09**0.5) < 1e-10, "its amplitude", size)


def pendulum():
    """x = sin of the angle; nu = agm(1, cos(amplitude/2)), and odd multiples of it."""
    text = filled(KNOWN, SYSTEM="planar-pendulum", START="{q: [0, -1], v: [V, 0]}")
    text = text.replace("window: 2", "window: 2, terms: 3")
    for v in (0.5, 1.2, 1.9):
        result = run(f"pendulum-{v}", text.replace("V,", f"{v},"))[1]
        nu = mean(1, (1 - v * v / 4) ** 0.5)
        with h5py.File(result) as f:
            lines = f["frequencies/real"][0, 0]
        near = 1e-8 if v < 1.5 else 1e-6  # the harmonics of a high swing are strong
        ok(abs(lines[0] - nu) < near and abs(lines[1] - 3 * nu) < 1e-3, f"v = {v}: the elliptic integral", lines, nu)


def chaos():
    """Two orbits at the energy 1/8: a curve in the section, and one of the sea."""
    text = filled(GRID, END=1638.4).replace("steps: [0.1, 0.05]", "steps: [0.1]")
    write("orbits.csv", "x,y,x',y'\n" + "".join(f"0,{y},{v},{w}\n" for y, v, w in ORBITS))
    text = text.replace("initial: {members: MEMBERS, seed: 5, spread: {q: 0.05, v: 0.05}}", "initial: {csv: orbits.csv}")
    process, result = run("orbits", text)
    ok(process.returncode == 0, "orbits run", process.stderr)
    with h5py.File(result) as f:
        drift = numpy.abs(numpy.diff(f["frequencies/nu_halves"][0], axis=1)[:, 0])
    ok(drift[0] < 1e-6 and drift[1] > 1e-3, "the drift of a regular and of a chaotic orbit", drift)
    (row,) = table(result)
    ok(row["nu_frequency_drift_max"] == drift.max(), "the column has the largest", row)


def energy_start(y, w):
    """The velocity x' on x = 0 at the energy 1/8."""
    return (2 * (0.125 - y * y / 2 + y**3 / 3) - w * w) ** 0.5


ORBITS = [(y, energy_start(y, w), w) for y, w in ((0.3, 0.0), (-0.1, 0.1))]


def bits():
    text = filled(GRID, MEMBERS=5, END=51.2)
    whole = run("plain", text)[1]
    for how, more, ranks in (("batches", ["--batch", "2"], 0), ("ranks", [], 2)):
        process, other = run(f"other-{how}", text, *more, ranks=ranks)
        differ = differences(digests(whole), digests(other))
        ok(process.returncode == 0 and not differ, f"the same bits for other {how}", differ, process.stderr)
    alone = run("alone", text.split("frequencies:")[0])[1]
    differ = [x for x in differences(digests(whole), digests(alone)) if any(y in x for y in ("final/", "observables/", "series/"))]
    ok(not differ, "trajectories have the bits of a run without", differ)
    verify = constella("verify", whole)
    ok(verify.returncode == 0 and "all with the same bits" in verify.stdout, "verified", verify.stdout, verify.stderr)
    rows = table(whole)
    with h5py.File(whole) as f:
        nu, halves = f["frequencies/nu"][()], f["frequencies/nu_halves"][()]
        there = f["frequencies/nu"]
        ok(there.shape == (2, 5, 3) and "strongest" in there.attrs["long_name"], "its shape", there.shape)
    mine = [nu[0, :, 0].min(), nu[0, :, 0].max(), numpy.median(numpy.abs(halves[0, :, 1] - halves[0, :, 0]))]
    told = [rows[0][f"nu_frequency{x}"] for x in ("_least", "_largest", "_drift")]
    ok(numpy.allclose(mine, told, rtol=1e-14) and abs(rows[0]["nu_frequency"] - nu[0, :, 0].mean()) < 1e-14, "columns", rows)


def changed(name, first, last, but=()):
    """Extends the result of one study to another, and compares with that run in one piece."""
    run(name + "-part", first)
    study = write(name + "-more.yaml", last)
    process = constella("extend", path(name + "-part.h5"), study, "-o", path(name + ".h5"), "--progress", "none")
    ok(process.returncode == 0, f"{name}: extended", process.stdout, process.stderr)
    whole = run(name + "-whole", last)[1]
    differ = [
        x
        for x in differences(digests(path(name + ".h5")), digests(whole))
        if not any(y in x for y in ("continue/", "@continued", *but))
    ]
    ok(not differ, f"{name}: the bits of a run in one piece", differ)
    verify = constella("verify", path(name + ".h5"))
    ok(verify.returncode == 0, f"{name}: verified", verify.stdout, verify.stderr)


def extended():
    later = filled(GRID, MEMBERS=3) + "extensible: true\n"
    changed("later", later.replace("END", "25.6"), later.replace("END", "51.2"), ["series/"])
    changed("members", filled(GRID, MEMBERS=3, END=25.6), filled(GRID, MEMBERS=5, END=25.6))


def resumed():
    text = filled(GRID, MEMBERS=3, END=3276.8) + "checkpoint: {seconds: 0.05}\n"
    resumes("resumed", text)


def killed():
    """Samples and what they are transformed into survive a kill."""
    survives("killed", filled(GRID, MEMBERS=3, END=6553.6) + "checkpoint: {seconds: 0.05}\n")


def failed():
    """Members that failed have no frequencies, and no part in the columns; a signal without lines has none."""
    process, result = run(
        "failed",
        """study: ensemble
system: planar-pendulum
initial: {members: 12, seed: 3, spread: {q: 0.05, v: 2.5}}
end: 40
steps: [0.5]
methods: [rattle]
frequencies: [{name: nu, expression: x, every: 1}, {name: none, expression: "x^2 + y^2", every: 1}]
""",
    )
    ok(process.returncode == 1, "some members fail", process.stderr)
    (row,) = table(result)
    with h5py.File(result) as f:
        good, nu = f["final/status"][0] == 0, f["frequencies/nu"][0, :, 0]
        none = f["frequencies/none"][()]
    ok(0 < good.sum() < 12 and numpy.isnan(nu[~good]).all() and numpy.isfinite(nu[good]).all(), "without them", nu)
    ok(row["nu_survivors"] == good.sum() and row["nu_flag"] == "biased", "and says so", row)
    ok(numpy.isnan(none).all() and numpy.isnan(row["none_frequency"]), "a constant has no frequency", none, row)


def mistakes():
    base = filled(GRID, MEMBERS=2, END=51.2).split("frequencies:")[0]
    for name, line, said in (
        ("scalar", "frequencies: x", "'frequencies' is"),
        ("empty", "frequencies: []", ":8:14: error: 'frequencies' is an empty list"),
        ("text", "frequencies: [x]", ":8:15: error: a frequency is a map"),
        ("key", "frequencies: [{name: h, of: y}]", "unknown key 'of'"),
        ("missing", "frequencies: [{name: h, every: 1}]", "missing key 'expression'"),
        ("unnamed", "frequencies: [{expression: y, every: 1}]", "missing key 'name'"),
        ("often", "frequencies: [{name: h, expression: y}]", "missing key 'every'"),
        ("word", "frequencies: [{name: 4you, expression: y, every: 1}]", ":8:22: error: '4you' cannot name a frequency"),
        ("taken", "frequencies: [{name: energy, expression: y, every: 1}]", "the name 'energy' is taken by an observable"),
        ("expression", "frequencies: [{name: h, expression: y + z, every: 1}]", ":8:41: error: frequency 'h': unknown name 'z'"),
        (
            "imaginary",
            "frequencies: [{name: h, expression: y, imaginary: z, every: 1}]",
            ":8:51: error: frequency 'h': unknown name 'z'",
        ),
        (
            "twice",
            "frequencies: [{name: h, expression: y, every: 1}, {name: h, expression: x, every: 1}]",
            ":8:58: error: the frequency 'h' appears twice",
        ),
        ("multiple", "frequencies: [{name: h, expression: y, every: 0.25}]", "'every' is 0.25, which is no multiple of the step 0.1"),
        ("negative", "frequencies: [{name: h, expression: y, every: -1}]", ":8:47: error: 'every' is -1; it must be above 0"),
        (
            "few",
            "frequencies: [{name: h, expression: y, every: 3.2}]",
            "'every' is 3.2, which gives 17 samples in a run; allowed are 32 to 65536",
        ),
        ("terms", "frequencies: [{name: h, expression: y, every: 1, terms: 17}]", "'terms' is 17"),
        ("window", "frequencies: [{name: h, expression: y, every: 1, window: 0}]", "'window' is 0"),
        (
            "collide",
            "frequencies: [{name: h, expression: y, every: 1}, {name: h_halves, expression: x, every: 1}]",
            "h_halves",
        ),
        (
            "many",
            "frequencies: [" + ", ".join(f"{{name: h{i}, expression: y, every: 1}}" for i in range(17)) + "]",
            ":8:14: error: there are 17 frequencies; at most 16 are allowed",
        ),
    ):
        process = constella("check", write(name + ".yaml", base + line + "\n"))
        ok(process.returncode == 2 and said in process.stderr, f"{name}: refused", process.stderr)
    many = base.replace("51.2", "51200") + "frequencies: [{name: h, expression: y, every: 0.1}]\n"
    process = constella("check", write("long.yaml", many))
    ok("which gives 512001 samples" in process.stderr, "too many samples", process.stderr)
    process = constella("check", write("good.yaml", filled(GRID, MEMBERS=2, END=51.2)))
    said = "frequencies    nu: x + i -x', 129 samples (2.06 kB per trajectory), to 7.854 in steps of 0.12\n"
    ok(said in process.stdout, "told", process.stdout)


together([oscillator, pendulum, chaos, bits, extended, resumed, killed, failed, mistakes])
done()
