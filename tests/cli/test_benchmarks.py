"""test_benchmarks.py: jobs/benchmarks/digits.py: at the first step of some studies methods agree with the published
values to as many digits as their order gives, a wrong reference is seen, and an unknown name is refused; systems of
the folder are found by their names, and their results are verified without it."""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import ENVIRONMENT, PROGRAM, constella, done, h5py, ok, path, scratch, write

BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import digits  # noqa: E402
import numpy as np  # noqa: E402

# the least number of digits at the largest step
LEAST = {
    ("andrews", "radau(4)"): 6,
    ("andrews", "radau(3)"): 4,
    ("car-axis", "project(gauss(4))"): 7,
    ("contact-oscillator", "project(rk8)"): 10,
    ("crank", "radau(4)"): 4,
    ("slider-crank", "radau(4)"): 5,
    ("governor", "radau(4)"): 8,
    ("four-bar-chain", "compose(rattle, suzuki4)"): 6,
    ("pendulum-cvt", "project(rk8)"): 8,
    ("tippe-top", "project(rk8)"): 4,
    ("coin", "project(gauss(3))"): 6,
}


def run(*words):
    return subprocess.run(
        [sys.executable, str(BENCHMARKS / "digits.py"), *words],
        env={**ENVIRONMENT, "CONSTELLA": PROGRAM},
        capture_output=True,
        text=True,
    )


x = run(*dict.fromkeys(name for name, _ in LEAST), "iftomm-a01", "--first", "1", "--folder", scratch())
ok(x.returncode == 0, "benchmarks run", x.stderr)
name, found = "", {}
for line in x.stdout.splitlines():
    if ": reference of" in line:
        name = line.split(":")[0]
    elif not line:
        name = ""
    elif name and not line.startswith("method"):
        method, _, rest = line.partition("  ")
        found[name, method] = rest.split()[1]
for case, least in LEAST.items():
    ok(float(found[case]) >= least, f"{case[0]}, {case[1]}: {least} digits ({found[case]})", x.stdout)
ok("energy_max" in x.stdout and "cpu_seconds" in x.stdout, "the criterion of IFToMM has a table", x.stdout)
ok(digits.digits(np.array([1.001, 0]), np.array([1.0, 0])) < 3.1, "a coordinate that is off by 1e-3 has three digits")
x = subprocess.run([sys.executable, BENCHMARKS / "independent.py", "four-bar-chain"], capture_output=True, text=True)
ok("q = [6.879259707907724e-01, 7.257808613566311e-01]" in x.stdout, "a reference is computed again", x.stdout, x.stderr)
x = run("andrew")
ok(x.returncode == 2 and "no benchmark andrew; there are andrews, pleiades, arenstorf, " in x.stderr, "an unknown name")
WHERE = {"CONSTELLA_SYSTEMS": str(BENCHMARKS)}
names = sorted(x.name.removesuffix(".system.yaml") for x in BENCHMARKS.glob("*.system.yaml"))
for name in names:
    x = constella("system", name, env=WHERE)
    ok(x.returncode == 0 and x.stdout.startswith(f"{name}: "), f"constella system {name}", x.stdout, x.stderr)
x = constella("list", "systems", env=WHERE).stdout.split("Benchmarks, compiled where they are used:")
ok(len(x) == 2 and all(f"\n{name} " in x[1] for name in names), "they are listed apart", x[-1])
ok(constella("show", "car-axis", env=WHERE).returncode == 0, "they have pages")

BICYCLE = """study: conservation
system: {name: bicycle, compile: never}
initial:
  q: [0, 0, 0, 0, -pi/10, 0, 0, 0]
  v: [4.6, -3.0e-5, 0, 1.0e-4, 0, 0, 4.6/0.3, 4.6/0.35]
end: 1
steps: [0.02]
methods: [project(rk8)]
"""
# M, g K0 + v^2 K2 and v C1 of the linearised equations of roll and steer, Meijaard et al. 2007, section 4; there del
# turns about the axis downwards
M = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
K0 = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]
K2 = [[0, 76.59734589573222], [0, 2.65431523794604]]
C1 = [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]


