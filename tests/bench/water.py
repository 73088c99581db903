#!/usr/bin/env python3
# water.py: the last part of `make bench`: clusters of rigid water, all pairs, compared with the `fix
# rattle` of LAMMPS and the SETTLE of GROMACS if these are installed (Debian: lammps, gromacs). CPU time of
# whole processes at two lengths, one thread, double precision: the slope is the time per step.
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
STEP, UNIT = 0.0625, 0.010180505  # UNIT: of time, in picoseconds


def cpu(command):
    """CPU seconds of a process and its children, the least of two."""

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            command, cwd=FOLDER, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
        )
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
    initial = (
        "lattice"
        if members == 1
        else f"{{members: {members}, seed: 3, around: lattice, spread: {{v: 0.001}}}}"
    )
    return [
        PROGRAM,
        "run",
        write(
            "study.yaml",
            f"""study: conservation
system: {{name: tip3p-water, parameters: {{n: {n}}}, compile: always}}
initial: {initial}
end: {steps * STEP}
steps: [{STEP}]
methods: [rattle]
observables: [energy]
""",
        ),
        "-o",
        "out.h5",
        "--overwrite",
        "--progress",
        "none",
    ]


def molecule(i, edge, r=0.9572, half=104.52 * math.pi / 360):
    f, t, s = i * i, 2.4 * i, 3.0 * i
    u = (math.cos(f) * math.sin(t), math.sin(f) * math.sin(t), math.cos(t))
    e, g = (math.cos(f) * math.cos(t), math.sin(f) * math.cos(t), -math.sin(t)), (
        -math.sin(f),
        math.cos(f),
        0.0,
    )
    w = [math.cos(s) * a + math.sin(s) * b for a, b in zip(e, g)]
    o = [3.0 * x for x in ((i - 1) % edge, (i - 1) // edge % edge, (i - 1) // edge**2)]
    return [o] + [
        [a + r * (math.cos(half) * b + sign * math.sin(half) * c) for a, b, c in zip(o, u, w)]
        for sign in (1, -1)
    ]


def lammps(n, steps):
    edge = next(k for k in range(1, n + 1) if k ** 3 >= n)
    A, C = 25238.0, 25.8017
    atoms = [(m, s, x) for m in range(n) for s, x in enumerate(molecule(m + 1, edge))]
    write(
        "data",
        f"water\n"
        f"\n"
        f"{3 * n} atoms\n"
        f"{2 * n} bonds\n"
        f"{n} angles\n"
        f"2 atom types\n"
        f"1 bond types\n"
        f"1 angle types\n"
        + "".join(f"-200 200 {k}lo {k}hi\n" for k in "xyz")
        + "\nMasses\n\n1 15.9994\n2 1.008\n\nAtoms\n\n"
        + "".join(
            f"{3 * m + s + 1} {m + 1} {2 if s else 1} {0.417 if s else -0.834} {x[0]!r} {x[1]!r} "
            f"{x[2]!r}\n"
            for m, s, x in atoms
        )
        + "\nBonds\n\n"
        + "".join(f"{2 * m + s + 1} 1 {3 * m + 1} {3 * m + 2 + s}\n" for m in range(n) for s in (0, 1))
        + "\nAngles\n\n"
        + "".join(f"{m + 1} 1 {3 * m + 2} {3 * m + 1} {3 * m + 3}\n" for m in range(n)),
    )
    return [
        "lmp",
        "-log",
        "none",
        "-in",
        write(
            "in",
            f"""units metal
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
""",
        ),
    ]


def gromacs(n, steps):
    """A box so large that no image is within the cut-off, which contains the whole cluster.

    The list of pairs is computed once.
    """
    edge = next(k for k in range(1, n + 1) if k ** 3 >= n)
    A, C, box, middle = 25238.0, 25.8017, 8.0 + edge, 4.0
    name, length = f"gromacs-{n}", 2 * 0.09572 * math.sin(104.52 * math.pi / 360)
    if not os.path.exists(os.path.join(FOLDER, name + ".tpr")):
        sites = [(m, s, x) for m in range(n) for s, x in enumerate(molecule(m + 1, edge))]
        write(
            name + ".gro",
            f"water\n{3 * n}\n"
            + "".join(
                f"{m + 1:5d}{'SOL':5s}{('OW', 'HW1', 'HW2')[s]:>5s}{3 * m + s + 1:5d}"
                + "".join(f"{v / 10 + middle:20.15f}" for v in x)
                + "\n"
                for m, s, x in sites
            )
            + f"{box} {box} {box}\n",
        )
        write(
            name + ".top",
            f"""[ defaults ]
1 2 no 1 1
[ atomtypes ]
OW 8 15.9994 -0.834 A {(A / C) ** (1 / 6) / 10!r} {C * C / 4 / A * 96.48533!r}
HW 1 1.008 0.417 A 0 0
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW 1 -0.834
2 HW 1 SOL HW1 1 0.417
3 HW 1 SOL HW2 1 0.417
[ settles ]
1 1 0.09572 {length!r}
[ exclusions ]
1 2 3
2 1 3
3 1 2
[ system ]
water
[ molecules ]
SOL {n}
""",
        )
        write(
            name + ".mdp",
            f"""integrator = md-vv
dt = {STEP * UNIT!r}
nsteps = 1
cutoff-scheme = Verlet
verlet-buffer-tolerance = -1
nstlist = 100000000
rlist = {box / 2 - 0.1}
rcoulomb = {box / 2 - 0.1}
rvdw = {box / 2 - 0.1}
coulombtype = Cut-off
epsilon-rf = 1
comm-mode = None
nstenergy = 0
nstcalcenergy = 1000
nstlog = 0
nstxout = 0
""",
        )
        cpu(
            [
                "gmx_d",
                "grompp",
                "-f",
                name + ".mdp",
                "-c",
                name + ".gro",
                "-p",
                name + ".top",
                "-o",
                name + ".tpr",
                "-maxwarn",
                "5",
            ]
        )
    return [
        "gmx_d",
        "mdrun",
        "-s",
        name + ".tpr",
        "-deffnm",
        "out",
        "-nsteps",
        str(steps),
        "-ntmpi",
        "1",
        "-ntomp",
        "1",
        "-pin",
        "off",
    ]


def slope(make, few, members=1):
    """Microseconds of a trajectory-step."""
    return (cpu(make(5 * few)) - cpu(make(few))) / (4 * few * members) * 1e6


PEERS = {"LAMMPS": ("lmp", lammps), "GROMACS": ("gmx_d", gromacs)}


def main():
    there = {name: make for name, (program, make) in PEERS.items() if shutil.which(program)}
    missing = [f"{name} ({PEERS[name][0]})" for name in PEERS if name not in there]
    print(
        "\nrigid water, all pairs, rattle; microseconds of CPU a trajectory-step"
        + (f"; not here to compare with: {', '.join(missing)}" if missing else "")
    )
    for n, few, batch in ((7, 20000, 16384), (100, 1500, 1024)):
        cpu(study(n, 1, 1)), cpu(study(n, 64, 1))  # compiled from then on
        one = slope(lambda steps: study(n, 1, steps), max(few, 16384 // 8))
        many = slope(lambda steps: study(n, 64, steps), batch // 8, 64)
        print(f"  n = {n:3}: one trajectory {one:7.2f}, of 64 members {many:7.2f}", flush=True)
        for name, make in there.items():
            other = slope(lambda steps: make(n, steps), few if n < 50 else 150)
            print(
                f"           {name} {other:7.2f}: {one / other:.2f} and {many / other:.2f} of it (aims "
                f"1.0 and 0.5)",
                flush=True,
            )


try:
    main()
finally:
    shutil.rmtree(FOLDER, True)
