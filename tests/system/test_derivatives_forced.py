"""test_derivatives_forced.py [DRIVER]: the kernels of systems with constraints on velocities, forces or a
time against SymPy in 50 digits.

As test_derivatives.py, whose driver and bound it has. The equations of motion stand here as one writes them
down,

    E1 = f - M A - G'lambda,  E2 = -D(G v + phi0)[v, 1] - G A,  f = L_q - D(L_v)[v, 0] + F,  rows of G: Dg, and phi of constraints on velocities

where phi0 of constraints g(q, t) is g_t and the 1 is the rate of t.

and every kernel is one of these expressions, a gradient of one, or the slope at e = 0 of one along a line x
+ e dx.
"""
# SPDX-License-Identifier: BSD-2-Clause
import glob, os, re, sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from test_derivatives import CATALOGUE, ELSEWHERE, difference, mpmath, number, read_driver, read_yaml, sympy
from description import System, parse

E = sympy.Symbol("e")
# bodies: the second, and DRE of the first, are left to `make test-all`
SLOW = ("turntable", "chaplygin-sphere")
ZERO = sympy.S.Zero


def primes(text):
    """x' as the name v_of_x."""
    return re.sub(r"([A-Za-z]\w*)'", r"v_of_\1", str(text))


class Forced(System):
    def __init__(self, text, size):
        super().__init__(text, size)
        place = {x: v for x, v in zip(self.q, self.v)}
        velocities = {
            "v_of_" + k: [place[y] for y in x] if isinstance(x, list) else place[x]
            for k, x in self.names.items()
            if (x[0] if isinstance(x, list) else x) in place
        }
        names = {**self.names, **velocities}
        self.phi = [parse(primes(e), names) for e in (text.get("nonholonomic") or {}).values()]
        names["t"] = self.time
        self.forces = [[parse(primes(e), names) for e in row] for row in (text.get("forces") or {}).values()]
        self.pumped = self.V.has(self.time)
        self.driven = [g.has(self.time) for g in self.g]  # each constraint is one name in the catalogue
        self.timed = bool(self.forces) or self.pumped or any(self.driven)
        self.F = [sympy.Add(*column) for column in zip(*self.forces)] or [ZERO] * self.nq


