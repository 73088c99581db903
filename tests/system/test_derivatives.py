"""test_derivatives.py [DRIVER]: every kernel of every system of the catalogue, of every-form.yaml and of
other files, against SymPy with 50 digits.

DRIVER is the compiled kernel-print.c, by default the one in BUILD; it prints the points and parameters that
it used. This side reads the descriptions independently (description.py): L and g as SymPy expressions,
their partial derivatives one by one, and the kernels as sums over these. This is the definition, which the
program, whose derivatives are contractions, never forms. The bound is 1e-13 of the largest entry of the
kernel, because an entry may be a small difference of larger ones. V and g may be so as a whole; their bound
is relative to the sum of the magnitudes of their terms.
"""
# SPDX-License-Identifier: BSD-2-Clause
import glob, itertools, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
CATALOGUE = os.path.join(HERE, "../../src/system/catalogue")
EVERY_FORM = [os.path.join(HERE, f) for f in ("every-form.yaml", "every-body.yaml", "full-body.yaml")]
DRIVER = (
    sys.argv[1]
    if len(sys.argv) > 1
    else os.path.join(os.environ.get("BUILD", "build"), "tests/system/kernel-print")
)
try:
    import mpmath, sympy
    from description import System, read_yaml
except ImportError:
    print("1..0 # SKIP no SymPy")
    sys.exit(0)

BOUND = 1e-13
# their kernels, and those of a potential or constraints of t: test_derivatives_forced.py
ELSEWHERE = ("nonholonomic", "forces")
mpmath.mp.dps = 50

# ---- derivatives ---------------------------------------------------------------------------------


def partials_of_term(e, x, order):
    """{ascending indices: expression} of the partial derivatives of e by x up to the order that do not
    vanish identically.
    """
    place, out, last = {s: i for i, s in enumerate(x)}, {(): e}, {(): e}
    for _ in range(order):
        new = {}
        for key, f in last.items():
            for s in f.free_symbols & place.keys():
                if not key or place[s] >= key[-1]:
                    d = sympy.diff(f, s)
                    if d != 0:
                        new[key + (place[s],)] = d
        out.update(new)
        last = new
    return out


SLOTS = [sympy.Symbol("z_%d" % i) for i in range(200)]
terms_differentiated = {}  # (term in SLOTS, order): its partial derivatives


def partials(e, x, order):
    """[(indices of the symbols of x in a term of e, these symbols, the partial derivatives of the term in
    SLOTS)]: terms that differ in their symbols alone, as the forces of pairs, are differentiated once.
    """
    place, out = {s: i for i, s in enumerate(x)}, []
    for term in sympy.Add.make_args(e):
        symbols = sorted(term.free_symbols & place.keys(), key=place.get)
        form = (term.xreplace(dict(zip(symbols, SLOTS))), order)
        if form not in terms_differentiated:
            terms_differentiated[form] = partials_of_term(form[0], SLOTS[: len(symbols)], order)
        out.append(([place[s] for s in symbols], symbols, terms_differentiated[form]))
    return out


def number(e, known):
    """The value of e, from the values of its symbols in known, which grows."""
    value = known.get(e)
    if value is None:
        if e.is_Rational:
            value = mpmath.mpf(e.p) / e.q
        elif e.is_Atom:
            value = mpmath.mpf(sympy.N(e, 60))
        else:
            a = [number(x, known) for x in e.args]
            value = (
                mpmath.fsum(a)
                if e.is_Add
                else mpmath.fprod(a)
                if e.is_Mul
                else a[0] ** a[1]
                if e.is_Pow
                else getattr(mpmath, e.func.__name__)(*a)
            )
        known[e] = value
    return value


class Tensor:
    """The partial derivatives of a function at a point."""

    def __init__(self, table, known):
        self.value = {}
        symbols = {s: x for s, x in known.items() if s.is_Symbol}
        for indices, of_term, form in table:
            here = {**symbols, **{z: known[s] for z, s in zip(SLOTS, of_term)}}
            for key, e in form.items():
                at = tuple(indices[i] for i in key)
                self.value[at] = self.value.get(at, 0) + number(e, here)

    def __call__(self, *key):
        return self.value.get(tuple(sorted(key)), 0)

    def along(self, order, *directions):
        """{row: sum over the other indices of derivative times directions}: the vector D^order f
        [directions]; key () without a row left.
        """
        out = {}
        for key, d in self.value.items():
            if len(key) != order:
                continue
            for p in set(itertools.permutations(key)):
                rest, term = p[len(directions) :], d
                for i, w in zip(p, directions):
                    term *= w[i]
                out[rest] = out.get(rest, 0) + term
        return out


def vector(entries, n):
    return [entries.get((i,), 0) for i in range(n)]


