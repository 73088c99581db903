"""lammps_rattle.py: one step of LAMMPS' fix rattle on tip3p-water, by Debian's python3-lammps and liblammps-dev.

Fixes act in the order in which they are given: fix rattle must stand behind fix nve, or the velocities at the end of a
step leave the constraints (`rattle_first`).

Units lj, so that LAMMPS multiplies nothing: energies in eV, lengths in Angstrom, masses in amu, charges times
sqrt(K_c). No cut-off matters, since all molecules are within a hundredth of it.
"""
# SPDX-License-Identifier: BSD-2-Clause
import ctypes
import math

import numpy as np

K_C, A, C, Q_O, Q_H, R_OH, ANGLE, M_O, M_H = 14.3996, 25238.0, 25.8017, -0.834, 0.417, 0.9572, 104.52, 15.9994, 1.008
SCALE = math.sqrt(K_C)
TOLERANCE, ITERATIONS = 1e-14, 200
opened = {}


def start(n, fixes):
    """A program with n molecules of the atoms O, A, B, numbered one after the other."""
    from lammps import lammps

    program = lammps(cmdargs=["-screen", "none", "-log", "none", "-nocite"])
    program.commands_string(f"""
        units lj
        atom_style full
        atom_modify map array sort 0 0
        boundary f f f
        region all block -1000 1000 -1000 1000 -1000 1000
        create_box 2 all bond/types 1 angle/types 1 extra/bond/per/atom 2 extra/angle/per/atom 1 extra/special/per/atom 2
        newton on
        mass 1 {M_O}
        mass 2 {M_H}
        pair_style lj/cut/coul/cut 500
        pair_coeff * * 0 1
        pair_coeff 1 1 {C * C / (4 * A)!r} {(A / C) ** (1 / 6)!r}
        bond_style harmonic
        bond_coeff 1 0 {R_OH}
        angle_style harmonic
        angle_coeff 1 0 {ANGLE}
        special_bonds lj/coul 0 0 0
        neighbor 0.1 nsq
        neigh_modify every 1 delay 0 check yes
        thermo_modify lost error""")
    for i in range(n):
        for k, (kind, place) in enumerate([(1, (0, 0, 0)), (2, (0.7, 0.6, 0)), (2, (-0.7, 0.6, 0))]):
            x, y, z = np.array(place) + (5 * i, 0, 0)
            program.command(f"create_atoms {kind} single {x} {y} {z}")
            program.command(f"set atom {3 * i + k + 1} mol {i + 1} charge {SCALE * (Q_H if k else Q_O)!r}")
        o, a, b = (3 * i + k for k in (1, 2, 3))
        program.command(f"create_bonds single/bond 1 {o} {a} special no")
        program.command(f"create_bonds single/bond 1 {o} {b} special no")
        program.command(f"create_bonds single/angle 1 {a} {o} {b} special {'yes' if i == n - 1 else 'no'}")
    for i, fix in enumerate(fixes):
        program.command(f"fix {i} all {fix}")
    return program


NVE, RATTLE = "nve", f"rattle {TOLERANCE} {ITERATIONS} 0 b 1 a 1"


def step_by(fixes, q, v, h):
    """(q, v) of the system have Ox[n], Oy[n], Oz[n], Ax[n], ... ; LAMMPS has x, y, z of each atom."""
    n = len(q) // 9
    program = opened.get((n, fixes)) or opened.setdefault((n, fixes), start(n, fixes))

    def put(name, x):
        program.scatter_atoms(name, 1, 3, (ctypes.c_double * (9 * n))(*x.reshape(9, n).T.ravel()))

    def got(name):
        return np.array(program.gather_atoms(name, 1, 3)).reshape(n, 9).T.ravel()

    put("x", q)
    put("v", v)
    program.command(f"timestep {h!r}")
    program.command("run 1 post no")
    return got("x"), got("v")


def rattle(system, q, v, h):
    return step_by((NVE, RATTLE), q, v, h)


def rattle_first(system, q, v, h):
    return step_by((RATTLE, NVE), q, v, h)