def linearised():
    """Roll and steer at t = 1 of a bicycle of 4.6 m/s that is given a rate of roll of 1e-4."""
    inverse, v = np.linalg.inv(M), 4.6
    A = np.block([[np.zeros((2, 2)), np.eye(2)],
                  [-inverse @ (9.81 * np.array(K0) + v**2 * np.array(K2)), -inverse @ np.array(C1) * v]])  # fmt: skip
    rates, modes = np.linalg.eig(A)
    return (modes @ (np.exp(rates) * np.linalg.solve(modes, [0, 0, 1e-4, 0]))).real


def test_eigenvalues():
    """The modes of the bicycle by tangent vectors, beside table 2 of the source."""
    x = subprocess.run(
        [sys.executable, str(BENCHMARKS / "eigenvalues.py"), "--folder", scratch()],
        env={**ENVIRONMENT, "CONSTELLA": PROGRAM},
        capture_output=True,
        text=True,
    )
    rows = [line.split() for line in x.stdout.splitlines()[1:] if line]
    ok([row[0] for row in rows] == ["capsize", "weave", "castering"], "eigenvalues.py runs", x.stdout, x.stderr)
    for name, *numbers in rows:
        own, other, published = map(float, numbers)
        ok(abs(own - published) < 0.004 * abs(published), f"{name}: the rate of tangent vectors is the published one", own)
        ok(abs(other - published) < 1e-6, f"{name}: so is that of the linearised equations", other)


def test_bicycle():
    x = constella("run", write("bicycle.yaml", BICYCLE), "-o", path("bicycle.h5"), "--progress", "none", env=WHERE)
    ok(x.returncode == 0, "the bicycle runs", x.stderr)
    with h5py.File(path("bicycle.h5")) as f:
        q = f["final/q"][0, 0]
    linear = linearised()
    off = max(abs(q[3] / linear[0] - 1), abs(-q[5] / linear[1] - 1))
    ok(off < 1e-5, f"a small motion of the bicycle is that of its linearised equations ({off:.1e})")


def test_bicycle_as_bodies():
    """Four bodies with hinges and rolling wheels: the linearised equations, and the bicycle in angles."""
    bodies = BICYCLE.replace("{name: bicycle, compile: never}", "{name: bicycle-bodies, parameters: {roll: [1.0e-4, 0.05]}}")
    bodies = re.sub(r"initial:.*?(?=end)", "", bodies, flags=re.S) + "roundoff: {dyadic-steps: false}\n"
    angles = BICYCLE.replace("-3.0e-5", "-0.05*0.3").replace("1.0e-4", "0.05") + "roundoff: {dyadic-steps: false}\n"
    for name, text in (("wheels", bodies), ("angles", angles)):
        x = constella("run", write(f"{name}.yaml", text), "-o", path(f"{name}.h5"), "--progress", "none", env=WHERE)
        ok(x.returncode == 0, f"the bicycle in {name} runs", x.stderr)
    with h5py.File(path("wheels.h5")) as f, h5py.File(path("angles.h5")) as g:
        small, large = f["final/q"][0, 0], f["final/q"][1, 0]
        exact = g["final/q"][0, 0][[3, 5]] * [1, -1]

    def lean(q):
        B, H = q[12:21].reshape(3, 3), q[24:33].reshape(3, 3)
        ahead = np.cos(np.pi / 10) * B[:, 0] + np.sin(np.pi / 10) * B[:, 2]
        return np.arcsin([B[2, 1], H[:, 1] @ ahead])

    linear, off = lean(small) / linearised()[:2] - 1, lean(large) - exact
    ok(abs(linear).max() < 1e-6, "its bodies follow the linearised equations", linear)
    ok(abs(off).max() < 1e-8, "and the equations in angles", off)


test_eigenvalues()
test_bicycle()
test_bicycle_as_bodies()


