"""test_sympy.py [DRIVER]: value, gradient and second directional derivatives of the engine against SymPy in
50 digits.

DRIVER is the compiled derive-print.c, by default the one in BUILD. The bound is 1e-13 relative to the value
or, where terms cancel, to the sum of their magnitudes times the amplification of the operations on the way
(see evaluate), which double precision cannot beat.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os, random, subprocess, sys

DRIVER = (
    sys.argv[1]
    if len(sys.argv) > 1
    else os.path.join(os.environ.get("BUILD", "build"), "tests/expr/derive-print")
)
try:
    import mpmath, sympy
except ImportError:
    print("1..0 # SKIP no SymPy")
    sys.exit(0)

BOUND, RANDOM, SEED = 1e-13, 150, 20240611
X = sympy.symbols("x y z", positive=True)
W = sympy.symbols("u v w", real=True)
MECHANICS = [
    "0.5*(x^2 + y^2 + z^2)",
    "-9.81*1.3*cos(x) - 9.81*0.7*cos(y)",
    "0.5*x^2*1.7 + 0.9*x*y*cos(x - y) + 0.3*z^2",
    "-1/sqrt(x^2 + y^2 + z^2)",
    "4*0.3*((1.2/sqrt(x^2+y^2+z^2))^12 - (1.2/sqrt(x^2+y^2+z^2))^6)",
    "0.8*(1 - exp(-1.4*(sqrt(x^2 + y^2 + z^2) - 1.1)))^2",
    "x^2/2.25 + y^2/1.21 + z^2/4 - 1",
    "(sqrt(x^2 + y^2) - 2)^2 + z^2 - 0.25",
    "0.5*(x^2 + y^2) + x^2*y - y^3/3",
    "atan2(y, x)*z + log(x^2 + y^2)/2",
    "tan(x/3)^2*cos(y)^2/(1 + sin(z)^2)",
    "-0.6/((x - 1)^2 + y^2 + z^2)^(3/2) - 0.4/((x + 1)^2 + y^2 + z^2)^(1/2)",
    "x^1.7*y^-0.3 + 2^z + x^y",
    "exp(-(x^2 + y^2)/2)*sin(3*z)",
    "(x^2 + y^2 + z^2)^-2.5*(2*z^2 - x^2 - y^2)",
]


def expression(r, depth):
    """A random expression whose arguments of sqrt, log and pow are positive and whose denominators stay away
    from 0."""
    if depth == 0:
        return r.choice(
            ["x", "y", "z", "x", "y", "z", "%.3f" % r.uniform(0.2, 3), "pi", str(r.randint(1, 5))]
        )
    a, b = expression(r, depth - 1), expression(r, r.randint(0, depth - 1))
    form = r.choice(
        [
            "({a} + {b})",
            "({a} - {b})",
            "{A}*{B}",
            "{A}/(1 + {B}^2)",
            "-{A}",
            "sqrt(0.5 + {A}^2)",
            "sin({a})",
            "cos({a})",
            "tan(sin({a})/2)",
            "exp(sin({a}))",
            "log(2 + {A}^2)",
            "atan2({a}, 1.5 + cos({b}))",
            "(1.2 + cos({a}))^{n}",
            "(1.1 + {A}^2)^(-{n}/2)",
            "(1.3 + sin({a}))^sin({b})",
            "{A}^{n}",
            "sinh(sin({a}))",
            "cosh(cos({a}))",
            "tanh({a})",
            "asin(sin({a})/1.5)",
            "acos(cos({a})/1.5)",
            "expm1(sin({a})/2)",
            "log1p({A}^2)",
            "(0.7 + {A}^2)^0.3",
        ]
    )
    return form.format(a=a, b=b, A="(%s)" % a, B="(%s)" % b, n=r.randint(1, 4))


def symbolic(text):
    """For fixed texts of this file only: sympify must never see user input. Decimals become exact values of
    the doubles."""
    names = dict(
        zip("xyz", X),
        pi=sympy.Float(float(sympy.pi), 17),
        expm1=lambda u: sympy.exp(u) - 1,
        log1p=lambda u: sympy.log(1 + u),
    )
    e = sympy.sympify(text.replace("^", "**"), locals=names, rational=False)
    return e.xreplace({f: sympy.Rational(*float(f).as_integer_ratio()) for f in e.atoms(sympy.Float)})


def factors(values):
    """d product / d value, for each."""
    return [mpmath.fprod(values[:i] + values[i + 1 :]) for i in range(len(values))]


def node(e, a):
    """The value of the operation e on the numbers a, and its partial derivatives by them."""
    if e.is_Add:
        return mpmath.fsum(a), [1] * len(a)
    if e.is_Mul:
        return mpmath.fprod(a), factors(a)
    if e.is_Pow or isinstance(e, sympy.exp):
        base, power = a if e.is_Pow else (mpmath.e, a[0])
        value = mpmath.power(base, power)
        by_power = value * mpmath.log(base) if base > 0 and power != 0 else 0
        return value, [value * power / base if base else 0, by_power] if e.is_Pow else [value]
    if isinstance(e, sympy.atan2):
        return mpmath.atan2(*a), [a[1] / (a[0] ** 2 + a[1] ** 2), -a[0] / (a[0] ** 2 + a[1] ** 2)]
    sine, cosine = mpmath.sin(a[0]), mpmath.cos(a[0])
    arc = 1 / mpmath.sqrt(1 - a[0] ** 2) if a[0] ** 2 != 1 else mpmath.inf
    if isinstance(e, sympy.log):
        return mpmath.log(a[0]), [1 / a[0]]
    return {
        sympy.sin: (sine, [cosine]),
        sympy.cos: (cosine, [-sine]),
        sympy.tan: (sine / cosine, [1 / cosine**2]),
        sympy.atan: (mpmath.atan(a[0]), [1 / (1 + a[0] ** 2)]),
        sympy.sinh: (mpmath.sinh(a[0]), [mpmath.cosh(a[0])]),
        sympy.cosh: (mpmath.cosh(a[0]), [mpmath.sinh(a[0])]),
        sympy.tanh: (mpmath.tanh(a[0]), [mpmath.sech(a[0]) ** 2]),
        sympy.asin: (mpmath.asin(a[0]), [arc]),
        sympy.acos: (mpmath.acos(a[0]), [-arc]),
    }[e.func]


def evaluate(e, known):
    """(value, magnitude) of e; the magnitude is what one rounding of every intermediate value can move it by,
    in units of roundings."""
    if e not in known:
        if e.is_Atom:
            value = mpmath.mpf(e.p) / e.q if e.is_Rational else mpmath.mpf(sympy.N(e, 50))
            known[e] = value, abs(value) if not e.is_Integer else 0
        else:
            below = [evaluate(a, known) for a in e.args]
            value, partials = node(e, [v for v, _ in below])
            known[e] = value, abs(value) + sum(abs(d) * m for d, (_, m) in zip(partials, below))
    return known[e]


def reference(e, q, w):
    """Seven pairs (value, magnitude) in 50 digits."""
    gradient = [sympy.diff(e, s) for s in X]
    second = [sympy.Add(*[sympy.diff(g, s) * d for s, d in zip(X, W)]) for g in gradient]
    with mpmath.workdps(50):
        known = {s: (mpmath.mpf(v), abs(mpmath.mpf(v))) for s, v in zip(X + W, q + w)}
        return [evaluate(f, known) for f in [e] + gradient + second]


def main():
    r = random.Random(SEED)
    texts = MECHANICS + [expression(r, r.randint(1, 4)) for _ in range(RANDOM)]
    points = [([r.uniform(0.3, 1.7) for _ in X], [r.uniform(-1, 1) for _ in W]) for _ in texts]
    lines = "".join(" ".join("%.17g" % v for v in q + w) + " " + t + "\n" for (q, w), t in zip(points, texts))
    answers = subprocess.run(
        [DRIVER], input=lines, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    failed = len(answers) != len(texts)
    for i, (text, (q, w), answer) in enumerate(zip(texts, points, answers), 1):
        if answer.startswith("error"):
            bad = answer
        else:
            pairs = zip(map(mpmath.mpf, answer.split()), reference(symbolic(text), q, w))
            worst = max(
                float(abs(got - value) / max(abs(value), scale, mpmath.mpf("1e-300")))
                for got, (value, scale) in pairs
            )
            bad = "" if worst <= BOUND else "relative difference %.2g" % worst
        failed = failed or bool(bad)
        print("%sok %d - %s" % ("not " if bad else "", i, text.replace("#", "")))
        if bad:
            print("# " + bad)
    print("1..%d" % len(texts))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
