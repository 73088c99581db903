"""test_benchmarks.py: jobs/benchmarks/digits.py: at the first step of two studies methods agree with the published
values to as many digits as their order gives, a wrong reference is seen, and an unknown name is refused."""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import ENVIRONMENT, PROGRAM, constella, done, ok, scratch

BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import digits  # noqa: E402
import numpy as np  # noqa: E402

# the least number of digits at the largest step
LEAST = {("andrews", "radau(4)"): 6, ("andrews", "radau(3)"): 4, ("arenstorf", "gauss(6)"): 11, ("car-axis", "gauss(4)"): 8}


def run(*words):
    return subprocess.run(
        [sys.executable, str(BENCHMARKS / "digits.py"), *words],
        env={**ENVIRONMENT, "CONSTELLA": PROGRAM},
        capture_output=True,
        text=True,
    )


x = run("andrews", "car-axis", "arenstorf", "--first", "1", "--folder", scratch())
ok(x.returncode == 0, "two benchmarks run", x.stderr)
name, found = "", {}
for line in x.stdout.splitlines():
    if ": reference of" in line:
        name = line.split(":")[0]
    elif line and not line.startswith("method"):
        found[name, line[:30].strip()] = line[30:].split()[1]
for case, least in LEAST.items():
    ok(float(found[case]) >= least, f"{case[0]}, {case[1]}: {least} digits ({found[case]})", x.stdout)
ok(digits.digits(np.array([1.001, 0]), np.array([1.0, 0])) < 3.1, "a coordinate that is off by 1e-3 has three digits")
x = run("andrew")
ok(x.returncode == 2 and "no benchmark andrew; there are andrews, pleiades, car-axis, arenstorf" in x.stderr, "an unknown name")
for system in sorted(BENCHMARKS.glob("*.system.yaml")):
    x = constella("system", str(system))
    ok(x.returncode == 0, f"constella system {system.name}", x.stdout, x.stderr)
done()
