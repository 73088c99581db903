"""engines.py: shared by the tests of PETSc's own solvers: studies of small systems and of nets by either engine, and the
states at their end."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy

STUDY = """study: conservation
system: SYSTEM
initial: {members: 3, seed: 2, around: default, spread: {q: 0.01, v: 0.01}}
end: 0.5
steps: [0.02]
methods: [METHODS]
solver: {engine: ENGINE}
"""
NET = """study: conservation
system: {name: net, parameters: {n: ROWS, m: COLUMNS, w: 0.2}}
end: 0.3
steps: [0.01]
methods: [rattle, shake, "compose(rattle, yoshida4)"]
solver: {engine: ENGINE}
"""


def net(engine, rows, columns):
    return NET.replace("ROWS", str(rows)).replace("COLUMNS", str(columns)).replace("ENGINE", engine)


def study(engine, system="double-pendulum", methods="rattle"):
    return STUDY.replace("SYSTEM", system).replace("METHODS", methods).replace("ENGINE", engine)


def final(f):
    return numpy.concatenate([f["/final/q"][()], f["/final/p"][()]], axis=-1)