def test_governor_as_bodies():
    """The governor as four bodies moves to that in angles with order 2, by the midpoint rule."""
    with open(BENCHMARKS / "governor-bodies.yaml") as f:
        bodies = f.read().replace("file: governor-bodies.system.yaml", "name: governor-bodies")
    angles = "study: conservation\nsystem: governor\nend: 0.25\nsteps: [0.005]\nmethods: [radau(4)]\nroundoff: {dyadic-steps: false}\n"
    for name, text in (("four bodies", bodies), ("four angles", angles)):
        x = constella("run", write(f"{name}.yaml", text), "-o", path(f"{name}.h5"), "--progress", "none", env=WHERE)
        ok(x.returncode == 0, f"the governor in {name} runs", x.stderr)
    with h5py.File(path("four angles.h5")) as f, h5py.File(path("four bodies.h5")) as g:
        psi, b, _, height = f["final/q"][0, 0]
        exact = np.array([np.cos(psi), np.sin(psi), -np.sin(b), height])
        off = [g["final/q"][k, 0][[0, 3, 15, 44]] - exact for k in (0, 1)]
    rate = off[0] / off[1]
    ok(abs(off[1]).max() < 1e-4 and abs(rate - 4).max() < 0.05, "as bodies it moves as in angles, to order 2", off, rate)


test_governor_as_bodies()

# Of the wheelset at its start: what package deTestSet for R lists (multipliers to five digits, and the accelerations
# for these, which are off by as much).
WHEELSET = """study: conservation
system: wheelset
end: 1.0e-8
steps: [1.0e-8]
methods: [project(rk4)]
roundoff: {dyadic-steps: false}
samples: {count: 0}
"""
ACCELERATIONS = [-1.975258894011285, -1.0898297102811276e-03, 7.8855083626142589e-02, -5.533362821731549, -0.3487021489546511]


def test_wheelset():
    x = constella("run", write("wheelset.yaml", WHEELSET), "-o", path("wheelset.h5"), "--progress", "none", env=WHERE)
    ok(x.returncode == 0, "the wheelset runs", x.stderr)
    with h5py.File(path("wheelset.h5")) as f:
        p, force = f["final/p"][0, 0], f["final/lambda"][0, 0]
    spin = np.sin(0.26459e-3) * p[5]  # of the axle, in the momentum of theta
    found = (p[:5] - [0, 0, 0, spin, 0]) / [16.08, 16.08, 16.08, 0.366, 0.366] / 1e-8
    ok(abs(found - ACCELERATIONS).max() < 2e-3, "it sets out with the accelerations of the Test Set", found)
    ok(abs(force - [83.593, 74.144]).max() < 2e-3, "and with its multipliers", force)


test_wheelset()

STUDY = """study: conservation
system: SYSTEM
end: 1
steps: [0.1]
methods: [project(rk4)]
"""


def by_name(form):
    result = path("named.h5")
    study = write("named.yaml", STUDY.replace("SYSTEM", form))
    x = constella("run", study, "-o", result, "--overwrite", "--progress", "none", env=WHERE, ranks=2)
    ok(x.returncode == 0, f"system: {form}: found", x.stderr)
    x = constella("verify", result, env={"CONSTELLA_SYSTEMS": scratch()})
    ok(x.returncode == 0, f"system: {form}: verified where the file is not", x.stdout, x.stderr)
    with h5py.File(result) as f:
        text = f.attrs["study"]
    return text.decode() if isinstance(text, bytes) else text


text = by_name("contact-oscillator")
ok("name: contact-oscillator" in text and "sha256: " in text, "the stored study has the name and the checksum", text)
by_name("{name: contact-oscillator, parameters: {eps: [0, 0.2]}}")
other = STUDY.replace("SYSTEM", "{name: contact-oscillator, sha256: 00}")
x = constella("check", write("other.yaml", other), env=WHERE)
ok(x.returncode == 2 and "sha256 is 00; that of contact-oscillator is" in x.stderr, "a wrong checksum", x.stderr)
x = constella("check", write("other.yaml", STUDY.replace("SYSTEM", "contact-osillator")), env=WHERE)
ok("did you mean 'contact-oscillator'" in x.stderr, "a wrong name is told the nearest", x.stderr)
x = constella("check", write("other.yaml", STUDY.replace("SYSTEM", '"../benchmarks/andrews"')), env=WHERE)
ok(x.returncode == 2 and "unknown system" in x.stderr, "a name is no path", x.stderr)
done()