def combined(l, vectors, n):
    return [mpmath.fsum(la * x[i] for la, x in zip(l, vectors)) for i in range(n)]


def added(*vectors):
    return [mpmath.fsum(x) for x in zip(*vectors)]


def residuals(s, L, g, at):
    """DE, RE and DRE of E1 = f - M A - D(lambda.g), E2 = -D2g[v, v] - Dg A. f = L_q - D(L_v)[v, 0] and M =
    L_vv, so that in x = (q, v) y.E1 = DL[y, 0] - D2L[(0, y), (v, A)] - D(lambda.g)[y].
    """
    nq, ng, n, v = s.nq, len(g), range(s.nq), at["v"]
    none = [0] * nq
    (dq, dv, dy, dA), X = (at["u"][i * nq : (i + 1) * nq] for i in range(4)), at["u"][: 2 * nq]
    lam, z, scale, dlam, dz = (
        at["l"][:ng],
        at["l"][ng : 2 * ng],
        at["l"][2 * ng],
        at["l"][2 * ng + 1 : 3 * ng + 1],
        at["l"][3 * ng + 1 :],
    )

    def of_L(order, *directions):
        return vector(L.along(order, *directions), 2 * nq)

    def of_g(l, order, *directions):
        return combined(l, [vector(t.along(order, *directions), nq) for t in g], nq)

    def minus(x):
        return [-e for e in x]

    def rows(x):
        return x[nq:]

    A, V, dV = at["w"][:nq], v + none, dv + none
    E1 = added(
        of_L(2, X)[:nq],
        minus(rows(of_L(3, V, X))),
        minus(rows(of_L(2, dV))),
        minus(rows(of_L(3, none + A, X))),
        minus(of_g(lam, 2, dq)),
    )
    E2 = [
        -t.along(3, v, v, dq).get((), 0) - 2 * t.along(2, v, dv).get((), 0) - t.along(2, A, dq).get((), 0)
        for t in g
    ]
    y, A = at["w"][:nq], at["w"][nq:]
    Y, dY, y0, dy0 = none + y, none + dy, y + none, dy + none
    VA, dVA = v + A, dv + dA
    RE = added(
        of_L(2, y0),
        minus(of_L(3, Y, VA)),
        [scale * x for x in of_L(1)],
        none + minus(of_L(2, Y)[:nq]),
        minus(of_g(lam, 2, y)) + none,
        minus(of_g(z, 3, v, v)) + none,
        minus(of_g(z, 2, A)) + none,
        none + [-2 * x for x in of_g(z, 2, v)],
    )
    DRE = added(
        of_L(3, y0, X),
        of_L(2, dy0),
        minus(of_L(4, Y, VA, X)),
        minus(of_L(3, dY, VA)),
        minus(of_L(3, Y, dVA)),
        [scale * x for x in of_L(2, X)],
        none + minus(of_L(3, Y, X)[:nq]),
        none + minus(of_L(2, dY)[:nq]),
        minus(of_g(lam, 3, y, dq)) + none,
        minus(of_g(dlam, 2, y)) + none,
        minus(of_g(lam, 2, dy)) + none,
        minus(of_g(z, 4, v, v, dq)) + none,
        [-2 * x for x in of_g(z, 3, v, dv)] + none,
        minus(of_g(dz, 3, v, v)) + none,
        minus(of_g(z, 3, A, dq)) + none,
        minus(of_g(dz, 2, A)) + none,
        minus(of_g(z, 2, dA)) + none,
        none + [-2 * x for x in added(of_g(z, 3, v, dq), of_g(z, 2, dv), of_g(dz, 2, v))],
    )
    return {"DE": E1 + E2, "RE": RE, "DRE": DRE}


def kernels(s, tables, at):
    """{kernel: entries, matrices row by row} at the point {letter: values}."""
    nq, n, known = s.nq, range(s.nq), dict(zip(s.q + s.v, at["q"] + at["v"]))
    known.update(zip(s.defaults, at["c"]))
    V, g, L = Tensor(tables["V"], known), [Tensor(t, known) for t in tables["g"]], Tensor(tables["L"], known)
    v, w, u, l = at["v"], at["w"][:nq], at["u"][:nq], at["l"][: len(g)]  # what all but the last three read
    out = {"V": [V()], "dV": [V(i) for i in n], "d2V": [V(i, j) for i in n for j in n]}
    out["g"], out["G"] = [t() for t in g], [t(i) for t in g for i in n]
    out["D2gvv"] = [t.along(2, v, v).get((), 0) for t in g]
    out["D2gvw"] = [t.along(2, v, w).get((), 0) for t in g]
    out["D2glw"] = combined(l, [vector(t.along(2, w), nq) for t in g], nq)
    out["D3glwu"] = combined(l, [vector(t.along(3, w, u), nq) for t in g], nq)
    out["xi"] = [number(e, known) for row in s.xi for e in row]
    out["gauge"] = [number(e, known) for e in s.gauge]
    out["body"] = [number(e, known) for e in s.inertias]
    out.update(residuals(s, L, g, at))
    if not s.g and not s.general:
        out["D3V"] = vector(V.along(3, w, w), nq)
    if not s.general:
        out["mass"] = [L(nq + i, nq + i) for i in n]
        return out
    Lvq = [[L(j, nq + i) for j in n] for i in n]
    out["M"] = [L(nq + i, nq + j) for i in n for j in n]
    out["Lv"], out["Lq"] = [L(nq + i) for i in n], [L(i) for i in n]
    out["Lvq"], out["Lqq"] = sum(Lvq, []), [L(i, j) for i in n for j in n]
    out["a"] = [number(e, known) for e in s.a]
    out["f"] = [L(i) - mpmath.fsum(Lvq[i][j] * v[j] for j in n) for i in n]
    by_v = L.along(3, w + [0] * nq, [0] * nq + v)
    out["DMvw"] = [by_v.get((nq + i,), 0) for i in n]
    return out


