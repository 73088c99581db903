"""test_chain_starts.py: starts of long chains, whose constraints couple as a band, are projected to the
nearest point, and quickly."""
# SPDX-License-Identifier: BSD-2-Clause
import resource
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import done, h5py, numpy, ok, run

STUDY = """study: ensemble
system: {name: pendulum-chain, parameters: {n: N, L: 1}}
initial: START
end: 0.02
steps: [0.01]
methods: [rattle]
samples: {count: 0}
trajectories: {members: [0], every: 1, store: [q, v]}
"""


def rows(q):
    """Gradients of |x_a - x_(a-1)|^2 over 2."""
    n = len(q) // 2
    x, y, G = numpy.append(0, q[:n]), numpy.append(0, q[n:]), numpy.zeros((n, 2 * n))
    for a in range(n):
        G[a, a], G[a, n + a] = x[a + 1] - x[a], y[a + 1] - y[a]
        if a:
            G[a, a - 1], G[a, n + a - 1] = -G[a, a], -G[a, n + a]
    return G


def nearest(n, size):
    draw = numpy.random.default_rng(1)
    angle = numpy.cumsum(draw.normal(0, 0.3, n)) - numpy.pi / 2
    q = numpy.concatenate(
        [numpy.cumsum(numpy.cos(angle)), numpy.cumsum(numpy.sin(angle))]
    ) + size * draw.normal(size=2 * n)
    v = draw.normal(size=2 * n)
    listed = lambda x: "[" + ", ".join(repr(float(y)) for y in x) + "]"
    process, result = run(
        f"chain-{n}",
        STUDY.replace("N,", f"{n},").replace("START", f"{{q: {listed(q)}, v: {listed(v)}, project: true}}"),
    )
    if not ok(process.returncode == 0, f"a chain of {n} starts", process.stderr):
        return
    with h5py.File(result, "r") as f:
        x, u = f["trajectories/0/q"][0, 0], f["trajectories/0/v"][0, 0]
        length = 1
    G, y = rows(x), numpy.concatenate([[0], x[:n]])
    z = numpy.concatenate([[0], x[n:]])
    ok(
        numpy.abs(numpy.diff(y) ** 2 + numpy.diff(z) ** 2 - length**2).max() < 1e-13,
        f"chain of {n}: on its constraints",
    )
    theta, *_ = numpy.linalg.lstsq(G.T, x - q, rcond=None)
    ok(
        numpy.abs(x - q - G.T @ theta).max() < 1e-12 and numpy.abs(x - q).max() > size / 10,
        f"chain of {n}: what is added to q is normal to them",
        numpy.abs(x - q - G.T @ theta).max(),
    )
    K = numpy.eye(2 * n)  # 1 - sum of theta_a D2 g_a
    for a in range(n):
        for o in (0, n):
            K[o + a, o + a] -= theta[a]
            if a:
                K[o + a - 1, o + a - 1] -= theta[a]
                K[o + a, o + a - 1] += theta[a]
                K[o + a - 1, o + a] += theta[a]
    normal = numpy.linalg.qr(G.T)[0]
    P = numpy.eye(2 * n) - normal @ normal.T
    ok(
        numpy.linalg.eigvalsh(P @ K @ P + normal @ normal.T).min() > 0,
        f"chain of {n}: it is a minimum of the distance",
    )
    ok(
        numpy.abs(G @ u).max() < 1e-12 and numpy.abs(u - v).max() > 1e-3,
        f"chain of {n}: velocities are tangent",
    )


def soon():
    """200 starts of a chain of 100, which took 10 000 steps each."""
    spent = []
    for members in (8, 208):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(
            "soon",
            STUDY.replace("N,", "100,").replace(
                "START", f"{{members: {members}, seed: 1, around: default, spread: {{q: 0.02, v: 0.1}}}}"
            ),
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime - before.ru_utime)
    each = (spent[1] - spent[0]) / 200
    ok(each < 3e-3, "a start of a chain of 100 takes about half a millisecond (it took 15)", each)


for n, size in ((8, 0.05), (30, 0.05), (100, 0.02), (100, 1e-3)):
    nearest(n, size)
soon()
done()
