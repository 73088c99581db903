#!/usr/bin/env python3
# water.py: the last part of `make bench`: clusters of rigid water, all pairs, beside the `fix rattle` of LAMMPS where it is installed (Debian:
# lammps). CPU time of whole processes at two lengths, one thread, double precision: the slope is the time of a step.
# SPDX-License-Identifier: BSD-2-Clause
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "constella"))
FOLDER = tempfile.mkdtemp(prefix="constella-bench-")
STEP, UNIT = 0.0625, 0.010180505   # UNIT: of time, in picoseconds


def cpu(command):
    """CPU seconds of a process and its children, the least of two."""

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stdout[-500:]}{done.stderr}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once(), once())


def write(name, text):
    with open(os.path.join(FOLDER, name), "w") as f:
        f.write(text)
    return name


def study(n, members, steps):
    initial = "lattice" if members == 1 else f"{{members: {members}, seed: 3, around: lattice, spread: {{v: 0.001}}}}"
    return [PROGRAM, "run", write("study.yaml", f"""study: conservation
system: {{name: tip3p-water, parameters: {{n: {n}}}, compile: always}}
initial: {initial}
end: {steps * STEP}
steps: [{STEP}]
methods: [rattle]
observables: [energy]
"""), "-o", "out.h5", "--overwrite", "--progress", "none"]


def molecule(i, edge, r=0.9572, half=104.52 * math.pi / 360):
    f, t, s = i * i, 2.4 * i, 3.0 * i
    u = (math.cos(f) * math.sin(t), math.sin(f) * math.sin(t), math.cos(t))
    e, g = (math.cos(f) * math.cos(t), math.sin(f) * math.cos(t), -math.sin(t)), (-math.sin(f), math.cos(f), 0.0)
    w = [math.cos(s) * a + math.sin(s) * b for a, b in zip(e, g)]
    o = [3.0 * x for x in ((i - 1) % edge, (i - 1) // edge % edge, (i - 1) // edge**2)]
    return [o] + [[a + r * (math.cos(half) * b + sign * math.sin(half) * c) for a, b, c in zip(o, u, w)] for sign in (1, -1)]


def lammps(n, steps):
    edge = next(k for k in range(1, n + 1) if k**3 >= n)
    A, C = 25238.0, 25.8017
    atoms = [(m, s, x) for m in range(n) for s, x in enumerate(molecule(m + 1, edge))]
    write("data", f"water\n\n{3 * n} atoms\n{2 * n} bonds\n{n} angles\n2 atom types\n1 bond types\n1 angle types\n"
          + "".join(f"-200 200 {k}lo {k}hi\n" for k in "xyz") + "\nMasses\n\n1 15.9994\n2 1.008\n\nAtoms\n\n"
          + "".join(f"{3 * m + s + 1} {m + 1} {2 if s else 1} {0.417 if s else -0.834} {x[0]!r} {x[1]!r} {x[2]!r}\n" for m, s, x in atoms)
          + "\nBonds\n\n" + "".join(f"{2 * m + s + 1} 1 {3 * m + 1} {3 * m + 2 + s}\n" for m in range(n) for s in (0, 1))
          + "\nAngles\n\n" + "".join(f"{m + 1} 1 {3 * m + 2} {3 * m + 1} {3 * m + 3}\n" for m in range(n)))
    return ["lmp", "-log", "none", "-in", write("in", f"""units metal
atom_style full
boundary s s s
bond_style harmonic
angle_style harmonic
read_data data
special_bonds lj/coul 0 0 0
pair_style lj/cut/coul/cut 150.0
pair_coeff * * 0 1
pair_coeff 1 1 {C * C / 4 / A!r} {(A / C) ** (1 / 6)!r}
bond_coeff 1 0 0.9572
angle_coeff 1 0 104.52
neighbor 1.0 bin
neigh_modify every 1000000000 delay 1000000000 check no
fix 1 all nve
fix 2 all rattle 1e-13 100 0 b 1 a 1
timestep {STEP * UNIT!r}
thermo {steps}
run {steps}
""")]


def slope(make, few, members=1):
    """Microseconds of a trajectory-step."""
    return (cpu(make(5 * few)) - cpu(make(few))) / (4 * few * members) * 1e6


def main():
    peer = shutil.which("lmp")
    print("\nrigid water, all pairs, rattle; microseconds of CPU a trajectory-step" + ("" if peer else "; no LAMMPS here (lmp) to compare with"))
    for n, few, batch in ((7, 20000, 16384), (100, 1500, 1024)):
        cpu(study(n, 1, 1)), cpu(study(n, 64, 1))   # compiled from then on
        one = slope(lambda steps: study(n, 1, steps), max(few, 16384 // 8))
        many = slope(lambda steps: study(n, 64, steps), batch // 8, 64)
        line = f"  n = {n:3}: one trajectory {one:7.2f}, of 64 members {many:7.2f}"
        if peer:
            other = slope(lambda steps: lammps(n, steps), few if n < 50 else 150)
            line += f"; LAMMPS {other:7.2f}: {one / other:.2f} and {many / other:.2f} of it (aims 1.0 and 0.5)"
        print(line, flush=True)


try:
    main()
finally:
    shutil.rmtree(FOLDER, True)