def expressions(s, order3):
    """{kernel: entries} over q, v, w, u, l."""
    n, ng = s.nq, len(s.g) + len(s.phi)
    w, u, l = (
        [sympy.Symbol("%s_%d" % (x, i)) for i in range(k)]
        for x, k in (("w", 2 * n), ("u", 4 * n), ("l", 4 * ng + 1))
    )
    q, v, L, diff = s.q, s.v, s.L, sympy.diff
    G = [[diff(g, x) for x in q] for g in s.g] + [[diff(p, x) for x in v] for p in s.phi]
    phi0 = [diff(g, s.time) for g in s.g] + [p.subs({x: 0 for x in v}) for p in s.phi]

    def dot(x, y):
        return sympy.Add(*[a * b for a, b in zip(x, y)])

    def along(f, x, dx):
        """The slope of f along x + e dx."""
        return [
            diff(g.subs(dict(zip(x, [a + E * b for a, b in zip(x, dx)])), simultaneous=True), E).subs(E, 0)
            for g in f
        ]

    def pull(l, rows=G):
        return [sympy.Add(*[a * row[i] for a, row in zip(l, rows)]) for i in range(n)]

    Lv, Lq = [diff(L, x) for x in v], [diff(L, x) for x in q]
    M = [[diff(p, x) for x in v] for p in Lv]
    f = [a - b + F for a, b, F in zip(Lq, along(Lv, q, v), s.F)]
    rate = [dot(row, v) + c for row, c in zip(G, phi0)]
    bend = [a + diff(b, s.time) for a, b in zip(along(rate, q, v), rate)]

    def residuals(A, lam):
        return (
            [a - dot(row, A) - b for a, row, b in zip(f, M, pull(lam))],
            [-b - dot(row, A) for b, row in zip(bend, G)],
        )

    out = {
        "V": [s.V],
        "dV": [diff(s.V, x) for x in q],
        "d2V": [diff(s.V, x, y) for x in q for y in q],
        "g": s.g + [ZERO] * len(s.phi),
        "G": sum(G, []),
        "D2gvv": bend,
        "D2gvw": along([dot(row, v) for row in G], q, w[:n]),
        "D2glw": along(pull(l[:ng]), q, w[:n]),
        "D3glwu": along(along(pull(l[:ng]), q, w[:n]), q, u[:n]),
    }
    if s.phi or any(s.driven):
        out.update({"phi0": phi0, "Dphi0w": along(phi0, q, w[:n])})
    if s.timed:
        out["power"] = [dot(row, v) for row in s.forces] + ([diff(s.V, s.time)] if s.pumped else [])
        out["power"] += [a * b for a, b, driven in zip(l, phi0, s.driven) if driven]
    if s.forces:
        out.update(
            {"F": s.F, "Fq": [diff(F, x) for F in s.F for x in q], "Fv": [diff(F, x) for F in s.F for x in v]}
        )
    if s.general or s.timed:
        out.update(
            {
                "M": sum(M, []),
                "a": s.a,
                "Lv": Lv,
                "Lq": Lq,
                "Lvq": [diff(p, x) for p in Lv for x in q],
                "Lqq": [diff(p, x) for p in Lq for x in q],
                "f": f,
                "DMvw": along([dot(row, v) for row in M], q, w[:n]),
            }
        )
    if not s.general:
        out["mass"] = [M[i][i] for i in range(n)]
    if not G and not s.general:
        out["D3V"] = [
            diff(diff(s.V.subs(dict(zip(q, [a + E * b for a, b in zip(q, w)]))), E, 2), x).subs(E, 0)
            for x in q
        ]
    out["DE"] = sum((along(part, q + v, u[: 2 * n]) for part in residuals(w[:n], l[:ng])), [])
    E1, E2 = residuals(w[n : 2 * n], l[:ng])
    scalar, scale = dot(w[:n], E1) + dot(l[ng : 2 * ng], E2), l[2 * ng]
    work = [scale * (F - p) for F, p in zip(s.F, pull(l[len(s.g) : ng], G[len(s.g) :]))] + [ZERO] * n
    out["RE"] = [diff(scalar, x) + scale * diff(L, x) + y for x, y in zip(q + v, work)]
    if order3:
        out["DRE"] = along(out["RE"], q + v + w + l[: 2 * ng], u + l[2 * ng + 1 :])
    out["xi"] = [e for row in s.xi for e in row]
    out["gauge"] = s.gauge
    out["body"] = s.inertias
    return {k: x for k, x in out.items() if x}, w, u, l


def check(path, points, size):
    """{what: complaint or ""} of one system."""
    s = Forced(read_yaml(path), size)
    order3 = os.path.basename(path)[:-5] not in SLOW or "CONSTELLA_TEST_ALL" in os.environ
    wanted, w, u, l = expressions(s, order3)
    c, out = list(s.defaults) + [s.time], {}
    for at in points:
        known = dict(
            zip(
                c + s.q + s.v + w + u + l,
                at["c"][: len(s.defaults)]
                + (at["c"][len(s.defaults) :][:1] or [mpmath.mpf(0)])
                + at["q"]
                + at["v"]
                + at["w"]
                + at["u"]
                + at["l"],
            )
        )
        printed = {
            k for k in at if k not in "cqvwul" and not k.startswith("state") and (order3 or k != "DRE")
        }
        if printed != wanted.keys():
            out["kernels"] = "there are %s instead of %s" % (sorted(printed), sorted(wanted))
        for k in wanted:
            out[k] = out.get(k) or difference(
                at.get(k, []), [number(sympy.sympify(e), known) for e in wanted[k]]
            )
    return out


def is_forced(text):
    of_time = (text.get("potential", ""), text.get("constraints", ""))
    return any(key in text for key in ELSEWHERE) or any(re.search(r"\bt\b", str(part)) for part in of_time)


def main():
    count, failed, systems = 0, 0, 0
    printed = read_driver(3)
    for path in sorted(glob.glob(os.path.join(CATALOGUE, "*.yaml"))):
        name = os.path.basename(path)[:-5]
        if not is_forced(read_yaml(path)) or (
            name == "chaplygin-sphere" and "CONSTELLA_TEST_ALL" not in os.environ
        ):
            continue
        systems += 1
        for what, bad in check(path, printed[name], 3).items():
            count += 1
            failed += bool(bad)
            print("%sok %d - %s: %s" % ("not " if bad else "", count, name, what))
            if bad:
                print("# " + bad)
    print("1..%d" % count)
    return 1 if failed or systems < 11 else 0


if __name__ == "__main__":
    sys.exit(main())