# ---- comparison ----------------------------------------------------------------------------------


def magnitude(e, known):
    """The sum of the magnitudes of the terms of e, for values that may be near 0 by cancellation."""
    return mpmath.fsum(abs(number(x, known)) for x in sympy.Add.make_args(e))


def difference(got, wanted, least=0):
    """What is wrong with got, where an error of BOUND of the largest entry, or of `least`, is not."""
    if len(got) != len(wanted):
        return "%d entries instead of %d" % (len(got), len(wanted))
    scale = max([abs(x) for x in wanted] + [least, mpmath.mpf("1e-300")])
    worst = max([abs(x - y) for x, y in zip(got, wanted)] + [0]) / scale
    return "" if worst <= BOUND else "relative difference %.2g" % worst


def read_driver(size):
    """{system: [{name: values}]} of what the driver prints: a line 'system NAME' and, for each point,
    'point' and lines 'NAME value ...'.
    """
    out = {}
    for line in subprocess.run(
        [DRIVER, str(size)] + EVERY_FORM, capture_output=True, text=True, check=True
    ).stdout.splitlines():
        word, *rest = line.split()
        if word == "system":
            points = out[rest[0]] = []
        elif word == "point":
            points.append({})
        else:
            points[-1][word] = [mpmath.mpf(x) for x in rest]
    return out


def check(path, points, size):
    """{what: complaint or ""} of one system."""
    s = System(read_yaml(path), size)
    tables = {
        "V": partials(s.V, s.q, 2 if s.g else 3),
        "g": [partials(g, s.q, 4) for g in s.g],
        "L": partials(s.L, s.q + s.v, 4 if s.general else 3),
    }
    known = {}
    for symbol, e in s.defaults.items():
        known[symbol] = number(e, known)
    out = {
        "defaults": difference(points[0].get("c", []), list(known[x] for x in s.defaults))
        if s.defaults
        else ""
    }
    for k, (q, v) in enumerate(s.states.values()):
        out["state"] = out.get("state") or difference(
            points[0]["state%d" % k], [number(e, known) for e in q + v]
        )
    for at in points:
        given = {x: at.pop(x, []) for x in "cqvwul"}
        at = {x: y for x, y in at.items() if not x.startswith("state")}
        known = dict(zip(list(s.defaults) + s.q, given["c"] + given["q"]))
        least = {"V": magnitude(s.V, known), "g": max([magnitude(e, known) for e in s.g] + [0])}
        wanted = {k: x for k, x in kernels(s, tables, given).items() if x}
        if at.keys() != wanted.keys():
            out["kernels"] = "there are %s instead of %s" % (sorted(at), sorted(wanted))
        for k in wanted:
            out[k] = out.get(k) or difference(at.get(k, []), wanted[k], least.get(k, 0))
    return out


def main():
    systems = sorted(glob.glob(os.path.join(CATALOGUE, "*.yaml"))) + EVERY_FORM
    size, count, failed = 3, 0, 0
    printed = read_driver(size)
    for path in systems:
        name, text = os.path.basename(path)[:-5], read_yaml(path)
        timed = (text.get("potential", ""), text.get("constraints", ""))
        if any(key in text for key in ELSEWHERE) or any(re.search(r"\bt\b", str(part)) for part in timed):
            continue
        result = (
            check(path, printed[name], size)
            if len(printed.get(name, [])) > 1
            else {"all": "the driver printed nothing"}
        )
        for what, bad in result.items():
            count += 1
            failed += bool(bad)
            print("%sok %d - %s: %s" % ("not " if bad else "", count, name, what))
            if bad:
                print("# " + bad)
    print("1..%d" % count)
    return 1 if failed or len(systems) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
